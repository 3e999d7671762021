package search

import (
	"encoding/binary"
	"math"

	"techo/store/kv"
)

// # Indexes of earlier versions
//
// Before version 3 postings had no lengths, which were an array in chunks of their own,
// blocks had no groups, and chunks of owners no offsets:
//
//	st space d term             head of a term's list
//	sb space d term \0 first    block of a term's list
//	sl space d chunk            lengths of 16,384 texts, 2 bytes each
//	si space chunk              owners of 256 texts
//
// Before version 2 there were lists of groups as well, with g in place of d, owners
// ended after the id, and terms were plain (reader.plain).
const (
	formerKind        = 'd'
	formerGroups      = 'g'
	formerPerOwners   = 256
	formerPerLengths  = 16384
	formerLengthWidth = 2
)

// formerLists reads the lists of an index of an earlier version.
type formerLists struct {
	index  Index
	tx     kv.Tx
	chunks map[uint32][]byte // of lengths

	ownersOf uint32 // the chunk of owners
	owners   []Owner
}

// length returns the length of a text in the lists.
func (l *formerLists) length(num uint32) (uint32, error) {
	chunk, i := num/formerPerLengths, num%formerPerLengths
	b, ok := l.chunks[chunk]
	if !ok {
		var err error
		key := binary.BigEndian.AppendUint32(append(l.index.key(formerLengths), formerKind), chunk)
		if b, err = l.index.loadChunk(l.tx, key); err != nil {
			return 0, err
		}
		if l.chunks == nil {
			l.chunks = map[uint32][]byte{}
		}
		l.chunks[chunk] = b
	}
	if int(i+1)*formerLengthWidth > len(b) {
		return 0, nil
	}
	return uint32(binary.BigEndian.Uint16(b[formerLengthWidth*i:])), nil
}

// postings decodes postings from a base.
func (l *formerLists) postings(base uint32, b []byte) (ps []posting, err error) {
	for len(b) > 0 {
		step, w := binary.Uvarint(b)
		if w <= 0 || step>>1 > uint64(math.MaxUint32-base) {
			return nil, errPostings
		}
		b = b[w:]
		base += uint32(step >> 1)
		n := uint64(1)
		if step&1 != 0 {
			if n, w = binary.Uvarint(b); w <= 0 || n == 0 || n > math.MaxUint32 {
				return nil, errPostings
			}
			b = b[w:]
		}
		length, err := l.length(base)
		if err != nil {
			return nil, err
		}
		ps = append(ps, posting{base, uint32(n), length})
	}
	return ps, nil
}

// owner returns the owner of a text in the lists.
func (l *formerLists) owner(num uint32, version int) (Owner, error) {
	chunk, i := num/formerPerOwners, int(num%formerPerOwners)
	if l.owners == nil || l.ownersOf != chunk {
		b, err := l.index.loadChunk(l.tx, l.index.key(formerOwners, chunk))
		if err != nil {
			return Owner{}, err
		}
		l.ownersOf, l.owners = chunk, make([]Owner, 0, formerPerOwners)
		f := &fields{rest: b}
		for len(f.rest) > 0 {
			l.owners = append(l.owners, f.owner(version))
		}
		if f.err != nil {
			return Owner{}, f.err
		}
	}
	if i >= len(l.owners) {
		return Owner{}, nil
	}
	return l.owners[i], nil
}
