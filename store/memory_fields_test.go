package store

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"techo/internal/testenv"
	"techo/store/history"
	"techo/store/ledger"
	"techo/store/memory"
)

// TestMemoryFields changes topics, scopes, expiries and superseded memories at
// random, and undoes some of the changes: the indexes always match the records.
func TestMemoryFields(t *testing.T) {
	t.Parallel()
	s, now := openHistory(t, ledger.HistoryLimits{})
	r := testenv.Random(t)
	var ids []string
	text := func() string { return fmt.Sprintf("Fact %d of %d.", r.IntN(6), r.IntN(6)) }
	topic := func() string { return []string{"", "", "a", "b"}[r.IntN(4)] }
	scope := func() string { return []string{memory.PersonScope, memory.ProjectScope}[r.IntN(2)] }
	id := func() string {
		if len(ids) == 0 {
			return "mem_x"
		}
		return ids[r.IntN(len(ids))]
	}
	refused := func(err error) bool {
		return err == nil || errors.As(err, new(*memory.SameTextError)) ||
			errors.As(err, new(*memory.TakenTopicError)) ||
			errors.As(err, new(*ledger.NotFoundError)) || errors.As(err, new(*memory.SupersededError)) ||
			errors.As(err, new(*history.NewerChangeError)) || errors.As(err, new(*memory.TakenIDError)) ||
			errors.As(err, new(*history.UndoneError))
	}
	for step := range testenv.Pick(200, 400) {
		*now = now.Add(time.Duration(r.IntN(2)) * time.Second)
		var err error
		switch r.IntN(7) {
		case 0, 1, 2:
			m := memory.Memory{User: "u", FullText: text(), Topic: topic(), Scope: scope()}
			if r.IntN(3) == 0 {
				m.ExpiresAt = now.Add(time.Minute)
			}
			var added memory.Added
			if added, err = s.AddMemory(t.Context(), m); err == nil {
				ids = append(ids, added.ID)
			}
		case 3:
			full, label, where := text(), topic(), scope()
			_, _, err = memory.Edit(t.Context(), s.Ledger, "u", id(), memory.Change{FullText: &full, Topic: &label, Scope: &where})
		case 4:
			var m memory.Memory
			done, err := memory.Supersede(t.Context(), s.Ledger, "u", []string{id()}, text(), nil)
			if m = done.Memory; err == nil {
				ids = append(ids, m.ID)
			}
		case 5:
			_, _, err = s.RemoveMemories(t.Context(), "u", []string{id()})
		default:
			_, err = history.Of(s.Ledger).Undo(t.Context(), "", history.Filter{Owner: "u"})
		}
		if !refused(err) {
			t.Fatalf("step %d: %v", step, err)
		}
		if step%20 == 0 {
			wantSound(t, s)
		}
	}
	wantSound(t, s)
	if notes, err := memory.Repair(ledger.WithoutHistory(t.Context()), s.Ledger); err != nil || len(notes) > 0 {
		t.Fatal(notes, err)
	}
	wantSound(t, s)
}
