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
// All numbers are unsigned varints. Versions before 2 end after the id.
type Owner struct {
	Num    uint32
	ID     string
	Group  uint32 // texts that belong together, such as a session; 0 is none
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
	at := f.number()
	o.At = int64(at>>1) ^ -int64(at&1)
	bits := f.number()
	o.Traits = Traits{Asks: bits&bitAsks != 0, Personal: bits&bitPersonal != 0, Timed: bits&bitTimed != 0,
		Speaker: string(f.text())}
	return o
}

// loadOwners returns the owners of a chunk.
func (x Index) loadOwners(tx kv.Tx, chunk uint32, version int) ([]Owner, error) {
	b, err := x.loadChunk(tx, x.key(ownerPrefix, chunk))
	if err != nil || len(b) == 0 {
		return nil, err
	}
	all := make([]Owner, 0, ownersPerChunk)
	f := &fields{rest: b}
	for len(f.rest) > 0 {
		o := f.owner(version)
		o.Num = chunk*ownersPerChunk + uint32(len(all))
		all = append(all, o)
	}
	return all, x.corrupt("", f.err)
}

// saveOwners records the owners of texts, or their removal. docs are sorted by
// number.
func (x Index) saveOwners(tx kv.Tx, docs []Doc, there bool) error {
	for len(docs) > 0 {
		chunk := docs[0].Num / ownersPerChunk
		all, err := x.loadOwners(tx, chunk, version)
		if err != nil {
			return err
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
