package tools

import (
	"fmt"
	"testing"
	"time"
)

// TestTurns takes turns of several callers.
func TestTurns(t *testing.T) {
	var turns Turns
	at := time.Date(2026, 1, 5, 9, 0, 0, 0, time.UTC)
	named := Caller{Turn: "t1", Client: "a", MaxPerTurn: 2}
	take := func(user string, c Caller, now time.Time, want bool) {
		t.Helper()
		if err := turns.Take(user, c, time.Minute, now); (err == nil) != want {
			t.Errorf("%s %+v at %v: %v", user, c, now, err)
		}
	}
	take("alice", named, at, true)
	take("alice", named, at, true)
	take("alice", named, at.Add(time.Hour), false)
	named.Client = "b" // the turn counts
	take("alice", named, at, false)
	take("bob", named, at, true)

	unnamed := Caller{Client: "a", MaxPerTurn: 1}
	take("alice", unnamed, at, true)
	take("alice", unnamed, at.Add(59*time.Second), false)
	take("alice", unnamed, at.Add(time.Minute), true)
	take("alice", Caller{Client: "b", MaxPerTurn: 1}, at, true)

	for i := range 2 * maxTurns { // many turns do not reset a recent one
		take("eve", Caller{Turn: fmt.Sprint(i), MaxPerTurn: 1}, at, true)
	}
	take("alice", named, at, false)
}
