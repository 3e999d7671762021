package pg_test

import (
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/jackc/pgx/v5/pgconn"

	"techo/store/kv"
	"techo/store/pg"
)

// TestBreaks lets two transactions read one key and insert keys beside it, before and behind
// it. They meet only if no page break is between.
func TestBreaks(t *testing.T) {
	for _, c := range []struct {
		name    string
		breaks  []string
		between string // letter of the inserted keys
		meet    bool
	}{
		{"none", nil, "a", true},
		{"before", []string{"b"}, "a", false},
		{"behind", []string{"c\xff"}, "d", false},
		{"elsewhere", []string{"b"}, "d", true},
		{"both", []string{"b", "c\xff"}, "d", false},
	} {
		met := 0
		// Without a break a page may end between the keys by chance, but not each time.
		for range 5 {
			if met = besideKey(t, newBroken(t, c.breaks...), c.between); met > 0 || !c.meet {
				break
			}
		}
		if met > 0 != c.meet {
			t.Errorf("%s: the transactions met %d times", c.name, met)
		}
	}
}

// besideKey lets two transactions read a key and insert keys with a letter, and returns how
// often they met.
func besideKey(t *testing.T, address, letter string) (met int) {
	t.Helper()
	e, other := open(t, address, pg.Options{Write: true}), open(t, address, pg.Options{Write: true})
	change := func(tx kv.Tx, n int) error {
		if _, err := tx.Get([]byte("c")); !errors.Is(err, kv.ErrNotFound) {
			return err
		}
		return tx.Put(fmt.Append(nil, letter, n), nil)
	}
	for n := range 20 { // the first pages of the index have other keys as well
		if err := e.Update(t.Context(), func(tx kv.Tx) error { return change(tx, n) }); err != nil {
			t.Fatal(err)
		}
	}
	runs := 0
	err := e.Update(t.Context(), func(tx kv.Tx) error {
		if runs++; runs == 1 {
			if _, err := tx.Get([]byte("c")); !errors.Is(err, kv.ErrNotFound) { // the transaction begins
				return err
			}
			if err := other.Update(t.Context(), func(tx kv.Tx) error { return change(tx, 101) }); err != nil {
				return err
			}
		}
		return change(tx, 102)
	})
	if err != nil {
		t.Fatal(err)
	}
	return runs - 1
}

// TestBreaksAgain migrates a store of an earlier format, and one twice: the rows of the page
// breaks are there once, and nothing shows them.
func TestBreaksAgain(t *testing.T) {
	address := newBroken(t, "b", "d")
	e := open(t, address, pg.Options{Write: true, Breaks: [][]byte{[]byte("b"), []byte("d")}})
	err := e.Update(t.Context(), func(tx kv.Tx) error {
		return errors.Join(tx.Put([]byte("a"), nil), tx.Put([]byte("c"), nil), tx.Put([]byte("e"), nil))
	})
	if err != nil {
		t.Fatal(err)
	}
	admin, err := pgconn.Connect(t.Context(), withoutNamespace(t, address))
	if err != nil {
		t.Fatal(err)
	}
	defer admin.Close(t.Context())
	where := " WHERE space = '" + namespaceOf(t, address) + "'"
	for _, sql := range []string{"UPDATE techo_stores SET format = 1" + where, "SELECT 1"} {
		if _, err := admin.Exec(t.Context(), sql).ReadAll(); err != nil {
			t.Fatal(err)
		}
		if _, _, err := e.Migrate(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	rows, err := admin.Exec(t.Context(), "SELECT count(*) FROM techo_records"+where).ReadAll()
	if err != nil || string(rows[0].Rows[0][0]) != "15" {
		t.Errorf("%s rows, want 3 and 6 for each break, %v", rows[0].Rows[0][0], err)
	}
	info, err := e.Info(t.Context())
	if err != nil || info.Bytes != 3 {
		t.Errorf("%d bytes, want 3, %v", info.Bytes, err)
	}
	err = e.View(t.Context(), func(tx kv.Tx) error {
		for _, r := range []kv.Range{{}, {Reverse: true}, {Limit: 3}, {Limit: 4, KeysOnly: true}} {
			var keys []string
			for item, err := range tx.Scan(r) {
				if err != nil {
					return err
				}
				keys = append(keys, string(item.Key))
			}
			want := []string{"a", "c", "e"}
			if r.Reverse {
				slices.Reverse(want)
			}
			if !slices.Equal(keys, want) {
				t.Errorf("%+v: %q, want %q", r, keys, want)
			}
		}
		all, err := tx.(kv.Crowded).Measure(nil, []byte("b"))
		if err != nil || all[0] != (kv.Extent{Keys: 3, Bytes: 3}) || all[1] != (kv.Extent{}) {
			t.Errorf("%v, %v", all, err)
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
}
