package kv

import (
	"bytes"
	"compress/flate"
	"io"
	"os"

	"techo/internal/private"
)

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
