package review

import (
	"context"
	"errors"
	"slices"
	"strconv"
	"time"

	"techo/store"
	"techo/store/ledger"
	"techo/store/memory"
	"techo/store/replica"
	"techo/tools"
	family "techo/tools/memory"
)

// Settle decides about a record that was changed on two machines.
var Settle = &tools.Tool{
	Name:    "settle_conflict",
	For:     tools.Hosts,
	Command: "memory settle",
	About:   "Decide about a record that was changed on two machines",
	More: "The later change holds; the other one is listed by review_memories (sync_conflict) with its number. keep=other " +
		"brings that one back, as a change that goes to all machines and can be undone; keep=present leaves the record " +
		"as it is. Either way it is not listed again.",
	Effect:  tools.Changes,
	InStore: true,
	Words:   []string{"number", "keep"},
	Examples: []tools.Example{
		{Does: "Leave the record as it is", Line: `memory settle 1 present`},
		{Does: "Bring the other version back", Line: `memory settle 1 other`},
	},
	Run: tools.Func[SettleIn, SettleOut](settle),
}

// SettleIn is the input of settle_conflict.
type SettleIn struct {
	Number int    `json:"number" minimum:"1" doc:"Number of the conflict, from review_memories"`
	Keep   string `json:"keep" enum:"present,other" doc:"The version that holds from now on"`
}

// SettleOut is the result of settle_conflict.
type SettleOut struct {
	Settled  bool     `json:"settled"`
	Conflict Conflict `json:"conflict"`
	Message  string   `json:"message"`
}

// Conflict is a record that two machines changed, neither knowing of the other.
type Conflict struct {
	Number  int    `json:"number"`
	Kind    string `json:"kind"` // of the record: memory, memo, event, …
	ID      string `json:"id"`
	Title   string `json:"title"`
	Present string `json:"present"` // its fields, a line each; "" if it was removed
	Other   string `json:"other"`   // those of the version that lost
	Machine string `json:"machine"` // that said the other one
	At      string `json:"at"`      // when
}

func conflictOf(env *tools.Env, c replica.Conflict, number uint64) Conflict {
	return Conflict{int(number), string(c.Kind), c.ID.ID, c.Title, c.Kept, c.Lost, c.Machine,
		env.Time(time.UnixMilli(c.At))}
}

func settle(ctx context.Context, env *tools.Env, in SettleIn) (out SettleOut, err error) {
	st, err := env.Store(ctx, tools.Changes)
	if err != nil {
		return out, err
	}
	notebook, number := replica.Notebook{Ledger: st.Ledger}, uint64(in.Number)
	all, err := conflictsOf(ctx, env, st)
	if err != nil {
		return out, err
	}
	listed := func(w waiting) bool { return w.conflict.Number == in.Number }
	none := env.Fail(tools.NotFound, "There is no conflict with the number %d", in.Number).
		WithHint(env.Hint("Numbers are in %s; one that was settled has none any more",
			tools.Use("memory review", tools.Field("kind", "sync_conflict"))))
	if !slices.ContainsFunc(all, listed) { // also one of another user
		return out, none
	}
	c, err := notebook.Settle(ctx, number, in.Keep == "other")
	if missing := new(ledger.NotFoundError); errors.As(err, &missing) && missing.Kind == replica.KindConflict {
		return out, none // settled meanwhile
	}
	if err != nil {
		return out, family.Explain(env, err)
	}
	out.Settled, out.Conflict = true, conflictOf(env, c, number)
	out.Message = env.Localize("It stays as it is: %s", c.Title)
	if in.Keep == "other" {
		out.Message = env.Localize("Brought back from %s: %s", c.Machine, c.Title)
	}
	return out, nil
}

// conflictsOf returns what two machines changed of the user's records and those that all users share, the latest
// first. A shared space has none.
func conflictsOf(ctx context.Context, env *tools.Env, st *store.Store) (all []waiting, err error) {
	if tools.Space(env) != "" {
		return nil, nil
	}
	found, numbers, err := replica.Notebook{Ledger: st.Ledger}.Conflicts(ctx)
	if err != nil {
		return nil, err
	}
	for i := len(found) - 1; i >= 0; i-- {
		c := found[i]
		if c.Owner != "" && c.Owner != env.User {
			continue
		}
		w := waiting{kind: syncConflict, conflict: conflictOf(env, c, numbers[i])}
		w.Spot = memory.Spot{At: int64(numbers[i])}
		if c.Kind == ledger.KindMemory {
			if m, err := st.GetMemory(ctx, env.User, c.ID.ID); err == nil {
				w.Memories = []memory.Memory{m}
			}
		}
		all = append(all, w)
	}
	return all, nil
}

// settle returns the calls that decide about a conflict.
func (s suggesting) settle(number int) []Suggestion {
	call := func(keep string) Suggestion {
		return s.call("keep_"+keep, Settle, map[string]any{"number": number, "keep": keep}, strconv.Itoa(number), keep)
	}
	return []Suggestion{call("present"), call("other")}
}
