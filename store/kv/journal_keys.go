package kv

import (
	"encoding/binary"
	"errors"
	"os"
	"path/filepath"
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
	keysChunk = 64 << 10  // bytes of a table's keys in one frame, before compression
	keysLimit = 128 << 20 // bytes of a table's keys in all, once decompressed
)

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
