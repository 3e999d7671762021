package pg_test

import (
	"context"
	"testing"

	"github.com/jackc/pgx/v5/pgconn"

	"techo/store/kv"
	"techo/store/pg"
)

// TestGroupAgain cuts the connection of a Group: it runs again as a whole, and nothing of its
// first run is kept.
func TestGroupAgain(t *testing.T) {
	address := newAddress(t)
	name := namespaceOf(t, address)
	admin, err := pgconn.Connect(t.Context(), withoutNamespace(t, address))
	if err != nil {
		t.Fatal(err)
	}
	defer admin.Close(context.Background())
	e := open(t, address+"&application_name="+name, pg.Options{Write: true})
	runs := 0
	err = e.Group(t.Context(), func(ctx context.Context) error {
		runs++
		if err := e.Update(ctx, func(tx kv.Tx) error { return increment(tx, "count") }); err != nil || runs > 1 {
			return err
		}
		if err := e.Update(ctx, func(tx kv.Tx) error { return tx.Put([]byte("vain"), nil) }); err != nil {
			return err
		}
		sql := "SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity WHERE application_name = '" + name + "'"
		_, err := admin.Exec(ctx, sql).ReadAll()
		return err
	})
	if err != nil || runs != 2 {
		t.Fatalf("%d runs: %v", runs, err)
	}
	wantCount(t, e, "1")
	err = e.View(t.Context(), func(tx kv.Tx) error {
		if _, err := tx.Get([]byte("vain")); err == nil {
			t.Error("a run that was in vain has left a record")
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
}
