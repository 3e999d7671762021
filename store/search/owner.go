package search

import (
	"bytes"
	"encoding/binary"

	"techo/store/kv"
)

// Owner is the record of a text, with what ranking needs of it. The id of a removed
// text is empty.
//
//	group, length of id, id, time zigzag, traits, length of speaker, speaker
//
// All numbers are unsigned varints. Versions before 2 end after the id.
type Owner struct {
	Num    uint32
	ID     string
	Group  uint32 // texts that belong together, such as a session; 0 means no group
	At     int64  // time of the text, in milliseconds since 1970
	Traits Traits
}

const ownersPerChunk = 256

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
func (f *fields) owner(version int) Owner {
	o := Owner{Group: uint32(f.number()), ID: string(f.text())}
	if version < 2 {
		return o
	}
	o.At = unzigzag(f.number())
	bits := f.number()
	o.Traits = Traits{Asks: bits&bitAsks != 0, Personal: bits&bitPersonal != 0, Timed: bits&bitTimed != 0,
		Speaker: string(f.text())}
	return o
}

// ownerChunk is the record of the owners of a chunk, of which only some are decoded.
type ownerChunk struct {
	b       []byte
	starts  []int // offsets of the owners in b
	version int
}

// loadOwnerChunk returns a chunk. A missing one is empty.
func (x Index) loadOwnerChunk(tx kv.Tx, chunk uint32, version int) (c ownerChunk, err error) {
	b, err := x.loadChunk(tx, x.key(ownerPrefix, chunk))
	if err != nil || len(b) == 0 {
		return c, err
	}
	c = ownerChunk{bytes.Clone(b), make([]int, 0, ownersPerChunk), version}
	f := &fields{rest: c.b}
	for len(f.rest) > 0 {
		c.starts = append(c.starts, len(c.b)-len(f.rest))
		f.skipOwner(version)
	}
	return c, x.corrupt("", f.err)
}

// skipOwner reads an owner without decoding it.
func (f *fields) skipOwner(version int) {
	f.number()
	f.text()
	if version < 2 {
		return
	}
	f.number()
	f.number()
	f.text()
}

// owner returns the owner of the i-th text of the chunk.
func (c ownerChunk) owner(i int) Owner {
	if i >= len(c.starts) {
		return Owner{}
	}
	f := &fields{rest: c.b[c.starts[i]:]}
	return f.owner(c.version)
}

// time returns the time of the i-th text of the chunk, and whether it has a group.
func (c ownerChunk) time(i int) (at int64, grouped bool) {
	f := &fields{rest: c.b[c.starts[i]:]}
	grouped = f.number() != 0
	f.text()
	return unzigzag(f.number()), grouped
}

func unzigzag(v uint64) int64 { return int64(v>>1) ^ -int64(v&1) }

// saveOwners records the owners of texts, or their removal. docs are sorted by
// number.
func (x Index) saveOwners(tx kv.Tx, docs []Doc, there bool) error {
	for len(docs) > 0 {
		chunk := docs[0].Num / ownersPerChunk
		c, err := x.loadOwnerChunk(tx, chunk, version)
		if err != nil {
			return err
		}
		all := make([]Owner, len(c.starts), ownersPerChunk)
		for i := range all {
			all[i] = c.owner(i)
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
		var b []byte
		for _, o := range all {
			b = o.append(b)
		}
		if err := tx.Put(x.key(ownerPrefix, chunk), b); err != nil {
			return err
		}
	}
	return nil
}
