package store

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"sync"
	"testing"
	"time"

	"techo/internal/testenv"
)

// totals are the numbers that a store shows of its memos and events.
type totals struct {
	Counts    MemoCounts
	Tags      []string
	List      int
	Tagged    int
	Omitted   int
	Calendars []string
}

func totalsOf(t *testing.T, s *Store) (all totals) {
	t.Helper()
	var err error
	fail := func(e error) { err = errors.Join(err, e) }
	_, all.Counts, err = s.Info(t.Context())
	all.Counts.Latest = 0
	tags, e := s.MemoTags(t.Context())
	fail(e)
	for _, tag := range tags {
		all.Tags = append(all.Tags, fmt.Sprint(tag.Tag, " ", tag.Count))
	}
	slices.Sort(all.Tags)
	_, all.List, e = s.FindMemos(t.Context(), MemoFilter{Limit: 1})
	fail(e)
	_, all.Tagged, e = s.FindMemos(t.Context(), MemoFilter{Tag: "tag 1", Limit: 1})
	fail(e)
	choices, e := ImportantMemos(t.Context(), s, Sources{Own: true}, 2, 2)
	fail(e)
	for _, c := range choices {
		all.Omitted += c.Omitted
	}
	calendars, e := s.Calendars(t.Context())
	fail(e)
	for _, c := range calendars {
		fail(CountEvents(t.Context(), s, &c))
		all.Calendars = append(all.Calendars, fmt.Sprint(c.Name, " ", c.Singles, c.Series))
	}
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// TestCrowdCounts makes the same random changes in a database and in a folder: both show the
// same numbers, and a copy of the database in a folder does, and goes on.
func TestCrowdCounts(t *testing.T) {
	r := testenv.Random(t)
	database := openMachine(t, newDatabase(t))
	folder := openWithClock(t, t.TempDir()+"/store", Options{Write: true, Now: time.Now})
	var names []string
	for n := range 220 {
		change := randomChange(r, n, names)
		err, other := change(t.Context(), database), change(t.Context(), folder)
		if reflect.TypeOf(err) != reflect.TypeOf(other) {
			t.Fatalf("%d: %v, in the folder %v", n, err, other)
		}
		if err == nil {
			names = append(names, fmt.Sprint("memo ", n))
		}
		if n%20 == 0 {
			wantTotals(t, database, folder)
		}
	}
	wantTotals(t, database, folder)
	wantSound(t, database)
	copied := openWithClock(t, t.TempDir()+"/copy", Options{Write: true, Now: time.Now})
	if _, err := Copy(t.Context(), database, copied); err != nil {
		t.Fatal(err)
	}
	wantSound(t, copied)
	wantTotals(t, copied, folder)
	back := openMachine(t, migratedDatabase(t))
	if _, err := Copy(t.Context(), folder, back); err != nil {
		t.Fatal(err)
	}
	for n := range 60 {
		change := randomChange(r, 1000+n, names)
		for _, s := range []*Store{copied, folder, back} {
			if err := change(t.Context(), s); err != nil && !errors.As(err, new(*NotFoundError)) &&
				!errors.As(err, new(*LimitError)) {
				t.Fatal(err)
			}
		}
	}
	for _, s := range []*Store{copied, folder, back} {
		wantSound(t, s)
		wantTotals(t, s, folder)
	}
}

func wantTotals(t *testing.T, s, folder *Store) {
	t.Helper()
	if got, want := totalsOf(t, s), totalsOf(t, folder); !reflect.DeepEqual(got, want) {
		t.Fatalf("%+v\nwant %+v", got, want)
	}
}

// randomChange returns the n-th change, of a memo, its tags or an event. It may fail.
func randomChange(r *rand.Rand, n int, names []string) calling {
	tag := func() string { return fmt.Sprint("tag ", r.IntN(24)) } // more than there may be
	m := Memo{Name: fmt.Sprint("memo ", n), Content: fmt.Sprint("tea ", n), Priority: 1 + r.IntN(5)}
	m.Tags = []string{tag()}
	name := "none"
	if len(names) > 0 {
		name = names[r.IntN(len(names))]
	}
	switch r.IntN(12) {
	case 0, 1:
		return func(ctx context.Context, s *Store) error { _, err := s.RemoveMemo(ctx, name); return err }
	case 2, 3:
		change := MemoChange{Tags: []string{tag(), tag()}, Priority: &m.Priority}
		return func(ctx context.Context, s *Store) error { _, err := s.EditMemo(ctx, name, change); return err }
	case 4:
		from, to := tag(), tag()
		return func(ctx context.Context, s *Store) error { _, err := s.RenameMemoTag(ctx, from, to); return err }
	case 5:
		return func(ctx context.Context, s *Store) error {
			_, err := HistoryOf(s).Undo(ctx, "", HistoryFilter{})
			return err
		}
	case 6:
		return addingEvent(fmt.Sprint("calendar ", r.IntN(3)), n)
	case 7:
		calendar := fmt.Sprint("calendar ", r.IntN(3))
		return func(ctx context.Context, s *Store) error { _, err := s.RemoveCalendar(ctx, calendar, true); return err }
	default:
		return func(ctx context.Context, s *Store) error { _, err := s.AddMemo(ctx, m); return err }
	}
}

// crowdMemos are the names of memos that several machines add.
type crowdMemos struct {
	mu    sync.Mutex
	added map[string]bool
}

func (c *crowdMemos) set(t *testing.T, name string, there bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if there && c.added[name] {
		t.Errorf("%s is there twice", name)
	}
	c.added[name] = there
	if !there {
		delete(c.added, name)
	}
}

// work adds memos as a machine, edits some and removes others. Other machines
// add a third of the names as well.
func (c *crowdMemos) work(t *testing.T, s *Store, machine, n int) error {
	name := fmt.Sprint("shared ", n)
	if n%3 != 0 {
		name = fmt.Sprint("own ", machine, " ", n)
	}
	m := Memo{Name: name, Content: fmt.Sprintf("tea %d %d", machine, n), Priority: 3}
	m.Tags = []string{fmt.Sprint("t", n%20)}
	_, err := s.AddMemo(t.Context(), m)
	if errors.As(err, new(*TakenError)) {
		return nil
	}
	if err != nil {
		return err
	}
	c.set(t, name, true)
	if n%7 == 0 {
		if _, err := s.EditMemo(t.Context(), name, MemoChange{Content: new("edited " + m.Content)}); err != nil {
			return err
		}
	}
	if n%11 == 0 {
		c.set(t, name, false)
		_, err = s.RemoveMemo(t.Context(), name)
	}
	return err
}

// crowdWorks lets four machines with three clients each work at once, each 60 times. work gets
// the number of the client.
func crowdWorks(t *testing.T, address string, work func(s *Store, client, n int) error) {
	t.Helper()
	var all sync.WaitGroup
	for machine := range 4 {
		s := openMachine(t, address)
		for client := range 3 { // which share transactions when they meet
			all.Go(func() {
				for n := range 60 {
					if err := work(s, 10*machine+client, n); err != nil {
						t.Error(err)
						return
					}
				}
			})
		}
	}
	all.Wait()
}

// TestCrowdMemos adds, edits and removes memos on several machines at once. All of them are
// found, none has the place of another one in the index, and no name is used twice.
func TestCrowdMemos(t *testing.T) {
	address := newDatabase(t)
	memos := &crowdMemos{added: map[string]bool{}}
	crowdWorks(t, address, func(s *Store, client, n int) error { return memos.work(t, s, client, n) })
	s := openMachine(t, address)
	wantSound(t, s)
	found, total, err := SearchMemos(t.Context(), s, Sources{Own: true}, "tea", MemoFilter{Limit: 1000})
	if err != nil || total != len(memos.added) {
		t.Fatalf("%d memos found, %v, want %d", total, err, len(memos.added))
	}
	for _, m := range found {
		if !memos.added[m.Name] {
			t.Errorf("found %s", m.Name)
		}
	}
	if _, total, err := s.FindMemos(t.Context(), MemoFilter{Limit: 1}); err != nil || total != len(memos.added) {
		t.Errorf("a list of %d, %v", total, err)
	}
}

// TestCrowdIndex adds more memos than can wait in two windows of the index: the others are in
// its lists.
func TestCrowdIndex(t *testing.T) {
	const memos, windows = 1200, 2 * 512
	s := openMachine(t, newDatabase(t))
	for n := range memos {
		mustAdd(t, s, fmt.Sprint("memo ", n))
	}
	waiting, lists := 0, 0
	for key := range keysOf(t, s) {
		switch key[:2] {
		case "sz":
			waiting++
		case "st":
			lists++
		}
	}
	if waiting > windows || lists == 0 {
		t.Errorf("%d texts wait, at most %d; %d lists", waiting, windows, lists)
	}
	_, total, err := SearchMemos(t.Context(), s, Sources{Own: true}, "content", MemoFilter{Limit: 1})
	if err != nil || total != memos {
		t.Errorf("%d found, %v", total, err)
	}
	wantSound(t, s)
}

// TestCrowdFull adds memos on machines that add one each, as commands do, until the window of
// the index is full several times over.
func TestCrowdFull(t *testing.T) {
	address := newDatabase(t)
	for n := range 40 {
		s := openMachine(t, address)
		for m := range 20 {
			s.slots.Clear() // as in a new process
			mustAdd(t, s, fmt.Sprint("memo ", n, " ", m))
		}
		s.Close()
	}
	wantSound(t, openMachine(t, address))
}
