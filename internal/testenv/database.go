package testenv

import (
	"context"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"sync/atomic"
	"testing"
	"time"
)

// DatabaseVariable is the environment variable with the address of a PostgreSQL
// database for tests, in which they create stores.
const DatabaseVariable = "TECHO_TEST_POSTGRES"

// stores counts the addresses of Database.
var stores atomic.Int64

// Database returns the address of a store that is not there yet, in the database of
// TECHO_TEST_POSTGRES. Without one the test is skipped.
func Database(t testing.TB) string {
	t.Helper()
	u, err := url.Parse(os.Getenv(DatabaseVariable))
	if err != nil || u.Host == "" {
		Missing(t, "a PostgreSQL database, named by "+DatabaseVariable)
	}
	q := u.Query()
	q.Set("namespace", fmt.Sprintf("test-%d-%d-%d", os.Getpid(), time.Now().UnixNano(), stores.Add(1)))
	u.RawQuery = q.Encode()
	return u.String()
}

// MigratedDatabase returns the address of a new, empty store.
func MigratedDatabase(t testing.TB, migrate func(context.Context, string) error) string {
	t.Helper()
	address := Database(t)
	if err := migrate(t.Context(), address); err != nil {
		t.Fatal(err)
	}
	return address
}

// Place returns the address of a new store: a folder, or with TECHO_TEST_STORE=postgres a
// store in the database, which store.Migrate prepares with some options.
func Place[O any](t testing.TB, migrate func(context.Context, string, O) (from, to int, err error), o O) string {
	t.Helper()
	if !OnDatabase() {
		return filepath.Join(t.TempDir(), "store")
	}
	return NewDatabase(t, migrate, o)
}

// NewDatabase returns the address of a new, empty store in the database, which store.Migrate
// prepares with some options.
func NewDatabase[O any](t testing.TB, migrate func(context.Context, string, O) (from, to int, err error), o O) string {
	t.Helper()
	return MigratedDatabase(t, func(ctx context.Context, address string) error {
		_, _, err := migrate(ctx, address, o)
		return err
	})
}

// OnDatabase reports whether tests keep their stores in a database.
func OnDatabase() bool { return os.Getenv(storeVariable) == "postgres" }

// InFolder lets a test keep its stores in folders, because it looks into them.
func InFolder(t testing.TB) {
	t.Helper()
	if OnDatabase() {
		t.Setenv(storeVariable, "")
	}
}

// Twice reports whether the tests of package store run each transaction twice.
func Twice() bool { return os.Getenv(storeVariable) == "twice" }

const storeVariable = "TECHO_TEST_STORE"
