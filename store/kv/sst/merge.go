package sst

import (
	"errors"
	"path/filepath"

	"techo/store/kv"
	"techo/store/kv/disk"
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
	// MaxRuns is the number of small runs that trigger a merge of runs. A reader
	// has to look into each run whose bloom filter may have the key.
	MaxRuns = 12

	// growth limits the size of a run that is merged, as a multiple of the runs
	// merged with it. So each record is rewritten only a few times.
	growth = 3

	// MaxCompaction limits the bytes that one compaction rewrites, and with it
	// how long others wait for the store: about two seconds. Larger stores have
	// more runs. It does not apply to Compact.
	MaxCompaction = 256 << 20
)

// PlanCompaction returns how many runs, the newest first, a compaction of added
// bytes merges.
func PlanCompaction(sizes []int64, added int64, all bool) (n int) {
	if all {
		return len(sizes)
	}
	small := 0
	for small < len(sizes) && sizes[small] < MaxCompaction/2 {
		small++
	}
	if small < MaxRuns {
		return 0
	}
	for n < len(sizes) && added+sizes[n] <= MaxCompaction && (n < MaxRuns/3 || sizes[n] <= growth*added) {
		added += sizes[n]
		n++
	}
	return n
}

// RunSizes returns the size of each run in bytes.
func RunSizes(runs [][]Info) (sizes []int64) {
	for _, run := range runs {
		var size int64
		for _, i := range run {
			size += i.Size
		}
		sizes = append(sizes, size)
	}
	return sizes
}

// MergeNeeds estimates the bytes that a compaction writes.
func MergeNeeds(runs [][]Info, added int64, all bool) int64 {
	need := added + added/4 + 1<<20
	sizes := RunSizes(runs)
	for _, size := range sizes[:PlanCompaction(sizes, added, all)] {
		need += size
	}
	return need
}

// Layer has the records that a compaction adds to the tables.
type Layer interface {
	Iterator(start []byte, back bool) Iterator
	Size() int64 // approximate, in bytes
}

// Merge adds the records of a layer to the tables and installs the new
// manifest. With all it merges everything into one run. verify is called before
// the manifest is replaced.
func Merge(old *Tables, add Layer, all bool, verify func() error) (Manifest, error) {
	defer old.Close()
	n := PlanCompaction(RunSizes(old.List()), add.Size(), all)
	m, err := mergeRuns(old, add, n, verify)
	if errors.As(err, new(*kv.CorruptError)) && n > 0 && !all {
		// Damage in old records must not make the journal grow without limit.
		m, err = mergeRuns(old, add, 0, verify)
	}
	return m, err
}

// mergeRuns merges a layer and the n newest runs into one run.
func mergeRuns(old *Tables, add Layer, n int, verify func() error) (m Manifest, err error) {
	w, err := NewBuilder(old)
	if err != nil {
		return m, err
	}
	mayCount := false // the manifest may list the new tables
	defer func() {
		if err != nil && !mayCount {
			w.Remove()
		}
	}()
	if err := w.AddMerged(old, add, n); err != nil {
		return m, err
	}
	if err := disk.Current.SyncFolder(filepath.Join(w.Dir, disk.ManifestName)); err != nil {
		return m, err
	}
	m = Manifest{Generation: w.Generation, Runs: old.List()[n:]}
	if len(w.Run) > 0 {
		m.Runs = append([][]Info{w.Run}, m.Runs...)
	}
	in, err := OpenFolder(old.dir)
	if err != nil {
		return m, err
	}
	defer in.Close()
	err = m.Install(in, func() error {
		err := verify()
		mayCount = err == nil
		return err
	})
	return m, err
}

// AddMerged writes the tables of the new run.
func (w *Builder) AddMerged(old *Tables, add Layer, n int) error {
	iterators := []Iterator{add.Iterator(nil, false)}
	for _, r := range old.Runs[:n] {
		iterators = append(iterators, old.iterator(r, nil, false))
	}
	defer CloseAll(iterators)
	last := n == len(old.Runs) // no older run has a key that a tombstone must hide
	for top, err := range MergeIterators(iterators, false, nil) {
		if err != nil {
			return err
		}
		var value []byte
		deleted := top.Deleted()
		if deleted && last {
			continue
		}
		if !deleted {
			if value, err = top.Value(); err != nil {
				return err
			}
		}
		if err := w.Add(top.Key(), value, deleted); err != nil {
			return err
		}
	}
	return w.Flush()
}

// NewBuilder returns a builder of the next generation's tables.
func NewBuilder(old *Tables) (*Builder, error) {
	in, err := MakeFolder(old.dir)
	if err != nil {
		return nil, err
	}
	defer in.Close()
	if err := createManifest(in); err != nil {
		return nil, err
	}
	installed := ManifestGeneration(old.dir)
	w := &Builder{Dir: old.Path, Generation: max(old.generation, installed) + 1}
	if installed <= old.generation {
		// Remove the files of killed compactions. But after a compaction that did
		// not write the journal's header, running processes may still read the
		// tables of the manifest before.
		Sweep(in, old.List())
	}
	w.ID, err = NextTable(in)
	return w, err
}

// ReadBack compares a new table with the entries that were written: a disk may
// report success for data that it did not keep.
func (w *Builder) ReadBack(i Info) error {
	t := newTables(filepath.Dir(w.Dir), [][]Info{{i}})
	defer t.Close()
	disk.ForgetFile(filepath.Join(w.Dir, i.Name()))
	digest, err := t.digest(t.Runs[0])
	if err == nil && digest != w.digest {
		err = kv.Corrupt(filepath.Join(w.Dir, i.Name()), kv.WrittenWrongly)
	}
	return err
}

// digest reads every entry of a run, also what newer runs hide.
func (t *Tables) digest(r run) (digest uint32, err error) {
	c := t.iterator(r, nil, false)
	defer c.Close()
	for ; c.Valid(); c.Next() {
		var value []byte
		deleted := c.Deleted()
		if !deleted {
			if value, err = c.Value(); err != nil {
				return 0, err
			}
		}
		if v := r[c.at].version; c.version() != v {
			return 0, c.rotten(kv.WrongVersion, c.Key(), c.version(), v)
		}
		digest = entryDigest(digest, c.Key(), value, deleted)
	}
	return digest, c.Err()
}
