package pattern

import "unicode/utf8"

// bytesRange is a range of values for one byte of a sequence.
type bytesRange struct{ lo, hi byte }

// sequence is the UTF-8 encoding of a range of runes, as byte ranges.
type sequence []bytesRange

func (s sequence) run() run {
	sets := make([]set, len(s))
	for i, b := range s {
		sets[i].addRange(b.lo, b.hi)
	}
	return run{sets: sets}
}

// sequences splits a range of runes into sequences whose byte ranges are
// independent of each other, the method of Ken Thompson's grep and RE2.
func sequences(lo, hi rune) (all []sequence) {
	const surrogates, afterSurrogates = 0xd800, 0xe000
	switch {
	case lo > hi:
		return nil
	case lo < surrogates && hi >= surrogates:
		return append(sequences(lo, surrogates-1), sequences(surrogates, hi)...)
	case lo >= surrogates && lo < afterSurrogates: // surrogates have no UTF-8 encoding
		return sequences(afterSurrogates, hi)
	}
	for _, most := range []rune{0x7f, 0x7ff, 0xffff} { // split at changes of length
		if lo <= most && hi > most {
			return append(sequences(lo, most), sequences(most+1, hi)...)
		}
	}
	for n := 1; n < 4; n++ { // split until each trailing byte covers its full range or a single value
		below := rune(1)<<(6*n) - 1
		if hi < 0x80 || lo&^below == hi&^below {
			continue
		}
		if lo&below != 0 {
			return append(sequences(lo, lo|below), sequences((lo|below)+1, hi)...)
		}
		if hi&below != below {
			return append(sequences(lo, hi&^below-1), sequences(hi&^below, hi)...)
		}
	}
	var a, b [utf8.UTFMax]byte
	n := utf8.EncodeRune(a[:], lo)
	utf8.EncodeRune(b[:], hi)
	s := make(sequence, n)
	for i := range s {
		s[i] = bytesRange{a[i], b[i]}
	}
	return []sequence{s}
}
