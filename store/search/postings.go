package search

import (
	"encoding/binary"
	"math"
	"math/bits"
	"sort"
)

// posting is the number of occurrences of a term in a text.
type posting struct {
	num    uint32 // number of the text
	n      uint32
	length uint32 // of the text in terms, as roundLength rounds it
}

// Postings are encoded as differences, in ascending order:
//
//	difference << 1 | more   unsigned varint; from the previous number, the
//	                         first one from a base that is known
//	length                   1 byte (lengthCode)
//	n                        unsigned varint, only with more; else it is 1

func appendPostings(b []byte, base uint32, ps []posting) []byte {
	for _, p := range ps {
		step, more := uint64(p.num-base)<<1, p.n != 1
		if more {
			step |= 1
		}
		b = append(binary.AppendUvarint(b, step), lengthCode(p.length))
		if more {
			b = binary.AppendUvarint(b, uint64(p.n))
		}
		base = p.num
	}
	return b
}

// readPostings decodes b and appends its postings to ps.
func readPostings(ps []posting, base uint32, b []byte) ([]posting, error) {
	for len(b) > 0 {
		p, w := readPosting(base, b)
		if w == 0 {
			return nil, errRecord
		}
		ps, base, b = append(ps, p), p.num, b[w:]
	}
	return ps, nil
}

// readPosting decodes the first posting of b. It returns its size in bytes, 0 if it
// is not well formed.
func readPosting(base uint32, b []byte) (p posting, w int) {
	step, w := binary.Uvarint(b)
	if w <= 0 || w >= len(b) || step>>1 > uint64(math.MaxUint32-base) {
		return p, 0
	}
	p = posting{base + uint32(step>>1), 1, codedLength(b[w])}
	w++
	if step&1 != 0 {
		n, more := binary.Uvarint(b[w:])
		if more <= 0 || n == 0 || n > math.MaxUint32 {
			return p, 0
		}
		p.n = uint32(n)
		w += more
	}
	return p, w
}

// skipPostings returns the first posting of b with at least a number, and the rest of
// b after it. ok is false if b is too short or malformed.
func skipPostings(base uint32, b []byte, num uint32) (p posting, rest []byte, ok bool) {
	for len(b) > 0 {
		var w int
		if p, w = readPosting(base, b); w == 0 {
			return p, nil, false
		}
		if b = b[w:]; p.num >= num {
			return p, b, true
		}
		base = p.num
	}
	return p, nil, false
}

// A length is stored in a byte: below 128 it is exact, above it has five significant
// bits, so that it is rounded by 3 % at most. The greatest is 31 << 10.
const (
	exactLengths  = 128
	greatestCoded = 31 << 10
)

func lengthCode(length uint32) byte {
	if length < exactLengths {
		return byte(length)
	}
	if length >= greatestCoded {
		return math.MaxUint8
	}
	shift := bits.Len32(length) - 5
	significant := (length + 1<<(shift-1)) >> shift
	return byte(exactLengths + uint32(shift-3)<<4 + significant - 16) // 32 is 16 with the next shift
}

func codedLength(code byte) uint32 {
	if code < exactLengths {
		return uint32(code)
	}
	return uint32(16+code&15) << (code>>4 - 5)
}

// roundLength returns the length of a text as postings have it.
func roundLength(length uint32) uint32 { return codedLength(lengthCode(length)) }

// change adds to or subtracts from a posting.
type change struct {
	num    uint32
	n      int32
	length uint32 // length of the text
}

// merged appends postings to out, with changes. Both are sorted by number.
func merged(out, ps []posting, changes []change) ([]posting, error) {
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
			return nil, reason(MissingPosting)
		case n > 0:
			out = append(out, posting{c.num, uint32(n), c.length})
		}
	}
	return append(out, ps...), nil
}

// A block has groups of postings, so that a reader can skip those before a number:
//
//	groups    2 bytes, their number
//	table     for each group its last number, 4 bytes, and the offset of its end in the
//	          postings, 2 bytes
//	postings  of all groups
//
// All numbers are big-endian. The base of a group is the last number of the one before;
// the base of the first one is the first number of the block.
const (
	perGroup   = 32 // largest number of postings in a group
	groupCount = 2  // bytes
	groupEntry = 6  // bytes
)

type block struct {
	first    uint32
	table    []byte
	postings []byte
}

// appendBlock encodes one or more postings.
func appendBlock(b []byte, ps []posting) []byte {
	groups := (len(ps) + perGroup - 1) / perGroup
	b = binary.BigEndian.AppendUint16(b, uint16(groups))
	table := len(b)
	b = append(b, make([]byte, groups*groupEntry)...)
	postings, base := len(b), ps[0].num
	for ; len(ps) > 0; table += groupEntry {
		n := min(perGroup, len(ps))
		b = appendPostings(b, base, ps[:n])
		base, ps = ps[n-1].num, ps[n:]
		binary.BigEndian.PutUint32(b[table:], base)
		binary.BigEndian.PutUint16(b[table+4:], uint16(len(b)-postings))
	}
	return b
}

// readBlock checks the sizes of a block. Its groups are read later.
func readBlock(first uint32, b []byte) (k block, err error) {
	if len(b) < groupCount {
		return k, errRecord
	}
	groups := int(binary.BigEndian.Uint16(b))
	b = b[groupCount:]
	if groups == 0 || len(b) < groups*groupEntry {
		return k, errRecord
	}
	k = block{first, b[:groups*groupEntry], b[groups*groupEntry:]}
	if k.end(groups-1) != len(k.postings) {
		return k, errRecord
	}
	return k, nil
}

func (k *block) groups() int       { return len(k.table) / groupEntry }
func (k *block) last(i int) uint32 { return binary.BigEndian.Uint32(k.table[i*groupEntry:]) }
func (k *block) end(i int) int     { return int(binary.BigEndian.Uint16(k.table[i*groupEntry+4:])) }

// holding returns the first group from the i-th on that ends at a number or later.
func (k *block) holding(i int, num uint32) int {
	return i + sort.Search(k.groups()-i, func(j int) bool { return k.last(i+j) >= num })
}

// group returns the base and the postings of the i-th group.
func (k *block) group(i int) (base uint32, postings []byte, err error) {
	base, start, end := k.first, 0, k.end(i)
	if i > 0 {
		base, start = k.last(i-1), k.end(i-1)
	}
	if start >= end || end > len(k.postings) {
		return 0, nil, errRecord
	}
	return base, k.postings[start:end], nil
}

// blockPostings decodes a block and appends its postings to ps.
func blockPostings(ps []posting, first uint32, b []byte) ([]posting, error) {
	k, err := readBlock(first, b)
	if err != nil {
		return nil, err
	}
	for i := range k.groups() {
		base, postings, err := k.group(i)
		if err != nil {
			return nil, err
		}
		if ps, err = readPostings(ps, base, postings); err != nil {
			return nil, err
		}
		if ps[len(ps)-1].num != k.last(i) {
			return nil, errRecord
		}
	}
	return ps, nil
}
