package kvtest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"techo/internal/testenv"
	"techo/store/kv"
)

// model is the slower way: a map, sorted at every question.
type model map[string]string

func (m model) scan(r kv.Range) (keys []string) {
	for k := range m {
		if !strings.HasPrefix(k, string(r.Prefix)) {
			continue
		}
		if r.From != nil && (!r.Reverse && k < string(r.From) || r.Reverse && k > string(r.From)) {
			continue
		}
		if r.To != nil && (!r.Reverse && k >= string(r.To) || r.Reverse && k <= string(r.To)) {
			continue
		}
		keys = append(keys, k)
	}
	slices.Sort(keys)
	if r.Reverse {
		slices.Reverse(keys)
	}
	if r.Limit > 0 {
		keys = keys[:min(r.Limit, len(keys))]
	}
	return keys
}

func randomKey(r *rand.Rand) []byte {
	k := make([]byte, 1+r.IntN(4))
	for i := range k {
		k[i] = []byte{0, 1, 'a', 'b', 'c', 0xfe, 0xff}[r.IntN(7)]
	}
	return k
}

func randomRange(r *rand.Rand) kv.Range {
	g := kv.Range{Reverse: r.IntN(2) == 0, KeysOnly: r.IntN(3) == 0}
	if r.IntN(3) > 0 {
		g.Prefix = randomKey(r)[:1]
	}
	if r.IntN(3) == 0 {
		g.From = randomKey(r)
	}
	if r.IntN(4) == 0 {
		g.To = randomKey(r)
	}
	if r.IntN(3) == 0 {
		g.Limit = 1 + r.IntN(5)
	}
	return g
}

type modelRun struct {
	t       *testing.T
	r       *rand.Rand
	store   Store
	handles []kv.Engine
}

// testModel runs random transactions, from handles that come and go, and asks the
// engine and a map the same questions.
func testModel(t *testing.T, s Store) {
	run := &modelRun{t: t, r: testenv.Random(t), store: s, handles: make([]kv.Engine, 3)}
	for i := range run.handles {
		run.open(i)
	}
	defer func() {
		for _, e := range run.handles {
			_ = e.Close()
		}
	}()
	m := model{}
	for range testenv.Pick(150, 400) {
		if n := maps.Clone(m); run.step(&n) {
			m = n
		}
		e := run.handles[run.r.IntN(len(run.handles))]
		if err := e.View(t.Context(), func(tx kv.Tx) error { return run.compare(tx, m) }); err != nil {
			t.Fatal(err)
		}
	}
}

// open opens a handle again.
func (run *modelRun) open(i int) {
	run.t.Helper()
	if e := run.handles[i]; e != nil {
		if err := e.Close(); err != nil {
			run.t.Fatal(err)
		}
	}
	run.handles[i] = run.store.Open(run.t)
}

// step does something with one handle and changes m accordingly. It reports whether
// the store has kept that.
func (run *modelRun) step(m *model) (kept bool) {
	run.t.Helper()
	ctx, r, e := context.Background(), run.r, run.handles[run.r.IntN(len(run.handles))]
	refused, asked := errors.New("refused"), false
	refuse := r.IntN(6) == 0
	before := *m
	write := func(tx kv.Tx) error { return run.write(tx, *m) }
	end := func() error {
		if asked = refuse; refuse {
			return refused
		}
		return nil
	}
	var err error
	switch r.IntN(12) {
	case 0:
		run.open(r.IntN(len(run.handles)))
	case 1, 2:
		run.store.Disturb(run.t, r, e)
	case 3:
		err = e.Group(ctx, func(ctx context.Context) error {
			*m = maps.Clone(before)
			for range 3 {
				if err := e.Update(ctx, write); err != nil {
					return err
				}
			}
			return end()
		})
	default:
		err = e.Update(ctx, func(tx kv.Tx) error {
			*m = maps.Clone(before)
			if err := write(tx); err != nil {
				return err
			}
			return end()
		})
	}
	switch {
	case err == nil && asked:
		run.t.Fatal("an update returned nil for an error of its function")
	case err != nil && !errors.Is(err, refused):
		run.t.Fatal(err)
	}
	return err == nil
}

// write makes random changes to a transaction and to m, with reads between them.
func (run *modelRun) write(tx kv.Tx, m model) error {
	r := run.r
	for range 1 + r.IntN(5) {
		if r.IntN(4) == 0 {
			if err := run.compare(tx, m); err != nil {
				return err
			}
		}
		k := randomKey(r)
		if r.IntN(3) == 0 {
			delete(m, string(k))
			if err := tx.Delete(k); err != nil {
				return err
			}
			continue
		}
		v := bytes.Repeat([]byte{byte('0' + r.IntN(10))}, r.IntN(20))
		if r.IntN(60) == 0 {
			v = bytes.Repeat(v, 1+r.IntN(60_000)) // more and less than a block
		}
		m[string(k)] = string(v)
		if err := tx.Put(k, v); err != nil {
			return err
		}
		if got, err := tx.Get(k); err != nil || !bytes.Equal(got, v) {
			return fmt.Errorf("own write of %q: %v", k, err)
		}
	}
	return nil
}

// compare asks a transaction and m the same questions.
func (run *modelRun) compare(tx kv.Tx, m model) error {
	r := run.r
	for range 5 {
		k := randomKey(r)
		got, err := tx.Get(k)
		want, ok := m[string(k)]
		if ok != (err == nil) || !ok && !errors.Is(err, kv.ErrNotFound) || string(got) != want {
			return fmt.Errorf("get %q: %d bytes, %v; want %d bytes, %v", k, len(got), err, len(want), ok)
		}
		if err := run.compareMany(tx, m); err != nil {
			return err
		}
		if err := run.compareScan(tx, m, randomRange(r)); err != nil {
			return err
		}
	}
	return nil
}

func (run *modelRun) compareMany(tx kv.Tx, m model) error {
	keys := make([][]byte, run.r.IntN(6))
	for i := range keys {
		keys[i] = randomKey(run.r)
	}
	ranges := make([]kv.Range, run.r.IntN(4))
	for i := range ranges {
		ranges[i] = randomRange(run.r)
		if i > 0 && run.r.IntN(2) == 0 { // an engine may read ranges that differ by their prefixes alone together
			ranges[i] = ranges[0]
			ranges[i].Prefix = randomKey(run.r)[:1]
		}
	}
	values, items, err := tx.ReadMany(keys, ranges)
	if err != nil || len(values) != len(keys) || len(items) != len(ranges) {
		return fmt.Errorf("read %q and %v: %d values, %w", keys, ranges, len(values), err)
	}
	for i, r := range ranges {
		var found []string
		for _, p := range items[i] {
			if found = append(found, string(p.Key)); r.KeysOnly != (p.Value == nil) {
				return fmt.Errorf("read %v: value of %q", r, p.Key)
			}
			if !r.KeysOnly && string(p.Value) != m[string(p.Key)] {
				return fmt.Errorf("read %v: key %q has a wrong value", r, p.Key)
			}
		}
		if want := m.scan(r); !slices.Equal(found, want) {
			return fmt.Errorf("read %v: %q, want %q", r, found, want)
		}
	}
	for i, key := range keys {
		if want, ok := m[string(key)]; ok != (values[i] != nil) || string(values[i]) != want {
			return fmt.Errorf("get %q: %d of %d bytes, there: %v", key, len(values[i]), len(want), values[i] != nil)
		}
	}
	return nil
}

func (run *modelRun) compareScan(tx kv.Tx, m model, g kv.Range) error {
	var keys []string
	for item, err := range tx.Scan(g) {
		if err != nil {
			return err
		}
		v, err := item.Value()
		if err != nil {
			return err
		}
		if string(v) != m[string(item.Key)] {
			return fmt.Errorf("scan %v: key %q has a wrong value", g, item.Key)
		}
		keys = append(keys, string(item.Key))
	}
	if want := m.scan(g); !slices.Equal(keys, want) {
		return fmt.Errorf("scan %v: %q, want %q", g, keys, want)
	}
	return nil
}
