package rescue

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"errors"
	"os"
	"path/filepath"
	"slices"

	"github.com/dgraph-io/badger/v4/pb"
	"github.com/dgraph-io/badger/v4/table"
	"github.com/dgraph-io/badger/v4/y"
	"google.golang.org/protobuf/proto"

	"techo/internal/sorting"
	"techo/store/kv"
	"techo/store/kv/disk"
	"techo/store/kv/journal"
	"techo/store/kv/sst"
)

type tableRescue struct {
	*Reading
	sst.Info
	path string
	data []byte

	last    []byte            // the greatest key so far
	got     map[string]uint32 // checksums of the records that were read, by key
	guesses []sst.Entry       // entries that may be wrong

	// From the key file, which is read at the first use.
	keysRead bool
	keys     map[string]journal.Claim
	whole    bool // all keys of the table
}

// claims returns the entries of the table's key file, and whether they are all.
func (t *tableRescue) claims() (keys map[string]journal.Claim, whole bool) {
	if !t.keysRead {
		t.keys, t.whole = t.readTableKeys(t.Info)
		t.keysRead = true
	}
	return t.keys, t.whole
}

// value returns the value of an entry if it is certain, from a block whose
// checksum is right if sound is set. In other blocks the checksum of the record in the
// key file must be right.
func (t *tableRescue) value(e sst.Entry, sound bool) (value []byte, certain bool) {
	switch {
	case e.Deleted:
		return nil, false
	case sound:
		return e.Value, true
	}
	keys, _ := t.claims()
	c, ok := keys[string(e.Key)]
	return e.Value, ok && !c.Deleted && c.Sum == disk.Checksum(e.Key, e.Value)
}

func (t *tableRescue) read() error {
	blocks, indexed := t.blocks()
	t.got = map[string]uint32{}
	var holes [][2][]byte // the keys around damaged blocks
	open := false
	for _, s := range blocks {
		entries := sst.EntriesOf(t.data, s)
		if s.Sound && (indexed || t.follows(entries)) {
			if open {
				holes[len(holes)-1][1] = entries[0].Key
			}
			open = false
			if err := t.take(entries, true); err != nil {
				return err
			}
			continue
		}
		if !open {
			holes = append(holes, [2][]byte{t.last, nil})
		}
		open = true
		if err := t.take(entries, false); err != nil {
			return err
		}
	}
	if len(holes) == 0 && !indexed && !(t.High != nil && bytes.Equal(t.last, t.High)) {
		holes = append(holes, [2][]byte{t.last, t.High})
	}
	if len(holes) == 0 && len(t.guesses) == 0 {
		return nil
	}
	return t.name(holes)
}

// blocks finds the blocks of a table, by its index if it is intact.
func (t *tableRescue) blocks() (blocks []sst.Span, indexed bool) {
	tail := len(t.data)
	if t.Size > 0 {
		tail = min(int(t.Tail), tail)
		switch size := int64(len(t.data)); {
		case size > t.Size:
			t.found(t.path, kv.TooLong, size-t.Size)
			t.data = t.data[:t.Size]
		case size < t.Size:
			t.found(t.path, kv.CutOffOf, size, t.Size)
		}
	}
	end := t.data[tail:]
	if t.Size == 0 {
		if at, err := sst.TailOf(t.data); err == nil {
			tail, end = int(at), t.data[at:]
		}
	}
	if t.Size == 0 && soundIndex(end) == nil ||
		t.Size > 0 && int64(len(t.data)) == t.Size && disk.Checksum(end) == t.Sum {
		if blocks, err := sst.IndexedBlocks(t.data[:tail], end); err == nil {
			return blocks, true
		}
	}
	if int64(len(t.data)) >= t.Size {
		t.found(t.path, kv.DamagedIndex)
	}
	return sst.ScanBlocks(t.data[:tail], sst.ScanBudget), false
}

// follows reports whether the entries of a block that a scan found can be the next
// ones of the table: a value may look like a block.
func (t *tableRescue) follows(entries []sst.Entry) bool {
	if len(entries) == 0 {
		return false
	}
	first, last := entries[0].Key, entries[len(entries)-1].Key
	return (t.last == nil || bytes.Compare(first, t.last) > 0) && (t.High == nil || bytes.Compare(last, t.High) <= 0)
}

// take copies the certain entries of a block to the new store.
func (t *tableRescue) take(entries []sst.Entry, sound bool) error {
	for _, e := range entries {
		if sound {
			t.last = e.Key
		}
		if e.Deleted && sound {
			t.got[string(e.Key)] = 0
			if err := t.put(journal.OpDelete, e.Key, nil); err != nil {
				return err
			}
			continue
		}
		value, certain := t.value(e, sound)
		if !certain {
			t.guesses = append(t.guesses, e)
			continue
		}
		t.got[string(e.Key)] = disk.Checksum(e.Key, value)
		if err := t.put(journal.OpPut, e.Key, bytes.Clone(value)); err != nil {
			return err
		}
	}
	return nil
}

// name records the keys in the table's holes, each a range between two keys that
// were read.
func (t *tableRescue) name(holes [][2][]byte) error {
	keys, whole := t.claims()
	for key, sum := range t.got {
		if c, ok := keys[key]; whole && (!ok || !c.Deleted && c.Sum != sum) {
			keys, whole = nil, false // the key file of another table
		}
	}
	missing := 0
	for key, c := range keys {
		if _, ok := t.got[key]; ok {
			continue
		}
		missing++
		if err := t.missed([]byte(key), doubt{c, true}); err != nil {
			return err
		}
	}
	code := kv.DamagedBetween
	if whole && missing == 0 {
		code = kv.DamagedBetweenRead
	}
	for _, h := range holes {
		t.found(t.path, code, h[0], h[1])
	}
	if whole {
		return nil
	}
	t.Unnamed += len(holes)
	for _, e := range t.guesses {
		if _, ok := keys[string(e.Key)]; !ok {
			if err := t.missed(e.Key, doubt{journal.Claim{Deleted: e.Deleted}, false}); err != nil {
				return err
			}
		}
	}
	return nil
}

// soundIndex verifies the checksum of a table's index. Badger ends the process
// over a damaged one.
func soundIndex(tail []byte) error {
	end := len(tail) - 4
	if end < 0 {
		return errors.New("no index")
	}
	at := end - int(binary.BigEndian.Uint32(tail[end:]))
	if at < 4 || at > end {
		return errors.New("no index")
	}
	var c pb.Checksum
	if err := proto.Unmarshal(tail[at:end], &c); err != nil {
		return err
	}
	return y.VerifyChecksum(tail[:at-4], &c)
}

func (r *Reading) tables() error {
	if r.generation == 1 {
		return nil
	}
	infos, err := r.listed()
	if err != nil {
		return err
	}
	sorting.By(infos, func(a, b sst.Info) int { return cmp.Compare(a.ID, b.ID) })
	for _, i := range infos {
		if err := r.table(i); err != nil {
			return err
		}
	}
	return nil
}

// listed returns the tables in the manifest, in its copy, or in the folder.
func (r *Reading) listed() (infos []sst.Info, err error) {
	runs, err := readManifestRuns(r.dir, disk.ManifestName, r.generation)
	if !errors.As(err, new(*kv.CorruptError)) {
		return slices.Concat(runs...), err
	}
	path, damage := filepath.Join(r.dir, disk.TablesName, disk.ManifestName), kv.ReasonOf(err)
	if runs, err = readManifestRuns(r.dir, disk.ManifestCopy, r.generation); err == nil && r.there(runs) {
		r.found(path, kv.CopyUsed, damage)
		return slices.Concat(runs...), nil
	}
	infos = r.unlisted()
	if len(infos) > 0 || r.generation > 0 {
		r.Unnamed++
		r.found(path, kv.DeletedMayReturn, damage)
	}
	return infos, nil
}

// readManifestRuns returns the runs in a manifest of at least this generation.
func readManifestRuns(dir, name string, generation uint64) ([][]sst.Info, error) {
	m, err := sst.ReadManifestFile(dir, name)
	if err == nil && m.Generation < generation {
		err = kv.Corrupt(filepath.Join(dir, disk.TablesName, name), kv.OlderThanJournal)
	}
	return m.Runs, err
}

// unlisted returns the tables in the folder, known by their ids only.
func (r *Reading) unlisted() (infos []sst.Info) {
	names, _ := os.ReadDir(filepath.Join(r.dir, disk.TablesName))
	for _, n := range names {
		if id, ok := table.ParseFileID(n.Name()); ok && n.Type().IsRegular() {
			infos = append(infos, sst.Info{ID: id})
		}
	}
	return infos
}

// table copies the readable blocks of a table.
func (r *Reading) table(i sst.Info) error {
	t := tableRescue{Reading: r, Info: i, path: filepath.Join(r.dir, disk.TablesName, i.Name())}
	data, err := r.read(t.path, disk.TablesName, i.Name())
	if errors.Is(err, os.ErrNotExist) || errors.As(err, new(*kv.CorruptError)) {
		r.found(t.path, kv.RecordsLost, reasonOrMissing(err))
		return t.name([][2][]byte{{i.Low, i.High}})
	}
	if err != nil {
		return err
	}
	t.data = data
	return t.read()
}
