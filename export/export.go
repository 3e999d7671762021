// Package export writes records to files and folders. Every file appears complete
// or not at all.
package export

import (
	"context"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"techo/internal/confine"
	"techo/internal/zone"
	"techo/store"
	"techo/store/event"
	"techo/store/ledger"
	"techo/store/memo"
	"techo/store/memory"
	"techo/store/todo"
)

// Backup writes a backup of a store to a file, atomically and durably. It returns
// the number of records and the size in bytes. progress is called now and then with the bytes written and an
// estimate of the total.
func Backup(ctx context.Context, st *store.Store, to confine.Place, progress func(done, total int64)) (
	records, size int64, err error) {
	info, _, err := st.Info(ctx)
	if err != nil {
		return 0, 0, err
	}
	err = Stream(to, func(w io.Writer) error {
		c := &counter{to: w, progress: func(n int64) { progress(min(n, info.Bytes), info.Bytes) }}
		records, err = st.Backup(ctx, c)
		size = c.n
		return err
	})
	return records, size, err
}

// Private atomically writes a file that only its owner can read.
func Private(path string, b []byte) error {
	return Stream(confine.Place{Path: path}, func(w io.Writer) error {
		_, err := w.Write(b)
		return err
	})
}

// Secret atomically writes a value as JSON to a file that only its owner can read, in a
// folder for the owner alone, which it creates if it is missing.
func Secret(path string, value any) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	b, err := json.Marshal(value)
	if err != nil {
		return err
	}
	return Private(path, b)
}

// counter counts the bytes written through it.
type counter struct {
	to       io.Writer
	n        int64
	progress func(n int64)
}

func (c *counter) Write(b []byte) (int, error) {
	n, err := c.to.Write(b)
	c.n += int64(n)
	c.progress(c.n)
	return n, err
}

// Entry is a document on its way to a folder on another machine.
type Entry struct {
	Document
	Old bool // created before Selection.Since: only a folder that has it keeps it
}

// From describes the records of a folder.
type From struct {
	Store    string // id of the store; "" is unknown for a calendar of an older server
	User     string // of memories
	Calendar string // id of the calendar of events
}

// MemoryEntry returns the entry of a memory. when formats a time.
func MemoryEntry(m memory.Memory, since time.Time, when func(time.Time) string) (Entry, error) {
	d, err := memoryDocument(m, when)
	return Entry{d, m.CreatedAt.Before(since)}, err
}

// MemoEntry returns the entry of a memo. when formats a time.
func MemoEntry(m memo.Memo, when func(time.Time) string) Entry {
	return Entry{Document: memoDocument(m, when)}
}

// MemoriesFrom is Memories for the memories of one user in another place. each calls use
// with all memories in their order.
func MemoriesFrom(ctx context.Context, dir confine.Place, from From, each func(use func(Entry) error) error) (Mirrored,
	error) {
	of := source{"memories", from.Store, ledger.NormalUser(from.User)}
	return update(ctx, dir, memoryTitle, of, func(m *mirror) error { return m.addAll(each) })
}

// MemosFrom is MemoriesFrom for memos.
func MemosFrom(ctx context.Context, dir confine.Place, from From, each func(use func(Entry) error) error) (Mirrored,
	error) {
	of := source{"memos", from.Store, ""}
	return update(ctx, dir, memoTitle, of, func(m *mirror) error { return m.addAll(each) })
}

// addAll adds the entries that belong into the folder.
func (m *mirror) addAll(each func(use func(Entry) error) error) error {
	return each(func(e Entry) error {
		if e.Old && !m.has(e.Document) {
			return nil
		}
		return m.add(e.Document)
	})
}

// Events updates a folder with the events and to-dos of a calendar: one file for each
// event, to-do or series, in their order.
func Events(ctx context.Context, c *Spooled, dir confine.Place, when func(time.Time) string) (Mirrored, error) {
	of := source{"events", c.Of.Store, c.Of.Calendar}
	return update(ctx, dir, "Event Index", of, func(m *mirror) error {
		return c.Each(func(e *event.Event) error { return m.add(eventDocument(e, when)) },
			func(t *todo.Todo) error { return m.add(todoDocument(t, when)) })
	})
}

func todoDocument(t *todo.Todo, when func(time.Time) string) Document {
	d := eventDocument(&t.Event, when)
	var lines []string
	for l := range strings.SplitSeq(d.Text, "\n") {
		value, isEnd := strings.CutPrefix(l, "**End:** ")
		switch {
		case strings.HasPrefix(l, "**Start:** ") && !t.Starts, isEnd && !t.HasDue:
			continue
		case isEnd:
			l = "**Due:** " + value
			if t.Form == event.AllDay {
				l = "**Due:** " + t.End().Format(time.DateOnly)
			}
		}
		lines = append(lines, l)
	}
	if t.Priority != 0 {
		lines = append([]string{"**Priority:** " + strconv.Itoa(t.Priority)}, lines...)
	}
	d.Text = strings.Join(lines, "\n")
	return d
}

func eventDocument(e *event.Event, when func(time.Time) string) Document {
	start, end := e.Start.Format("2006-01-02T15:04:05"), e.End().Format("2006-01-02T15:04:05")
	switch e.Form {
	case event.AllDay:
		start, end = e.Start.Format(time.DateOnly), e.Start.AddDate(0, 0, e.Days-1).Format(time.DateOnly)
	case event.Timed:
		loc, ok := event.CustomZone(e.ZoneRules)
		if !ok {
			loc, ok = zone.Find(e.Zone)
		}
		if ok {
			from, to := e.Span(e.Start, loc)
			start, end = from.Format(time.RFC3339), to.Format(time.RFC3339)
		}
	}
	lines := []string{"**Start:** " + start, "**End:** " + end}
	for _, l := range []struct{ name, value string }{{"Zone", e.Zone}, {"Repeats", strings.Join(e.Recurrence, " ")},
		{"Place", e.Location}, {"Status", e.Status}} {
		if l.value != "" {
			lines = append(lines, "**"+l.name+":** "+OneLine(l.value))
		}
	}
	text := strings.Join(lines, "\n")
	if e.Description != "" {
		text += "\n\n" + e.Description
	}
	return Document{ID: e.ID, Caption: e.Title, Created: when(e.CreatedAt), Text: text}
}
