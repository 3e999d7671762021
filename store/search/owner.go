package search

import (
	"encoding/binary"

	"techo/store/kv"
)

// Owner is the record of a text, with what ranking needs of it. The id of a removed
// text is empty.
//
//	group, length of id, id, time zigzag, traits, length of speaker, speaker
//
// All numbers are unsigned varints.
type Owner struct {
	Num    uint32
	ID     string
	Group  uint32 // texts that belong together, such as a session; 0 means no group
	At     int64  // time of the text, in milliseconds since 1970
	Traits Traits
}

const ownersPerChunk = 128 // twice MaxAtOnce, which inBulk relies on

// The bits of stored traits.
const (
	bitAsks = 1 << iota
	bitPersonal
	bitTimed
)

func (o Owner) append(b []byte) []byte {
	b = appendText(binary.AppendUvarint(b, uint64(o.Group)), o.ID)
	b = binary.AppendUvarint(b, uint64(o.At)<<1^uint64(o.At>>63))
	bits := uint64(0)
	if o.Traits.Asks {
		bits |= bitAsks
	}
	if o.Traits.Personal {
		bits |= bitPersonal
	}
	if o.Traits.Timed {
		bits |= bitTimed
	}
	return appendText(binary.AppendUvarint(b, bits), o.Traits.Speaker)
}

// owner decodes an owner.
func (f *fields) owner() Owner {
	o := Owner{Group: uint32(f.number()), ID: string(f.text())}
	o.At = unzigzag(f.number())
	bits := f.number()
	o.Traits = Traits{Asks: bits&bitAsks != 0, Personal: bits&bitPersonal != 0, Timed: bits&bitTimed != 0,
		Speaker: string(f.text())}
	return o
}

// ownerChunk is the record of the owners of a chunk:
//
//	offsets   of the owners in the record, 2 bytes each, big-endian
//	owners
type ownerChunk []byte

// newOwnerChunk returns the record of one or more owners.
func newOwnerChunk(all []Owner) ownerChunk {
	c := make(ownerChunk, len(all)*ownerOffset)
	for i, o := range all {
		binary.BigEndian.PutUint16(c[i*ownerOffset:], uint16(len(c)))
		c = o.append(c)
	}
	return c
}

const ownerOffset = 2 // bytes of an offset

// len returns the number of owners.
func (c ownerChunk) len() int {
	if len(c) < ownerOffset {
		return 0
	}
	return int(binary.BigEndian.Uint16(c)) / ownerOffset
}

// fields returns the fields of the i-th owner, which exists.
func (c ownerChunk) fields(i int) *fields {
	if (i+1)*ownerOffset > len(c) {
		return &fields{err: errRecord}
	}
	at := int(binary.BigEndian.Uint16(c[i*ownerOffset:]))
	return &fields{rest: c[min(at, len(c)):]}
}

// owner returns the owner of the i-th text of the chunk.
func (c ownerChunk) owner(i int) (Owner, error) {
	if i >= c.len() {
		return Owner{}, nil
	}
	f := c.fields(i)
	o := f.owner()
	return o, f.err
}

// time returns the time of the i-th text of the chunk, and whether it has a group.
func (c ownerChunk) time(i int) (at int64, grouped bool) {
	f := c.fields(i)
	grouped = f.number() != 0
	f.text()
	return unzigzag(f.number()), grouped
}

func unzigzag(v uint64) int64 { return int64(v>>1) ^ -int64(v&1) }

// saveOwners records the owners of texts, or their removal. docs are sorted by
// number, and chunks are the records of their owners.
func (x Index) saveOwners(tx kv.Tx, docs []Doc, chunks [][]byte, there bool) error {
	for len(docs) > 0 {
		chunk := docs[0].Num / ownersPerChunk
		c := ownerChunk(chunks[0])
		chunks = chunks[1:]
		all := make([]Owner, c.len(), ownersPerChunk)
		for i := range all {
			var err error
			if all[i], err = c.owner(i); err != nil {
				return x.corrupt("", err)
			}
		}
		for len(docs) > 0 && docs[0].Num/ownersPerChunk == chunk {
			i := int(docs[0].Num % ownersPerChunk)
			all = append(all, make([]Owner, max(0, i+1-len(all)))...)
			all[i] = Owner{}
			if there {
				all[i] = docs[0].owner()
			}
			docs = docs[1:]
		}
		if err := tx.Put(x.key(ownerPrefix, chunk), newOwnerChunk(all)); err != nil {
			return err
		}
	}
	return nil
}
