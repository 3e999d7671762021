package store

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
	"net/url"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"techo/store/event"
	"techo/store/history"
	"techo/store/memo"
	"techo/store/memory"
	"techo/store/todo"
)

// counting is a proxy before a database that counts the round trips of its clients:
// each ends with the message Sync or Query, of which a client waits for the answer. It
// does not count the one in which a commit removes old commit ids, because few do that, and
// the end of a transaction that only reads, for which no call waits.
type counting struct {
	net.Listener
	database string
	trips    atomic.Int64
	answered atomic.Int64 // bytes from the database
	cut      func() bool  // whether to cut the connection after a request; may be nil
}

// countTrips starts a proxy before the database of an address, and returns the address
// that leads through it.
func countTrips(t *testing.T, address string) (through string, c *counting) {
	t.Helper()
	u, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	if q := u.Query(); q.Get("sslmode") != "disable" {
		t.Skip("the messages of the connection are encrypted: needs sslmode=disable")
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { listener.Close() })
	c = &counting{Listener: listener, database: u.Host}
	u.Host = listener.Addr().String()
	go func() {
		for {
			client, err := listener.Accept()
			if err != nil {
				return
			}
			go c.serve(client)
		}
	}()
	return u.String(), c
}

func (c *counting) serve(client net.Conn) {
	defer client.Close()
	server, err := net.Dial("tcp", c.database)
	if err != nil {
		return
	}
	defer server.Close()
	go func() {
		_, _ = io.Copy(io.MultiWriter(client, counter{&c.answered}), server)
	}()
	forgets := false
	for head := 4; ; head = 5 { // the first message has no type
		b := make([]byte, head)
		if _, err := io.ReadFull(client, b); err != nil {
			return
		}
		kind := byte(0)
		if head == 5 {
			kind = b[0]
		}
		b = append(b, make([]byte, binary.BigEndian.Uint32(b[head-4:])-4)...)
		if _, err := io.ReadFull(client, b[head:]); err != nil {
			return
		}
		cut := false
		switch kind {
		case 'P':
			forgets = bytes.Contains(b, []byte("DELETE FROM techo_commits"))
		case 'S', 'Q':
			if !forgets && !bytes.Contains(b, []byte("ROLLBACK")) { // one of 256 commits makes a trip more
				c.trips.Add(1)
			}
			forgets = false
			cut = kind == 'S' && c.cut != nil && c.cut()
		}
		if _, err := server.Write(b); err != nil || cut {
			return
		}
	}
}

// counter counts bytes.
type counter struct{ *atomic.Int64 }

func (c counter) Write(b []byte) (int, error) {
	c.Add(int64(len(b)))
	return len(b), nil
}

// TestRoundTrips counts the round trips of calls.
func TestRoundTrips(t *testing.T) {
	through, c := countTrips(t, newDatabase(t))
	s, err := Open(through, Options{Write: true, Now: time.Now})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	mustAdd(t, s, "first", "a", "b")
	ctx := t.Context()
	for n := range 3 {
		if err := addingMemory("suzuki", n)(ctx, s); err != nil {
			t.Fatal(err)
		}
	}
	for _, call := range slices.Concat(memoTrips(t, s, through), memoryTrips(ctx, s)) {
		before := c.trips.Load()
		if err := call.run(); err != nil {
			t.Errorf("%s: %v", call.name, err)
		}
		if n := c.trips.Load() - before; n > call.most {
			t.Errorf("%s: %d round trips, at most %d", call.name, n, call.most)
		} else {
			t.Logf("%s: %d round trips", call.name, n)
		}
	}
}

// trips is a call with its largest number of round trips.
type trips struct {
	name string
	most int64
	run  func() error
}

func memoTrips(t *testing.T, s *Store, address string) []trips {
	ctx := t.Context()
	return []trips{
		{"add, in a new process", 4, func() error { // one of them is for the clock
			s, err := Open(address, Options{Write: true, Now: time.Now})
			if err == nil {
				mustAdd(t, s, "zeroth", "a")
				err = s.Close()
			}
			return err
		}},
		{"get", 2, func() error { _, err := s.GetMemo(ctx, "first"); return err }},
		{"add", 3, func() error { mustAdd(t, s, "second", "a"); return nil }},
		{"list", 3, func() error { _, _, err := s.FindMemos(ctx, memo.Filter{Limit: 10}); return err }},
		{"list of a tag", 3, func() error {
			_, _, err := s.FindMemos(ctx, memo.Filter{Tag: "a", Limit: 10})
			return err
		}},
		{"tags", 3, func() error { _, err := s.MemoTags(ctx); return err }},
		{"edit", 5, func() error {
			_, err := s.EditMemo(ctx, "first", memo.Change{Detail: new(strings.Repeat("x", 100))})
			return err
		}},
		{"remove", 6, func() error { _, err := s.RemoveMemo(ctx, "first"); return err }},
	}
}

func memoryTrips(ctx context.Context, s *Store) []trips {
	inSession := func(text string) func() error {
		return func() error {
			_, err := s.AddMemory(ctx, memory.Memory{User: "suzuki", FullText: text, Session: "s"})
			return err
		}
	}
	alike := func(where string) func() error {
		return func() error {
			m := memory.Memory{User: "tanaka", FullText: "Note 1234 about ramen number n70 " + where}
			added, err := s.AddMemory(ctx, m)
			if err == nil && len(added.Related) == 0 {
				err = errors.New("no related memory")
			}
			return err
		}
	}
	keyed := func(text string) func() error {
		return func() error {
			m := memory.Memory{User: "tanaka", FullText: text}
			_, err := s.Once(ctx, "tanaka", text, "digest", func(ctx context.Context) ([]byte, error) {
				added, err := s.AddMemory(ctx, m)
				if err == nil && len(added.Related) == 0 {
					err = errors.New("no related memory")
				}
				return nil, err
			})
			return err
		}
	}
	return []trips{
		{"add a memory", 7, func() error { return addingMemory("suzuki", 3)(ctx, s) }},
		{"begin a session", 8, inSession("Suzuki likes coffee")},
		{"continue it", 8, inSession("Suzuki likes strong coffee")},
		{"list memories", 4, func() error {
			_, _, err := s.FindMemories(ctx, "suzuki", memory.Filter{Limit: 10})
			return err
		}},
		{"import of 2,000 memories", 30, func() error { return addNumbered(s, 0, 2000) }},
		{"import of 2,000 more", 30, func() error { return addNumbered(s, 2000, 4000) }},
		{"add a memory to many, the first of a process", 10, alike("north")},
		{"add a memory to many", 10, alike("south")},
		{"add a memory to many, with a key", 11, keyed("Note 1234 about ramen number n70 west")},
	}
}

func addNumbered(s *Store, from, to int) error {
	var drafts []memory.Draft
	drafter := memory.NewDrafter()
	for i := from; i < to; i++ {
		drafts = append(drafts, drafter.Draft(memory.Memory{User: "tanaka",
			FullText: fmt.Sprintf("Note %d about ramen number n%d",
				i, i%97), Session: fmt.Sprint("s", i/500)}))
	}
	_, err := s.AddMemories(context.Background(), "tanaka", drafts)
	return err
}

// removeNumbered removes the newest memories that addNumbered has added.
func removeNumbered(s *Store, n int) error {
	ctx := context.Background()
	all, _, err := s.FindMemories(ctx, "tanaka", memory.Filter{Limit: n})
	var ids []string
	for _, m := range all {
		ids = append(ids, m.ID)
	}
	if err == nil {
		_, _, err = s.RemoveMemories(ctx, "tanaka", ids)
	}
	return err
}

// TestManyTrips counts the round trips of calls that read or write many records: they do
// not grow with the number of records.
func TestManyTrips(t *testing.T) {
	through, c := countTrips(t, newDatabase(t))
	s, err := Open(through, Options{Write: true, Now: time.Now})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	s.Now = ahead(s.Now)
	ctx, size := t.Context(), 200
	undo := func() error {
		_, err := history.Of(s.Ledger).Undo(ctx, "", history.Filter{Owner: "tanaka"})
		return err
	}
	for _, call := range slices.Concat(manyTexts(ctx, s, size, undo), manyEvents(ctx, s, size, undo)) {
		before := c.trips.Load()
		if err := call.run(); err != nil {
			t.Errorf("%s: %v", call.name, err)
		}
		if n := c.trips.Load() - before; n > 24 {
			t.Errorf("%s: %d round trips", call.name, n)
		} else {
			t.Logf("%s: %d round trips", call.name, n)
		}
	}
}

func manyTexts(ctx context.Context, s *Store, size int, undo func() error) []trips {
	memos := func(tag string) func() error { return func() error { return importNumberedMemos(s, size, tag) } }
	return []trips{
		{name: "memos", run: memos("a")},
		{name: "the same memos", run: memos("a")},
		{name: "memos with other tags", run: memos("b")},
		{name: "no memos", run: undo},
		{name: "memories", run: func() error { return addNumbered(s, 0, size) }},
		{name: "an export of memories", run: func() error {
			return s.EachMemory(ctx, "tanaka", time.Time{}, func(memory.Memory) error { return nil })
		}},
		{name: "the removal of memories", run: func() error { return removeNumbered(s, size/2) }},
		{name: "the removed memories", run: undo},
	}
}

func manyEvents(ctx context.Context, s *Store, size int, undo func() error) []trips {
	events := func(title string) func() error {
		return func() error {
			_, err := s.ImportEvents(ctx, "home", numberedEvents(size, title))
			return err
		}
	}
	todos := func(title string) func() error {
		return func() error {
			_, err := s.ImportTodos(ctx, "home", numberedTodos(size, title))
			return err
		}
	}
	return []trips{
		{name: "events", run: events("a")},
		{name: "the same events", run: events("a")},
		{name: "events with other titles", run: events("b")},
		{name: "the previous titles", run: undo},
		{name: "no events", run: undo},
		{name: "events once more", run: events("a")},
		{name: "to-dos", run: todos("a")},
		{name: "the same to-dos", run: todos("a")},
		{name: "to-dos with other titles", run: todos("b")},
		{name: "the removal of the calendar", run: func() error {
			_, err := s.RemoveCalendar(ctx, "home", true)
			return err
		}},
		{name: "the removed calendar", run: undo},
	}
}

// ahead returns a clock that is not exactly the database's, as that of another machine.
func ahead(clock func() time.Time) func() time.Time {
	return func() time.Time { return clock().Add(2 * time.Millisecond) }
}

func importNumberedMemos(s *Store, n int, tag string) error {
	var all []memo.Memo
	for i := range n {
		all = append(all, memo.Memo{Name: fmt.Sprint("memo ", i), Content: "c", Tags: []string{tag}, Priority: 3})
	}
	_, err := memo.Import(context.Background(), s.Ledger, all)
	return err
}

// numberedTodos returns the to-dos with the fields of numberedEvents.
func numberedTodos(n int, title string) (all []todo.Todo) {
	for _, e := range numberedEvents(n, title) {
		all = append(all, todo.Todo{Event: e, Starts: true})
	}
	return all
}

// numberedEvents returns events, of which every third one is a series and the next one
// replaces an occurrence of it.
func numberedEvents(n int, title string) (all []event.Event) {
	for i := range n {
		start := time.Date(2026, 1, 1+i, 10, 0, 0, 0, time.UTC)
		e := event.Event{UID: fmt.Sprint("event ", i), Title: title, Start: start, Length: time.Hour, Zone: "UTC"}
		switch i % 3 {
		case 0:
			e.Recurrence = []string{"RRULE:FREQ=DAILY"}
		case 1:
			e.UID = fmt.Sprint("event ", i-1)
			e.RecurrenceID = start.Format("20060102T150405Z")
		}
		all = append(all, e)
	}
	return all
}
