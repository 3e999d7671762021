package kv

import (
	"bytes"
	"compress/flate"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"techo/internal/private"
)

// # Key files
//
// A key file lists the keys that a transaction or a table wrote, without values,
// so that a rescue can name the records in a damaged place. Only a rescue reads
// it: a missing or damaged key file costs names, never data.
//
//	journal.keys        one frame for each transaction of the generation
//	tables/NNNNNN.keys  frames for the table NNNNNN.sst, in the order of its keys
//
// Frames have the journal's format, with a checksum of key and value in the
// place of each value. A frame for a table has the
// table's id as its generation; its payload is compressed (DEFLATE).
//
// The journal's key file is written after the transaction is durable and is
// never synced. A table's is synced with the table.
const (
	keysExt         = ".keys"
	journalKeysName = journalName + keysExt

	keysChunk = 64 << 10  // bytes of a table's keys in one frame, before compression
	keysLimit = 128 << 20 // bytes of a table's keys in all, once decompressed
)

func keysName(id uint64) string { return fmt.Sprintf("%06d", id) + keysExt }

// keyClaim is the entry of a key file for a key.
type keyClaim struct {
	sum     uint32 // of key and value
	deleted bool
}

// appendKey appends the entry for an operation.
func appendKey(payload []byte, op byte, key, value []byte) []byte {
	if op == opDelete {
		return appendDelete(payload, key)
	}
	var digest [4]byte
	binary.BigEndian.PutUint32(digest[:], sum(key, value))
	return appendPut(payload, key, digest[:])
}

// claims calls each for every entry of a payload.
func claims(payload []byte, each func(key []byte, c keyClaim)) {
	operations(payload, func(op byte, key, value []byte) {
		c := keyClaim{deleted: op == opDelete}
		if len(value) == 4 {
			c.sum = binary.BigEndian.Uint32(value)
		}
		each(key, c)
	})
}

// appendFrame appends a payload as a frame.
func appendFrame(to []byte, generation, number uint64, payload []byte) []byte {
	at := len(to)
	to = append(to, make([]byte, frameHeader)...)
	binary.BigEndian.PutUint32(to[at:], uint32(len(payload)))
	binary.BigEndian.PutUint64(to[at+8:], generation)
	binary.BigEndian.PutUint64(to[at+16:], number)
	binary.BigEndian.PutUint32(to[at+4:], sum(to[at+8:], payload))
	return append(to, payload...)
}

// writeKeys appends the keys of a durable transaction to the key file. Errors are
// ignored.
func (j *journal) writeKeys(number uint64, payload []byte) {
	var keys []byte
	operations(payload, func(op byte, key, value []byte) { keys = appendKey(keys, op, key, value) })
	how := os.O_WRONLY | os.O_CREATE | os.O_APPEND
	f, err := disk.open(how, filepath.Dir(j.path), journalKeysName)
	if err != nil {
		return
	}
	defer f.Close()
	if number == 0 && f.Truncate(0) != nil { // a generation begins
		return
	}
	_, _ = f.Write(appendFrame(nil, j.generation, number, keys))
}

// clearKeys drops the keys of a generation that was merged from the key file: they
// may have been deleted since. A frame without keys stays, so that a rescue can
// still see that the tables have all of the generation.
func (j *journal) clearKeys(merged uint64) error {
	f, err := disk.open(os.O_WRONLY, filepath.Dir(j.path), journalKeysName)
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer f.Close()
	if err := f.Truncate(0); err != nil {
		return err
	}
	_, _ = f.Write(appendFrame(nil, merged, 0, nil)) // it has no key
	return nil
}

// tableKeys builds the key file of a table.
type tableKeys struct {
	chunk  []byte
	frames []byte
	number uint64
	packer *flate.Writer // has large buffers, which serve all chunks
}

func (k *tableKeys) add(id uint64, key, value []byte, deleted bool) {
	op := byte(opPut)
	if deleted {
		op = opDelete
	}
	if k.chunk = appendKey(k.chunk, op, key, value); len(k.chunk) >= keysChunk {
		k.flush(id)
	}
}

func (k *tableKeys) flush(id uint64) {
	if len(k.chunk) == 0 {
		return
	}
	var packed bytes.Buffer
	if k.packer == nil {
		k.packer, _ = flate.NewWriter(nil, flate.BestSpeed) // the level is valid
	}
	k.packer.Reset(&packed)
	_, _ = k.packer.Write(k.chunk) // writes to memory do not fail
	_ = k.packer.Close()
	k.frames = appendFrame(k.frames, id, k.number, appendPut(nil, nil, packed.Bytes()))
	k.chunk = k.chunk[:0]
	k.number++
}

// write writes the key file of a table. Errors are ignored.
func (k *tableKeys) write(dir string, id uint64) {
	k.flush(id)
	_ = writeDurably(k.frames, dir, tablesName, keysName(id))
	*k = tableKeys{chunk: k.chunk[:0], packer: k.packer}
}

// readJournalKeys returns the entries of the journal's key file for each
// transaction of a generation, by number. Generation 0 selects the newest one in
// the file.
func (r *rescue) readJournalKeys(generation uint64) (of uint64, keys map[uint64][]byte) {
	data, err := r.readKeys(journalKeysName)
	if err != nil {
		return generation, nil
	}
	frames := framesIn(data, 0)
	for _, f := range frames {
		if generation == 0 {
			of = max(of, f.generation)
		}
	}
	of = max(of, generation)
	keys = map[uint64][]byte{}
	for _, f := range frames {
		if f.generation == of {
			keys[f.number] = f.payload
		}
	}
	return of, keys
}

// readTableKeys returns the entries of a table's key file. whole is true when
// every frame was read, up to the table's greatest key if that is known.
func (r *rescue) readTableKeys(i tableInfo) (keys map[string]keyClaim, whole bool) {
	data, err := r.readKeys(tablesName, keysName(i.id))
	if err != nil {
		return nil, false
	}
	keys, whole = map[string]keyClaim{}, true
	next, size, last := uint64(0), 0, []byte(nil)
	for _, f := range framesIn(data, 0) {
		if f.generation != i.id {
			continue
		}
		whole = whole && f.number == next
		next = f.number + 1
		var packed []byte
		operations(f.payload, func(_ byte, _, value []byte) { packed = value })
		chunk, err := io.ReadAll(io.LimitReader(flate.NewReader(bytes.NewReader(packed)), int64(keysLimit-size)))
		size += len(chunk)
		whole = whole && err == nil && size < keysLimit
		claims(chunk, func(key []byte, c keyClaim) {
			keys[string(key)] = c
			last = key
		})
	}
	return keys, whole && len(keys) > 0 && (i.high == nil || bytes.Equal(last, i.high))
}

// readKeys reads a key file up to the maximum size.
func (r *rescue) readKeys(names ...string) ([]byte, error) {
	f, err := entryOf(private.Open(r.dir, os.O_RDONLY, names...))
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(io.LimitReader(f, keysLimit))
}
