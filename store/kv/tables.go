package kv

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"strings"

	"github.com/dgraph-io/badger/v4"
	"github.com/dgraph-io/badger/v4/options"
)

// # The tables
//
// What the journal has gathered is merged into a Badger database, which holds
// the bulk. Badger is opened to be written for a merge alone, and on a folder
// that nobody reads: tables.N of generation N is made from links to the files
// of tables.N-1, which Badger never changes once they are written; it is
// merged into, closed, opened again and checked, and only then does the
// journal's head name generation N. A merge that was killed at any moment
// leaves the old tables and the whole journal, and is done again. So Badger
// never has to recover from anything.
//
//	\x00          the generation, 8 bytes (also the sentinel below all keys)
//	\x01 key      1 sum(4) value                 a value
//	\x01 key      2 sum(4) length(8)             a value in pieces of 512 KiB
//	\x02 key \x00 number(4)  sum(4) bytes        one piece
//	\xff          the sentinel above all keys
//
// Every sum covers the whole key in Badger and the value behind the sum. The
// sentinels make the tables of all merges overlap: Badger moves tables that do
// not overlap down untouched, so that they would never be merged.
const (
	tablesName = "tables."

	kindInline = 1
	kindPieces = 2

	pieceSize = 512 << 10

	memTableSize = 16 << 20 // lets values of 1 MiB stay out of the value log
	smallTables  = 12       // merged into one when so many have gathered
)

var (
	lowKey  = []byte{0x00}
	highKey = []byte{0xff}
)

func dataKey(key []byte) []byte { return append([]byte{1}, key...) }

func pieceKey(key []byte, n uint32) []byte {
	return binary.BigEndian.AppendUint32(append(append([]byte{2}, key...), 0), n)
}

// tables is a Badger database that is opened to be read.
type tables struct {
	db   *badger.DB
	txn  *badger.Txn
	path string
}

func tablesPath(dir string, generation uint64) string {
	return filepath.Join(dir, fmt.Sprintf("%s%d", tablesName, generation))
}

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
		WithNumCompactors(2).
		WithNumLevelZeroTablesStall(1000). // no compactor runs long enough to end a stall
		WithValueLogFileSize(1 << 20).
		WithValueThreshold(1 << 20).
		WithBaseTableSize(4 << 20).
		WithBaseLevelSize(16 << 20)
}

// openTables opens the tables of a generation. The first has none, which is
// nil and no error.
func openTables(dir string, generation uint64) (*tables, error) {
	if generation <= 1 {
		return nil, nil
	}
	path := tablesPath(dir, generation)
	if _, err := os.Stat(path); errors.Is(err, os.ErrNotExist) {
		return nil, &CorruptError{Path: path, Reason: "missing"}
	}
	t, err := readTables(path)
	if err != nil {
		return nil, err
	}
	n, err := t.generation()
	if err == nil && n != generation {
		err = &CorruptError{Path: path, Reason: fmt.Sprintf("holds generation %d", n)}
	}
	if err != nil {
		t.close()
		return nil, err
	}
	return t, nil
}

func readTables(path string) (t *tables, err error) {
	defer func() {
		if r := recover(); r != nil { // what Badger does with some damaged tables
			t, err = nil, &CorruptError{Path: path, Reason: fmt.Sprint(r)}
		}
	}()
	db, err := badger.Open(badgerOptions(path).WithReadOnly(readOnlyTables))
	if err != nil {
		if isSystem(err) {
			return nil, err
		}
		return nil, &CorruptError{Path: path, Reason: err.Error()}
	}
	return &tables{db: db, txn: db.NewTransaction(false), path: path}, nil
}

// isSystem reports whether err is the machine's and not the data's.
func isSystem(err error) bool {
	return errors.Is(err, os.ErrPermission) || isNoSpace(err) || isNoMemory(err)
}

func (t *tables) close() {
	if t == nil {
		return
	}
	t.txn.Discard()
	t.db.Close()
}

// generation reads the low sentinel.
func (t *tables) generation() (uint64, error) {
	item, err := t.txn.Get(lowKey)
	if err == nil {
		var v []byte
		if v, err = item.ValueCopy(nil); err == nil && len(v) == 8 {
			return binary.BigEndian.Uint64(v), nil
		}
	}
	return 0, &CorruptError{Path: t.path, Reason: "does not name its generation"}
}

// get returns the value under key, or ErrNotFound.
func (t *tables) get(key []byte) ([]byte, error) {
	item, err := t.txn.Get(dataKey(key))
	if errors.Is(err, badger.ErrKeyNotFound) {
		return nil, ErrNotFound
	}
	if err != nil {
		return nil, &CorruptError{Path: t.path, Reason: err.Error()}
	}
	return t.open(item)
}

// open takes a value out of its envelope.
func (t *tables) open(item *badger.Item) ([]byte, error) {
	kind, body, err := t.check(item)
	if err != nil || kind == kindInline {
		return body, err
	}
	size := int(binary.BigEndian.Uint64(body))
	value := make([]byte, 0, size)
	key := item.Key()[1:]
	for n := uint32(0); len(value) < size; n++ {
		piece, err := t.txn.Get(pieceKey(key, n))
		if err != nil {
			return nil, &CorruptError{Path: t.path, Reason: fmt.Sprintf("key %q: piece %d: %v", key, n, err)}
		}
		_, body, err := t.check(piece)
		if err != nil {
			return nil, err
		}
		value = append(value, body...)
	}
	return value, nil
}

// check verifies the sum of one record and returns what stands behind it.
func (t *tables) check(item *badger.Item) (kind byte, body []byte, err error) {
	key := item.Key()
	v, err := item.ValueCopy(nil)
	if err != nil {
		return 0, nil, &CorruptError{Path: t.path, Reason: fmt.Sprintf("key %q: %v", key, err)}
	}
	if len(v) < 5 || sum(key, v[:1], v[5:]) != binary.BigEndian.Uint32(v[1:]) ||
		v[0] == kindPieces && (key[0] != 1 || len(v) != 13) {
		return 0, nil, &CorruptError{Path: t.path, Reason: fmt.Sprintf("key %q: wrong checksum", key)}
	}
	return v[0], v[5:], nil
}

// seal puts a value into its envelope.
func seal(key []byte, kind byte, body []byte) []byte {
	v := make([]byte, 5, 5+len(body))
	v[0] = kind
	binary.BigEndian.PutUint32(v[1:], sum(key, v[:1], body))
	return append(v, body...)
}

// tablesCursor walks the tables.
type tablesCursor struct {
	t    *tables
	it   *badger.Iterator
	back bool
}

func (t *tables) cursor(start []byte, back bool) *tablesCursor {
	o := badger.DefaultIteratorOptions
	o.PrefetchValues = false
	o.Reverse = back
	c := &tablesCursor{t: t, it: t.txn.NewIterator(o), back: back}
	if back && start == nil {
		c.it.Seek([]byte{2})
		if c.it.Valid() && c.it.Item().Key()[0] != 1 {
			c.it.Next()
		}
	} else {
		c.it.Seek(dataKey(start))
	}
	return c
}

func (c *tablesCursor) valid() bool            { return c.it.Valid() && c.it.Item().Key()[0] == 1 }
func (c *tablesCursor) key() []byte            { return c.it.Item().Key()[1:] }
func (c *tablesCursor) deleted() bool          { return false }
func (c *tablesCursor) value() ([]byte, error) { return c.t.open(c.it.Item()) }
func (c *tablesCursor) next()                  { c.it.Next() }
func (c *tablesCursor) close()                 { c.it.Close() }

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
	small, err := linkTables(tablesPath(dir, generation), path)
	if err != nil && (generation > 1 || !errors.Is(err, os.ErrNotExist)) {
		return err
	}
	db, err := badger.Open(badgerOptions(path).WithCompactL0OnClose(all || small >= smallTables))
	if err != nil {
		return err
	}
	err = writeTables(db, generation+1, add)
	if err == nil && (all || deep(db)) {
		err = db.Flatten(1)
	}
	if e := db.Close(); err == nil {
		err = e
	}
	if err != nil {
		return err
	}
	return sealFolder(path)
}

// deep reports whether the levels between the first and the last hold so much
// that the next merges would have to rewrite too much: one merge then rewrites
// everything, and many after it are cheap.
func deep(db *badger.DB) bool {
	levels := db.Levels()
	var between int64
	for _, l := range levels[1 : len(levels)-1] {
		between += l.Size
	}
	return between > max(32<<20, levels[len(levels)-1].Size/4)
}

// linkTables gives a folder the files of another without copying them, and
// counts those that one merge left behind.
func linkTables(from, to string) (small int, err error) {
	names, err := os.ReadDir(from)
	if err != nil {
		return 0, err
	}
	for _, n := range names {
		source, target := filepath.Join(from, n.Name()), filepath.Join(to, n.Name())
		if !strings.HasSuffix(n.Name(), ".sst") {
			if err := copyFile(source, target); err != nil {
				return 0, err
			}
			continue
		}
		if err := os.Link(source, target); err != nil {
			if err := copyFile(source, target); err != nil {
				return 0, err
			}
		}
		if st, err := n.Info(); err == nil && st.Size() < 1<<20 {
			small++
		}
	}
	return small, nil
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

func writeTables(db *badger.DB, generation uint64, add *tree) error {
	batch := db.NewWriteBatch()
	defer batch.Cancel()
	if err := batch.Set(lowKey, binary.BigEndian.AppendUint64(nil, generation)); err != nil {
		return err
	}
	if err := batch.Set(highKey, nil); err != nil {
		return err
	}
	for it := add.keys.Iter(); it.Next(); {
		if err := writeEntry(db, batch, []byte(it.Key()), it.Value()); err != nil {
			return err
		}
	}
	return batch.Flush()
}

func writeEntry(db *badger.DB, batch *badger.WriteBatch, key []byte, e entry) error {
	whole := dataKey(key)
	old, err := piecesOf(db, whole)
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

// piecesOf counts the pieces of the value that a key has had so far.
func piecesOf(db *badger.DB, whole []byte) (uint32, error) {
	var n uint32
	err := db.View(func(tx *badger.Txn) error {
		item, err := tx.Get(whole)
		if err != nil {
			return err
		}
		return item.Value(func(v []byte) error {
			if len(v) == 13 && v[0] == kindPieces {
				size := binary.BigEndian.Uint64(v[5:])
				n = uint32(min((size+pieceSize-1)/pieceSize, math.MaxUint32))
			}
			return nil
		})
	})
	if errors.Is(err, badger.ErrKeyNotFound) {
		err = nil
	}
	return n, err
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
		switch filepath.Ext(n.Name()) {
		case ".vlog", ".mem":
			err = os.Remove(name) // no value goes to the log, and Close has flushed the memtable
		default:
			if n.Name() == "DISCARD" {
				err = os.Remove(name) // statistics of the log
				break
			}
			err = syncFile(name)
		}
		if err != nil {
			return err
		}
	}
	if err := syncFolder(filepath.Join(path, "MANIFEST")); err != nil {
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
