package store

import (
	"bytes"
	"compress/flate"
	"encoding/binary"
	"errors"
	"io"
	"math"
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
)

const (
	recordExisted   = 1 << iota // before the change
	recordExists                // after the change
	recordElsewhere             // at a service: the change has the value after it too
)

// Limits of one change, in bytes.
const (
	changePart       = 4 << 20  // of values in one value of the engine
	maxChangeRecords = 3 << 20  // ids of the records of one change
	maxChangeValues  = 32 << 20 // previous values of one change, before compression
	compressFrom     = 512      // smaller values are not compressed
)

var kindLetters = map[Kind]byte{
	KindMemo: 'm', KindMemory: 'p', KindEvent: 'e', KindTodo: 't', KindQuestion: 'q', KindFile: 'f',
	KindSpace: 's', KindCalendar: 'c',
}

func kindOfLetter(letter byte) (Kind, bool) {
	for k, l := range kindLetters {
		if l == letter {
			return k, true
		}
	}
	return "", false
}

// parts returns the number of values that continue the change.
func (c *Change) parts() int { return max(c.length-1, 0) / changePart }

// putChange writes a change and sets its size. It drops what is too large: the
// values, and the last records of very many.
func putChange(tx *Tx, c *Change) error {
	c.limitRecords()
	values, flags := c.packValues()
	c.length = len(values)
	head := min(len(values), changePart)
	key, value := changeKey(c.ID), append(c.appendHead(nil, flags), values[:head]...)
	c.size = len(key) + len(value) + c.parts()*(len(key)+4) + len(values) - head
	if err := tx.Put(key, value); err != nil {
		return err
	}
	part := 0
	for values := range slices.Chunk(values[head:], changePart) {
		part++
		if err := tx.Put(changePartKey(c.ID, part), values); err != nil {
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

// packValues encodes the previous values. It drops values that are too large.
func (c *Change) packValues() (values []byte, flags byte) {
	for _, r := range c.Records {
		if c.Lost {
			return nil, changeLost
		}
		if r.Existed {
			values = append(binary.AppendUvarint(values, uint64(len(r.before))), r.before...)
		}
		if r.Elsewhere && r.Exists {
			values = append(binary.AppendUvarint(values, uint64(len(r.later))), r.later...)
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

// appendHead appends everything but the values.
func (c *Change) appendHead(b []byte, flags byte) []byte {
	if c.Moved.ID != 0 {
		flags |= changeMoved
	}
	b = append(b, 1, flags)
	b = binary.BigEndian.AppendUint64(b, uint64(c.At.UnixMilli()))
	for _, text := range []string{c.Tool, c.By, c.Client, c.Session, c.Owner} {
		b = appendText(b, text)
	}
	if c.Moved.ID != 0 {
		b = binary.AppendUvarint(appendText(b, c.Moved.Space), c.Moved.ID)
	}
	for _, n := range []uint64{c.Undoes, c.Edit, uint64(c.length), uint64(len(c.Records))} {
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
		b = append(b, kindLetters[r.Kind], flags)
		b = binary.BigEndian.AppendUint64(appendText(b, r.ID), r.after)
	}
	return b
}

func appendText(b []byte, text string) []byte {
	return append(binary.AppendUvarint(b, uint64(len(text))), text...)
}

// fieldReader reads the fields of a packed record. After an error it reads zero
// fields.
type fieldReader struct {
	b   []byte
	err error
}

var errShortRecord = errors.New("it is cut off")

func (r *fieldReader) bytes(n uint64) []byte {
	if r.err != nil || n > uint64(len(r.b)) {
		r.err = errShortRecord
		return nil
	}
	b := r.b[:n]
	r.b = r.b[n:]
	return b
}

func (r *fieldReader) byte() byte {
	if b := r.bytes(1); r.err == nil {
		return b[0]
	}
	return 0
}

func (r *fieldReader) fixed() uint64 {
	if b := r.bytes(8); r.err == nil {
		return binary.BigEndian.Uint64(b)
	}
	return 0
}

func (r *fieldReader) number() uint64 {
	n, size := binary.Uvarint(r.b)
	if size <= 0 {
		r.err = errShortRecord
		return 0
	}
	r.b = r.b[size:]
	return n
}

func (r *fieldReader) text() string { return string(r.bytes(r.number())) }

// decodeChange decodes a change without its values.
func decodeChange(key, value []byte) (Change, error) {
	c, _, err := decodeChangeHead(key, value)
	return c, err
}

// decodeChangeHead decodes a change and returns its packed values, as far as
// they are in the record itself.
func decodeChangeHead(key, value []byte) (c Change, values []byte, err error) {
	id, ok := cutNumber(rest(key))
	if !ok || len(rest(key)) != 8 || id == 0 {
		return c, nil, finding(UnknownKey, KindChange, string(key), nil)
	}
	c.ID = id
	r := &fieldReader{b: value}
	version, flags := r.byte(), r.byte()
	if version != 1 || flags > changeCompressed|changeLost|changeMoved {
		return c, nil, finding(Unreadable, KindChange, ChangeID(id), nil)
	}
	c.Lost = flags&changeLost != 0
	c.At = time.UnixMilli(int64(r.fixed()))
	for _, to := range []*string{&c.Tool, &c.By, &c.Client, &c.Session, &c.Owner} {
		*to = r.text()
	}
	if flags&changeMoved != 0 {
		c.Moved = ChangeLink{r.text(), r.number()}
	}
	c.Undoes, c.Edit = r.number(), r.number()
	length, n := r.number(), r.number()
	if length > 2*maxChangeValues || n > uint64(len(r.b)) {
		r.err = errShortRecord
	}
	c.length = int(length)
	for i := uint64(0); i < n && r.err == nil; i++ {
		kind, known := kindOfLetter(r.byte())
		flags := r.byte()
		if !known || flags > recordExisted|recordExists|recordElsewhere {
			r.err = errShortRecord
		}
		c.Records = append(c.Records, ChangedRecord{Kind: kind, ID: r.text(), after: r.fixed(),
			Existed: flags&recordExisted != 0, Exists: flags&recordExists != 0,
			Elsewhere: flags&recordElsewhere != 0})
	}
	if r.err == nil && (len(c.Records) == 0 || len(r.b) != min(c.length, changePart)) {
		r.err = errShortRecord
	}
	if r.err != nil {
		return c, nil, finding(Unreadable, KindChange, ChangeID(id), r.err)
	}
	c.size = len(key) + len(value) + c.parts()*(len(key)+4) + c.length - len(r.b)
	return c, r.b, nil
}

// loadChange loads a change without its values, or fails with kv.ErrNotFound.
func loadChange(tx *Tx, id uint64) (Change, error) {
	key := changeKey(id)
	value, err := tx.Get(key)
	if err != nil {
		return Change{}, err
	}
	return decodeChange(key, value)
}

// loadWholeChange loads a change with its values.
func loadWholeChange(tx *Tx, id uint64) (Change, error) {
	key := changeKey(id)
	value, err := tx.Get(key)
	if err != nil {
		return Change{}, err
	}
	c, values, err := decodeChangeHead(key, value)
	if err != nil {
		return c, err
	}
	values = bytes.Clone(values)
	for part := range c.parts() {
		more, err := tx.Get(changePartKey(id, part+1))
		if errors.Is(err, kv.ErrNotFound) {
			return c, finding(NoUndoData, KindChange, ChangeID(id), nil)
		}
		if err != nil {
			return c, err
		}
		values = append(values, more...)
	}
	return c, c.unpackValues(values, value[1])
}

// unpackValues sets the previous values of the records.
func (c *Change) unpackValues(values []byte, flags byte) error {
	if flags&changeLost != 0 {
		return nil
	}
	if flags&changeCompressed != 0 {
		var err error
		// The limit stops a record that was made to fill the memory.
		limited := io.LimitReader(flate.NewReader(bytes.NewReader(values)), 2*maxChangeValues)
		if values, err = io.ReadAll(limited); err != nil {
			return finding(Unreadable, KindChange, ChangeID(c.ID), err)
		}
	}
	r := &fieldReader{b: values}
	for i := range c.Records {
		if c.Records[i].Existed {
			c.Records[i].before = r.bytes(r.number())
		}
		if c.Records[i].Elsewhere && c.Records[i].Exists {
			c.Records[i].later = r.bytes(r.number())
		}
	}
	if r.err != nil || len(r.b) > 0 {
		return finding(Unreadable, KindChange, ChangeID(c.ID), errShortRecord)
	}
	return nil
}

// HistoryCounts sums up the history.
type HistoryCounts struct {
	Changes int
	Bytes   int64     // of keys and values
	Oldest  time.Time // zero without changes

	first uint64 // no change has a lower number
	last  uint64 // the greatest number that was assigned
}

// take assigns the number of a new change.
func (c *HistoryCounts) take() uint64 {
	c.last++
	return c.last
}

// add counts a new change.
func (c *HistoryCounts) add(change *Change) {
	if c.Changes == 0 {
		c.first, c.Oldest = change.ID, change.At
	}
	c.Changes++
	c.Bytes += int64(change.size)
}

func loadHistoryCounts(tx *Tx) (c HistoryCounts, err error) {
	b, err := tx.Get(historyCountKey.all())
	if errors.Is(err, kv.ErrNotFound) {
		return c, nil
	}
	if err != nil {
		return c, err
	}
	return decodeHistoryCounts(b)
}

func decodeHistoryCounts(b []byte) (c HistoryCounts, err error) {
	r := &fieldReader{b: b}
	changes, size, oldest := r.number(), r.number(), r.number()
	c.first, c.last = r.number(), r.number()
	if r.err != nil || len(r.b) > 0 || changes > math.MaxInt32 || size > math.MaxInt64 {
		return c, finding(Unreadable, KindChange, "", r.err)
	}
	c.Changes, c.Bytes = int(changes), int64(size)
	if changes > 0 {
		c.Oldest = time.UnixMilli(int64(oldest))
	}
	return c, nil
}

func (c *HistoryCounts) save(tx *Tx) error { return tx.Put(historyCountKey.all(), c.encode()) }

func (c *HistoryCounts) encode() (b []byte) {
	oldest := uint64(0)
	if c.Changes > 0 {
		oldest = uint64(max(c.Oldest.UnixMilli(), 0))
	}
	for _, n := range []uint64{uint64(c.Changes), uint64(c.Bytes), oldest, c.first, c.last} {
		b = binary.AppendUvarint(b, n)
	}
	return b
}
