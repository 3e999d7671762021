package store

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"techo/internal/testenv"
	"techo/store/event"
	"techo/store/history"
	"techo/store/kv"
	"techo/store/ledger"
	"techo/store/memfile"
	"techo/store/memo"
	"techo/store/memory"
	"techo/store/replica"
	"techo/store/todo"
)

// computer is one of several machines with one notebook. Each has a place of its own, between which
// the test carries files.
type computer struct {
	*Store
	t     *testing.T
	name  string
	place string
	now   time.Time
	wrong time.Duration // how wrong its clock is
	said  map[string]bool
}

func newComputer(t *testing.T, dir, name string) *computer {
	t.Helper()
	c := &computer{t: t, name: name, place: filepath.Join(dir, name), said: map[string]bool{},
		now: time.Date(2026, 7, 1, 9, 0, 0, 0, time.UTC)}
	if err := os.Mkdir(c.place, 0o700); err != nil {
		t.Fatal(err)
	}
	c.Store = open(t, newPlace(t), Options{Write: true, Now: func() time.Time {
		c.now = c.now.Add(time.Second)
		return c.now.Add(c.wrong)
	}})
	return c
}

func (c *computer) notebook() replica.Notebook { return replica.Notebook{Ledger: c.Ledger} }

// killed syncs, and is killed at any transaction. The next sync goes on.
func (c *computer) killed(r *rand.Rand) {
	c.t.Helper()
	ctx, cancel := context.WithCancel(c.t.Context())
	defer cancel()
	if _, err := c.notebook().Sync(&mortal{ctx, cancel, r.IntN(60)}, nil); err != nil && !errors.Is(err, context.Canceled) {
		c.t.Fatalf("%s: %v", c.name, err)
	}
}

// mortal is a context that ends when it has been asked for its end a few times.
type mortal struct {
	context.Context
	cancel context.CancelFunc
	left   int
}

func (m *mortal) Err() error {
	if m.left--; m.left < 0 {
		m.cancel()
	}
	return m.Context.Err()
}

func (c *computer) sync() replica.Report {
	c.t.Helper()
	r, err := c.notebook().Sync(c.t.Context(), nil)
	if err != nil {
		c.t.Fatalf("%s: %v", c.name, err)
	}
	return r
}

// allowed are the refusals that any act may meet.
func (c *computer) must(err error) {
	c.t.Helper()
	switch {
	case err == nil, ledger.IsMissing(err), errors.As(err, new(*ledger.TakenError)),
		errors.As(err, new(*ledger.LimitError)), errors.As(err, new(*history.NewerChangeError)),
		errors.As(err, new(*memory.SameTextError)), errors.As(err, new(*memory.TakenTopicError)),
		errors.As(err, new(*memory.TakenIDError)), errors.As(err, new(*memory.SupersededError)),
		errors.As(err, new(*memo.OtherError)):
	default:
		c.t.Fatalf("%s: %v", c.name, err)
	}
}

// carry copies files of one place to another, as a syncer does: some, in any order, perhaps again.
func carry(t *testing.T, r *rand.Rand, from, to string, part bool) {
	t.Helper()
	_ = filepath.WalkDir(from, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() || strings.HasPrefix(d.Name(), ".") || part && r.IntN(3) == 0 {
			return nil
		}
		b, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		rel, err := filepath.Rel(from, path)
		if err != nil {
			t.Fatal(err)
		}
		target := filepath.Join(to, rel)
		if err := os.MkdirAll(filepath.Dir(target), 0o700); err != nil {
			t.Fatal(err)
		}
		if part && len(b) > 0 && r.IntN(10) == 0 {
			b = b[:r.IntN(len(b))] // it has not arrived whole
		}
		if old, err := os.ReadFile(target); err == nil && (len(old) > len(b) || bytes.Equal(old, b)) {
			return nil
		}
		if err := os.WriteFile(target, b, 0o600); err != nil {
			t.Fatal(err)
		}
		return nil
	})
}

// notes returns all records of a store, in the form that is equal on all machines.
func (c *computer) notes() string {
	c.t.Helper()
	var b strings.Builder
	err := c.View(c.t.Context(), func(tx *ledger.Tx) error {
		b.Reset()
		var lines []string
		add := func(format string, args ...any) { lines = append(lines, fmt.Sprintf(format, args...)) }
		for p, err := range kv.Pairs(tx, kv.Range{Prefix: memo.Records.All()}) {
			if err != nil {
				return err
			}
			m, err := memo.Decode(bytes.Clone(p.Key), p.Value)
			if err != nil {
				return err
			}
			add("memo %s %q %q %d %q %q %d %d", m.ID, m.Name, m.Content, m.Priority, m.Tags, m.Detail,
				m.CreatedAt.UnixMilli(), m.UpdatedAt.UnixMilli())
		}
		for p, err := range kv.Pairs(tx, kv.Range{Prefix: memory.Records.All()}) {
			if err != nil {
				return err
			}
			r, err := memory.Decode(bytes.Clone(p.Key), p.Value)
			if err != nil {
				return err
			}
			r.Text, r.Group, r.Order = 0, 0, 0
			add("memory %+v", r)
		}
		for p, err := range kv.Pairs(tx, kv.Range{Prefix: memfile.Records.All()}) {
			if err != nil {
				return err
			}
			f, err := memfile.Decode(bytes.Clone(p.Key), p.Value)
			if err != nil {
				return err
			}
			add("file %s %s %q %v %d", f.User, f.Path, f.Text, f.Folder, f.UpdatedAt.UnixMilli())
		}
		for _, prefix := range []ledger.Prefix{event.SingleRecords, event.SeriesRecords, todo.Records} {
			for p, err := range kv.Pairs(tx, kv.Range{Prefix: prefix.All()}) {
				if err != nil {
					return err
				}
				var e event.Event
				var err error
				if prefix == todo.Records {
					var one todo.Todo
					one, err = todo.Decode(bytes.Clone(p.Key), p.Value)
					e = one.Event
				} else {
					place, _, _ := event.CutPlace(p.Key)
					e, err = event.Read(place.Calendar, p.Value)
				}
				if err != nil {
					return err
				}
				name, err := event.NameAt(event.NewTx(tx), e.Calendar)
				if err != nil {
					return err
				}
				e.Calendar = name
				add("%s %+v", prefix, e)
			}
		}
		slices.Sort(lines)
		b.WriteString(strings.Join(lines, "\n"))
		return nil
	})
	if err != nil {
		c.t.Fatal(err)
	}
	return b.String()
}

// remains returns what the records, the histories and the conflicts of machines contain.
func remains(t *testing.T, all []*computer) string {
	t.Helper()
	var b bytes.Buffer
	for _, c := range all {
		err := c.View(t.Context(), func(tx *ledger.Tx) error {
			var changes []uint64
			for p, err := range kv.Pairs(tx, kv.Range{}) {
				if err != nil {
					return err
				}
				switch prefix := ledger.PrefixOf(p.Key); {
				case prefix == ledger.HistoryChanges:
					number, _ := ledger.NumberIn(p.Key)
					changes = append(changes, number)
				case prefix[0] != 's' && prefix[0] != 'y':
					b.Write(p.Value)
				}
			}
			for _, number := range changes {
				whole, err := tx.LoadWholeChange(number)
				if err != nil {
					return err
				}
				for _, r := range whole.Records {
					b.Write(r.Before)
				}
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		lost, _, err := c.notebook().Conflicts(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		for _, l := range lost {
			b.WriteString(l.Lost)
		}
	}
	return b.String()
}

// act does one random thing on a machine.
func (c *computer) act(r *rand.Rand, n int) {
	ctx, t := c.t.Context(), c.t
	word := func(kinds int) string { return fmt.Sprint("w", r.IntN(kinds)) }
	text := fmt.Sprintf("note%dx %s", n, word(5))
	pick := func(all []string) string {
		if len(all) == 0 {
			return "none"
		}
		return all[r.IntN(len(all))]
	}
	var memos, memories []string
	found, _, err := c.FindMemos(ctx, memo.Filter{Limit: 100})
	if err != nil {
		t.Fatal(err)
	}
	var purgeable []string
	for _, m := range found {
		if strings.HasPrefix(m.Name, "purge ") {
			purgeable = append(purgeable, m.ID)
		} else {
			memos = append(memos, m.ID)
		}
	}
	mems, _, err := c.FindMemories(ctx, "ann", memory.Filter{Limit: 100})
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range mems {
		memories = append(memories, m.ID)
	}
	say := func(err error) {
		c.must(err)
		if err == nil {
			c.said[text] = true
		}
	}
	files := memfile.Of(c.Ledger)
	todos := todo.Of(c.Ledger)
	start := time.Date(2026, 7, 1+r.IntN(20), 10, 0, 0, 0, time.UTC)
	switch r.IntN(18) {
	case 0, 1:
		_, err := c.AddMemo(ctx, memo.Memo{Name: word(6), Content: text, Priority: 1 + r.IntN(5), Tags: []string{word(30)}})
		say(err)
	case 2:
		_, err := c.EditMemo(ctx, pick(memos), memo.Change{Content: &text})
		say(err)
	case 3:
		name := word(6)
		_, err := c.EditMemo(ctx, pick(memos), memo.Change{Name: &name})
		c.must(err)
	case 4:
		_, err := c.RemoveMemo(ctx, pick(memos))
		c.must(err)
	case 5, 6:
		m := memory.Memory{User: "ann", FullText: text, Session: []string{"", "s1"}[r.IntN(2)]}
		if r.IntN(3) == 0 {
			m.Topic = word(3)
		}
		if r.IntN(3) == 0 {
			m.FullText = "common " + word(8) // the same may be said elsewhere
			text = m.FullText
		}
		_, err := c.AddMemory(ctx, m)
		say(err)
	case 7:
		_, _, err := memory.Edit(ctx, c.Ledger, "ann", pick(memories), memory.Change{FullText: &text})
		say(err)
	case 8:
		_, err := memory.Supersede(ctx, c.Ledger, "ann", []string{pick(memories)}, text, nil)
		say(err)
	case 9:
		_, _, err := c.RemoveMemories(ctx, "ann", []string{pick(memories)})
		c.must(err)
	case 10:
		e := event.Event{Calendar: []string{"default", "work"}[r.IntN(2)], Title: text, Start: start, Zone: "UTC", Length: time.Hour, Status: event.Confirmed}
		if r.IntN(3) == 0 {
			e.UID = word(4)
		}
		if r.IntN(3) == 0 {
			e.Recurrence = []string{"RRULE:FREQ=DAILY;COUNT=3"}
		}
		_, err := c.AddEvent(ctx, e, event.Write{Zone: time.UTC})
		say(err)
	case 11:
		all, err := c.FindEvents(ctx, event.Query{Calendars: []string{"default", "work"}, From: start.AddDate(0, -2, 0), To: start.AddDate(0, 2, 0), Zone: time.UTC})
		if missing := new(ledger.NotFoundError); err != nil && !errors.As(err, &missing) {
			t.Fatal(err)
		}
		if len(all.Occurrences) > 0 {
			id := all.Occurrences[r.IntN(len(all.Occurrences))].Event.ID
			if r.IntN(2) == 0 {
				_, err = c.EditEvent(ctx, id, event.All, event.Write{Zone: time.UTC}, func(e *event.Event) error { e.Title = text; return nil })
				say(err)
			} else {
				_, err = c.RemoveEvent(ctx, id, event.All, time.UTC)
				c.must(err)
			}
		}
	case 12:
		_, err := todos.Add(ctx, todo.Todo{Event: event.Event{Title: text, Start: start, Status: todo.NeedsAction}}, time.UTC)
		say(err)
	case 13:
		err := files.Create(ctx, "ann", "/memories/"+word(4)+".md", text)
		if r.IntN(3) == 0 {
			err = files.Delete(ctx, "ann", "/memories/"+word(4)+".md")
			text = ""
		}
		if err == nil && text != "" {
			c.said[text] = true
		}
		c.must(err)
	case 14:
		_, err := history.Of(c.Ledger).Undo(ctx, "", history.Filter{})
		if undone := new(history.UndoneError); !errors.As(err, &undone) {
			c.must(err)
		}
	case 15:
		_, err := c.AddMemo(ctx, memo.Memo{Name: fmt.Sprint("purge ", n), Content: "to be purged", Priority: 3})
		c.must(err)
	case 16:
		_, err := c.RemoveMemo(ledger.WithPurge(ctx), pick(purgeable))
		c.must(err)
	case 17:
		_, numbers, err := c.notebook().Conflicts(ctx)
		c.must(err)
		if len(numbers) == 0 {
			return
		}
		number := numbers[r.IntN(len(numbers))]
		_, err = c.notebook().Settle(ctx, number, r.IntN(3) > 0)
		c.must(err)
	}
}

// TestReplicas lets five machines do random things, with partitions, late, partial, repeated and removed
// files, wrong clocks, and kills. At the end all have the same notebook, and nothing that was said is gone.
func TestReplicas(t *testing.T) {
	runs, acts := 4, 60
	if testenv.Long() {
		runs, acts = 10_000, 80
	}
	for run := range runs {
		t.Run(fmt.Sprint(run), func(t *testing.T) { replicaRun(t, testenv.Random(t), acts) })
	}
}

func replicaRun(t *testing.T, r *rand.Rand, acts int) {
	dir := t.TempDir()
	ctx := t.Context()
	var all []*computer
	for _, name := range []string{"laptop", "desktop", "server", "phone", "attic"} {
		c := newComputer(t, dir, name)
		c.wrong = []time.Duration{0, 0, time.Minute, 365 * 24 * time.Hour, -365 * 24 * time.Hour}[r.IntN(5)]
		all = append(all, c)
	}
	key, _, err := all[0].notebook().Init(ctx, all[0].place, all[0].name)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range all[1:] {
		carry(t, r, all[0].place, c.place, false)
		if err := c.notebook().Join(ctx, c.place, key, c.name); err != nil {
			t.Fatal(err)
		}
	}
	for n := range acts {
		c := all[r.IntN(len(all))]
		c.act(r, n)
		if r.IntN(8) == 0 {
			c.killed(r)
		}
		if files := c.files(); r.IntN(20) == 0 && len(files) > 0 { // somebody tidies the folder
			if err := os.Remove(files[r.IntN(len(files))]); err != nil {
				t.Fatal(err)
			}
		}
		if r.IntN(4) == 0 {
			c.sync()
			other := all[r.IntN(len(all))]
			carry(t, r, c.place, other.place, r.IntN(2) == 0)
			if r.IntN(2) == 0 {
				other.sync()
			}
		}
	}
	for round := 0; ; round++ {
		moved := 0
		for _, c := range all {
			report := c.sync()
			moved += report.Sent + report.Received
			for _, other := range all {
				if other != c {
					carry(t, r, c.place, other.place, false)
				}
			}
		}
		if moved == 0 && round > 1 {
			break
		}
		if round > 20 {
			t.Fatal("the machines do not come to rest")
		}
	}
	want := all[0].notes()
	for _, c := range all {
		if got := c.notes(); got != want {
			t.Errorf("%s differs from %s:\n%s", c.name, all[0].name, difference(want, got))
		}
		wantSound(t, c.Store)
		if report := c.sync(); len(report.Waiting) > 0 {
			t.Errorf("%s waits: %v", c.name, report.Waiting)
		}
		if report, err := c.notebook().Status(ctx); err != nil || len(report.Waiting) > 0 {
			t.Errorf("%s waits: %v, %v", c.name, report.Waiting, err)
		}
	}
	kept := remains(t, all)
	for _, c := range all {
		for text := range c.said {
			if !strings.Contains(kept, text) {
				t.Errorf("%q was said on %s and is gone", text, c.name)
			}
		}
	}
}

func difference(a, b string) string {
	var out []string
	x, y := strings.Split(a, "\n"), strings.Split(b, "\n")
	for _, l := range x {
		if !slices.Contains(y, l) {
			out = append(out, "- "+l)
		}
	}
	for _, l := range y {
		if !slices.Contains(x, l) {
			out = append(out, "+ "+l)
		}
	}
	return strings.Join(out, "\n")
}
