package folder

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dgraph-io/badger/v4"

	"techo/internal/testenv"
	"techo/store/kv/disk"
)

// badgerModule is the module of Badger and of its command.
const badgerModule = "github.com/dgraph-io/badger/v4"

// badgerCommand runs the badger command of the version that this program is built
// with.
func badgerCommand(t *testing.T, args ...string) (out string, err error) {
	t.Helper()
	version, err := exec.Command("go", "list", "-m", "-f", "{{.Version}}", badgerModule).Output()
	if err != nil {
		testenv.Missing(t, "the version of Badger: "+err.Error())
	}
	program := badgerModule + "/badger@" + strings.TrimSpace(string(version))
	c := exec.Command("go", append([]string{"run", program}, args...)...)
	c.Dir = t.TempDir() // outside of this module, whose go.sum lacks the command's modules
	c.Env = append(os.Environ(), "GOFLAGS=-mod=mod")
	text, err := c.CombinedOutput()
	return string(text), err
}

// TestBadgerCommand compacts a store, and then reads it with the badger command
// alone: its info in place, and a backup of a copy.
func TestBadgerCommand(t *testing.T) {
	testenv.All(t, "downloads and builds the badger command")
	if out, err := badgerCommand(t, "--help"); err != nil {
		testenv.Missing(t, "the badger command: "+out)
	}
	dir, want := mergedStore(t)
	l := openStore(t, dir)
	mustPut(t, l, "late", "value", "gone", "value")
	mustDelete(t, l, "gone")
	want["late"] = "value"
	if err := l.Compact(t.Context()); err != nil {
		t.Fatal(err)
	}
	tables := filepath.Join(dir, disk.TablesName)
	out, err := badgerCommand(t, "info", "--dir", tables, "--read-only", "--show-keys")
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	for key := range want {
		if !strings.Contains(out, fmt.Sprintf("Key: %x\t", key)) {
			t.Errorf("no key %q in %s", key, out)
		}
	}
	copied, file := filepath.Join(t.TempDir(), "copy"), filepath.Join(t.TempDir(), "backup")
	if err := os.CopyFS(copied, os.DirFS(tables)); err != nil {
		t.Fatal(err)
	}
	if out, err := badgerCommand(t, "backup", "--dir", copied, "--backup-file", file); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	if got := badgerBackup(t, file); !maps.Equal(got, want) {
		t.Errorf("the badger command reads %s, want %s", got, want)
	}
	if _, err := l.Check(t.Context(), func(int64) {}); err != nil {
		t.Error(err)
	}
}

// badgerBackup returns the records in a backup that Badger wrote.
func badgerBackup(t *testing.T, file string) model {
	t.Helper()
	f, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	o := badger.DefaultOptions(filepath.Join(t.TempDir(), "loaded"))
	db, err := badger.Open(o.WithLogger(nil))
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(db.Load(f, 16), db.Close()); err != nil {
		t.Fatal(err)
	}
	got, _, err := badgerRecords(o)
	if err != nil {
		t.Fatal(err)
	}
	return got
}

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
