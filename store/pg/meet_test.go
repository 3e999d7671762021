package pg_test

import (
	"fmt"
	"testing"

	"github.com/jackc/pgx/v5/pgconn"

	"techo/store/kv"
	"techo/store/pg"
)

const farKeys = 4000

func farKey(n int) []byte { return fmt.Appendf(nil, "key %06d", n) }

// newFilled returns the address of a new store with many records.
func newFilled(t *testing.T) string {
	t.Helper()
	address := newAddress(t)
	err := open(t, address, pg.Options{Write: true}).Update(t.Context(), func(tx kv.Tx) error {
		for n := range farKeys {
			if err := tx.Put(farKey(n), []byte("x")); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return address
}

// TestFarKeys lets two transactions read and change records that lie far from each other,
// in a store that the statistics of PostgreSQL do not have yet, so that it expects only
// few records. Neither runs again.
func TestFarKeys(t *testing.T) {
	admin, err := pgconn.Connect(t.Context(), withoutNamespace(t, newFilled(t)))
	if err == nil {
		_, err = admin.Exec(t.Context(), "ANALYZE techo_records").ReadAll()
		_ = admin.Close(t.Context())
	}
	if err != nil {
		t.Fatal(err)
	}
	address := newFilled(t)
	e, other := open(t, address, pg.Options{Write: true}), open(t, address, pg.Options{Write: true})
	for name, write := range map[string]func(tx kv.Tx, key []byte) error{
		"put":    func(tx kv.Tx, key []byte) error { return tx.Put(key, []byte("y")) },
		"delete": kv.Tx.Delete,
	} {
		change := func(tx kv.Tx, at int) error {
			if _, err := tx.GetMany([][]byte{farKey(at), farKey(at + 1)}); err != nil {
				return err
			}
			return write(tx, farKey(at+2))
		}
		const at = 100
		runs := 0
		err := e.Update(t.Context(), func(tx kv.Tx) error {
			if runs++; runs == 1 {
				if _, err := tx.Get(farKey(at)); err != nil { // the transaction begins
					return err
				}
				far := func(tx kv.Tx) error { return change(tx, farKeys-at) }
				if err := other.Update(t.Context(), far); err != nil {
					return err
				}
			}
			return change(tx, at)
		})
		if err != nil || runs != 1 {
			t.Errorf("%s: %d runs, %v", name, runs, err)
		}
	}
}
