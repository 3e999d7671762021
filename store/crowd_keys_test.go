package store

import (
	"bytes"
	"context"
	"fmt"
	"iter"
	"slices"
	"strings"
	"testing"

	"techo/store/kv"
	"techo/store/pg"
)

// recorder is a database that records the keys of its write transactions.
type recorder struct {
	*pg.Engine
	reads []kv.Range
	gets  map[string]bool
	puts  map[string]bool

	assumed map[string]bool
}

func (e *recorder) Update(ctx context.Context, fn func(kv.Tx) error) error {
	return e.Engine.Update(ctx, func(tx kv.Tx) error { return fn(&recordedTx{tx, e}) })
}

// take returns what was recorded since the last time.
func (e *recorder) take() *recorder {
	taken := &recorder{reads: e.reads, gets: e.gets, puts: e.puts}
	e.reads, e.gets, e.puts, e.assumed = nil, map[string]bool{}, map[string]bool{}, map[string]bool{}
	return taken
}

// has reports whether a key, or where it would be, was read.
func (e *recorder) has(key string) bool {
	return e.gets[key] || slices.ContainsFunc(e.reads, func(r kv.Range) bool { return r.Has([]byte(key)) })
}

type recordedTx struct {
	kv.Tx
	to *recorder
}

func (t *recordedTx) Stamp() (uint64, error) { return t.Tx.(kv.Crowded).Stamp() }

func (t *recordedTx) Measure(prefixes ...[]byte) ([]kv.Extent, error) {
	for _, prefix := range prefixes {
		t.to.reads = append(t.to.reads, kv.Range{Prefix: bytes.Clone(prefix)})
	}
	return t.Tx.(kv.Crowded).Measure(prefixes...)
}

func (t *recordedTx) Retried() bool { return t.Tx.(kv.Crowded).Retried() }

// Assume notes keys that are not read. They are free in this test.
func (t *recordedTx) Assume(keys ...[]byte) {
	t.Tx.(kv.Crowded).Assume(keys...)
	for _, key := range keys {
		t.to.assumed[string(key)] = true
	}
}

func (t *recordedTx) Get(key []byte) ([]byte, error) {
	t.to.gets[string(key)] = !t.to.assumed[string(key)]
	return t.Tx.Get(key)
}

func (t *recordedTx) GetMany(keys [][]byte) ([][]byte, error) {
	for _, key := range keys {
		t.to.gets[string(key)] = true
	}
	return t.Tx.GetMany(keys)
}

func (t *recordedTx) Put(key, value []byte) error {
	t.to.puts[string(key)] = true
	return t.Tx.Put(key, value)
}

func (t *recordedTx) Delete(key []byte) error {
	t.to.puts[string(key)] = true
	return t.Tx.Delete(key)
}

// Scan records a range as far as it is read.
func (t *recordedTx) Scan(r kv.Range) iter.Seq2[kv.Item, error] {
	return func(yield func(kv.Item, error) bool) {
		n, read := 0, r
		defer func() { t.to.reads = append(t.to.reads, read) }()
		for item, err := range t.Tx.Scan(r) {
			if n++; err == nil {
				t.to.gets[string(item.Key)] = true
			}
			stops := !yield(item, err)
			if stops || n == r.Limit {
				read.To = bytes.Clone(item.Key)
			}
			if stops {
				return
			}
		}
	}
}

// hotKeys returns the spaces of keys at which two calls that run at once meet: those that
// both write, and, if each reads what the other one writes, those as well.
func hotKeys(a, b *recorder) string {
	var both, ab, ba []string
	for key := range a.puts {
		if b.puts[key] {
			both = append(both, key[:2])
		} else if b.has(key) {
			ba = append(ba, key[:2])
		}
	}
	for key := range b.puts {
		if !a.puts[key] && a.has(key) {
			ab = append(ab, key[:2])
		}
	}
	if len(ab) > 0 && len(ba) > 0 {
		both = slices.Concat(both, ab, ba)
	}
	slices.Sort(both)
	return strings.Join(slices.Compact(both), " ")
}

// meeting are two calls that depend on each other in no way, each made with a new number.
type meeting struct {
	name       string
	one, other func(n int) calling
	at         string // the spaces of keys at which they meet
}

func meetings() []meeting {
	memo := func(n int) calling { return addingMemo(fmt.Sprint("tea ", n)) }
	inSpace := func(name string) func(n int) calling {
		return func(n int) calling {
			return func(ctx context.Context, s *Store) error { return memo(n)(ctx, SpacesOf(s).In(name, "alice")) }
		}
	}
	memory := func(user string) func(n int) calling { return func(n int) calling { return addingMemory(user, n) } }
	first := func(n int) calling { return addingMemory(fmt.Sprint("user ", n), n) }
	event := func(calendar string) func(n int) calling {
		return func(n int) calling { return addingEvent(calendar, n) }
	}
	return []meeting{
		{"memos", memo, memo, ""},
		{"memos of a space", inSpace("team"), inSpace("team"), ""},
		{"memos of two spaces", inSpace("team"), inSpace("club"), ""},
		{"memories of a user", memory("alice"), memory("alice"), ""},
		{"memories of two users", memory("alice"), memory("bob"), ""},
		{"first memories", first, first, ""},
		{"events of a calendar", event("work"), event("work"), ""},
		{"events of two calendars", event("work"), event("home"), ""},
		{"questions", askingTea, askingTea, ""},
		{"memo and memory", memo, memory("alice"), ""},
		{"memo and event", memo, event("work"), ""},
		{"memo and memo of a space", memo, inSpace("team"), ""},
		{"memory and event", memory("alice"), event("work"), ""},
		{"question and memory", askingTea, memory("alice"), ""},
	}
}

// TestCrowdKeys compares the keys of pairs of calls of several machines. At each key here,
// those of a crowd run again.
func TestCrowdKeys(t *testing.T) {
	s := openMachine(t, newDatabase(t))
	record := &recorder{Engine: s.engine.(*pg.Engine)}
	s.engine = record
	record.take()
	for _, name := range []string{"team", "club"} {
		if _, err := SpacesOf(s).Create(t.Context(), name, Acting{User: "alice"}); err != nil {
			t.Fatal(err)
		}
	}
	calls := 0
	run := func(call func(int) calling) *recorder {
		t.Helper()
		calls++
		record.take()
		if err := call(calls)(t.Context(), s); err != nil {
			t.Fatal(err)
		}
		return record.take()
	}
	for _, m := range meetings() {
		run(m.one) // the first calls make what later ones change
		run(m.other)
		at := hotKeys(run(m.one), run(m.other))
		for more := 3; at != m.at && more > 0; more-- { // a call may move others' texts into the index
			at = hotKeys(run(m.one), run(m.other))
		}
		if at != m.at {
			t.Errorf("%s meet at %q, want %q", m.name, at, m.at)
		}
	}
}
