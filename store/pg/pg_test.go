package pg_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgconn"

	"techo/internal/testenv"
	"techo/store/kv"
	"techo/store/kv/kvtest"
	"techo/store/pg"
)

// newAddress returns the address of a new store in the database of the tests.
func newAddress(t testing.TB) string {
	t.Helper()
	address := testenv.Database(t)
	if _, _, err := open(t, address, pg.Options{Write: true}).Migrate(t.Context()); err != nil {
		t.Fatal(err)
	}
	return address
}

func open(t testing.TB, address string, o pg.Options) *pg.Engine {
	t.Helper()
	e, err := pg.Open(address, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { e.Close() })
	return e
}

// TestConformance runs the tests of all engines while connections are cut.
func TestConformance(t *testing.T) {
	kvtest.Run(t, func(t testing.TB) kvtest.Store {
		address := newAddress(t)
		name := fmt.Sprintf("t%d", time.Now().UnixNano())
		named := address + "&application_name=" + name
		admin, err := pgconn.Connect(t.Context(), withoutNamespace(t, address))
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = admin.Close(context.Background()) })
		return kvtest.Store{
			Open: func(t testing.TB) kv.Engine { return open(t, named, pg.Options{Write: true}) },
			Disturb: func(t testing.TB, r *rand.Rand, _ kv.Engine) {
				if r.IntN(3) > 0 {
					return
				}
				sql := "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = '" + name + "'"
				if _, err := admin.Exec(context.Background(), sql).ReadAll(); err != nil {
					t.Error(err)
				}
			},
		}
	})
}

func withoutNamespace(t testing.TB, address string) string {
	u, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	q := u.Query()
	q.Del("namespace")
	u.RawQuery = q.Encode()
	return strings.TrimSuffix(u.String(), "?")
}

func namespaceOf(t testing.TB, address string) string {
	u, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	return u.Query().Get("namespace")
}
