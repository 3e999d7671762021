package search

import (
	"encoding/binary"
	"math"
)

// posting is the number of occurrences of a term in a text.
type posting struct {
	num uint32 // number of the text
	n   uint32
}

// Postings are encoded as differences, in ascending order:
//
//	difference << 1 | more   unsigned varint; from the previous number, the
//	                         first one from a base that the key contains
//	n                        unsigned varint, only with more; else it is 1

func appendPostings(b []byte, base uint32, ps []posting) []byte {
	for _, p := range ps {
		step := uint64(p.num-base) << 1
		if p.n == 1 {
			b = binary.AppendUvarint(b, step)
		} else {
			b = binary.AppendUvarint(b, step|1)
			b = binary.AppendUvarint(b, uint64(p.n))
		}
		base = p.num
	}
	return b
}

var errPostings = reason(IllFormed)

// readPostings decodes b and appends its postings to ps.
func readPostings(ps []posting, base uint32, b []byte) ([]posting, error) {
	ps, _, err := readSome(ps, base, b, math.MaxInt)
	return ps, err
}

// readSome decodes up to most postings of b, appends them to ps and returns the
// rest of b.
func readSome(ps []posting, base uint32, b []byte, most int) (_ []posting, rest []byte, err error) {
	for ; len(b) > 0 && most > 0; most-- {
		step, w := uint64(b[0]), 1
		if step >= 0x80 {
			if step, w = binary.Uvarint(b); w <= 0 {
				return nil, nil, errPostings
			}
		}
		b = b[w:]
		if step>>1 > uint64(math.MaxUint32-base) {
			return nil, nil, errPostings
		}
		base += uint32(step >> 1)
		n := uint64(1)
		if step&1 != 0 {
			if n, w = binary.Uvarint(b); w <= 0 || n == 0 || n > math.MaxUint32 {
				return nil, nil, errPostings
			}
			b = b[w:]
		}
		ps = append(ps, posting{base, uint32(n)})
	}
	return ps, b, nil
}

// change adds to or subtracts from a posting.
type change struct {
	num    uint32
	n      int32
	length uint32 // length of the text
}

var errNotThere = reason(MissingPosting)

// merged applies changes to postings. Both are sorted by number.
func merged(ps []posting, changes []change) ([]posting, error) {
	out := make([]posting, 0, len(ps)+len(changes))
	for _, c := range changes {
		for len(ps) > 0 && ps[0].num < c.num {
			out = append(out, ps[0])
			ps = ps[1:]
		}
		n := int64(c.n)
		if len(ps) > 0 && ps[0].num == c.num {
			n += int64(ps[0].n)
			ps = ps[1:]
		}
		switch {
		case n < 0:
			return nil, errNotThere
		case n > 0:
			out = append(out, posting{c.num, uint32(n)})
		}
	}
	return append(out, ps...), nil
}
