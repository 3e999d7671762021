package kv

import (
	"errors"
	"path/filepath"
)

// # Compaction
//
// A compaction merges the journal's records and the newest runs into one run, in
// one pass, and leaves the older runs as they are:
//
//  1. Each new table is written, synced and read back.
//  2. A manifest with the new run and the untouched runs is written beside the
//     old one, synced and renamed. From now on Badger reads the new tables.
//  3. The journal's header gets the manifest's generation, which invalidates the
//     frames. From now on techo reads the new tables alone.
//  4. The files that the manifest does not list are removed.
//
// A process that is killed before step 2 leaves files that no manifest lists.
// One that is killed before step 3 leaves a journal whose records are in the
// tables as well; the next compaction takes a later generation than both.
const (
	// maxRuns is the number of small runs that trigger a merge of runs. A reader
	// has to look into each run whose bloom filter may have the key.
	maxRuns = 12

	// growth limits the size of a run that is merged, as a multiple of the runs
	// merged with it. So each record is rewritten only a few times.
	growth = 3

	// maxCompaction limits the bytes that one compaction rewrites, and with it
	// how long others wait for the store: about two seconds. Larger stores have
	// more runs. It does not apply to Compact.
	maxCompaction = 256 << 20
)

// planCompaction returns how many runs, the newest first, a compaction of added
// bytes merges.
func planCompaction(sizes []int64, added int64, all bool) (n int) {
	if all {
		return len(sizes)
	}
	small := 0
	for small < len(sizes) && sizes[small] < maxCompaction/2 {
		small++
	}
	if small < maxRuns {
		return 0
	}
	for n < len(sizes) && added+sizes[n] <= maxCompaction && (n < maxRuns/3 || sizes[n] <= growth*added) {
		added += sizes[n]
		n++
	}
	return n
}

// runSizes returns the size of each run in bytes.
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

// mergeNeeds estimates the bytes that a compaction writes.
func mergeNeeds(runs [][]tableInfo, added int64, all bool) int64 {
	need := added + added/4 + 1<<20
	sizes := runSizes(runs)
	for _, size := range sizes[:planCompaction(sizes, added, all)] {
		need += size
	}
	return need
}

// layer has the records that a compaction adds to the tables.
type layer interface {
	iterator(start []byte, back bool) iterator
	size() int64 // approximate, in bytes
}

// mergeTables adds the records of a layer to the tables and installs the new
// manifest. With all it merges everything into one run. verify is called before
// the manifest is replaced.
func mergeTables(old *tables, add layer, all bool, verify func() error) (manifest, error) {
	defer old.close()
	n := planCompaction(runSizes(old.list()), add.size(), all)
	m, err := mergeRuns(old, add, n, verify)
	if errors.As(err, new(*CorruptError)) && n > 0 && !all {
		// Damage in old records must not make the journal grow without limit.
		m, err = mergeRuns(old, add, 0, verify)
	}
	return m, err
}

// mergeRuns merges a layer and the n newest runs into one run.
func mergeRuns(old *tables, add layer, n int, verify func() error) (m manifest, err error) {
	w, err := newBuilder(old)
	if err != nil {
		return m, err
	}
	mayCount := false // the manifest may list the new tables
	defer func() {
		if err != nil && !mayCount {
			w.remove()
		}
	}()
	if err := w.addMerged(old, add, n); err != nil {
		return m, err
	}
	if err := disk.syncFolder(filepath.Join(w.dir, manifestName)); err != nil {
		return m, err
	}
	m = manifest{generation: w.generation, runs: old.list()[n:]}
	if len(w.run) > 0 {
		m.runs = append([][]tableInfo{w.run}, m.runs...)
	}
	in, err := openTablesFolder(old.dir)
	if err != nil {
		return m, err
	}
	defer in.Close()
	err = m.install(in, func() error {
		err := verify()
		mayCount = err == nil
		return err
	})
	return m, err
}

// addMerged writes the tables of the new run.
func (w *builder) addMerged(old *tables, add layer, n int) error {
	iterators := []iterator{add.iterator(nil, false)}
	for _, r := range old.runs[:n] {
		iterators = append(iterators, old.iterator(r, nil, false))
	}
	defer closeAll(iterators)
	last := n == len(old.runs) // no older run has a key that a tombstone must hide
	for top, err := range mergeIterators(iterators, false, nil) {
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
	return w.flush()
}

// newBuilder returns a builder of the next generation's tables.
func newBuilder(old *tables) (*builder, error) {
	in, err := makeTables(old.dir)
	if err != nil {
		return nil, err
	}
	defer in.Close()
	if err := createManifest(in); err != nil {
		return nil, err
	}
	installed := manifestGeneration(old.dir)
	w := &builder{dir: old.path, generation: max(old.generation, installed) + 1}
	if installed <= old.generation {
		// Remove the files of killed compactions. But after a compaction that did
		// not write the journal's header, running processes may still read the
		// tables of the manifest before.
		sweepTables(in, old.list())
	}
	w.id, err = nextTable(in)
	return w, err
}

// readBack compares a new table with the entries that were written: a disk may
// report success for data that it did not keep.
func (w *builder) readBack(i tableInfo) error {
	t := newTables(filepath.Dir(w.dir), [][]tableInfo{{i}})
	defer t.close()
	forgetFile(filepath.Join(w.dir, i.name()))
	digest, err := t.digest(t.runs[0])
	if err == nil && digest != w.digest {
		err = corrupt(filepath.Join(w.dir, i.name()), WrittenWrongly)
	}
	return err
}

// digest reads every entry of a run, also what newer runs hide.
func (t *tables) digest(r run) (digest uint32, err error) {
	c := t.iterator(r, nil, false)
	defer c.close()
	for ; c.valid(); c.next() {
		var value []byte
		deleted := c.deleted()
		if !deleted {
			if value, err = c.value(); err != nil {
				return 0, err
			}
		}
		if v := r[c.at].version; c.version() != v {
			return 0, c.rotten(WrongVersion, c.key(), c.version(), v)
		}
		digest = entryDigest(digest, c.key(), value, deleted)
	}
	return digest, c.err()
}
