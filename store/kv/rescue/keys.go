package rescue

import (
	"bytes"
	"compress/flate"
	"io"
	"os"

	"techo/store/kv/disk"
	"techo/store/kv/journal"
	"techo/store/kv/sst"
)

// readJournalKeys returns the entries of the journal's key file for each
// transaction of a generation, by number. Generation 0 selects the newest one in
// the file.
func (r *Reading) readJournalKeys(generation uint64) (of uint64, keys map[uint64][]byte) {
	data, err := r.readKeys(disk.JournalKeysName)
	if err != nil {
		return generation, nil
	}
	frames := journal.FramesIn(data, 0)
	for _, f := range frames {
		if generation == 0 {
			of = max(of, f.Generation)
		}
	}
	of = max(of, generation)
	keys = map[uint64][]byte{}
	for _, f := range frames {
		if f.Generation == of {
			keys[f.Number] = f.Payload
		}
	}
	return of, keys
}

// readTableKeys returns the entries of a table's key file. whole is true when
// every frame was read, up to the table's greatest key if that is known.
func (r *Reading) readTableKeys(i sst.Info) (keys map[string]journal.Claim, whole bool) {
	data, err := r.readKeys(disk.TablesName, sst.KeysName(i.ID))
	if err != nil {
		return nil, false
	}
	keys, whole = map[string]journal.Claim{}, true
	next, size, last := uint64(0), 0, []byte(nil)
	for _, f := range journal.FramesIn(data, 0) {
		if f.Generation != i.ID {
			continue
		}
		whole = whole && f.Number == next
		next = f.Number + 1
		var packed []byte
		journal.Operations(f.Payload, func(_ byte, _, value []byte) { packed = value })
		unpacked := io.LimitReader(flate.NewReader(bytes.NewReader(packed)), int64(journal.KeysLimit-size))
		chunk, err := io.ReadAll(unpacked)
		size += len(chunk)
		whole = whole && err == nil && size < journal.KeysLimit
		journal.Claims(chunk, func(key []byte, c journal.Claim) {
			keys[string(key)] = c
			last = key
		})
	}
	return keys, whole && len(keys) > 0 && (i.High == nil || bytes.Equal(last, i.High))
}

// readKeys reads a key file up to the maximum size.
func (r *Reading) readKeys(names ...string) ([]byte, error) {
	f, err := disk.OpenEntry(os.O_RDONLY, r.dir, names...)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(io.LimitReader(f, journal.KeysLimit))
}
