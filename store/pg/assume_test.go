package pg_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"

	"techo/store/kv"
	"techo/store/pg"
)

var errTaken = errors.New("taken")

// claim writes a key that is assumed to be free. It fails with errTaken if it is not.
func claim(tx kv.Tx, key, value string) error {
	tx.(kv.Crowded).Assume([]byte(key))
	switch _, err := tx.Get([]byte(key)); {
	case err == nil:
		return errTaken
	case !errors.Is(err, kv.ErrNotFound):
		return err
	}
	return tx.Put([]byte(key), []byte(value))
}

// TestAssume lets assumptions be right, and wrong in each way.
func TestAssume(t *testing.T) {
	e := open(t, newAddress(t), pg.Options{Write: true})
	run := func(fn func(tx kv.Tx) error) (runs int, err error) {
		err = e.Update(t.Context(), func(tx kv.Tx) error { runs++; return fn(tx) })
		return runs, err
	}
	if runs, err := run(func(tx kv.Tx) error { return claim(tx, "a", "1") }); runs != 1 || err != nil {
		t.Errorf("a free key: %d runs, %v", runs, err)
	}
	if runs, err := run(func(tx kv.Tx) error { return claim(tx, "a", "2") }); runs != 2 || !errors.Is(err, errTaken) {
		t.Errorf("a taken key: %d runs, %v", runs, err)
	}
	runs, err := run(func(tx kv.Tx) error { // another error, which a wrong assumption may have caused
		if err := claim(tx, "a", "2"); err != nil {
			return err
		}
		return errors.New("another one")
	})
	if runs != 2 || !errors.Is(err, errTaken) {
		t.Errorf("a taken key and an error: %d runs, %v", runs, err)
	}
	found := false
	runs, err = run(func(tx kv.Tx) error { // nothing is written, so the commit proves nothing
		tx.(kv.Crowded).Assume([]byte("a"))
		_, err := tx.Get([]byte("a"))
		found = err == nil
		return nil
	})
	if runs != 2 || err != nil || !found {
		t.Errorf("no write: %d runs, found %v, %v", runs, found, err)
	}
	runs, err = run(func(tx kv.Tx) error { // the removal must not reach a key that is there
		tx.(kv.Crowded).Assume([]byte("a"))
		if _, err := tx.Get([]byte("a")); !errors.Is(err, kv.ErrNotFound) {
			return err
		}
		return tx.Delete([]byte("a"))
	})
	if runs != 2 || err != nil {
		t.Errorf("a removal: %d runs, %v", runs, err)
	}
	if runs, err = run(func(tx kv.Tx) error {
		value, err := tx.Get([]byte("a"))
		if string(value) != "1" {
			t.Errorf("%q", value)
		}
		tx.(kv.Crowded).Assume([]byte("a"))
		if _, err := tx.Get([]byte("a")); err != nil {
			t.Errorf("a key that was read: %v", err)
		}
		return err
	}); runs != 1 || err != nil {
		t.Errorf("a key that was read: %d runs, %v", runs, err)
	}
}

// TestAssumeOther writes another key when one is taken. It runs twice, and assumes again that
// the others are free.
func TestAssumeOther(t *testing.T) {
	e := open(t, newAddress(t), pg.Options{Write: true})
	put := func(keys ...string) (runs int) {
		err := e.Update(t.Context(), func(tx kv.Tx) error {
			if runs++; tx.(kv.Crowded).Retried() != (runs > 1) {
				t.Errorf("run %d, retried: %v", runs, runs == 1)
			}
			for _, key := range keys {
				for errors.Is(claim(tx, key, "1"), errTaken) {
					key += "+"
				}
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		return runs
	}
	put("b")
	if runs := put("a", "b", "c"); runs != 2 {
		t.Errorf("%d runs", runs)
	}
	if runs := put("d"); runs != 1 {
		t.Errorf("a free key: %d runs", runs)
	}
	if runs := put("a", "b", "c"); runs < 2 || runs > 5 {
		t.Errorf("all taken: %d runs", runs)
	}
	var keys []string
	err := e.View(t.Context(), func(tx kv.Tx) error {
		for item, err := range tx.Scan(kv.Range{}) {
			if err != nil {
				return err
			}
			keys = append(keys, string(item.Key))
		}
		return nil
	})
	if want := "[a a+ b b+ b++ c c+ d]"; err != nil || fmt.Sprint(keys) != want {
		t.Errorf("%v, %v, want %s", keys, err, want)
	}
}

// TestAssumeGroup claims keys in a Group, which assumes nothing: its function sees at once
// which are taken.
func TestAssumeGroup(t *testing.T) {
	e := open(t, newAddress(t), pg.Options{Write: true})
	put := func(ctx context.Context, key string) error {
		return e.Update(ctx, func(tx kv.Tx) error { return claim(tx, key, "1") })
	}
	if err := put(t.Context(), "b"); err != nil {
		t.Fatal(err)
	}
	var taken []string
	err := e.Group(t.Context(), func(ctx context.Context) error {
		taken = nil
		for _, key := range []string{"a", "b", "c", "a"} {
			switch err := put(ctx, key); {
			case errors.Is(err, errTaken):
				taken = append(taken, key)
			case err != nil:
				return err
			}
		}
		return nil
	})
	if err != nil || fmt.Sprint(taken) != "[b a]" {
		t.Errorf("%v, %v", taken, err)
	}
	err = e.View(t.Context(), func(tx kv.Tx) error {
		for _, key := range []string{"a", "b", "c"} {
			if _, err := tx.Get([]byte(key)); err != nil {
				t.Errorf("%s: %v", key, err)
			}
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
}

// TestAssumeRace lets many clients of two machines claim the same keys: each key has one
// winner, and its value.
func TestAssumeRace(t *testing.T) {
	const clients, keys = 8, 25
	address := newAddress(t)
	machines := []*pg.Engine{open(t, address, pg.Options{Write: true}), open(t, address, pg.Options{Write: true})}
	var mu sync.Mutex
	winners := map[string]string{}
	var all sync.WaitGroup
	for client := range clients {
		all.Go(func() {
			name := fmt.Sprint("client ", client)
			for i := range keys {
				key := fmt.Sprint("key ", (i*7+client)%keys)
				err := machines[client%2].Update(t.Context(), func(tx kv.Tx) error { return claim(tx, key, name) })
				switch {
				case errors.Is(err, errTaken):
					continue
				case err != nil:
					t.Error(err)
					return
				}
				mu.Lock()
				if before, ok := winners[key]; ok {
					t.Errorf("%s: %s and %s", key, before, name)
				}
				winners[key] = name
				mu.Unlock()
			}
		})
	}
	all.Wait()
	if len(winners) != keys {
		t.Errorf("%d winners", len(winners))
	}
	err := machines[0].View(t.Context(), func(tx kv.Tx) error {
		for key, name := range winners {
			if value, err := tx.Get([]byte(key)); err != nil || string(value) != name {
				t.Errorf("%s: %s, %v, want %s", key, value, err, name)
			}
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
}
