package folder

import (
	"errors"
	"maps"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dgraph-io/badger/v4"

	"techo/store/kv/disk"
)

// TestBadgerWrote opens the tables in place to write, with stock Badger. If Badger only
// reads, the store stays as it is. Once it has written, the manifest is damaged: a record
// of Badger is never mixed with those of the journal, and a rescue keeps all records.
func TestBadgerWrote(t *testing.T) {
	dir, want := mergedStore(t)
	mustPut(t, openStore(t, dir), "late", "value")
	want["late"] = "value"
	o := badger.DefaultOptions(filepath.Join(dir, disk.TablesName)).WithLogger(nil)
	for _, writes := range []bool{false, true} {
		db, err := badger.Open(o)
		if err != nil {
			t.Fatal(err)
		}
		if writes {
			err = db.Update(func(tx *badger.Txn) error { return tx.Set([]byte("badger"), []byte("value")) })
		}
		if err := errors.Join(err, db.Close()); err != nil {
			t.Fatal(err)
		}
		if !writes {
			wantAll(t, openStore(t, dir), want)
		}
	}
	l := openStore(t, dir)
	if got, err := everything(l); !isCorrupt(err) || !strings.Contains(err.Error(), disk.ManifestName) {
		t.Errorf("read %s, %v", got, err)
	}
	if err := l.Compact(t.Context()); !isCorrupt(err) {
		t.Errorf("compact: %v", err)
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	if kept, r := rescued(t, dir); !maps.Equal(kept, want) {
		t.Errorf("kept %s, want %s: %v", kept, want, r)
	}
}
