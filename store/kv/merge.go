package kv

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"

	"github.com/dgraph-io/badger/v4"
	"github.com/dgraph-io/badger/v4/options"
)

// # Merging
//
// Badger is opened to be written on a folder that nobody reads: tables.N is
// made from the tables of tables.N-1, by links where it can be; it is merged into, closed, synced, read and checked, and
// only then does the journal's head name generation N. A merge that was killed
// at any moment leaves the old tables and the whole journal, and is done
// again. So Badger never has to recover from anything.
//
// The sentinels, below and above all keys and written by every merge, make
// the tables of all merges overlap: Badger moves tables that do not overlap
// down untouched, so that they would never become one.
const (
	memTableSize = 16 << 20 // lets values of 1 MiB stay out of the value log
	smallTables  = 12       // of level 0, made into one when so many have gathered

	baseLevelSize = 16 << 20
)

func badgerOptions(path string) badger.Options {
	return badger.DefaultOptions(path).
		WithLogger(nil).
		WithMetricsEnabled(false).
		WithBypassLockGuard(true). // the store's own lock is held
		WithDetectConflicts(false).
		WithCompression(options.None).
		WithBlockCacheSize(0).
		WithIndexCacheSize(0).
		WithMemTableSize(memTableSize).
		WithNumMemtables(1).
		WithNumCompactors(0). // none lives long enough; merging says when
		WithNumLevelZeroTablesStall(math.MaxInt32).
		WithValueLogFileSize(1 << 20).
		WithValueThreshold(1 << 20).
		WithBaseTableSize(4 << 20).
		WithBaseLevelSize(baseLevelSize)
}

// mergeTables makes the tables of the next generation out of those of this one
// and a tree, durably, and changes nothing else. With all it also rewrites
// them in their smallest form.
func mergeTables(dir string, generation uint64, add *tree, all bool) error {
	path := tablesPath(dir, generation+1)
	if err := os.RemoveAll(path); err != nil {
		return err
	}
	if err := os.Mkdir(path, 0o700); err != nil {
		return err
	}
	old, err := takeable(dir, generation)
	if err != nil {
		return err
	}
	defer old.close()
	how := planned(old.list(), all)
	if err := old.sound(how); err != nil {
		return err
	}
	if err := takeOver(tablesPath(dir, generation), path, old.list(), how); err != nil {
		return err
	}
	db, err := badger.Open(badgerOptions(path).WithCompactL0OnClose(how != addOne))
	if err != nil {
		return err
	}
	err = writeTables(db, generation+1, add, old)
	if err == nil && how == allOfThem {
		err = db.Flatten(1)
	}
	if e := db.Close(); err == nil {
		err = e
	}
	if err != nil {
		return err
	}
	infos, err := listTables(path, old.list())
	if err != nil {
		return err
	}
	if err := writeLevels(path, generation+1, infos); err != nil {
		return err
	}
	if err := sealFolder(path); err != nil {
		return err
	}
	return checkMerged(dir, generation+1, add)
}

// checkMerged reads back all that was merged: Badger may report success for
// what it did not keep.
func checkMerged(dir string, generation uint64, add *tree) error {
	t, err := openTables(dir, generation)
	if err != nil {
		return err
	}
	defer t.close()
	for it := add.keys.Iter(); it.Next(); {
		v, err := t.get([]byte(it.Key()))
		switch e := it.Value(); {
		case err != nil && !errors.Is(err, ErrNotFound):
			return err
		case errors.Is(err, ErrNotFound) != e.deleted, !bytes.Equal(v, e.value):
			return &CorruptError{Path: t.path, Reason: fmt.Sprintf("key %q: not as it was merged", it.Key())}
		}
	}
	return nil
}

// plan is how much of the tables a merge rewrites.
type plan int

const (
	addOne    plan = iota // one table more
	upperOnes             // all but the last level, when that is large
	allOfThem
)

const lastLevel = 6

// planned chooses: a dozen small tables are made into one, by Badger's
// compaction into the first level that it may use; and when the levels above
// the last hold so much that this would rewrite too much each time, all
// becomes one level, and many merges after it are cheap.
func planned(old []tableInfo, all bool) plan {
	small := 0
	var between, last int64
	for _, i := range old {
		switch i.level {
		case 0:
			small++
		case lastLevel:
			last += i.size
		default:
			between += i.size
		}
	}
	switch {
	case all || between > max(32<<20, last/4):
		return allOfThem
	case small >= smallTables:
		return upperOnes
	}
	return addOne
}

// mergeNeeds is how many bytes a merge writes at most, beside links.
func mergeNeeds(dir string, generation uint64, add *tree, all bool) (int64, error) {
	need := int64(4*add.bytes) + memTableSize
	if generation <= 1 {
		return need, nil
	}
	_, infos, err := readLevels(tablesPath(dir, generation))
	if err != nil {
		return 0, err
	}
	how := planned(infos, all)
	for _, i := range infos {
		if !linkable(i, infos, how) {
			need += 3 * i.size // its copy, and what is made of it, perhaps twice
		}
	}
	return need, nil
}

// linkable reports whether Badger leaves a table alone.
//
// One that it may compact away has to be copied, since Badger cuts a table to
// nothing before it removes it, and would cut the old one with it. Compaction
// goes from level 0 to the first level that may be used; that is the last one
// only as long as it is no larger than BaseLevelSize.
func linkable(i tableInfo, all []tableInfo, p plan) bool {
	var last int64
	for _, i := range all {
		if i.level == lastLevel {
			last += i.size
		}
	}
	return p == addOne || p == upperOnes && i.level == lastLevel && last > 2*baseLevelSize
}

// takeable returns the tables of a generation, each of which is there as the
// list says, and as Badger's manifest says, whose word Badger will take.
func takeable(dir string, generation uint64) (*tables, error) {
	t, err := openTables(dir, generation)
	if err != nil || t == nil {
		return nil, err
	}
	if err := t.matchManifest(); err != nil {
		t.close()
		return nil, err
	}
	return t, nil
}

func (t *tables) matchManifest() error {
	manifest, err := readManifest(t.path)
	if err != nil {
		return err
	}
	for n, i := range t.infos {
		if _, err := t.table(n); err != nil {
			return err
		}
		if m, ok := manifest.Tables[i.id]; !ok || int(m.Level) != i.level || len(manifest.Tables) != len(t.infos) {
			return &CorruptError{Path: t.path, Reason: "the manifest does not name the tables that there are"}
		}
	}
	return nil
}

// list returns the list of the tables, none for those that there are not.
func (t *tables) list() []tableInfo {
	if t == nil {
		return nil
	}
	return t.infos
}

// sound reads every block that Badger will rewrite. Badger itself does not
// look: it would give rot a good checksum, or end the process.
func (t *tables) sound(how plan) (err error) {
	if t == nil {
		return nil
	}
	defer recovered(t.path, &err)
	for n, i := range t.infos {
		if linkable(i, t.infos, how) {
			continue
		}
		o, err := t.table(n)
		if err != nil {
			return err
		}
		if err := o.VerifyChecksum(); err != nil {
			return &CorruptError{Path: filepath.Join(t.path, i.name()), Reason: err.Error()}
		}
	}
	return nil
}

// takeOver gives a folder the tables of another, by links where it can be.
func takeOver(from, to string, infos []tableInfo, p plan) error {
	if len(infos) == 0 {
		return nil
	}
	for _, i := range infos {
		source, target := filepath.Join(from, i.name()), filepath.Join(to, i.name())
		if linkable(i, infos, p) && os.Link(source, target) == nil {
			continue
		}
		if err := copyFile(source, target); err != nil {
			return err
		}
	}
	for _, name := range []string{badger.ManifestFilename, badger.KeyRegistryFileName} {
		if err := copyFile(filepath.Join(from, name), filepath.Join(to, name)); err != nil {
			return err
		}
	}
	return nil
}

func copyFile(from, to string) error {
	r, err := os.Open(from)
	if err != nil {
		return err
	}
	defer r.Close()
	w, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	if _, err = io.Copy(w, r); err != nil {
		w.Close()
		return err
	}
	return w.Close()
}

func writeTables(db *badger.DB, generation uint64, add *tree, old *tables) error {
	batch := db.NewWriteBatch()
	defer batch.Cancel()
	if err := batch.Set([]byte{0x00}, binary.BigEndian.AppendUint64(nil, generation)); err != nil {
		return err
	}
	if err := batch.Set([]byte{0xff}, nil); err != nil {
		return err
	}
	for it := add.keys.Iter(); it.Next(); {
		if err := writeEntry(old, batch, []byte(it.Key()), it.Value()); err != nil {
			return err
		}
	}
	return batch.Flush()
}

func writeEntry(t *tables, batch *badger.WriteBatch, key []byte, e entry) error {
	whole := dataKey(key)
	old, err := t.pieces(whole)
	if err != nil {
		return err
	}
	var pieces uint32
	switch {
	case e.deleted:
		err = batch.Delete(whole)
	case len(e.value) <= pieceSize:
		err = batch.Set(whole, seal(whole, kindInline, e.value))
	default:
		for rest := e.value; len(rest) > 0 && err == nil; pieces++ {
			k := pieceKey(key, pieces)
			n := min(len(rest), pieceSize)
			err = batch.Set(k, seal(k, kindInline, rest[:n]))
			rest = rest[n:]
		}
		if err == nil {
			err = batch.Set(whole, seal(whole, kindPieces, binary.BigEndian.AppendUint64(nil, uint64(len(e.value)))))
		}
	}
	for n := pieces; n < old && err == nil; n++ {
		err = batch.Delete(pieceKey(key, n))
	}
	return err
}

// pieces counts the pieces of the value that a key has had so far.
func (t *tables) pieces(whole []byte) (uint32, error) {
	if t == nil {
		return 0, nil
	}
	v, ok, err := t.find(whole)
	if err != nil || !ok {
		return 0, err
	}
	kind, body, err := t.check(whole, v)
	if err != nil || kind != kindPieces {
		return 0, err
	}
	size := binary.BigEndian.Uint64(body)
	return uint32(min((size+pieceSize-1)/pieceSize, math.MaxUint32)), nil
}

// sealFolder removes what Badger has no more use for, makes the rest private
// and durable, and the folder's entry as well.
func sealFolder(path string) error {
	names, err := os.ReadDir(path)
	if err != nil {
		return err
	}
	for _, n := range names {
		name := filepath.Join(path, n.Name())
		switch ext := filepath.Ext(n.Name()); {
		case ext == ".vlog" || ext == ".mem" || n.Name() == "DISCARD":
			// No value goes to the log, and Close has flushed the memtable.
			err = os.Remove(name)
		default:
			err = syncFile(name)
		}
		if err != nil {
			return fmt.Errorf("seal: %w", err)
		}
	}
	if err := syncFolder(filepath.Join(path, levelsName)); err != nil {
		return err
	}
	return syncFolder(path)
}

func syncFile(path string) error {
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	defer f.Close()
	if err := f.Chmod(0o600); err != nil {
		return err
	}
	return f.Sync()
}
