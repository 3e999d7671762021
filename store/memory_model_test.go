package store

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"techo/internal/testenv"
	"techo/store/ledger"
	"techo/store/memory"
	"techo/store/memory/wording"
)

// memoryModel is the slower way: a list of memories, the oldest first added.
type memoryModel []memory.Memory

func (l memoryModel) of(user string, f memory.Filter) (found memoryModel) {
	for _, m := range l {
		if m.User == user && (f.Session == "" || m.Session == f.Session) &&
			(f.Since.IsZero() || !m.CreatedAt.Before(f.Since)) && (f.Until.IsZero() || m.CreatedAt.Before(f.Until)) {
			found = append(found, m)
		}
	}
	slices.Reverse(found) // of one time the one added last comes first
	slices.SortStableFunc(found, func(a, b memory.Memory) int { return b.CreatedAt.Compare(a.CreatedAt) })
	return found
}

func (l memoryModel) at(user, id string) int {
	return slices.IndexFunc(l, func(m memory.Memory) bool { return m.User == user && m.ID == id })
}

type memories struct {
	t     *testing.T
	ctx   context.Context
	store *Store
	model memoryModel
	rand  *rand.Rand
}

func (w *memories) text() string {
	var words []string
	for range 1 + w.rand.IntN(3) {
		words = append(words, fmt.Sprint("word", w.rand.IntN(12)))
	}
	return strings.Join(words, " ")
}

func (w *memories) user() string    { return fmt.Sprint("user", w.rand.IntN(2)) }
func (w *memories) session() string { return []string{"", "s1", "s2", "s3"}[w.rand.IntN(4)] }

// id is one of the memories', most often, and then of any user.
func (w *memories) id() string {
	if len(w.model) == 0 || w.rand.IntN(8) == 0 {
		return "mem_nothere"
	}
	return w.model[w.rand.IntN(len(w.model))].ID
}

func (w *memories) add() {
	w.t.Helper()
	m := memory.Memory{User: w.user(), FullText: w.text(), Session: w.session()}
	if w.rand.IntN(2) == 0 {
		// Times of the past, some of them equal.
		m.CreatedAt = time.UnixMilli(1_600_000_000_000 + w.rand.Int64N(20)*5e7)
	}
	got, err := w.store.AddMemory(w.ctx, m)
	if err != nil {
		w.t.Fatal(err)
	}
	same := slices.IndexFunc(w.model, func(o memory.Memory) bool {
		return o.User == m.User &&
			o.FullText == m.FullText
	})
	if same >= 0 {
		want := w.model[same]
		if m.CreatedAt.IsZero() || !m.CreatedAt.Before(want.CreatedAt) { // a newer statement
			want.CreatedAt, want.UpdatedAt = m.CreatedAt, got.UpdatedAt
			if m.CreatedAt.IsZero() {
				want.CreatedAt = got.CreatedAt
			}
			if m.Session != "" {
				want.Session = m.Session
			}
			if got.Renewed { // the newest of its time
				w.model = append(slices.Delete(w.model, same, same+1), want)
			}
		}
		if got.Created || !reflect.DeepEqual(got.Memory, want) {
			w.t.Fatalf("the same text again gave %+v, want %+v", got, want)
		}
		return
	}
	if !got.Created || w.model.at(m.User, got.ID) >= 0 || got.Caption != m.FullText {
		w.t.Fatalf("added %+v", got)
	}
	for _, r := range got.Related {
		if r.ID == got.ID || w.model.at(m.User, r.ID) < 0 {
			w.t.Fatalf("related names %s, which the user does not have", r.ID)
		}
	}
	w.model = append(w.model, got.Memory)
}

func (w *memories) edit() {
	w.t.Helper()
	user, id := w.user(), w.id()
	var c memory.Change
	for _, p := range []struct {
		field **string
		value string
	}{{&c.FullText, w.text()}, {&c.Caption, w.text()}, {&c.Session, w.session()}} {
		if w.rand.IntN(2) == 0 {
			*p.field = &p.value
		}
	}
	got, _, err := memory.Edit(w.ctx, w.store.Ledger, user, id, c)
	i := w.model.at(user, id)
	if i < 0 {
		if !errors.As(err, new(*ledger.NotFoundError)) {
			w.t.Fatalf("edited %s of %s: %v", id, user, err)
		}
		return
	}
	want := w.model[i]
	if c.FullText != nil && *c.FullText != want.FullText {
		if wording.StaleCaption(want.Caption, want.FullText, *c.FullText) {
			want.Caption = *c.FullText
		}
		want.FullText = *c.FullText
	}
	if c.Caption != nil {
		want.Caption = *c.Caption
	}
	if c.Session != nil {
		want.Session = *c.Session
	}
	if slices.ContainsFunc(w.model,
		func(o memory.Memory) bool { return o.User == user && o.ID != id && o.FullText == want.FullText }) {
		if !errors.As(err, new(*memory.SameTextError)) {
			w.t.Fatalf("edited %s to a text that is there: %v", id, err)
		}
		return
	}
	want.Near = got.Near // memory_review_test.go
	if want.UpdatedAt = got.UpdatedAt; err != nil || !reflect.DeepEqual(got, want) {
		w.t.Fatalf("edited to %+v, %v, want %+v", got, err, want)
	}
	w.model[i] = got
}

func (w *memories) remove() {
	w.t.Helper()
	user, ids := w.user(), []string{w.id(), w.id()}
	removed, missing, err := w.store.RemoveMemories(w.ctx, user, ids)
	if err != nil {
		w.t.Fatal(err)
	}
	var there, not []string
	for _, id := range ids {
		if i := w.model.at(user, id); i >= 0 {
			there = append(there, id)
			w.model = slices.Delete(w.model, i, i+1)
		} else if !slices.Contains(there, id) && !slices.Contains(not, id) {
			not = append(not, id)
		}
	}
	if !slices.Equal(removed, there) || !slices.Equal(missing, not) {
		w.t.Fatalf("removed %q, missing %q, want %q and %q", removed, missing, there, not)
	}
}

// list compares a page, and the answers to a question.
func (w *memories) list() {
	w.t.Helper()
	user := w.user()
	f := memory.Filter{Session: w.session(), Offset: w.rand.IntN(4), Limit: 1 + w.rand.IntN(300)}
	if w.rand.IntN(3) == 0 {
		f.Since = time.UnixMilli(1_600_000_000_000 + w.rand.Int64N(1e9))
		f.Until = f.Since.Add(time.Duration(w.rand.Int64N(1e9)) * time.Millisecond)
	}
	want := w.model.of(user, f)
	got, total, err := w.store.FindMemories(w.ctx, user, f)
	page := want[min(f.Offset, len(want)):]
	page = page[:min(f.Limit, len(page))]
	same := len(got) == len(page) && (len(got) == 0 || reflect.DeepEqual(got, []memory.Memory(page)))
	if err != nil || total != len(want) || !same {
		w.t.Fatalf("%v, total %d, want %d; got\n%v, want\n%v", err, total, len(want), got, page)
	}
	word := fmt.Sprint("word", w.rand.IntN(12))
	f.Limit = 1000
	found, err := w.store.SearchMemories(w.ctx, user, word, f)
	if err != nil {
		w.t.Fatal(err)
	}
	var ids, having []string
	for _, h := range found.Hits {
		if strings.Contains(" "+h.FullText+" "+h.Caption+" ", " "+word+" ") { // not a neighbour of one
			ids = append(ids, h.ID)
		}
		if w.model.at(user, h.ID) < 0 {
			w.t.Fatalf("found %+v, which %s does not have", h, user)
		}
	}
	for _, m := range want {
		if strings.Contains(" "+m.FullText+" "+m.Caption+" ", " "+word+" ") {
			having = append(having, m.ID)
		}
	}
	slices.Sort(ids)
	slices.Sort(having)
	if !slices.Equal(ids, having) {
		w.t.Fatalf("%s: found %q, want %q", word, ids, having)
	}
}

// TestMemories does all that can be done with memories, and wants what a plain
// list of them gives; and that the store is sound.
func TestMemories(t *testing.T) {
	t.Parallel()
	w := &memories{t: t, store: newStore(t), rand: testenv.Random(t)}
	for range testenv.Pick(3, 12) {
		err := w.store.Group(t.Context(), func(ctx context.Context) error { // one sync, not thousands
			w.ctx = ctx
			for range 120 {
				switch w.rand.IntN(8) {
				case 0:
					w.remove()
				case 1, 2:
					w.edit()
				case 3:
					w.list()
				default:
					w.add()
				}
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		if r := wantSound(t, w.store); r.Counts["memories"] != len(w.model) {
			t.Fatalf("%d memories, want %d", r.Counts["memories"], len(w.model))
		}
	}
	// From nothing but the records all is made anew.
	notes, err := memory.Repair(t.Context(), w.store.Ledger)
	if err != nil || len(notes) > 0 {
		t.Fatalf("mended: %v, %v", notes, err)
	}
	if r := wantSound(t, w.store); r.Counts["memories"] != len(w.model) {
		t.Fatalf("mended: %d memories, want %d", r.Counts["memories"], len(w.model))
	}
}

// TestAddMemories adds many at once, in no order of time.
func TestAddMemories(t *testing.T) {
	s := newStore(t)
	d := memory.NewDrafter()
	r := rand.New(rand.NewPCG(1, 2))
	var drafts []memory.Draft
	for i := range 3000 {
		drafts = append(drafts, d.Draft(memory.Memory{
			User: "tanaka", FullText: fmt.Sprintf("memory %d of many", i%2500), Session: fmt.Sprint(r.IntN(5)),
			CreatedAt: time.UnixMilli(r.Int64N(1e12)),
		}))
	}
	for part := range slices.Chunk(drafts, 1000) {
		if _, err := s.AddMemories(t.Context(), "tanaka", part); err != nil {
			t.Fatal(err)
		}
	}
	if r := wantSound(t, s); r.Counts["memories"] != 2500 {
		t.Fatalf("%d memories", r.Counts["memories"])
	}
	n, last := 0, time.Time{}
	err := s.EachMemory(t.Context(), "tanaka", time.UnixMilli(5e11), func(m memory.Memory) error {
		if n++; m.CreatedAt.Before(last) || m.CreatedAt.UnixMilli() < 5e11 {
			t.Errorf("%v comes after %v", m.CreatedAt, last)
		}
		last = m.CreatedAt
		return nil
	})
	if err != nil || n == 0 || n == 2500 {
		t.Fatalf("%v, %d memories since", err, n)
	}
	id := "mem_mine"
	added, err := s.AddMemories(t.Context(), "tanaka", []memory.Draft{
		d.Draft(memory.Memory{ID: id, User: "tanaka", FullText: "with an id"}),
		d.Draft(memory.Memory{ID: id, User: "tanaka", FullText: "with the same id"}),
		d.Draft(memory.Memory{User: "tanaka", FullText: strings.Repeat("long ", 1<<20)}),
	})
	if err != nil || added[0].ID != id || !errors.As(added[1].Err, new(*memory.TakenIDError)) ||
		!errors.As(added[2].Err, new(*ledger.LimitError)) {
		t.Fatalf("%v %+v", err, added)
	}
	if _, err := s.GetMemory(t.Context(), "suzuki", id); !errors.As(err, new(*ledger.NotFoundError)) {
		t.Errorf("another user's memory: %v", err)
	}
	wantSound(t, s)
}

// contents returns the memories of users, and the results of one search of each.
func contents(t *testing.T, s *Store, users []string) (all []string) {
	t.Helper()
	for _, user := range users {
		err := s.EachMemory(t.Context(), user, time.Time{}, func(m memory.Memory) error {
			all = append(all, fmt.Sprint(m))
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		found, err := s.SearchMemories(t.Context(), user, "fact 77 of bed 9", memory.Filter{Limit: 20})
		if err != nil {
			t.Fatal(err)
		}
		for _, h := range found.Hits {
			all = append(all, fmt.Sprintf("%s %.6f", h.ID, h.Score))
		}
	}
	return all
}

// damageMemories adds records that cannot be read or have no user, and deletes the
// record of a user.
func damageMemories(t *testing.T, s *Store) {
	t.Helper()
	err := s.Update(t.Context(), func(tx *ledger.Tx) error {
		for i, value := range []string{"{", `{"id":"mem_other","user":"tanaka"}`, `{"id":"mem_bad2","user":""}`} {
			if err := tx.Put(memory.Key(1, fmt.Sprint("mem_bad", i)), []byte(value)); err != nil {
				return err
			}
		}
		twin := memory.RecordOf(&memory.Memory{ID: "mem_twin", User: "suzuki", FullText: "Fact 3 of suzuki, bed 3.",
			CreatedAt: time.UnixMilli(1e6)}, 0, 0)
		if err := ledger.Save(tx, memory.Key(9, twin.ID), twin); err != nil { // no user has this number
			return err
		}
		return tx.Delete(memory.UserKey("tanaka"))
	})
	if err != nil {
		t.Fatal(err)
	}
}

// TestRepairMemories makes all anew from more records than one transaction takes,
// of which some cannot be kept, and wants the same order and the same answers.
func TestRepairMemories(t *testing.T) {
	t.Parallel()
	s := newStore(t)
	d := memory.NewDrafter()
	const each = memory.RepairMaxMemories + 900
	users := []string{"tanaka", "suzuki"}
	for u, user := range users {
		drafts := make([]memory.Draft, each)
		for i := range drafts {
			drafts[i] = d.Draft(memory.Memory{User: user, FullText: fmt.Sprintf("Fact %d of %s, bed %d.", i, user,
				i%17),
				Session: fmt.Sprint(i % 300), CreatedAt: time.UnixMilli(int64(u + i/1000))})
		}
		if _, err := s.AddMemories(t.Context(), user, drafts); err != nil {
			t.Fatal(err)
		}
	}
	before := contents(t, s, users)
	damageMemories(t, s)
	notes, err := memory.Repair(t.Context(), s.Ledger)
	var about []string
	for _, n := range notes {
		about = append(about, string(n.Action)+" "+n.Record)
	}
	if want := []string{"dropped mem_bad0", "dropped mem_bad1", "dropped mem_bad2", "dropped mem_twin"}; err != nil ||
		!slices.Equal(about, want) {
		t.Fatalf("%v, noted %q", err, about)
	}
	if r := wantSound(t, s); r.Counts["memories"] != 2*each {
		t.Errorf("%d memories, want %d", r.Counts["memories"], 2*each)
	}
	if after := contents(t, s, users); !slices.Equal(before, after) {
		for i := range before {
			if i < len(after) && before[i] != after[i] {
				t.Fatalf("%d of %d: %s, was %s", i, len(before), after[i], before[i])
			}
		}
		t.Errorf("%d, were %d", len(after), len(before))
	}
}
