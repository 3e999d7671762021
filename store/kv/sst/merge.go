package sst

import (
	"errors"
	"path/filepath"
	"runtime/debug"

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
//
// Where many runs are merged, writers go on: a Rewrite merges the runs first, which nobody changes,
// and adds the journal's records as a run of their own in the end.
const (
	// MaxRuns is the number of small runs that trigger a merge of runs. A reader
	// has to look into each run whose bloom filter may have the key.
	MaxRuns = 12

	// growth limits the size of a run that is merged, as a multiple of the runs
	// merged with it. So each record is rewritten only a few times.
	growth = 3

	// MaxCompaction limits the bytes that one compaction rewrites: about two
	// seconds of work. Larger stores have more runs. It does not apply to Compact.
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

// Add adds the records of a layer to the tables as a run of their own, as Merge adds them.
func Add(old *Tables, add Layer, _ bool, verify func() error) (Manifest, error) {
	defer old.Close()
	return mergeRuns(old, add, 0, verify)
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
	if err = w.AddMerged(old, add, n); err != nil {
		w.Remove()
		return m, err
	}
	return w.install(old.List()[n:], verify)
}

// Rewrite merges the newest runs of tables into one. Only its begin and its end need the store's lock,
// but others must not change the tables meanwhile, nor sweep their folder.
type Rewrite struct {
	old *Tables
	w   *Builder
	n   int
}

// BeginRewrite begins to merge the n newest runs. End or Cancel closes the tables.
func BeginRewrite(old *Tables, n int) (*Rewrite, error) {
	w, err := NewBuilder(old)
	if err != nil {
		old.Close()
		return nil, err
	}
	return &Rewrite{old: old, w: w, n: n}, nil
}

// Merge writes the new run.
func (r *Rewrite) Merge() error { return r.w.AddMerged(r.old, nil, r.n) }

// End adds the records of a layer above the new run, and installs the new manifest.
func (r *Rewrite) End(add Layer, verify func() error) (m Manifest, err error) {
	defer r.old.Close()
	below := r.old.List()[r.n:]
	if merged := r.w.Run; len(merged) > 0 {
		below = append([][]Info{merged}, below...)
	}
	top := &Builder{Dir: r.w.Dir, Generation: r.w.Generation + 1, ID: r.w.ID}
	if err = top.AddMerged(r.old, add, 0); err != nil {
		top.Remove()
	} else {
		m, err = top.install(below, verify)
	}
	if m.Generation == 0 {
		r.w.Remove()
	}
	return m, err
}

// Cancel removes what was written.
func (r *Rewrite) Cancel() {
	r.w.Remove()
	r.old.Close()
}

// install installs a manifest with the new run above others. After a failure it removes the run. The generation of
// the result is 0 then, unless the manifest may list the new tables.
func (w *Builder) install(below [][]Info, verify func() error) (m Manifest, err error) {
	mayCount := false
	defer func() {
		if err != nil && !mayCount {
			w.Remove()
			m = Manifest{}
		}
	}()
	if err := disk.Current.SyncFolder(filepath.Join(w.Dir, disk.ManifestName)); err != nil {
		return m, err
	}
	m = Manifest{Generation: w.Generation, Runs: below}
	if len(w.Run) > 0 {
		m.Runs = append([][]Info{w.Run}, m.Runs...)
	}
	in, err := OpenFolder(filepath.Dir(w.Dir))
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

// AddMerged writes the tables of the new run. add is above the old runs; it may be nil.
func (w *Builder) AddMerged(old *Tables, add Layer, n int) (err error) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer recovered(old.Path, &err) // values lie in the mapped files; the iterators name the file of other damage
	var iterators []Iterator
	for _, r := range old.Runs[:n] {
		for _, f := range r {
			w.large = w.large || f.Size > tableSize
		}
	}
	if add != nil {
		iterators = append(iterators, add.Iterator(nil, false))
	}
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
			if value, err = top.Peek(); err != nil {
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
