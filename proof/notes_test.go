package proof

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io/fs"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

// note is the expected state of a memo.
type note struct {
	Content  string
	Detail   string
	Priority int
}

// notes are the expected memos of a store by name.
type notes map[string]note

func batchLine(tool string, input map[string]any) string {
	b, err := json.Marshal(map[string]any{"tool": tool, "input": input})
	if err != nil {
		panic(err) // cannot happen: input has only texts and numbers
	}
	return string(b) + "\n"
}

func (n note) line(name string) string {
	return batchLine("add_memo",
		map[string]any{"name": name, "content": n.Content, "detail": n.Detail, "priority": n.Priority})
}

// randomNote returns a memo with a detail of a given size in bytes.
func randomNote(r *rand.Rand, detail int) note {
	text := func(size int) string {
		var b strings.Builder
		for b.Len() < size {
			fmt.Fprintf(&b, "%x ", r.Uint64())
		}
		return b.String()
	}
	return note{text(10 + r.IntN(100)), text(detail), 1 + r.IntN(5)}
}

// write adds memos through one process, one transaction each. The process either
// exits normally, which merges if a merge is due, or is killed.
func (want notes) write(t *testing.T, store string, add notes, kill bool) {
	t.Helper()
	c := command(t.Context(), store, "call", "--batch")
	in, err := c.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := c.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	answers := bufio.NewReaderSize(out, 1<<20)
	for _, name := range slices.Sorted(maps.Keys(add)) {
		if _, err := in.Write([]byte(add[name].line(name))); err != nil {
			t.Fatal(err)
		}
		got, err := answers.ReadString('\n')
		if err != nil || strings.HasPrefix(got, `{"error"`) {
			t.Fatalf("add %s: %v %s", name, err, got)
		}
		want[name] = add[name]
	}
	if kill {
		_ = c.Process.Kill()
		_ = c.Wait()
		return
	}
	in.Close()
	if err := c.Wait(); err != nil {
		t.Fatal(err)
	}
}

// some returns n random memos whose names begin with a word.
func some(r *rand.Rand, word string, n int) notes {
	made := notes{}
	for i := range n {
		made[fmt.Sprintf("%s-%03d", word, i)] = randomNote(r, r.IntN(200))
	}
	return made
}

// look is the result of reading the whole store in two ways.
type look struct {
	Wrong   []string // problems
	Refused int      // reads with the forgiven error code
}

func (l *look) wrong(format string, args ...any) {
	l.Wrong = append(l.Wrong, fmt.Sprintf(format, args...))
}

// read lists all memos, gets each and compares. An error with the forgiven code
// counts as correct.
func (want notes) read(t *testing.T, store, forgiven string) (l look) {
	t.Helper()
	names := slices.Sorted(maps.Keys(want))
	lines := batchLine("list_memo", map[string]any{"limit": 1 << 20})
	for _, name := range names {
		lines += batchLine("get_memo", map[string]any{"memo_name": name})
	}
	ctx, stop := context.WithTimeout(t.Context(), time.Minute)
	defer stop()
	c := command(ctx, store, "call", "--batch")
	c.Stdin = strings.NewReader(lines)
	a := collect(c)
	docs := bytes.Split(bytes.TrimSpace(a.Out), []byte("\n"))
	if len(docs) != len(names)+1 || a.Code != 0 || unclean(a.Stderr) {
		l.wrong("%d answers to %d calls: %v", len(docs), len(names)+1, a)
		return l
	}
	for i, raw := range docs {
		var d document
		switch err := json.Unmarshal(raw, &d); {
		case err != nil:
			l.wrong("no document: %s", raw)
		case forgiven != "" && d.Error.Code == forgiven:
			l.Refused++
		case d.Error.Code != "":
			l.wrong("%s", raw)
		case i == 0:
			want.compareList(&l, d)
		case d.Memo.note() != want[names[i-1]] || d.Memo.Name != names[i-1]:
			l.wrong("got %.300s\nfor %s %.300v", raw, names[i-1], want[names[i-1]])
		}
	}
	return l
}

// document has the fields of the answers to reading calls.
type document struct {
	Error struct{ Code string }
	Total int
	Memos []shown
	Memo  shown
}

// shown is a memo in an answer.
type shown struct {
	Name, Content, Detail string
	Priority              int
	HasDetail             bool `json:"has_detail"`
}

func (s shown) note() note { return note{s.Content, s.Detail, s.Priority} }

func (want notes) compareList(l *look, d document) {
	if d.Total != len(want) || len(d.Memos) != len(want) {
		l.wrong("listed %d memos, total %d, of %d", len(d.Memos), d.Total, len(want))
	}
	for _, m := range d.Memos {
		n, ok := want[m.Name]
		if !ok || m.Content != n.Content || m.Priority != n.Priority || m.HasDetail != (n.Detail != "") {
			l.wrong("listed %+v for %.300v", m, n)
		}
	}
}

// unclean reports whether a call left a stack trace.
func unclean(stderr string) bool {
	return strings.Contains(stderr, "goroutine ") || strings.Contains(stderr, "panic") ||
		strings.Contains(stderr, "fatal error")
}

// mustHold fails the test unless a store verifies and has the expected memos.
func (want notes) mustHold(t *testing.T, store string) {
	t.Helper()
	if v := techo(t, store, "store", "verify"); v.Code != 0 {
		t.Errorf("%v", v)
	}
	if l := want.read(t, store, ""); len(l.Wrong) > 0 {
		t.Errorf("%s: %s", store, strings.Join(l.Wrong[:min(3, len(l.Wrong))], "\n"))
	}
}

// copyTree copies a folder with its modes, without sockets.
func copyTree(from, to string) error {
	return filepath.WalkDir(from, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(from, path)
		if err != nil {
			return err
		}
		if d.IsDir() {
			return os.MkdirAll(filepath.Join(to, rel), 0o700)
		}
		if !d.Type().IsRegular() {
			return nil
		}
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		return os.WriteFile(filepath.Join(to, rel), data, 0o600)
	})
}

// filesOf returns the contents of the files in a folder by their paths below it, without locks.
func filesOf(t *testing.T, dir string) map[string]string {
	t.Helper()
	files := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() || d.Name() == "lock" || d.Name() == "queue" {
			return err
		}
		b, err := os.ReadFile(path)
		files[strings.TrimPrefix(path, dir)] = string(b)
		return err
	})
	if err != nil {
		t.Error(err)
	}
	return files
}

// tally counts the outcomes of many tries.
type tally struct {
	mu      sync.Mutex
	of      map[string]int
	slowest time.Duration
}

func (c *tally) count(what string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.of == nil {
		c.of = map[string]int{}
	}
	c.of[what]++
}

// note counts the outcome and the duration of a try.
func (c *tally) note(code string, took time.Duration) {
	c.count(code)
	c.mu.Lock()
	defer c.mu.Unlock()
	c.slowest = max(c.slowest, took)
}

// each runs work for 0 to n-1, two at a time.
func each(n int, work func(i int)) {
	next := make(chan int)
	var wg sync.WaitGroup
	for range 2 {
		wg.Go(func() {
			for i := range next {
				work(i)
			}
		})
	}
	for i := range n {
		next <- i
	}
	close(next)
	wg.Wait()
}
