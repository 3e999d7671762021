package commands

import (
	"context"
	"encoding/json"
	"io"
	"reflect"
	"strings"
	"testing"
	"time"
)

// TestTerminal checks the output on a terminal: indented documents, help for the
// name of a group, and visible control characters.
func TestTerminal(t *testing.T) {
	w := newWorld(t)
	w.terminal = true
	if a := w.run("memo"); a.code != 0 || !strings.Contains(a.out, "memo add") {
		t.Errorf("memo: %d %s", a.code, a.out)
	}
	if a := w.run(); a.code != 0 || !strings.Contains(a.out, "Nothing is planned") {
		t.Errorf("nothing: %d %s", a.code, a.out)
	}
	if a := w.run("memo", "nope", "-o", "json"); a.code != 2 || !strings.Contains(a.out, "\n  \"error\": {") {
		t.Errorf("memo nope: %d %s", a.code, a.out)
	}
	if a := w.run("memo", "add", "x", "\x1b]0;y\a\u202ez\u009b", "--priority=3", "-o", "json"); a.code != 0 ||
		!strings.Contains(a.out, "\n  \"memo\": {") {
		t.Errorf("memo add: %d %s", a.code, a.out)
	}
	for _, args := range [][]string{{"memo", "list"}, {"memo", "get", "x"}, {"memo", "get", "\x1b[2J"},
		{"\x1b[2J"}} {
		a := w.run(append([]string{"-o=text"}, args...)...)
		if strings.ContainsAny(a.out, "\x1b\a\u202e\u009b") {
			t.Errorf("%q: %q", args, a.out)
		}
		if !strings.Contains(a.out, "␛") && !strings.Contains(a.out, `\x1b`) {
			t.Errorf("%q hides what is there: %q", args, a.out)
		}
	}
}

// TestPipe checks that text of records cannot control a terminal behind a pipe, and that
// documents that were asked for stay as they are.
func TestPipe(t *testing.T) {
	w := newWorld(t)
	evil := "\x1b]0;y\a\u202ez\u009b\x7f\rback\r\nend\tof"
	const visible = "␛]0;y␇\\u202ez\\u009b␡␍back\r\nend\tof"
	w.run("memo", "add", "x", evil, "--priority=3").ok()
	w.run("memory", "add", evil, "--caption", "\x1b[31mred\u2066").ok()
	w.run("ask", evil, "--via", "queue", "--wait", "0s", "--option", "\x1b[2J")
	w.run("fs", "write", "evil.txt", evil).ok()
	for _, line := range []string{"memo list", "memo get x", "memory list", "memory search back", "ask list",
		"fs read evil.txt", "grep back", "web fetch evil.txt", "history", "memo get \x1b[2J", "\x1b[2J"} {
		args := append([]string{"-o=text"}, strings.Split(line, " ")...)
		a := w.run(args...)
		if strings.ContainsAny(a.out, "\x1b\a\u202e\u2066\u009b\x7f") || a.out == "" {
			t.Errorf("%q: %q", line, a.out)
		}
	}
	if a := w.run("memo", "get", "x", "-o", "text"); !strings.Contains(a.out, visible) {
		t.Errorf("a memo: %q, want %q", a.out, visible)
	}
	page := "<!doctype html><p>" + evil
	w.run("fs", "write", "evil.html", page).ok()
	if a := w.run("web", "fetch", "evil.html", "--format", "raw", "-o", "text"); a.out != page+"\n" {
		t.Errorf("a raw page: %q, want its bytes", a.out)
	}
	piped := w.run("memo", "get", "x")
	if !strings.Contains(piped.out, `\u202ez\u009b`) {
		t.Errorf("piped JSON: %q", piped.out)
	}
	w.terminal = true
	for _, kind := range []string{"memos", "memories"} {
		if a := w.run("export", kind, "--to", "-"); strings.ContainsAny(a.out, "\x1b\a\u202e\u2066\u009b\x7f") || a.out == "" {
			t.Errorf("exported %s at a terminal: %q", kind, a.out)
		}
	}
	shown := w.run("memo", "get", "x", "-o", "json")
	var got, want any
	if strings.ContainsAny(shown.out, "\x1b\a\u202e\u009b\x7f") ||
		json.Unmarshal([]byte(shown.out), &got) != nil || json.Unmarshal([]byte(piped.out), &want) != nil ||
		!reflect.DeepEqual(got, want) {
		t.Errorf("JSON on a terminal: %q", shown.out)
	}
}

// unread returns a stream that is never read.
func unread(t *testing.T) io.Writer {
	t.Helper()
	r, w := io.Pipe()
	t.Cleanup(func() { _ = r.Close() })
	return w
}

// TestUnreadAnswers checks that mcp and batch end some time after an interrupt
// when their answers are not read.
func TestUnreadAnswers(t *testing.T) {
	for name, c := range map[string]struct {
		input string
		args  []string
	}{
		"batch": {`{"tool":"list_memo"}` + "\n", []string{"call", "--batch"}},
		"mcp":   {`{"jsonrpc":"2.0","id":1,"method":"ping"}` + "\n", []string{"mcp"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			ctx, interrupt := context.WithCancel(t.Context())
			w.interrupt = ctx
			in, typed := io.Pipe()
			t.Cleanup(func() { _ = typed.Close() })
			ended := make(chan int, 1)
			go func() { ended <- Main(w.World(in, unread(t), io.Discard, c.args...)) }()
			for range 20 {
				if _, err := io.WriteString(typed, c.input); err != nil {
					t.Fatal(err)
				}
			}
			interrupt()
			select {
			case <-ended:
			case <-time.After(20 * time.Second):
				t.Error("it does not end")
			}
		})
	}
}
