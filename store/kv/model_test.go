package kv

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
)

// model is the slower way: a map, sorted at every question.
type model map[string]string

func (m model) scan(r Range) (keys []string) {
	for k := range m {
		if !strings.HasPrefix(k, string(r.Prefix)) {
			continue
		}
		if r.From != nil && (!r.Reverse && k < string(r.From) || r.Reverse && k > string(r.From)) {
			continue
		}
		keys = append(keys, k)
	}
	slices.Sort(keys)
	if r.Reverse {
		slices.Reverse(keys)
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

func randomRange(r *rand.Rand) Range {
	g := Range{Reverse: r.IntN(2) == 0}
	if r.IntN(3) > 0 {
		g.Prefix = randomKey(r)[:1]
	}
	if r.IntN(3) == 0 {
		g.From = randomKey(r)
	}
	return g
}

func compare(t *testing.T, e Engine, m model, r *rand.Rand) {
	t.Helper()
	err := e.View(context.Background(), func(tx Tx) error {
		for range 20 {
			k := randomKey(r)
			got, err := tx.Get(k)
			want, ok := m[string(k)]
			if ok != (err == nil) || !ok && !errors.Is(err, ErrNotFound) || string(got) != want {
				return fmt.Errorf("get %q: %d bytes, %v; want %d bytes, %v", k, len(got), err, len(want), ok)
			}
			g := randomRange(r)
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
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// TestModel runs random transactions, from handles that come and go, with
// merges between them, and asks the engine and a map the same questions.
func TestModel(t *testing.T) {
	run := &modelRun{t: t, r: testenv.Random(t), dir: t.TempDir() + "/store", handles: make([]*Local, 3)}
	for i := range run.handles {
		run.open(i)
	}
	m := model{}
	for range 400 {
		n := maps.Clone(m)
		if run.step(n) {
			m = n
		}
		compare(t, run.handles[run.r.IntN(len(run.handles))], m, run.r)
	}
}

// modelRun is the state of TestModel.
type modelRun struct {
	t       *testing.T
	r       *rand.Rand
	dir     string
	handles []*Local
}

// open opens a handle again.
func (run *modelRun) open(i int) {
	run.t.Helper()
	if run.handles[i] != nil {
		if err := run.handles[i].Close(); err != nil {
			run.t.Fatal(err)
		}
	}
	var err error
	if run.handles[i], err = Open(run.dir, Options{Write: true}); err != nil {
		run.t.Fatal(err)
	}
}

// step does something with one handle and changes m accordingly. It reports whether
// the store has kept that.
func (run *modelRun) step(m model) (kept bool) {
	run.t.Helper()
	ctx, r, l := context.Background(), run.r, run.handles[run.r.IntN(len(run.handles))]
	refused, asked := errors.New("refused"), false
	refuse := r.IntN(6) == 0
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
	case 1:
		err = l.Compact(ctx)
	case 2:
		err = l.forceMerge()
	case 3:
		err = l.Group(ctx, func(ctx context.Context) error {
			for range 3 {
				if err := l.Update(ctx, func(tx Tx) error { return run.write(tx, m) }); err != nil {
					return err
				}
			}
			return end()
		})
	default:
		err = l.Update(ctx, func(tx Tx) error {
			if err := run.write(tx, m); err != nil {
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

// write makes random changes to a transaction and to m.
func (run *modelRun) write(tx Tx, m model) error {
	r := run.r
	for range 1 + r.IntN(5) {
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

func (l *Local) forceMerge() error {
	h, err := l.attach(context.Background(), true)
	if err != nil {
		return err
	}
	defer h.release()
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.journal.generation == 0 {
		return nil
	}
	return l.merge(false)
}

// tables opens the tables of the generation that was read last.
func (l *Local) openedTables() (*tables, error) {
	tx, err := l.begin(false, true)
	if err != nil {
		return nil, err
	}
	defer tx.end()
	return tx.tables.open()
}
