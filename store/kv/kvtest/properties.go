package kvtest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"testing"

	"techo/store/kv"
)

// testLimits checks the limits of keys and values, and that a refused write keeps
// nothing of its transaction.
func testLimits(t *testing.T, s Store) {
	e := s.open(t)
	longest, largest := bytes.Repeat([]byte{0xff}, kv.MaxKey), bytes.Repeat([]byte("v"), kv.MaxValue)
	err := e.Update(t.Context(), func(tx kv.Tx) error { return tx.Put(longest, largest) })
	if err != nil {
		t.Fatal(err)
	}
	wantContents(t, e, model{string(longest): string(largest)})
	for name, write := range map[string]func(tx kv.Tx) error{
		"long key":    func(tx kv.Tx) error { return tx.Put(append(longest, 'x'), nil) },
		"no key":      func(tx kv.Tx) error { return tx.Put(nil, nil) },
		"large value": func(tx kv.Tx) error { return tx.Put([]byte("k"), append(largest, 'x')) },
		"delete":      func(tx kv.Tx) error { return tx.Delete(append(longest, 'x')) },
	} {
		err := e.Update(t.Context(), func(tx kv.Tx) error {
			if err := tx.Put([]byte("other"), nil); err != nil {
				return err
			}
			return write(tx)
		})
		if !errors.As(err, new(*kv.TooLargeError)) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if err := e.View(t.Context(), func(tx kv.Tx) error { return tx.Put([]byte("k"), nil) }); err == nil {
		t.Error("a View has written")
	}
	wantContents(t, e, model{string(longest): string(largest)})
}

// testEmptyValue checks that an empty value is not a missing one.
func testEmptyValue(t *testing.T, s Store) {
	e := s.open(t)
	err := e.Update(t.Context(), func(tx kv.Tx) error {
		if err := tx.Put([]byte("empty"), nil); err != nil {
			return err
		}
		return there(tx)
	})
	if err == nil {
		err = e.View(t.Context(), there)
	}
	if err != nil {
		t.Error(err)
	}
}

func there(tx kv.Tx) error {
	values, err := kv.GetMany(tx, [][]byte{[]byte("empty"), []byte("missing"), []byte("empty")})
	if err != nil {
		return err
	}
	if values[0] == nil || values[1] != nil || values[2] == nil || len(values[0]) > 0 {
		return fmt.Errorf("values %#v", values)
	}
	if v, err := tx.Get([]byte("empty")); err != nil || len(v) > 0 {
		return fmt.Errorf("get: %q, %w", v, err)
	}
	return nil
}

// testRefused checks that an error or a panic undoes a transaction.
func testRefused(t *testing.T, s Store) {
	e := s.open(t)
	mustPut(t, e, "k", "v")
	refused := errors.New("refused")
	write := func(tx kv.Tx) error {
		return errors.Join(tx.Put([]byte("k"), []byte("w")), tx.Put([]byte("l"), nil), tx.Delete([]byte("k")))
	}
	for name, end := range map[string]func() error{
		"error": func() error { return refused },
		"panic": func() error { panic(refused) },
	} {
		err := func() (err error) {
			defer func() {
				if p := recover(); p != nil {
					err = p.(error)
				}
			}()
			return e.Update(t.Context(), func(tx kv.Tx) error { return errors.Join(write(tx), end()) })
		}()
		if !errors.Is(err, refused) {
			t.Errorf("%s: %v", name, err)
		}
		wantContents(t, e, model{"k": "v"})
	}
	ctx, stop := context.WithCancel(t.Context())
	stop()
	if err := e.Update(ctx, write); !errors.Is(err, context.Canceled) {
		t.Errorf("an ended context: %v", err)
	}
	wantContents(t, e, model{"k": "v"})
	mustPut(t, e, "k", "x")
	wantContents(t, s.open(t), model{"k": "x"})
}

// testGroup checks that the Updates of a Group see each other's writes, and that
// others see all of them or none.
func testGroup(t *testing.T, s Store) {
	e, other := s.open(t), s.open(t)
	refused := errors.New("refused")
	for _, end := range []error{refused, nil} {
		err := e.Group(t.Context(), func(ctx context.Context) error {
			for i := range 3 {
				err := e.Update(ctx, func(tx kv.Tx) error {
					v, err := get(tx, "k")
					if err == nil && v != "xxx"[:i] {
						err = fmt.Errorf("update %d found %q", i, v)
					}
					return errors.Join(err, tx.Put([]byte("k"), []byte("xxx"[:i+1])))
				})
				if err != nil {
					return err
				}
			}
			inner := e.Group(ctx, func(ctx context.Context) error { return put(ctx, e, "inner", "v") })
			failed := e.Update(ctx, func(tx kv.Tx) error {
				return errors.Join(tx.Put([]byte("k"), nil), refused)
			})
			seen, err := contents(ctx, e)
			if err == nil && fmt.Sprint(seen) != fmt.Sprint(model{"inner": "v", "k": "xxx"}) {
				err = fmt.Errorf("within the group: %v", seen)
			}
			if !errors.Is(failed, refused) {
				err = errors.Join(err, fmt.Errorf("a refused update of a group: %w", failed))
			}
			return errors.Join(err, inner, end)
		})
		if !errors.Is(err, end) {
			t.Fatal(err)
		}
		want := model{}
		if end == nil {
			want = model{"inner": "v", "k": "xxx"}
		}
		wantContents(t, other, want)
		wantContents(t, e, want)
	}
}

type nestedKey struct{}

// testNested checks that a write inside another one fails at once, and harms neither.
func testNested(t *testing.T, s Store) {
	e, other := s.open(t), s.open(t)
	nested := func(within kv.Tx) {
		t.Helper()
		ctx := context.WithValue(within.Context(), nestedKey{}, true)
		if err := put(ctx, e, "inner", "v"); !errors.Is(err, kv.ErrNested) {
			t.Errorf("update: %v", err)
		}
		if err := e.Group(ctx, func(context.Context) error { return nil }); !errors.Is(err, kv.ErrNested) {
			t.Errorf("group: %v", err)
		}
	}
	err := e.Update(t.Context(), func(tx kv.Tx) error {
		nested(tx)
		return tx.Put([]byte("a"), nil)
	})
	if err != nil {
		t.Fatal(err)
	}
	err = e.Group(t.Context(), func(ctx context.Context) error {
		return e.Update(ctx, func(tx kv.Tx) error {
			nested(tx)
			return tx.Put([]byte("b"), nil)
		})
	})
	if err != nil {
		t.Fatal(err)
	}
	err = e.View(t.Context(), func(tx kv.Tx) error { return put(tx.Context(), e, "c", "") })
	if err != nil {
		t.Errorf("update in view: %v", err)
	}
	wantContents(t, other, model{"a": "", "b": "", "c": ""})
}

// testSnapshot checks that a Snapshot does not change while others write.
func testSnapshot(t *testing.T, s Store) {
	e, other := s.open(t), s.open(t)
	mustPut(t, e, "k", "v")
	err := e.Snapshot(t.Context(), func(tx kv.Tx) error {
		if v, err := get(tx, "k"); err != nil || v != "v" {
			return fmt.Errorf("%q, %w", v, err)
		}
		if err := put(t.Context(), other, "k", "w", "l", "w"); err != nil {
			return err
		}
		for p, err := range kv.Pairs(tx, kv.Range{}) {
			if err != nil || string(p.Key) != "k" || string(p.Value) != "v" {
				return fmt.Errorf("%q: %q, %w", p.Key, p.Value, err)
			}
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
	wantContents(t, e, model{"k": "w", "l": "w"})
}

// testManyKeys scans more keys than an engine reads at once, with writes of the
// transaction between them.
func testManyKeys(t *testing.T, s Store) {
	e := s.open(t)
	want := model{}
	var pairs []string
	for i := range 5_000 {
		k, v := fmt.Sprintf("key %05d", i*2), fmt.Sprintf("value %d", i)
		pairs = append(pairs, k, v)
		want[k] = v
	}
	mustPut(t, e, pairs...)
	wantContents(t, e, want)
	err := e.Update(t.Context(), func(tx kv.Tx) error {
		m := model{}
		for k, v := range want {
			m[k] = v
		}
		for i := 1; i < 10_000; i += 7 {
			k := fmt.Sprintf("key %05d", i)
			delete(m, k)
			if i%2 == 0 {
				if err := tx.Delete([]byte(k)); err != nil {
					return err
				}
				continue
			}
			if m[k] = "own"; tx.Put([]byte(k), []byte("own")) != nil {
				return errors.New("no put")
			}
		}
		run := &modelRun{}
		for _, g := range []kv.Range{
			{}, {Reverse: true}, {Prefix: []byte("key 01"), KeysOnly: true}, {From: []byte("key 03333"), Limit: 4_000},
			{Reverse: true, From: []byte("key 08888"), Limit: 3_000},
		} {
			if err := run.compareScan(tx, m, g); err != nil {
				return fmt.Errorf("%.200w", err)
			}
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
}

// testLargeValues scans and replaces values of the largest size.
func testLargeValues(t *testing.T, s Store) {
	e := s.open(t)
	want := model{}
	for i := range 6 {
		want[fmt.Sprint(i)] = string(bytes.Repeat([]byte{byte(i)}, kv.MaxValue-i))
		mustPut(t, e, fmt.Sprint(i), want[fmt.Sprint(i)])
	}
	wantContents(t, e, want)
	mustPut(t, e, "3", "small")
	want["3"] = "small"
	wantContents(t, e, want)
}

// testClosed checks that a closed engine refuses calls.
func testClosed(t *testing.T, s Store) {
	e := s.open(t)
	mustPut(t, e, "k", "v")
	var late kv.Tx
	if err := e.View(t.Context(), func(tx kv.Tx) error { late = tx; return nil }); err != nil {
		t.Fatal(err)
	}
	if _, err := late.Get([]byte("k")); !errors.Is(err, kv.ErrClosed) {
		t.Errorf("a transaction that has ended: %v", err)
	}
	if err := e.Close(); err != nil {
		t.Fatal(err)
	}
	none := func(kv.Tx) error { return nil }
	for name, err := range map[string]error{
		"view": e.View(t.Context(), none), "update": e.Update(t.Context(), none),
		"snapshot": e.Snapshot(t.Context(), none),
		"group":    e.Group(t.Context(), func(context.Context) error { return nil }),
	} {
		if !errors.Is(err, kv.ErrClosed) {
			t.Errorf("%s: %v", name, err)
		}
	}
	wantContents(t, s.open(t), model{"k": "v"})
}
