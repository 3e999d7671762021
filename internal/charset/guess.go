package charset

import (
	"bytes"
	"math"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"
)

// # Guessing
//
// A file that is neither UTF-8 nor marked by a BOM is in the encoding that makes its
// bytes most probable. Each language has a few groups of characters; a group has a
// share of the text, divided among its members. Characters of ASCII cost the same in
// every encoding, which matters where one is the second byte of a character.

// guessed lists the encodings to choose from. Of two that are equally probable, the
// first one wins.
func guessed() []string {
	return []string{"utf-8", "windows-1252", "shift_jis", "euc-jp", "gb18030", "big5", "euc-kr"}
}

// Possible returns the encodings that a file may be in if its encoding was guessed: the
// guessed one and those without an invalid byte.
func Possible(raw []byte) (all []*Charset) {
	best, _ := Detect(raw)
	for _, name := range guessed() {
		c, _ := Find(name)
		if best != nil && c.Same(best) || !c.Decode(raw).Lossy {
			all = append(all, c)
		}
	}
	return all
}

// Logarithms of the probability of one byte or character.
var (
	costASCII   = math.Log(1.0 / 40)
	costInvalid = math.Log(1e-12)
	costRare    = math.Log(1e-9)
	costMixed   = math.Log(0.05) // a letter of ASCII beside a character of another script
)

// share returns the probability of one of n equally frequent characters that together
// make up a part of a text, as a logarithm.
func share(part float64, n int) float64 { return math.Log(part / float64(n)) }

// guess returns the encoding that a sample is most likely in.
func guess(sample []byte) *Charset {
	var best *Charset
	highest := math.Inf(-1)
	for _, name := range guessed() {
		c, _ := Find(name)
		if p := c.likelihood(sample); p > highest {
			best, highest = c, p
		}
	}
	return best
}

// likelyWide returns the encoding of more than one byte per character that a sample is most likely
// in, other than Unicode, and the logarithm of the sample's probability in it.
func likelyWide(sample []byte) (name string, likelihood float64) {
	likelihood = math.Inf(-1)
	for _, one := range []string{"shift_jis", "euc-jp", "gb18030", "big5", "euc-kr"} {
		c, _ := Find(one)
		if p := c.likelihood(sample); p > likelihood {
			name, likelihood = one, p
		}
	}
	return name, likelihood
}

// likelihood returns the logarithm of the probability of b as text in the encoding. An
// incomplete character at the end of a long sample is ignored.
func (c *Charset) likelihood(b []byte) (sum float64) {
	switch c.name {
	case "utf-8":
		return likelihoodUTF8(b)
	case "windows-1252":
		return likelihoodLatin(b)
	}
	cut := len(b) == head
	language := languages()[c.name]
	r := c.reader(b)
	latin, wide := false, false // the last character is a letter of ASCII, or no ASCII
	for len(r.rest) > 0 {
		if c := r.rest[0]; c < utf8.RuneSelf {
			isLetter := c|0x20 >= 'a' && c|0x20 <= 'z'
			if isLetter && wide {
				sum += costMixed
			}
			latin, wide = isLetter, false
			r.rest = r.rest[1:]
			sum += costASCII
			continue
		}
		at := r.rest
		char, ok := r.next()
		if latin {
			sum += costMixed
		}
		latin, wide = false, true
		switch {
		case ok:
			first, _ := utf8.DecodeRune(char)
			sum += language.cost(first, at)
		case !cut || len(at) > 3:
			sum += costInvalid
		}
	}
	return sum
}

func likelihoodUTF8(b []byte) (sum float64) {
	cut := len(b) == head
	for len(b) > 0 {
		r, n := utf8.DecodeRune(b)
		switch {
		case b[0] < utf8.RuneSelf:
			sum += costASCII
		case r == utf8.RuneError && n == 1:
			if !cut || len(b) > 3 {
				sum += costInvalid
			}
		default:
			sum += share(0.5, 1000)
		}
		b = b[n:]
	}
	return sum
}

// likelihoodLatin is likelihood for languages with accents, which rarely stand side by
// side.
func likelihoodLatin(b []byte) (sum float64) {
	adjacent, letter := math.Log(0.05), share(0.1, 96)
	quotes := []byte("\xa0\xab\xbb\x85\x91\x92\x93\x94\x96\x97\xb0") // also dashes, degrees and the space around quotes
	quoted := false
	for i, c := range b {
		switch {
		case c < utf8.RuneSelf:
			sum += costASCII
			continue
		case c == 0x81, c == 0x8d, c == 0x8f, c == 0x90, c == 0x9d: // undefined
			sum += costInvalid
		case bytes.IndexByte(quotes, c) >= 0:
			sum += share(0.05, len(quotes))
			quoted = true
			continue
		default:
			sum += letter
		}
		if i > 0 && b[i-1] >= utf8.RuneSelf && !quoted {
			sum += adjacent
		}
		quoted = false
	}
	return sum
}

// language has the costs of its characters.
type language struct {
	common map[rune]float64
	other  func(r rune, raw []byte) float64 // for characters that are not common
}

func (l *language) cost(r rune, raw []byte) float64 {
	if cost, ok := l.common[r]; ok {
		return cost
	}
	return l.other(r, raw)
}

// add sets the costs of characters that together make up a part of a text: the frequency
// falls with the position in the list (Zipf's law).
func (l *language) add(list string, part float64) {
	const flat = 10 // the first characters are about equally frequent
	all := []rune(list)
	sum := math.Log(float64(len(all)+flat) / flat)
	for i, r := range all {
		if _, known := l.common[r]; !known {
			l.common[r] = math.Log(part / sum / float64(i+flat))
		}
	}
}

// languages returns the language of each encoding that is guessed by its characters.
var languages = sync.OnceValue(func() map[string]*language {
	japanese := &language{common: map[rune]float64{}, other: costJapanese}
	japanese.add(commonSigns, 0.1)
	japanese.add(commonKana, 0.6)
	japanese.add(rareKana, 0.02)
	japanese.add(commonKanji, 0.2)
	chinese := &language{common: map[rune]float64{}, other: costSimplified}
	chinese.add(commonSigns, 0.1)
	chinese.add(simplified, 0.7)
	taiwanese := &language{common: map[rune]float64{}, other: costTraditional}
	taiwanese.add(commonSigns, 0.1)
	taiwanese.add(traditional, 0.7)
	korean := &language{common: map[rune]float64{}, other: costKorean}
	korean.add(commonSigns, 0.05)
	korean.add(hangul, 0.7)
	return map[string]*language{"shift_jis": japanese, "euc-jp": japanese, "gb18030": chinese, "big5": taiwanese,
		"euc-kr": korean}
})

// The functions below return the cost of a character that is not common. raw begins
// with its bytes: encodings put the rarer characters in blocks of their own.

func costJapanese(r rune, raw []byte) float64 {
	switch {
	case raw[0] == 0x8e || raw[0] >= 0xa1 && raw[0] <= 0xdf && r >= 0xff61 && r <= 0xff9f: // half-width kana
		return share(0.003, 63)
	case raw[0] == 0x8f:
		return costRare
	case !unicode.Is(unicode.Han, r):
		return share(0.01, 500)
	case raw[0] >= 0x88 && raw[0] <= 0x97, raw[0] >= 0xb0 && raw[0] <= 0xcf: // level 1 of JIS X 0208
		return share(0.06, 2500)
	}
	return share(0.003, 3400)
}

func costSimplified(r rune, raw []byte) float64 {
	switch {
	case raw[0] < 0xa1 || raw[1] < 0xa1 || strings.ContainsRune(commonKana+rareKana, r): // GBK, GB 18030
		return costRare
	case raw[0] < 0xb0:
		return share(0.01, 600)
	case raw[0] <= 0xd7: // level 1 of GB 2312
		return share(0.15, 3255)
	}
	return share(0.005, 3008)
}

func costTraditional(_ rune, raw []byte) float64 {
	switch {
	case raw[0] < 0xa1 || raw[0] > 0xf9: // HKSCS
		return costRare
	case raw[0] < 0xa4:
		return share(0.01, 408)
	case raw[0] < 0xc9: // level 1 of Big5
		return share(0.15, 5401)
	}
	return share(0.005, 7652)
}

func costKorean(r rune, raw []byte) float64 {
	switch {
	case raw[0] < 0xa1 || raw[1] < 0xa1: // the additions of code page 949
		return share(0.002, 8822)
	case unicode.Is(unicode.Hangul, r) && raw[0] >= 0xb0:
		return share(0.15, 2350)
	case unicode.Is(unicode.Han, r):
		return share(0.003, 4888)
	case strings.ContainsRune(commonKana+rareKana, r):
		return costRare
	}
	return share(0.01, 900)
}
