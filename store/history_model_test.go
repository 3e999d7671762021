package store

import (
	"encoding/json"
	"errors"
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"

	"techo/internal/testenv"
	"techo/store/event"
	"techo/store/history"
	"techo/store/ledger"
	"techo/store/memo"
	"techo/store/memory"
	"techo/store/question"
)

// liveState returns the keys and values of all records and indexes, without the
// numbers that are assigned once and never again. The audit checks the indexes
// that consist of such numbers.
func liveState(t *testing.T, s *Store) map[string]string {
	t.Helper()
	all := keysOf(t, s)
	for key, value := range all {
		text, live := liveValue([]byte(key), []byte(value))
		if all[key] = text; !live {
			delete(all, key)
		}
	}
	return all
}

// liveValue returns a value without assigned numbers; live is false for keys
// that do not return to an earlier state.
func liveValue(key, value []byte) (text string, live bool) {
	masked := func(v any, mask func()) (string, bool) {
		if err := json.Unmarshal(value, v); err != nil {
			panic(err)
		}
		mask()
		b, err := json.Marshal(v)
		return string(b), err == nil
	}
	switch ledger.PrefixOf(key) {
	case ledger.HistoryChanges, ledger.HistoryParts, ledger.HistoryUndone, ledger.HistoryCountKey,
		memory.UserCount, memory.Timelines, memory.Reviews:
		return "", false
	case memo.Records:
		return string(schemas().Of(ledger.KindMemo).WithoutNumbers(value)), true
	case memory.Records:
		return string(schemas().Of(ledger.KindMemory).WithoutNumbers(value)), true
	case memo.CountKey:
		c := &memo.Counts{}
		text, _ = masked(c, func() { c.Latest = 0 })
		return text, c.Memos > 0
	case memory.Users:
		u := &memory.UserRecord{}
		text, _ = masked(u, func() { u.Sessions = 0 })
		return text, u.Memories > 0
	case memory.Sessions:
		m := &memory.SessionRecord{}
		return masked(m, func() { m.Number = 0 })
	case question.CountKey:
		c := &question.Counts{}
		text, _ = masked(c, func() { c.Last = 0 })
		return text, c.Pending > 0
	case event.Calendars:
		c := &event.Calendar{}
		text, _ = masked(c, func() { c.Linked = false })
		return text, c.Events() > 0
	}
	return string(value), !strings.HasPrefix(string(key), "s")
}

// recordsIn returns the records of a state by key, and the names of its calendars. An
// event is found under its id, whatever its place.
func recordsIn(state map[string]string) map[ledger.RecordID]string {
	all := map[ledger.RecordID]string{}
	for key, value := range state {
		if id, ok := schemas().Record([]byte(key)); ok {
			all[id] = string(schemas().Of(id.Kind).Form([]byte(key), []byte(value)))
		}
		var c event.Calendar
		if ledger.PrefixOf([]byte(key)) == event.Calendars && json.Unmarshal([]byte(value), &c) == nil {
			all[ledger.RecordID{Kind: ledger.KindCalendar, ID: event.CalendarID(key[2:])}] = c.Name
		}
	}
	return all
}

// modelChange is a change of the model: the records that differ between two
// states.
type modelChange struct{ before, after map[ledger.RecordID]string }

func modelDiff(from, to map[ledger.RecordID]string) (c modelChange) {
	c = modelChange{map[ledger.RecordID]string{}, map[ledger.RecordID]string{}}
	for id, value := range from {
		if to[id] != value {
			c.before[id] = value
		}
	}
	for id, value := range to {
		if from[id] != value {
			c.after[id] = value
		}
	}
	return c
}

func (c modelChange) fits(now map[ledger.RecordID]string) bool {
	for id := range c.before {
		if now[id] != c.after[id] {
			return false
		}
	}
	for id, value := range c.after {
		if now[id] != value {
			return false
		}
	}
	return true
}

func (c modelChange) undo(now map[ledger.RecordID]string) map[ledger.RecordID]string {
	now = maps.Clone(now)
	for id := range c.after {
		delete(now, id)
	}
	maps.Copy(now, c.before)
	return now
}

// lastChange returns the number of the last change, 0 without one.
func lastChange(t *testing.T, s *Store) uint64 {
	t.Helper()
	page, err := history.Of(s.Ledger).List(t.Context(), history.Filter{Limit: 1, Owner: "tanaka"})
	if err != nil {
		t.Fatal(err)
	}
	other, err := history.Of(s.Ledger).List(t.Context(), history.Filter{Limit: 1, Owner: "sato"})
	if err != nil {
		t.Fatal(err)
	}
	last := uint64(0)
	for _, c := range slices.Concat(page.Changes, other.Changes) {
		last = max(last, c.ID)
	}
	return last
}

// undoAs undoes a change as the user who may.
func undoAs(t *testing.T, s *Store, id uint64) error {
	_, err := history.Of(s.Ledger).Undo(t.Context(), ledger.ChangeID(id), history.Filter{Owner: "tanaka"})
	if errors.As(err, new(*ledger.NotFoundError)) {
		_, err = history.Of(s.Ledger).Undo(t.Context(), ledger.ChangeID(id), history.Filter{Owner: "sato"})
	}
	return err
}

// TestUndoAll makes random changes of all families, and undoes them from the
// last to the first: each undo leads to the state before the change. Then it
// makes all of them again.
func TestUndoAll(t *testing.T) {
	t.Parallel()
	for range testenv.Pick(2, 4) {
		w := newChanging(t)
		states := []map[string]string{liveState(t, w.s)}
		var ids []uint64
		for range 60 {
			before := lastChange(t, w.s)
			err := w.step()
			last := lastChange(t, w.s)
			state := liveState(t, w.s)
			if last == before { // refused, or without effect
				if !reflect.DeepEqual(state, states[len(states)-1]) {
					t.Fatalf("a change that is not in the history: %v", err)
				}
				continue
			}
			ids, states = append(ids, last), append(states, state)
		}
		var undos []uint64
		for i := len(ids) - 1; i >= 0; i-- {
			if err := undoAs(t, w.s, ids[i]); err != nil {
				t.Fatalf("undo of %d: %v", ids[i], err)
			}
			undos = append(undos, lastChange(t, w.s))
			wantState(t, w.s, states[i])
		}
		for i := len(undos) - 1; i >= 0; i-- {
			if err := undoAs(t, w.s, undos[i]); err != nil {
				t.Fatalf("redo of %d: %v", undos[i], err)
			}
			wantState(t, w.s, states[len(undos)-i])
		}
	}
}

func wantState(t *testing.T, s *Store, want map[string]string) {
	t.Helper()
	got := liveState(t, s)
	for key, value := range want {
		if got[key] != value {
			t.Errorf("%q: got %q, want %q", key, got[key], value)
		}
	}
	for key, value := range got {
		if _, ok := want[key]; !ok {
			t.Errorf("%q is left: %q", key, value)
		}
	}
	wantSound(t, s)
	if t.Failed() {
		t.FailNow()
	}
}

// TestUndoAny undoes random changes beside a model that compares whole states:
// a change can be undone only while its records are as it left them.
func TestUndoAny(t *testing.T) {
	t.Parallel()
	w := newChanging(t)
	changes, undone := map[uint64]modelChange{}, map[uint64]bool{}
	undoes := map[uint64]uint64{}
	var ids []uint64
	now := recordsIn(liveState(t, w.s))
	note := func() uint64 {
		id, next := lastChange(t, w.s), recordsIn(liveState(t, w.s))
		if len(ids) == 0 || id > ids[len(ids)-1] {
			ids, changes[id] = append(ids, id), modelDiff(now, next)
		}
		now = next
		return id
	}
	succeeded := 0
	for range 400 {
		if len(ids) == 0 || w.rand.IntN(3) > 0 {
			_ = w.step()
			note()
			continue
		}
		id := ids[w.rand.IntN(len(ids))]
		fits, want := !undone[id] && changes[id].fits(now), changes[id].undo(now)
		err := undoAs(t, w.s, id)
		switch {
		case err == nil && !fits:
			t.Fatalf("%d was undone, but it is %v, or its records changed", id, undone[id])
		case err != nil && fits && (errors.As(err, new(*history.NewerChangeError)) ||
			errors.As(err, new(*history.UndoneError))):
			t.Fatalf("%d: %v", id, err)
		case err != nil:
			want = now
		default:
			succeeded++
			undone[id] = true
			delete(undone, undoes[id])
		}
		if by := note(); err == nil {
			undoes[by] = id
		}
		if !maps.Equal(now, want) {
			t.Fatalf("undo of %d, %v: got %v, want %v", id, err, now, want)
		}
	}
	if wantSound(t, w.s); succeeded < 10 {
		t.Errorf("only %d undone", succeeded)
	}
}
