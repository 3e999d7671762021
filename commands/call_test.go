package commands

import (
	"io"
	"runtime"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// TestCallInput passes the JSON in every possible way.
func TestCallInput(t *testing.T) {
	w := newWorld(t)
	input := `{"limit":7}`
	want := w.run("call", "list_memo", input) // stdin must not be read
	if want.ok()["limit"] != 7.0 {
		t.Fatal(want.out)
	}
	for _, a := range []answer{
		w.run("call", "list_memo", "--input", input),
		w.run("call", "--input="+input, "--tool=list_memo"),
		w.run("call", "--", "list_memo", input),
		w.feed(input, "call", "list_memo"),
		w.feed("\n "+input+"\r\n", "call", "list_memo"),
		w.feed(input, "call", "list_memo", "-"),
		w.read(io.MultiReader(strings.NewReader(`{"lim`), strings.NewReader(`it":7}`)), "call", "list_memo"),
	} {
		if a.out != want.out || a.code != 0 {
			t.Errorf("%q: %d %s", a.args, a.code, a.out)
		}
	}
	if got := w.feed("", "call", "list_memo").ok()["limit"]; got != 10.0 {
		t.Errorf("empty stdin: limit %v", got)
	}
	w.typing = true
	if got := w.run("call", "list_memo").ok()["limit"]; got != 10.0 {
		t.Errorf("stdin is a terminal: limit %v", got)
	}
	w.run("call", "get_memo").fails("invalid_input", "/memo_name")
	w.typing = false
	w.run("call", "list_memo").fails("invalid_input") // a failing stdin is not an empty one
	w.run("call", "list_memo", "{}", "{}").fails("invalid_input", "")
	w.noStore()
}

// stuck is a pipe that stays open: its pieces arrive after a pause each, and then
// nothing.
type stuck struct {
	pieces []string
	after  time.Duration
	over   <-chan struct{} // closed at the end of the test
}

func (s *stuck) Read(p []byte) (int, error) {
	wait := time.After(s.after)
	if len(s.pieces) == 0 {
		wait = nil
	}
	select {
	case <-wait:
	case <-s.over:
		runtime.Goexit() // the test has ended
	}
	n := copy(p, s.pieces[0])
	s.pieces = s.pieces[1:]
	return n, nil
}

// TestCallSilent checks how long call waits for a silent pipe, with a fake clock.
func TestCallSilent(t *testing.T) {
	for _, test := range []struct {
		name   string
		pieces []string
		after  time.Duration
		code   int
		took   time.Duration
	}{
		{"nothing comes", nil, 0, 2, 5 * time.Second},
		{"it stops in the middle", []string{`{"lim`}, time.Second, 2, 6 * time.Second},
		{"all is there but the end", []string{`{"limit":7}`}, time.Second, 2, 6 * time.Second},
		{"a word comes too late", []string{`{}`}, 6 * time.Second, 2, 5 * time.Second},
	} {
		t.Run(test.name, func(t *testing.T) {
			w := newWorld(t)
			synctest.Test(t, func(t *testing.T) {
				over := make(chan struct{})
				defer close(over)
				start := time.Now()
				a := w.read(&stuck{test.pieces, test.after, over}, "call", "list_memo")
				if e := a.fails("invalid_input"); e.Hint == "" || a.code != test.code {
					t.Errorf("%d %s", a.code, a.out)
				}
				if took := time.Since(start); took != test.took {
					t.Errorf("it took %v, want %v", took, test.took)
				}
			})
			w.noStore()
		})
	}
}
