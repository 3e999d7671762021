package pg_test

import (
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgconn"

	"techo/store/kv"
	"techo/store/pg"
)

// TestStamp compares the numbers of transactions that read each other's writes, on
// machines with wrong clocks.
func TestStamp(t *testing.T) {
	address := newAddress(t)
	var machines []*pg.Engine
	for i := range 3 {
		wrong := func() time.Time { return time.Now().Add(time.Duration(i-1) * time.Hour) }
		machines = append(machines, open(t, address, pg.Options{Write: true, Now: wrong}))
	}
	last := uint64(0)
	for i := range 60 {
		err := machines[i%3].Update(t.Context(), func(tx kv.Tx) error {
			for range 3 {
				n, err := tx.(kv.Crowded).Stamp()
				if err != nil || n <= last || n >= 1<<53 {
					return fmt.Errorf("%d after %d, %v", n, last, err)
				}
				last = n
			}
			return tx.Put([]byte("key"), fmt.Append(nil, last))
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	err := machines[0].View(t.Context(), func(tx kv.Tx) error {
		_, err := tx.(kv.Crowded).Stamp()
		return err
	})
	if err == nil {
		t.Error("a number in a View")
	}
}

// TestMeasure measures the keys with a prefix.
func TestMeasure(t *testing.T) {
	e := open(t, newAddress(t), pg.Options{Write: true})
	err := e.Update(t.Context(), func(tx kv.Tx) error {
		for _, key := range []string{"a", "ba", "bb", "b\xff", "c"} {
			if err := tx.Put([]byte(key), make([]byte, 100_000)); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	err = e.Snapshot(t.Context(), func(tx kv.Tx) error {
		all, err := tx.(kv.Crowded).Measure([]byte("b"), []byte("d"), []byte("a"), []byte("b"))
		want := []kv.Extent{{Keys: 3, Bytes: 300_006}, {}, {Keys: 1, Bytes: 100_001}, {Keys: 3, Bytes: 300_006}}
		if err != nil || !slices.Equal(all, want) {
			t.Errorf("%v, %v, want %v", all, err, want)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

// TestBeside reads a committed state within a transaction, but waits for no connection.
func TestBeside(t *testing.T) {
	address := newAddress(t)
	for connections, want := range map[int]bool{1: false, 2: true} {
		e := open(t, fmt.Sprintf("%s&pool_max_conns=%d", address, connections), pg.Options{Write: true})
		err := e.Update(t.Context(), func(tx kv.Tx) error {
			if _, err := tx.Get([]byte("key")); !errors.Is(err, kv.ErrNotFound) {
				return err
			}
			if err := tx.Put([]byte("key"), nil); err != nil {
				return err
			}
			ok, err := e.Beside(t.Context(), false, func(tx kv.Tx) error {
				if _, err := tx.Get([]byte("key")); !errors.Is(err, kv.ErrNotFound) {
					return fmt.Errorf("an uncommitted write: %w", err)
				}
				return nil
			})
			if err != nil || ok != want {
				t.Errorf("%d connections: %v, %v", connections, ok, err)
			}
			return tx.Delete([]byte("key"))
		})
		if err != nil {
			t.Error(err)
		}
	}
}

// TestMigrateFormat brings a store of the first format to the present one. Before that
// nothing can be read.
func TestMigrateFormat(t *testing.T) {
	address := newAddress(t)
	e := open(t, address, pg.Options{Write: true})
	if err := e.Update(t.Context(), func(tx kv.Tx) error { return tx.Put([]byte("key"), nil) }); err != nil {
		t.Fatal(err)
	}
	admin, err := pgconn.Connect(t.Context(), withoutNamespace(t, address))
	if err != nil {
		t.Fatal(err)
	}
	defer admin.Close(t.Context())
	sql := "UPDATE techo_stores SET format = 1 WHERE space = '" + namespaceOf(t, address) + "'"
	if _, err := admin.Exec(t.Context(), sql).ReadAll(); err != nil {
		t.Fatal(err)
	}
	get := func() error {
		return open(t, address, pg.Options{Write: true}).View(t.Context(), func(tx kv.Tx) error {
			_, err := tx.Get([]byte("key"))
			return err
		})
	}
	if err := get(); !errors.As(err, new(*kv.NotMigratedError)) {
		t.Errorf("before: %v", err)
	}
	for _, want := range []int{1, 5} {
		if from, to, err := e.Migrate(t.Context()); err != nil || from != want || to != 5 {
			t.Errorf("from %d to %d, %v", from, to, err)
		}
		if err := get(); err != nil {
			t.Errorf("after: %v", err)
		}
	}
}
