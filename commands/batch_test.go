package commands

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"strings"
	"testing"

	"techo/commands/readahead"
)

func (w *world) batch(stdin string, args ...string) []string {
	w.t.Helper()
	a := w.feed(stdin, append([]string{"call", "--batch"}, args...)...)
	lines := strings.SplitAfter(a.out, "\n")
	if a.code != 0 || lines[len(lines)-1] != "" {
		w.t.Fatalf("exit code %d\n%.2000s", a.code, a.out)
	}
	for _, l := range lines[:len(lines)-1] {
		if err := oneDocument(l); err != nil {
			w.t.Errorf("%v: %.500q", err, l)
		}
	}
	return lines[:len(lines)-1]
}

// TestBatchIDs checks that every id comes back unchanged, also with an error.
func TestBatchIDs(t *testing.T) {
	w := newWorld(t)
	for _, id := range []string{
		`0`, `-1.50`, `1e400`, `9007199254740993`, `""`, `"a b"`, `"\u0061\/\n"`, `"メモ\u2028"`, `true`, `false`,
		`null`, `[]`, `[1,"x",null]`, `{}`, `{"a":{"b":[1.0]}}`, `{"tool":"add_memo"}`,
	} {
		for _, line := range []string{
			`{"tool":"list_memo","id":` + id + `}`,
			`{"id":` + id + `,"tool":"list_memo","input":{"limit":"x"}}`,
			`{"tool":"nope","id":` + id + `}`,
			`{"id":` + id + `}`,
		} {
			if got := w.batch(line); len(got) != 1 || !strings.HasSuffix(got[0], `,"id":`+id+"}\n") {
				t.Errorf("%s gives %q", line, got)
			}
		}
	}
	// Text that is not JSON cannot come back in a JSON document; batch checks
	// that.
	for _, id := range []string{`"` + "\xff" + `"`, `"\ud800"`, strings.Repeat("[", 70) + strings.Repeat("]", 70)} {
		if got := w.batch(`{"tool":"list_memo","id":` + id + `}`); len(got) != 1 ||
			!strings.HasPrefix(got[0], `{"error":{"code":"invalid_input"`) {
			t.Errorf("%q gives %q", id, got)
		}
	}
}

// TestBatchLong checks that a line that is too long gets an error and the others
// their answers.
func TestBatchLong(t *testing.T) {
	t.Parallel()
	good, long := `{"tool":"list_memo"}`, strings.Repeat("x", readahead.MaxLine)
	got := newWorld(t).batch(strings.Join([]string{good, long, good, long + "x"}, "\n"))
	for i, want := range []string{`{"memos":`, `{"error":{"code":"limit_exceeded"`, `{"memos":`,
		`{"error":{"code":"limit_exceeded"`} {
		if i >= len(got) || !strings.HasPrefix(got[i], want) {
			t.Fatalf("answer %d of %.500q, want %s", i, got, want)
		}
	}
}

// TestBatchTalk checks that each line is answered before the next is sent.
func TestBatchTalk(t *testing.T) {
	w := newWorld(t)
	in, ask := io.Pipe()
	answers, out := io.Pipe()
	ended := make(chan int)
	go func() { ended <- Main(w.World(in, out, io.Discard, "call", "--batch")) }()
	read := bufio.NewReader(answers)
	for i := range 5 {
		fmt.Fprintf(
			ask, "{\"tool\":\"add_memo\",\"input\":{\"name\":\"%d\",\"content\":\"x\",\"priority\":3},\"id\":%d}\n", i,
			i)
		if l, err := read.ReadString('\n'); err != nil || !strings.HasSuffix(l, fmt.Sprintf(",\"id\":%d}\n", i)) {
			t.Fatalf("%q, %v", l, err)
		}
		// Answered writes are visible to other processes.
		w.run("memo", "get", fmt.Sprint(i)).ok()
	}
	ask.Close()
	if code := <-ended; code != 0 {
		t.Errorf("exit code %d", code)
	}
}

// TestBatchInterrupted checks that an interrupt ends the wait for lines.
func TestBatchInterrupted(t *testing.T) {
	w := newWorld(t)
	ctx, interrupt := context.WithCancel(context.Background())
	w.interrupt = ctx
	in, ask := io.Pipe()
	answers, out := io.Pipe()
	ended := make(chan int)
	go func() { ended <- Main(w.World(in, out, io.Discard, "call", "--batch")) }()
	fmt.Fprintln(ask, `{"tool":"list_memo"}`)
	if l, err := bufio.NewReader(answers).ReadString('\n'); err != nil {
		t.Fatalf("%q, %v", l, err)
	}
	interrupt()
	if code := <-ended; code != 130 {
		t.Errorf("exit code %d", code)
	}
	w.interrupt = context.Background()
	w.run("call", "list_memo", "{}").ok()
	w.interrupt = ctx
	w.run("memo", "add", "x", "y", "--priority=3").fails("cancelled")
}

// TestBatchSettings checks flags that apply to every line.
func TestBatchSettings(t *testing.T) {
	w := newWorld(t)
	lines := `{"tool":"list_memo","id":1}` + "\n" + `{"tool":"list_memo_tags"}`
	if got := w.batch(lines, "--fields=total"); strings.Join(got, "") != `{"total":0,"id":1}`+"\n"+`{"total":0}`+"\n" {
		t.Errorf("%q", got)
	}
	if got := w.batch(lines, "-o=text"); len(got) != 2 { // stdout belongs to the protocol
		t.Errorf("%q", got)
	}
	w.feed(lines, "call", "--batch", "--tz=Nowhere").fails("invalid_input", "/tz")
	broken := w.World(strings.NewReader(lines), brokenPipe{}, io.Discard, "call", "--batch")
	if code := Main(broken); code == 0 {
		t.Error("exit code 0 although stdout is closed")
	}
}

type brokenPipe struct{}

func (brokenPipe) Write([]byte) (int, error) { return 0, io.ErrClosedPipe }
