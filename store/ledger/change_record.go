package ledger

import (
	"bytes"
	"compress/flate"
	"encoding/binary"
	"errors"
	"io"
	"iter"
	"slices"
	"time"

	"techo/store/kv"
)

// # Records of changes
//
// The record of a change is a byte 1, a byte of flags, and fields. A number is
// an unsigned varint, a text its length and its bytes.
//
//	time         8 bytes, milliseconds since 1970
//	texts        tool, by, client, session, owner
//	moved        text and number: space and id of the other change of a move, with changeMoved
//	assurance    text, with changeAssured
//	numbers      undoes, edit, length of the values as stored, records
//	per record   kind, one byte; flags, one byte; id, a text; digest of the value after the change, 8 bytes
//	values       of the records in order, each a text: the value of one that existed, then the value after the
//	             change of an event elsewhere that exists
//
// The values may be compressed (DEFLATE). Those of a large change continue in
// further values of at most changePart bytes. The letters of kinds and the flags
// must never change.
const (
	changeCompressed = 1 << iota // the values are compressed
	changeLost                   // the values were too large to keep
	changeMoved                  // the change is part of a move between spaces
	changeAssured                // the change has an assurance
)

const (
	recordExisted   = 1 << iota // before the change
	recordExists                // after the change
	recordElsewhere             // at a service: the change has the value after it too
)

// Limits of one change, in bytes.
const (
	ChangePart       = 4 << 20  // of values in one value of the engine
	maxChangeRecords = 3 << 20  // ids of the records of one change
	maxChangeValues  = 32 << 20 // previous values of one change, before compression
	compressFrom     = 512      // smaller values are not compressed
)

// Parts returns the number of values that continue the change.
func (c *Change) Parts() int { return max(c.Length-1, 0) / ChangePart }

// PutChange writes a change and sets its size. It drops what is too large: the
// values, and the last records of very many.
func (tx *Tx) PutChange(c *Change) error {
	c.limitRecords()
	values, flags := c.PackValues()
	c.Length = len(values)
	head := min(len(values), ChangePart)
	key, value := ChangeKey(c.ID), append(c.AppendHead(nil, flags), values[:head]...)
	c.Size = len(key) + len(value) + c.Parts()*(len(key)+4) + len(values) - head
	if err := tx.Put(key, value); err != nil {
		return err
	}
	part := 0
	for values := range slices.Chunk(values[head:], ChangePart) {
		part++
		if err := tx.Put(ChangePartKey(c.ID, part), values); err != nil {
			return err
		}
	}
	return nil
}

// limitRecords drops the last records beyond maxChangeRecords bytes.
func (c *Change) limitRecords() {
	size := 0
	for i, r := range c.Records {
		if size += len(r.ID) + 15; size > maxChangeRecords { // kind, flags, digest and length take less
			c.Records, c.Lost = c.Records[:i], true
			return
		}
	}
}

// PackValues encodes the previous values. It drops values that are too large.
func (c *Change) PackValues() (values []byte, flags byte) {
	for _, r := range c.Records {
		if c.Lost {
			return nil, changeLost
		}
		if r.Existed {
			values = append(binary.AppendUvarint(values, uint64(len(r.Before))), r.Before...)
		}
		if r.Elsewhere && r.Exists {
			values = append(binary.AppendUvarint(values, uint64(len(r.Later))), r.Later...)
		}
		if len(values) > maxChangeValues {
			c.Lost = true
			return nil, changeLost
		}
	}
	if len(values) < compressFrom {
		return values, 0
	}
	if packed := deflate(values); len(packed) < len(values) {
		return packed, changeCompressed
	}
	return values, 0
}

func deflate(b []byte) []byte {
	var packed bytes.Buffer
	w, err := flate.NewWriter(&packed, flate.BestSpeed)
	if err != nil {
		return b
	}
	_, _ = w.Write(b) // to memory
	_ = w.Close()
	return packed.Bytes()
}

// AppendHead appends everything but the values.
func (c *Change) AppendHead(b []byte, flags byte) []byte {
	if c.Moved.ID != 0 {
		flags |= changeMoved
	}
	if c.Assurance != "" {
		flags |= changeAssured
	}
	b = append(b, 1, flags)
	b = binary.BigEndian.AppendUint64(b, uint64(c.At.UnixMilli()))
	for _, text := range []string{c.Tool, c.By, c.Client, c.Session, c.Owner} {
		b = AppendText(b, text)
	}
	if c.Moved.ID != 0 {
		b = binary.AppendUvarint(AppendText(b, c.Moved.Space), c.Moved.ID)
	}
	if c.Assurance != "" {
		b = AppendText(b, c.Assurance)
	}
	for _, n := range []uint64{c.Undoes, c.Edit, uint64(c.Length), uint64(len(c.Records))} {
		b = binary.AppendUvarint(b, n)
	}
	for _, r := range c.Records {
		flags := byte(0)
		if r.Existed {
			flags |= recordExisted
		}
		if r.Exists {
			flags |= recordExists
		}
		if r.Elsewhere {
			flags |= recordElsewhere
		}
		b = append(b, KindLetters[r.Kind], flags)
		b = binary.BigEndian.AppendUint64(AppendText(b, r.ID), r.After)
	}
	return b
}

// DecodeChange decodes a change without its values.
func DecodeChange(key, value []byte) (Change, error) {
	c, _, err := DecodeChangeHead(key, value)
	return c, err
}

// DecodeChangeHead decodes a change and returns its packed values, as far as
// they are in the record itself.
func DecodeChangeHead(key, value []byte) (c Change, values []byte, err error) {
	p, err := PeekChange(key, value)
	if err != nil {
		return c, nil, err
	}
	c = p.change()
	c.Records = make([]ChangedRecord, 0, p.n)
	for r := range p.Records() {
		c.Records = append(c.Records, r.record())
	}
	if p.rest.Err == nil && len(p.rest.B) != min(c.Length, ChangePart) {
		p.rest.Err = errShortRecord
	}
	if err := p.Err(); err != nil {
		return c, nil, err
	}
	c.Size = len(key) + len(value) + c.Parts()*(len(key)+4) + c.Length - len(p.rest.B)
	return c, p.rest.B, nil
}

// PeekedChange is a change as it is stored. It decodes what is asked for, without memory of its own: a
// history may have hundreds of thousands of changes, and a change a million records.
type PeekedChange struct {
	ID uint64
	At time.Time

	flags            byte
	texts            [5][]byte // tool, by, client, session, owner
	space, assurance []byte
	moved            uint64
	undoes, edit     uint64
	length           int
	n                uint64 // records
	rest             FieldReader
}

// PeekedRecord is a record of a PeekedChange.
type PeekedRecord struct {
	Kind    Kind
	ID      []byte
	Existed bool // before the change
	flags   byte
	after   uint64
}

func (r *PeekedRecord) record() ChangedRecord {
	return ChangedRecord{Kind: r.Kind, ID: string(r.ID), After: r.after,
		Existed: r.Existed, Exists: r.flags&recordExists != 0, Elsewhere: r.flags&recordElsewhere != 0}
}

// PeekChange reads a change up to its records.
func PeekChange(key, value []byte) (p PeekedChange, err error) {
	id, ok := NumberIn(key)
	if !ok || id == 0 {
		return p, Finding(UnknownKey, KindChange, string(key), nil)
	}
	p.ID = id
	r := &p.rest
	r.B = value
	version := r.Byte()
	p.flags = r.Byte()
	if version != 1 || p.flags > changeCompressed|changeLost|changeMoved|changeAssured {
		return p, Finding(Unreadable, KindChange, ChangeID(id), nil)
	}
	p.At = time.UnixMilli(int64(r.fixed()))
	for i := range p.texts {
		p.texts[i] = r.Bytes(r.Number())
	}
	if p.flags&changeMoved != 0 {
		p.space, p.moved = r.Bytes(r.Number()), r.Number()
	}
	if p.flags&changeAssured != 0 {
		p.assurance = r.Bytes(r.Number())
	}
	p.undoes, p.edit = r.Number(), r.Number()
	length := r.Number()
	p.length, p.n = int(min(length, 2*maxChangeValues+1)), r.Number()
	if r.Err == nil && (p.length > 2*maxChangeValues || p.n == 0 || p.n > uint64(len(r.B))) {
		r.Err = errShortRecord
	}
	return p, p.Err()
}

// change returns the change without its records.
func (p *PeekedChange) change() (c Change) {
	c.ID, c.At, c.Lost, c.Length = p.ID, p.At, p.flags&changeLost != 0, p.length
	for i, to := range []*string{&c.Tool, &c.By, &c.Client, &c.Session, &c.Owner} {
		*to = string(p.texts[i])
	}
	c.Moved = ChangeLink{string(p.space), p.moved}
	c.Assurance, c.Undoes, c.Edit = string(p.assurance), p.undoes, p.edit
	return c
}

// First returns the change with its first record only, and the number of its records. Call it before Records.
func (p *PeekedChange) First() (c Change, records int, err error) {
	c = p.change()
	for r := range p.Records() {
		c.Records = append(c.Records, r.record())
		break
	}
	return c, int(p.n), p.Err()
}

// Owner returns the user whose memories changed, "" for records that all users share.
func (p *PeekedChange) Owner() []byte { return p.texts[4] }

// Records yields the records up to one that cannot be read, which Err reports. It may be called once.
func (p *PeekedChange) Records() iter.Seq[PeekedRecord] {
	return func(yield func(PeekedRecord) bool) {
		r := &p.rest
		for range p.n {
			kind, known := KindOfLetter(r.Byte())
			one := PeekedRecord{Kind: kind, flags: r.Byte()}
			one.Existed = one.flags&recordExisted != 0
			one.ID, one.after = r.Bytes(r.Number()), r.fixed()
			if r.Err == nil && (!known || one.flags > recordExisted|recordExists|recordElsewhere) {
				r.Err = errShortRecord
			}
			if r.Err != nil || !yield(one) {
				return
			}
		}
	}
}

// Look reports whether a record of a kind, given by its letter, existed before the change, and whether the change has a
// record with one of the ids. It takes a fifth of the time of Records, which may not be called before.
func (p *PeekedChange) Look(letter byte, ids []string) (had, has bool, err error) {
	const head, digest = 3, 8 // kind, flags and a length of one byte; after the id
	kinds := kindsOfLetters()
	b := p.rest.B
	for range p.n {
		if len(b) < head {
			p.rest.Err = errShortRecord
			break
		}
		length, begin := uint64(b[2]), head
		if length >= 0x80 {
			var size int
			length, size = binary.Uvarint(b[2:])
			begin = 2 + max(size, 0)
		}
		if length > uint64(len(b)) || begin+int(length)+digest > len(b) || kinds[b[0]] == "" ||
			b[1] > recordExisted|recordExists|recordElsewhere {
			p.rest.Err = errShortRecord
			break
		}
		had = had || b[0] == letter && b[1]&recordExisted != 0
		for _, id := range ids {
			has = has || uint64(len(id)) == length && string(b[begin:begin+len(id)]) == id
		}
		b = b[begin+int(length)+digest:]
	}
	return had, has, p.Err()
}

// MayContain reports whether the previous values may contain a text. Unlike decoding them it takes next to no time.
func (p *PeekedChange) MayContain(text []byte) bool {
	return p.flags&changeCompressed != 0 || p.length > ChangePart || bytes.Contains(p.rest.B, text)
}

// Err returns the finding about what could not be read.
func (p *PeekedChange) Err() error {
	if p.rest.Err == nil {
		return nil
	}
	return Finding(Unreadable, KindChange, ChangeID(p.ID), p.rest.Err)
}

// Family returns the family of tools that the first record belongs to. Ask before Records.
func (p *PeekedChange) Family() string { return families[p.FirstKind()] }

// FirstKind returns the kind of the first record. Ask before Records.
func (p *PeekedChange) FirstKind() Kind {
	kind, _ := KindOfLetter(p.rest.B[0])
	return kind
}

// loadChange loads a change without its values, or fails with kv.ErrNotFound.
func (tx *Tx) loadChange(id uint64) (Change, error) {
	key := ChangeKey(id)
	value, err := tx.Get(key)
	if err != nil {
		return Change{}, err
	}
	return DecodeChange(key, value)
}

// LoadWholeChange loads a change with its values.
func (tx *Tx) LoadWholeChange(id uint64) (Change, error) {
	key := ChangeKey(id)
	value, err := tx.Get(key)
	if err != nil {
		return Change{}, err
	}
	c, values, err := DecodeChangeHead(key, value)
	if err != nil {
		return c, err
	}
	values = bytes.Clone(values)
	for part := range c.Parts() {
		more, err := tx.Get(ChangePartKey(id, part+1))
		if errors.Is(err, kv.ErrNotFound) {
			return c, Finding(NoUndoData, KindChange, ChangeID(id), nil)
		}
		if err != nil {
			return c, err
		}
		values = append(values, more...)
	}
	return c, c.UnpackValues(values, value[1])
}

// UnpackValues sets the previous values of the records.
func (c *Change) UnpackValues(values []byte, flags byte) error {
	if flags&changeLost != 0 {
		return nil
	}
	if flags&changeCompressed != 0 {
		var err error
		// The limit stops a record that was made to fill the memory.
		limited := io.LimitReader(flate.NewReader(bytes.NewReader(values)), 2*maxChangeValues)
		if values, err = io.ReadAll(limited); err != nil {
			return Finding(Unreadable, KindChange, ChangeID(c.ID), err)
		}
	}
	r := &FieldReader{B: values}
	for i := range c.Records {
		if c.Records[i].Existed {
			c.Records[i].Before = r.Bytes(r.Number())
		}
		if c.Records[i].Elsewhere && c.Records[i].Exists {
			c.Records[i].Later = r.Bytes(r.Number())
		}
	}
	if r.Err != nil || len(r.B) > 0 {
		return Finding(Unreadable, KindChange, ChangeID(c.ID), errShortRecord)
	}
	return nil
}
