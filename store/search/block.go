package search

import (
	"encoding/binary"
	"sort"
)

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

// block is an encoded block.
type block struct {
	first    uint32
	table    []byte
	postings []byte
}

// appendBlock encodes one or more postings.
func appendBlock(b []byte, ps []posting) []byte {
	groups := (len(ps) + perGroup - 1) / perGroup
	b = binary.BigEndian.AppendUint16(b, uint16(groups))
	var all []byte
	base := ps[0].num
	for len(ps) > 0 {
		n := min(perGroup, len(ps))
		all = appendPostings(all, base, ps[:n])
		base, ps = ps[n-1].num, ps[n:]
		b = binary.BigEndian.AppendUint32(b, base)
		b = binary.BigEndian.AppendUint16(b, uint16(len(all)))
	}
	return append(b, all...)
}

// readBlock checks the sizes of a block. Its groups are read later.
func readBlock(first uint32, b []byte) (k block, err error) {
	if len(b) < groupCount {
		return k, errPostings
	}
	groups := int(binary.BigEndian.Uint16(b))
	b = b[groupCount:]
	if groups == 0 || len(b) < groups*groupEntry {
		return k, errPostings
	}
	k = block{first, b[:groups*groupEntry], b[groups*groupEntry:]}
	if k.end(groups-1) != len(k.postings) {
		return k, errPostings
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
		return 0, nil, errPostings
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
			return nil, errPostings
		}
	}
	return ps, nil
}
