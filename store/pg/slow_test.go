package pg_test

import (
	"context"
	"errors"
	"testing"

	"github.com/jackc/pgx/v5/pgconn"

	"techo/internal/testenv"
	"techo/store/kv"
	"techo/store/pg"
)

// TestSnapshotSlow: a snapshot whose reader does nothing for long is kept alive, and reads on.
func TestSnapshotSlow(t *testing.T) {
	address := newAddress(t)
	admin, err := pgconn.Connect(t.Context(), withoutNamespace(t, address))
	if err != nil {
		t.Fatal(err)
	}
	defer admin.Close(context.Background())
	name := namespaceOf(t, address)
	e := open(t, address+"&statement_timeout=3000&application_name="+name, pg.Options{})
	// last returns when the connection of the snapshot began its last statement.
	last := func() string {
		sql := "SELECT query_start FROM pg_stat_activity WHERE application_name = '" + name + "'"
		results, err := admin.Exec(t.Context(), sql).ReadAll()
		if err != nil || len(results[0].Rows) != 1 {
			t.Fatalf("the connection is gone: %v, %v", results, err)
		}
		return string(results[0].Rows[0][0])
	}
	err = e.Snapshot(t.Context(), func(tx kv.Tx) error {
		if _, err := tx.Get([]byte("a")); !errors.Is(err, kv.ErrNotFound) {
			return err
		}
		for range 2 {
			before := last()
			testenv.Eventually(t, func() bool { return last() != before })
		}
		if _, err := tx.Get([]byte("b")); !errors.Is(err, kv.ErrNotFound) {
			return err
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
}
