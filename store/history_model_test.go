package store

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"techo/internal/testenv"
	"techo/store/kv"
)

// liveState returns the keys and values of all records and indexes, without the
// numbers that are assigned once and never again. The audit checks the indexes
// that consist of such numbers.
func liveState(t *testing.T, s *Store) map[string]string {
	t.Helper()
	all := map[string]string{}
	err := s.engine.View(t.Context(), func(tx kv.Tx) error {
		for item, err := range tx.Scan(kv.Range{}) {
			if err != nil {
				return err
			}
			value, err := item.Value()
			if err != nil {
				return err
			}
			if text, live := liveValue(item.Key, value); live {
				all[string(item.Key)] = text
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
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
	switch spaceOf(key) {
	case historyChanges, historyParts, historyUndone, historyCountKey, memoryUserCount, memoryTimelines:
		return "", false
	case memoRecords:
		return string(withoutNumbers(KindMemo, value)), true
	case memoryRecords:
		return string(withoutNumbers(KindMemory, value)), true
	case memoCountKey:
		c := &MemoCounts{}
		text, _ = masked(c, func() { c.Latest = 0 })
		return text, c.Memos > 0
	case memoryUsers:
		u := &memoryUser{}
		text, _ = masked(u, func() { u.Sessions = 0 })
		return text, u.Memories > 0
	case memorySessions:
		m := &memorySession{}
		return masked(m, func() { m.Number = 0 })
	case questionCountKey:
		c := &QuestionCounts{}
		text, _ = masked(c, func() { c.Last = 0 })
		return text, c.Pending > 0
	case calendarRecords:
		c := &Calendar{}
		text, _ = masked(c, func() { c.Linked = false })
		return text, c.Events() > 0
	}
	return string(value), !strings.HasPrefix(string(key), "s")
}

// recordsIn returns the records of a state by key. An event is found under its
// id, whatever its place.
func recordsIn(state map[string]string) map[recordID]string {
	all := map[recordID]string{}
	for key, value := range state {
		if id, ok := recordOfKey([]byte(key)); ok && isRecord(spaceOf([]byte(key))) {
			all[id] = string(valueOf([]byte(key), []byte(value)))
		}
	}
	return all
}

// modelChange is a change of the model: the records that differ between two
// states.
type modelChange struct{ before, after map[recordID]string }

func modelDiff(from, to map[recordID]string) (c modelChange) {
	c = modelChange{map[recordID]string{}, map[recordID]string{}}
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

// fits reports whether the records are as the change left them.
func (c modelChange) fits(now map[recordID]string) bool {
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

// undo returns the records without the change.
func (c modelChange) undo(now map[recordID]string) map[recordID]string {
	now = maps.Clone(now)
	for id := range c.after {
		delete(now, id)
	}
	maps.Copy(now, c.before)
	return now
}

// changing makes random changes of all families.
type changing struct {
	t    *testing.T
	s    *Store
	rand *rand.Rand
}

func (w *changing) pick(words ...string) string { return words[w.rand.IntN(len(words))] }

func (w *changing) word() string { return w.pick("tea", "rice", "ramen", "紅茶", "Tokyo") }

// step makes one change, or one that is refused.
func (w *changing) step() error {
	switch w.rand.IntN(4) {
	case 0:
		return w.memo()
	case 1:
		return w.memory()
	case 2:
		return w.event()
	default:
		return w.question()
	}
}

func (w *changing) memo() error {
	ctx, name := w.t.Context(), w.pick("a", "b", "c", "d")
	content, other, priority := strings.Repeat(w.word(), 1+w.rand.IntN(300)), w.pick("a", "e"), 1+w.rand.IntN(5)
	var err error
	switch w.rand.IntN(4) {
	case 0:
		_, err = w.s.AddMemo(ctx, Memo{Name: name, Content: content, Priority: priority, Tags: []string{w.word()}})
	case 1:
		_, err = w.s.EditMemo(ctx, name, MemoChange{Name: &other, Content: &content, Tags: []string{w.word()}})
	case 2:
		_, err = w.s.RemoveMemo(ctx, name)
	default:
		_, err = w.s.RenameMemoTag(ctx, w.word(), w.word())
	}
	return err
}

func (w *changing) memory() error {
	ctx, user := w.t.Context(), w.pick("tanaka", "sato")
	found, _, err := w.s.FindMemories(ctx, user, MemoryFilter{Limit: 10})
	if err != nil {
		return err
	}
	text := fmt.Sprintf("%s likes %s %d.", user, w.word(), w.rand.IntN(20))
	session := w.pick("", "s1", "s2")
	if len(found) == 0 || w.rand.IntN(3) == 0 {
		drafter := NewDrafter()
		_, err = w.s.AddMemories(ctx, user, []Draft{drafter.Draft(Memory{User: user, FullText: text, Session: session}),
			drafter.Draft(Memory{User: user, FullText: text + " And more.", Caption: "more"})})
		return err
	}
	if w.rand.IntN(2) == 0 {
		_, err = w.s.EditMemory(ctx, user, found[w.rand.IntN(len(found))].ID,
			MemoryChange{FullText: &text, Session: &session})
		return err
	}
	var ids []string
	for range 1 + w.rand.IntN(2) {
		ids = append(ids, found[w.rand.IntN(len(found))].ID)
	}
	_, _, err = w.s.RemoveMemories(ctx, user, ids)
	return err
}

func (w *changing) event() error {
	ctx, how := w.t.Context(), EventWrite{Zone: time.UTC}
	found, err := w.s.FindEvents(ctx, EventQuery{From: wall("2025-03-01 00:00"), To: wall("2025-04-01 00:00"),
		Zone: time.UTC})
	if err != nil {
		return err
	}
	if len(found.Occurrences) == 0 || w.rand.IntN(4) == 0 {
		day := wall("2025-03-02 09:00").AddDate(0, 0, w.rand.IntN(9))
		e := Event{Calendar: DefaultCalendar, Title: w.word(), Start: day, Zone: "Asia/Tokyo", Length: time.Hour,
			Status: Confirmed}
		if w.rand.IntN(2) == 0 {
			e.Recurrence = []string{"RRULE:FREQ=DAILY;COUNT=8"}
		}
		_, err = w.s.AddEvent(ctx, e, how)
		return err
	}
	id := found.Occurrences[w.rand.IntN(len(found.Occurrences))].ID()
	scope := Scope(w.rand.IntN(3))
	if w.rand.IntN(3) == 0 {
		_, err = w.s.RemoveEvent(ctx, id, scope, time.UTC)
		return err
	}
	title, by := w.word(), time.Duration(w.rand.IntN(3))*time.Hour
	_, err = w.s.EditEvent(ctx, id, scope, how, func(e *Event) error {
		e.Title, e.Start = title, e.Start.Add(by)
		return nil
	})
	return err
}

func (w *changing) question() error {
	ctx := w.t.Context()
	found, _, err := w.s.FindQuestions(ctx, QuestionFilter{Limit: 20})
	if err != nil {
		return err
	}
	if len(found) == 0 || w.rand.IntN(2) == 0 {
		_, err = w.s.AddQuestion(ctx, Question{Text: w.word() + "?", Key: w.pick("", "k1", "k2", "k3")})
		return err
	}
	_, _, err = w.s.SettleQuestion(ctx, found[w.rand.IntN(len(found))].ID, Answered, Answer{Texts: []string{w.word()}})
	return err
}

// lastChange returns the number of the last change, 0 without one.
func lastChange(t *testing.T, s *Store) uint64 {
	t.Helper()
	page, err := HistoryOf(s).List(t.Context(), HistoryFilter{Limit: 1, Owner: "tanaka"})
	if err != nil {
		t.Fatal(err)
	}
	other, err := HistoryOf(s).List(t.Context(), HistoryFilter{Limit: 1, Owner: "sato"})
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
	_, err := HistoryOf(s).Undo(t.Context(), ChangeID(id), HistoryFilter{Owner: "tanaka"})
	if errors.As(err, new(*NotFoundError)) {
		_, err = HistoryOf(s).Undo(t.Context(), ChangeID(id), HistoryFilter{Owner: "sato"})
	}
	return err
}

// TestUndoAll makes random changes of all families, and undoes them from the
// last to the first: each undo leads to the state before the change. Then it
// makes all of them again.
func TestUndoAll(t *testing.T) {
	for range 4 {
		w := &changing{t, newStore(t), testenv.Random(t)}
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
	w := &changing{t, newStore(t), testenv.Random(t)}
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
		case err != nil && fits && (errors.As(err, new(*NewerChangeError)) || errors.As(err, new(*UndoneError))):
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
