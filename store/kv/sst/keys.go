package sst

import (
	"bytes"
	"compress/flate"
	"fmt"

	"techo/store/kv/disk"
	"techo/store/kv/journal"
)

func KeysName(id uint64) string { return fmt.Sprintf("%06d", id) + disk.KeysExt }

// tableKeys builds the key file of a table.
type tableKeys struct {
	chunk  []byte
	frames []byte
	number uint64
	packer *flate.Writer // has large buffers, which serve all chunks
}

func (k *tableKeys) add(id uint64, key, value []byte, deleted bool) {
	op := byte(journal.OpPut)
	if deleted {
		op = journal.OpDelete
	}
	if k.chunk = journal.AppendKey(k.chunk, op, key, value); len(k.chunk) >= journal.KeysChunk {
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
	k.frames = journal.AppendFrame(k.frames, id, k.number, journal.AppendPut(nil, nil, packed.Bytes()))
	k.chunk = k.chunk[:0]
	k.number++
}

// write writes the key file of a table. Errors are ignored.
func (k *tableKeys) write(dir string, id uint64) {
	k.flush(id)
	_ = writeDurably(k.frames, dir, disk.TablesName, KeysName(id))
	*k = tableKeys{chunk: k.chunk[:0], packer: k.packer}
}
