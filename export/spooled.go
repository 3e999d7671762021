package export

import (
	"bufio"
	"cmp"
	"io"
	"slices"
	"strings"

	"techo/internal/private"
	"techo/store/event"
	"techo/store/todo"
)

// Spooled is the content of a calendar of any size. Its records lie in a temporary file; only their places are held.
type Spooled struct {
	Of            From
	Name          string
	Events, Todos int // how many there are

	file    private.Spool
	out     *bufio.Writer
	size    int64
	records []spooled
}

// spooled is a record in the file, and what it is sorted by.
type spooled struct {
	place  string // its kind and its id, which a changed time leaves
	order  order
	length int32
	start  int64 // of an event, in seconds
	at     int64 // its first byte in the file
}

// order is the place of a kind in an export.
type order int8

const (
	ofSeries order = iota
	ofSingles
	ofTodos
)

// NewSpooled returns an empty calendar, which the caller closes.
func NewSpooled() (*Spooled, error) {
	file, err := private.NewSpool()
	if err != nil {
		return nil, err
	}
	return &Spooled{file: file, out: bufio.NewWriterSize(file, 64<<10)}, nil
}

// Close removes the file.
func (s *Spooled) Close() { _ = s.file.Close() } // it is no longer needed

// AddEvent adds an event.
func (s *Spooled) AddEvent(e *event.Event) error {
	s.Events++
	one := spooled{place: "event " + e.ID, order: ofSeries, start: e.Start.Unix()}
	if !e.Recurs() {
		one.order = ofSingles
	}
	return s.add(one, event.RecordOf(e))
}

// AddTodo adds a to-do.
func (s *Spooled) AddTodo(t *todo.Todo) error {
	s.Todos++
	return s.add(spooled{place: "to-do " + t.ID, order: ofTodos}, todo.RecordOf(t))
}

func (s *Spooled) add(one spooled, record []byte) error {
	one.at, one.length = s.size, int32(len(record))
	s.size += int64(len(record))
	s.records = append(s.records, one)
	_, err := s.out.Write(record)
	return err
}

// Each calls the functions with the records in the order of an export: series and single events by their starts, then
// to-dos by their ids.
func (s *Spooled) Each(useEvent func(*event.Event) error, useTodo func(*todo.Todo) error) error {
	slices.SortFunc(s.records, func(a, b spooled) int {
		return cmp.Or(cmp.Compare(a.order, b.order), cmp.Compare(a.start, b.start), strings.Compare(a.place, b.place),
			cmp.Compare(a.at, b.at))
	})
	return s.read(s.records, func(_ string, e *event.Event, t *todo.Todo) error {
		if t != nil {
			return useTodo(t)
		}
		return useEvent(e)
	})
}

// EachAfter calls use with an event or a to-do for each record whose place comes behind another one, in the order of
// the places. "" is before all.
func (s *Spooled) EachAfter(place string, use func(place string, e *event.Event, t *todo.Todo) error) error {
	slices.SortFunc(s.records, func(a, b spooled) int { return strings.Compare(a.place, b.place) })
	i, found := slices.BinarySearchFunc(s.records, place, func(a spooled, place string) int {
		return strings.Compare(a.place, place)
	})
	if found {
		i++
	}
	return s.read(s.records[i:], use)
}

// read calls use with an event or a to-do for each of some records.
func (s *Spooled) read(records []spooled, use func(place string, e *event.Event, t *todo.Todo) error) error {
	if err := s.out.Flush(); err != nil {
		return err
	}
	var b []byte
	for _, one := range records {
		b = slices.Grow(b[:0], int(one.length))[:one.length]
		if _, err := s.file.ReadAt(b, one.at); err != nil {
			return err
		}
		var err error
		if one.order == ofTodos {
			var t todo.Todo
			if t, err = todo.ReadTodo(s.Name, b); err == nil {
				err = use(one.place, nil, &t)
			}
		} else {
			var e event.Event
			if e, err = event.ReadFields(s.Name, b); err == nil {
				err = use(one.place, &e, nil)
			}
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// Write writes the calendar in the format of RFC 5545, with the time zones in use, in whole lines.
func (s *Spooled) Write(to io.Writer) error { return writeCalendar(to, s.Name, s.Each) }
