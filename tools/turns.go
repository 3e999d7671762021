package tools

import (
	"slices"
	"sync"
	"techo/store/ledger"
	"time"
)

// Turns counts limited calls for a store that this process may only read. The zero value is
// ready for use.
type Turns struct {
	mu     sync.Mutex
	calls  map[countedTurn][]time.Time
	recent int // turns that were kept when the old ones were forgotten
}

// countedTurn is a turn of a user, or a client without turns.
type countedTurn struct{ user, turn, client string }

// maxTurns is the number of turns from which the old ones are forgotten.
const maxTurns = 4096

// Take counts a call in the turn of a caller or, for a caller without turns, among the calls
// within a time. It fails with a store.LimitError as the store does.
func (t *Turns) Take(user string, c Caller, within time.Duration, now time.Time) error {
	key := countedTurn{user: user, turn: c.Turn}
	if c.Turn == "" {
		key.client = c.Client
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.calls == nil || len(t.calls) >= max(maxTurns, 2*t.recent) {
		t.forget(now)
	}
	known := t.calls[key]
	if c.Turn == "" {
		known = slices.DeleteFunc(known, func(at time.Time) bool { return at.After(now) || now.Sub(at) >= within })
	}
	if len(known) >= c.MaxPerTurn {
		return &ledger.LimitError{What: "calls", Max: c.MaxPerTurn, Got: len(known) + 1}
	}
	t.calls[key] = append(known, now)
	return nil
}

// forget removes the turns without a call for a week, as the store does.
func (t *Turns) forget(now time.Time) {
	kept := map[countedTurn][]time.Time{}
	for key, calls := range t.calls {
		if len(calls) > 0 && now.Sub(calls[len(calls)-1]) < 7*24*time.Hour {
			kept[key] = calls
		}
	}
	t.calls, t.recent = kept, len(kept)
}
