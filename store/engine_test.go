package store

import (
	"context"
	"errors"
	"path/filepath"
	"testing"
	"time"

	"techo/internal/testenv"
	"techo/store/kv"
	"techo/store/kv/folder"
)

// newPlace returns the address of a new store: a folder, or with
// TECHO_TEST_STORE=postgres a namespace of a database.
func newPlace(t *testing.T) string {
	t.Helper()
	if !testenv.OnDatabase() {
		return filepath.Join(t.TempDir(), "store")
	}
	return migratedDatabase(t)
}

// newDatabase returns the address of a new store in a database, for a test of databases
// alone. With TECHO_TEST_STORE=postgres it skips the test, which is the same without it.
func newDatabase(t *testing.T) string {
	t.Helper()
	if testenv.OnDatabase() {
		t.Skip("also runs without TECHO_TEST_STORE=postgres")
	}
	return migratedDatabase(t)
}

func migratedDatabase(t *testing.T) string {
	t.Helper()
	return testenv.NewDatabase(t, Migrate, Options{Write: true, Now: time.Now})
}

// open opens a store for a test. Its clock is the test's, also in a database.
func open(t *testing.T, where string, o Options) *Store {
	t.Helper()
	o.Given = true
	return openWithClock(t, where, o)
}

// openWithClock opens a store whose clock is the database's if it is in one.
func openWithClock(t *testing.T, where string, o Options) *Store {
	t.Helper()
	if testenv.Twice() {
		o.wrap = func(e kv.Engine) kv.Engine {
			if local, ok := e.(*folder.Engine); ok {
				return &twice{local}
			}
			return e
		}
	}
	s, err := Open(where, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

// countsRuns skips a test that counts the runs of transactions when they run twice.
func countsRuns(t *testing.T) {
	t.Helper()
	if testenv.Twice() {
		t.Skip("counts the runs of transactions")
	}
}

// twice is an engine that runs functions of Views and Updates twice, the first time
// without keeping their writes.
type twice struct{ *folder.Engine }

var errFirst = errors.New("the first run")

func (e *twice) View(ctx context.Context, fn func(kv.Tx) error) error {
	return e.Engine.View(ctx, func(tx kv.Tx) error {
		_ = fn(tx)
		return fn(tx)
	})
}

func (e *twice) Update(ctx context.Context, fn func(kv.Tx) error) error {
	_ = e.Engine.Update(ctx, func(tx kv.Tx) error { return errors.Join(fn(tx), errFirst) })
	return e.Engine.Update(ctx, fn)
}
