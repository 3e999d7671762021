package kv

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/dgraph-io/badger/v4/table"
)

// # Merging
//
// A merge makes one run of what the journal holds and of the newest runs, all
// in one pass, and leaves the older runs as they are. The new tables are
// written beside the old ones, synced and read back; a list that names them
// with the untouched ones is written and synced; and only then does the
// journal's head name the new generation. A merge that was killed at any
// moment, or that failed, leaves files that no list names, which the next one
// removes.
const (
	// mostRuns is how many runs gather before they are made fewer. A reader
	// looks into each, and the bloom filters spare it most of the looking.
	mostRuns = 12

	// growth is how many times larger than all that is merged a run may be and
	// still be taken in. What is written is thus written again a few times in
	// all, however much there is.
	growth = 3

	// mostMerged bounds what one merge rewrites, in bytes, and with it how
	// long others wait for the store: some two seconds. A larger store has
	// more runs instead; Compact does not mind.
	mostMerged = 256 << 20
)

// planned tells how many of the runs, the newest first, a merge of added bytes
// takes in.
func planned(sizes []int64, added int64, all bool) (n int) {
	if all {
		return len(sizes)
	}
	small := 0
	for small < len(sizes) && sizes[small] < mostMerged/2 {
		small++
	}
	if small < mostRuns {
		return 0
	}
	for n < len(sizes) && added+sizes[n] <= mostMerged && (n < mostRuns/3 || sizes[n] <= growth*added) {
		added += sizes[n]
		n++
	}
	return n
}

// runSizes are the bytes of the runs of a list.
func runSizes(runs [][]tableInfo) (sizes []int64) {
	for _, run := range runs {
		var size int64
		for _, i := range run {
			size += i.size
		}
		sizes = append(sizes, size)
	}
	return sizes
}

// mergeNeeds is how many bytes a merge writes, roughly.
func mergeNeeds(runs [][]tableInfo, added int64, all bool) int64 {
	need := added + added/4 + 1<<20
	sizes := runSizes(runs)
	for _, size := range sizes[:planned(sizes, added, all)] {
		need += size
	}
	return need
}

// mergeTables makes the tables of the next generation out of those of this one
// and a tree, durably, and changes nothing else. With all it makes one run of
// everything.
func mergeTables(dir string, generation uint64, add *tree, all bool) error {
	old, err := openTables(dir, generation)
	if err != nil {
		return err
	}
	defer old.close()
	n := planned(runSizes(old.list()), int64(add.bytes), all)
	err = mergeRuns(dir, generation, add, old, n)
	if errors.As(err, new(*CorruptError)) && n > 0 && !all {
		// What rots in a run is no reason for the journal to grow without end.
		err = mergeRuns(dir, generation, add, old, 0)
	}
	return err
}

// mergeRuns makes one run of a tree and of the n newest runs.
func mergeRuns(dir string, generation uint64, add *tree, old *tables, n int) (err error) {
	w, err := newBuilder(dir, generation+1, old.list())
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			w.remove()
		}
	}()
	cursors := []cursor{add.cursor(nil, false)}
	for _, r := range old.newest(n) {
		cursors = append(cursors, old.cursor(r, nil, false))
	}
	defer closeAll(cursors)
	last := n == len(old.list()) // nothing lies below that a deleted key would have to hide
	for top, err := range seen(cursors, false) {
		if err != nil {
			return err
		}
		var value []byte
		deleted := top.deleted()
		if deleted && last {
			continue
		}
		if !deleted {
			if value, err = top.value(); err != nil {
				return err
			}
		}
		if err := w.add(top.key(), value, deleted); err != nil {
			return err
		}
	}
	if err := w.flush(); err != nil {
		return err
	}
	runs := old.list()[n:]
	if len(w.run) > 0 {
		runs = append([][]tableInfo{w.run}, runs...)
	}
	if err := writeList(dir, generation+1, runs); err != nil {
		return err
	}
	if err := syncFolder(listPath(dir, generation+1)); err != nil {
		return err
	}
	return readBack(dir, generation+1, w)
}

// newBuilder prepares the folder for new tables.
func newBuilder(dir string, generation uint64, named [][]tableInfo) (*builder, error) {
	w := &builder{dir: filepath.Join(dir, tablesName), generation: generation, id: 1}
	err := os.Mkdir(w.dir, 0o700)
	if err == nil {
		err = syncFolder(w.dir)
	}
	if err != nil && !errors.Is(err, os.ErrExist) {
		return nil, err
	}
	sweepTables(w.dir, generation-1, named) // what killed merges have left
	names, err := os.ReadDir(w.dir)
	if err != nil {
		return nil, err
	}
	for _, n := range names { // also above those that could not be removed
		if id, ok := table.ParseFileID(n.Name()); ok && id >= w.id {
			w.id = id + 1
		}
	}
	return w, nil
}

// newest returns the n newest runs.
func (t *tables) newest(n int) []run {
	if t == nil {
		return nil
	}
	return t.runs[:n]
}

// readBack reads what a merge has written: a disk may report success for what
// it did not keep.
func readBack(dir string, generation uint64, w *builder) error {
	t, err := openTables(dir, generation)
	if err != nil {
		return err
	}
	defer t.close()
	var digest uint32
	if len(w.run) > 0 {
		if digest, err = t.digest(t.runs[0]); err != nil {
			return err
		}
	}
	if digest != w.digest {
		return &CorruptError{Path: t.path, Reason: "not as it was merged"}
	}
	return nil
}

// digest reads every entry of a run, also those that newer runs hide.
func (t *tables) digest(r run) (digest uint32, err error) {
	c := t.cursor(r, nil, false)
	defer c.close()
	for ; c.valid(); c.next() {
		var value []byte
		deleted := c.deleted()
		if !deleted {
			if value, err = c.value(); err != nil {
				return 0, err
			}
		}
		digest = entryDigest(digest, c.key(), value, deleted)
	}
	return digest, c.err()
}

// sweepTables removes the files that a generation's list does not name. What
// cannot be removed now, because it is in use on a system that minds, is
// removed by a later merge.
func sweepTables(path string, generation uint64, named [][]tableInfo) {
	keep := map[string]bool{listName + fmt.Sprint(generation): true}
	for _, run := range named {
		for _, i := range run {
			keep[i.name()] = true
		}
	}
	names, err := os.ReadDir(path)
	if err != nil {
		return
	}
	for _, n := range names {
		ours := strings.HasPrefix(n.Name(), listName) || filepath.Ext(n.Name()) == ".sst"
		if ours && !keep[n.Name()] {
			_ = os.RemoveAll(filepath.Join(path, n.Name()))
		}
	}
}
