// Package kvtest has the tests that every engine of package kv passes: a comparison
// with a model, properties, and the linearizability of concurrent transactions, also
// while something fails.
package kvtest

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"testing"

	"techo/store/kv"
)

// Store is a store under test.
type Store struct {
	// Open opens the store once more, for writing. The tests close the engine.
	Open func(t testing.TB) kv.Engine

	// Disturb does something that must change no result, such as a merge or the end of
	// a connection.
	Disturb func(t testing.TB, r *rand.Rand, e kv.Engine)
}

// Run runs all tests. newStore returns a new, empty store.
func Run(t *testing.T, newStore func(t testing.TB) Store) {
	for name, test := range map[string]func(*testing.T, Store){
		"Model":        testModel,
		"Limits":       testLimits,
		"EmptyValue":   testEmptyValue,
		"Refused":      testRefused,
		"Group":        testGroup,
		"Nested":       testNested,
		"Snapshot":     testSnapshot,
		"ManyKeys":     testManyKeys,
		"LargeValues":  testLargeValues,
		"Closed":       testClosed,
		"Counter":      testCounter,
		"WriteSkew":    testWriteSkew,
		"Phantoms":     testPhantoms,
		"Linearizable": testLinearizable,
	} {
		t.Run(name, func(t *testing.T) { test(t, newStore(t)) })
	}
}

func (s Store) open(t testing.TB) kv.Engine {
	t.Helper()
	e := s.Open(t)
	t.Cleanup(func() { _ = e.Close() })
	return e
}

// put writes keys and values, in turn.
func put(ctx context.Context, e kv.Engine, pairs ...string) error {
	return e.Update(ctx, func(tx kv.Tx) error {
		for i := 0; i < len(pairs); i += 2 {
			if err := tx.Put([]byte(pairs[i]), []byte(pairs[i+1])); err != nil {
				return err
			}
		}
		return nil
	})
}

func mustPut(t testing.TB, e kv.Engine, pairs ...string) {
	t.Helper()
	if err := put(t.Context(), e, pairs...); err != nil {
		t.Fatal(err)
	}
}

func contents(ctx context.Context, e kv.Engine) (m model, err error) {
	err = e.View(ctx, func(tx kv.Tx) error {
		m = model{}
		for p, err := range kv.Pairs(tx, kv.Range{}) {
			if err != nil {
				return err
			}
			m[string(p.Key)] = string(p.Value)
		}
		return nil
	})
	return m, err
}

func wantContents(t testing.TB, e kv.Engine, want model) {
	t.Helper()
	got, err := contents(t.Context(), e)
	if err != nil {
		t.Fatal(err)
	}
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Fatalf("%.500q, want %.500q", fmt.Sprint(got), fmt.Sprint(want))
	}
}

func get(tx kv.Tx, key string) (string, error) {
	v, err := tx.Get([]byte(key))
	if errors.Is(err, kv.ErrNotFound) {
		return "", nil
	}
	return string(v), err
}
