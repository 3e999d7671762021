package journal

import (
	"encoding/binary"
	"errors"
	"os"
	"path/filepath"

	"techo/store/kv/disk"
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
	KeysChunk = 64 << 10  // bytes of a table's keys in one frame, before compression
	KeysLimit = 128 << 20 // bytes of a table's keys in all, once decompressed
)

// Claim is the entry of a key file for a key.
type Claim struct {
	Sum     uint32 // of key and value
	Deleted bool
}

// AppendKey appends the entry for an operation.
func AppendKey(payload []byte, op byte, key, value []byte) []byte {
	if op == OpDelete {
		return AppendDelete(payload, key)
	}
	var digest [4]byte
	binary.BigEndian.PutUint32(digest[:], disk.Checksum(key, value))
	return AppendPut(payload, key, digest[:])
}

// Claims calls each for every entry of a payload.
func Claims(payload []byte, each func(key []byte, c Claim)) {
	Operations(payload, func(op byte, key, value []byte) {
		c := Claim{Deleted: op == OpDelete}
		if len(value) == 4 {
			c.Sum = binary.BigEndian.Uint32(value)
		}
		each(key, c)
	})
}

// AppendFrame appends a payload as a frame.
func AppendFrame(to []byte, generation, number uint64, payload []byte) []byte {
	at := len(to)
	to = append(to, make([]byte, FrameHeader)...)
	binary.BigEndian.PutUint32(to[at:], uint32(len(payload)))
	binary.BigEndian.PutUint64(to[at+8:], generation)
	binary.BigEndian.PutUint64(to[at+16:], number)
	binary.BigEndian.PutUint32(to[at+4:], disk.Checksum(to[at+8:], payload))
	return append(to, payload...)
}

// writeKeys appends the keys of a durable transaction to the key file. Errors are
// ignored.
func (j *Log) writeKeys(number uint64, payload []byte) {
	var keys []byte
	Operations(payload, func(op byte, key, value []byte) { keys = AppendKey(keys, op, key, value) })
	how := os.O_WRONLY | os.O_CREATE | os.O_APPEND
	f, err := disk.Current.Open(how, filepath.Dir(j.Path), disk.JournalKeysName)
	if err != nil {
		return
	}
	defer f.Close()
	if number == 0 && f.Truncate(0) != nil { // a generation begins
		return
	}
	_, _ = f.Write(AppendFrame(nil, j.Generation, number, keys))
}

// ClearKeys drops the keys of a generation that was merged from the key file: they
// may have been deleted since. A frame without keys stays, so that a rescue can
// still see that the tables have all of the generation.
func (j *Log) ClearKeys(merged uint64) error {
	f, err := disk.Current.Open(os.O_WRONLY, filepath.Dir(j.Path), disk.JournalKeysName)
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
	_, _ = f.Write(AppendFrame(nil, merged, 0, nil)) // it has no key
	return nil
}
