package export

import (
	"bytes"
	"fmt"
	"io"
	"strings"
	"testing"
	"time"

	"techo/internal/testenv"
	"techo/store/event"
	"techo/store/todo"
)

// TestSpooledInPieces writes a calendar of 32 MB and checks that little of it is held.
func TestSpooledInPieces(t *testing.T) {
	s, err := NewSpooled()
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	const events, length, most = 2000, 16 << 10, 4 << 20
	before := testenv.Held()
	for i := range events {
		e := event.Event{ID: fmt.Sprint(i), UID: "u", Title: "T", Description: strings.Repeat("d", length), Form: event.AllDay,
			Days: 1, Start: time.Unix(int64(events-i)*86400, 0).UTC(), Status: event.Confirmed}
		if err := s.AddEvent(&e); err != nil {
			t.Fatal(err)
		}
	}
	if held := testenv.Held() - before; held > most {
		t.Errorf("%d bytes are held of the events", held)
	}
	written, held := 0, int64(0)
	err = s.Write(writerFunc(func(b []byte) (int, error) {
		if written += len(b); held == 0 && written > events*length/2 {
			held = testenv.Held() - before
		}
		return len(b), nil
	}))
	if err != nil || written < events*length || held > most {
		t.Errorf("%d bytes are held while %d are written: %v", held, written, err)
	}
}

type writerFunc func([]byte) (int, error)

func (f writerFunc) Write(b []byte) (int, error) { return f(b) }

// TestSpooledOrder checks the order of a file, and of the pages that a server sends.
func TestSpooledOrder(t *testing.T) {
	s, err := NewSpooled()
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	add := func(id string, day int64, recurrence ...string) {
		e := event.Event{ID: id, UID: id, Form: event.AllDay, Days: 1, Start: time.Unix(day*86400, 0).UTC(),
			Recurrence: recurrence}
		if err := s.AddEvent(&e); err != nil {
			t.Fatal(err)
		}
	}
	add("d", 2)
	add("c", 2)
	add("a", 9, "RRULE:FREQ=DAILY")
	add("b", 3, "RRULE:FREQ=DAILY")
	for _, id := range []string{"z", "a"} {
		if err := s.AddTodo(&todo.Todo{Event: event.Event{ID: id, UID: id}}); err != nil {
			t.Fatal(err)
		}
	}
	read := func(each func(use func(id string) error) error) (all string) {
		if err := each(func(id string) error { all += id + " "; return nil }); err != nil {
			t.Error(err)
		}
		return all
	}
	behind := func(place string) func(func(string) error) error {
		return func(use func(string) error) error {
			return s.EachAfter(place, func(place string, e *event.Event, todo *todo.Todo) error {
				if e == nil && todo == nil || e != nil && todo != nil {
					t.Error(place, e, todo)
				}
				return use(place)
			})
		}
	}
	inOrder := func(use func(string) error) error {
		return s.Each(func(e *event.Event) error { return use(e.ID) }, func(todo *todo.Todo) error { return use(todo.ID) })
	}
	for _, c := range []struct{ got, want string }{
		{read(inOrder), "b a c d a z "},
		{read(behind("event b")), "event c event d to-do a to-do z "},
		{read(behind("event bb")), "event c event d to-do a to-do z "},
		{read(behind("to-do z")), ""},
		{read(inOrder), "b a c d a z "},
	} {
		if c.got != c.want {
			t.Errorf("%q, not %q", c.got, c.want)
		}
	}
	var text bytes.Buffer
	if err := s.Write(&text); err != nil || strings.Count(text.String(), "BEGIN:VEVENT") != 4 || s.Events != 4 || s.Todos != 2 {
		t.Error(err, text.String())
	}
	if err := s.Write(failing{}); err != io.ErrShortWrite {
		t.Error(err)
	}
}

type failing struct{}

func (failing) Write([]byte) (int, error) { return 0, io.ErrShortWrite }
