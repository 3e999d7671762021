package store

import (
	"context"
	"errors"
	"testing"

	"techo/store/kv"
)

// deaf is an engine that begins transactions, but whose reads fail, like a database that
// went away.
type deaf struct{ kv.Engine }

var errDeaf = errors.New("no answer")

func (e deaf) View(ctx context.Context, fn func(kv.Tx) error) error {
	return e.Engine.View(ctx, func(tx kv.Tx) error { return fn(deafTx{tx}) })
}

type deafTx struct{ kv.Tx }

func (deafTx) Get([]byte) ([]byte, error) { return nil, errDeaf }

// TestPing: an empty store can be read, and one whose reads fail cannot.
func TestPing(t *testing.T) {
	s := open(t, newPlace(t), Options{})
	if err := s.Ledger.Ping(t.Context()); err != nil {
		t.Error("an empty store:", err)
	}
	s.Engine = deaf{s.Engine}
	if err := s.Ledger.Ping(t.Context()); !errors.Is(err, errDeaf) {
		t.Errorf("a store that does not answer: %v", err)
	}
}
