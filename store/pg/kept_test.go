package pg

import (
	"fmt"
	"slices"
	"testing"

	"github.com/jackc/pgx/v5/pgconn"
)

// TestKept: an engine keeps values of one state of each area, and no more than it may.
func TestKept(t *testing.T) {
	e := &Engine{}
	view := &tx{engine: e, mode: modeView}
	if !view.Keeps() || (&tx{engine: e, mode: modeUpdate}).Keeps() {
		t.Error("only what was committed may be kept")
	}
	keys := [][]byte{[]byte("k"), []byte("none")}
	values := [][]byte{make([]byte, mostKept/4), nil}
	for i := range 10 {
		area := fmt.Appendf(nil, "area %d", i)
		for _, state := range []string{"1", "2", "2"} {
			view.Keep(area, state, keys, values)
			kept, unknown := view.Kept(area, state, append(keys, []byte("other")))
			if len(kept) != 3 || len(kept[0]) != len(values[0]) || kept[1] != nil || !slices.Equal(unknown, []int{2}) {
				t.Errorf("%s, %s: %d values, %d unknown", area, state, len(kept), unknown)
			}
		}
		if _, unknown := view.Kept(area, "1", keys); len(unknown) != 2 {
			t.Errorf("%s: an old state is kept", area)
		}
		held := 0
		for _, a := range e.kept.areas {
			held += a.bytes
		}
		if held > mostKept || held != e.kept.bytes || held < len(e.kept.areas)*mostKept/4 {
			t.Fatalf("%d bytes are held, %d counted", held, e.kept.bytes)
		}
	}
	view.Keep([]byte("large"), "1", slices.Repeat(keys, 5), slices.Repeat(values, 5))
	if len(e.kept.areas) != 0 {
		t.Errorf("%d areas are kept", len(e.kept.areas))
	}
}

// TestKeptElsewhere: a new connection, which may lead to a server with another past, keeps nothing of the one before.
func TestKeptElsewhere(t *testing.T) {
	e := &Engine{}
	e.pool = newPool(1, e.connect)
	view := &tx{engine: e, mode: modeView}
	key := [][]byte{[]byte("k")}
	view.Keep([]byte("area"), "1", key, key)
	config, err := pgconn.ParseConfig("postgres://127.0.0.1:1/none?connect_timeout=1")
	if err != nil {
		t.Fatal(err)
	}
	e.config = config
	if _, err := e.pool.get(t.Context(), 0); err == nil {
		t.Fatal("nobody listens there")
	}
	if _, unknown := view.Kept([]byte("area"), "1", key); len(unknown) == 0 {
		t.Error("what the server before had is kept")
	}
}
