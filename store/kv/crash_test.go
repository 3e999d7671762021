package kv

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"
)

// childVariable names what a copy of the test binary does instead of testing,
// in the folder of its second word.
const childVariable = "TECHO_TEST_CHILD"

func TestMain(m *testing.M) {
	does, ok := map[string]func(dir string) error{
		"":      func(string) error { os.Exit(m.Run()); return nil },
		"pairs": writePairs,
		"count": writeCounts,
		"modes": writeModes,
		"read":  func(dir string) error { return holdStore(dir, false) },
		"write": func(dir string) error { return holdStore(dir, true) },
		"close": closeUnderRead,
	}[os.Getenv(childVariable)]
	if !ok {
		fmt.Fprintln(os.Stderr, childVariable+": unknown")
		os.Exit(2)
	}
	if err := does(os.Getenv(childVariable + "_DIR")); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(0)
}

// child is another process, a copy of the test binary.
type child struct {
	*exec.Cmd
	in     io.WriteCloser
	out    *bufio.Scanner
	stderr *bytes.Buffer
}

// startChild starts one that does something to the store in a folder. It is
// gone when the test ends.
func startChild(t *testing.T, does, dir string) *child {
	t.Helper()
	return startCommand(t, does, dir, exec.Command(os.Args[0], does))
}

func startCommand(t *testing.T, does, dir string, cmd *exec.Cmd) *child {
	t.Helper()
	c := &child{Cmd: cmd, stderr: new(bytes.Buffer)}
	c.Env = append(os.Environ(), childVariable+"="+does, childVariable+"_DIR="+dir)
	c.Stderr = c.stderr
	var err error
	if c.in, err = c.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	out, err := c.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	c.out = bufio.NewScanner(out)
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if c.ProcessState == nil {
			c.Process.Kill()
			c.Wait()
		}
	})
	return c
}

// wantLine reads a line of the child's output.
func (c *child) wantLine(t *testing.T, want string) {
	t.Helper()
	if !c.out.Scan() || c.out.Text() != want {
		c.Wait()
		t.Fatalf("child said %q, want %q; stderr: %s", c.out.Text(), want, c.stderr)
	}
}

// long reports whether tests that find more the longer they run may take minutes.
func long() bool { return os.Getenv("TECHO_TEST_LONG") == "1" }

// pairValue is what both keys of a pair hold. Every 32nd is large.
func pairValue(n int) []byte {
	size := n * 37 % 3000
	if n%32 == 31 {
		size += large
	}
	return append(bytes.Repeat([]byte{byte('a' + n%26)}, size), strconv.Itoa(n)...)
}

func pairKey(side string, n int) []byte { return fmt.Appendf(nil, "%s%06d", side, n) }

// writePairs goes on writing pairs, and merges often. A number is printed once
// its pair was acknowledged. Each transaction also moves the one key "here".
func writePairs(dir string) error {
	l, err := Open(dir, Options{Write: true})
	if err != nil {
		return err
	}
	n, err := pairsOf(l)
	if err != nil {
		return err
	}
	for {
		err := l.Update(context.Background(), func(tx Tx) error {
			return errors.Join(tx.Put(pairKey("a", n), pairValue(n)), tx.Put(pairKey("b", n), pairValue(n)),
				tx.Put(pairKey("here", n), nil), tx.Delete(pairKey("here", n-1)))
		})
		if err != nil {
			return err
		}
		fmt.Println(n)
		n++
		switch n % 6 {
		case 1:
			err = l.forceMerge()
		case 3:
			if err = l.Close(); err == nil {
				l, err = Open(dir, Options{Write: true})
			}
		case 2, 5:
			err = l.Compact(context.Background())
		}
		if err != nil {
			return err
		}
	}
}

// pairsOf counts the pairs of a store, and checks that none is torn or missing.
func pairsOf(l *Local) (n int, err error) {
	err = l.View(context.Background(), func(tx Tx) error {
		n = 0
		for item, err := range tx.Scan(Range{Prefix: []byte("a")}) {
			if err != nil {
				return err
			}
			a, err := item.Value()
			if err != nil {
				return err
			}
			if !bytes.Equal(item.Key, pairKey("a", n)) || !bytes.Equal(a, pairValue(n)) {
				return fmt.Errorf("pair %d: found %q with %d bytes", n, item.Key, len(a))
			}
			if b, err := tx.Get(pairKey("b", n)); err != nil || !bytes.Equal(a, b) {
				return fmt.Errorf("pair %d is torn: %w", n, err)
			}
			n++
		}
		for space, want := range map[string]int{"b": n, "here": min(n, 1)} {
			if got, err := countKeys(tx, space); err != nil || got != want {
				return fmt.Errorf("%d keys in %q, want %d: %w", got, space, want, err)
			}
		}
		if n == 0 {
			return nil
		}
		_, err := tx.Get(pairKey("here", n-1))
		return err
	})
	return n, err
}

func countKeys(tx Tx, prefix string) (n int, err error) {
	for _, err := range tx.Scan(Range{Prefix: []byte(prefix)}) {
		if err != nil {
			return n, err
		}
		n++
	}
	return n, nil
}

// TestKill kills a writer at any moment, again and again.
func TestKill(t *testing.T) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	r := rand.New(rand.NewPCG(seed, 0))
	dir := filepath.Join(t.TempDir(), "store")
	rounds, inMerge, pairs := 60, 0, 0
	if long() {
		rounds = 3000
	}
	for round := range rounds {
		if round%20 == 19 { // so that a scan stays short
			dir, pairs = filepath.Join(t.TempDir(), "store"), 0
		}
		acknowledged := killWriter(t, dir, pairs, r)
		if unnamed(t, dir) > 0 {
			inMerge++
		}
		l := openStore(t, dir)
		var err error
		if pairs, err = pairsOf(l); err != nil {
			t.Fatalf("round %d: %v", round, err)
		}
		if pairs != acknowledged && pairs != acknowledged+1 {
			t.Fatalf("round %d: %d pairs, %d acknowledged", round, pairs, acknowledged)
		}
		if err := l.Close(); err != nil {
			t.Fatalf("round %d: %v", round, err)
		}
	}
	t.Logf("%d of %d kills hit a merge", inMerge, rounds)
	if inMerge == 0 {
		t.Error("no kill hit a merge: the test has not tested it")
	}
}

// killWriter runs a writer for a moment and returns how many pairs were
// acknowledged in all.
func killWriter(t *testing.T, dir string, pairs int, r *rand.Rand) int {
	t.Helper()
	c := startChild(t, "pairs", dir)
	read := func() bool {
		if !c.out.Scan() {
			return false
		}
		if c.out.Text() != strconv.Itoa(pairs) {
			t.Fatalf("acknowledged %q after %d pairs", c.out.Text(), pairs)
		}
		pairs++
		return true
	}
	// Some are killed while they open, others right after a line or a bit later.
	if lines := r.IntN(6); lines == 0 {
		time.Sleep(time.Duration(r.IntN(30)) * time.Millisecond)
	} else {
		for range lines {
			if !read() {
				c.Wait()
				t.Fatalf("the writer ended by itself: %s", c.stderr)
			}
		}
		time.Sleep(time.Duration(r.IntN(40_000)) * time.Microsecond)
	}
	if err := c.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	for read() { // what it said before it died
	}
	c.Wait()
	if c.stderr.Len() > 0 {
		t.Fatalf("writer: %s", c.stderr)
	}
	return pairs
}

// unnamed counts the files among a store's tables that its list does not name.
func unnamed(t *testing.T, dir string) (n int) {
	t.Helper()
	l := openStore(t, dir)
	defer l.Close()
	_ = l.View(t.Context(), func(Tx) error { return nil })
	named := map[string]bool{listName + fmt.Sprint(l.journal.generation): true}
	if base, err := l.base(); err == nil {
		for _, run := range base.list() {
			for _, i := range run {
				named[i.name()] = true
			}
		}
	}
	names, _ := os.ReadDir(filepath.Join(dir, tablesName))
	for _, name := range names {
		if !named[name.Name()] {
			n++
		}
	}
	return n
}

// TestLeftovers finds what a killed merge left in the way of the next one.
func TestLeftovers(t *testing.T) {
	leave := map[string]func(t *testing.T, tables string, next int){
		"garbage": func(t *testing.T, tables string, next int) {
			for _, name := range []string{fmt.Sprint(listName, next), listName + "99", fmt.Sprintf("%06d.sst", next), "000099.sst"} {
				writeFile(t, filepath.Join(tables, name), "garbage")
			}
		},
		"folders": func(t *testing.T, tables string, next int) {
			writeFile(t, filepath.Join(tables, fmt.Sprint(listName, next), "deep"), "garbage")
			writeFile(t, filepath.Join(tables, fmt.Sprintf("%06d.sst", next), "deep"), "garbage")
		},
		"tables not yet named":           nil,
		"compacted tables not yet named": nil,
	}
	for name, do := range leave {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			l := openStore(t, dir)
			want := model{}
			for i := range 3 {
				k := fmt.Sprintf("key%d", i)
				mustPut(t, l, k, "value", "same", k)
				want[k], want["same"] = "value", k
				if do != nil {
					do(t, filepath.Join(dir, tablesName), i+2)
				} else if err := mergeTables(dir, uint64(i+1), &l.over, strings.HasPrefix(name, "compacted")); err != nil {
					t.Fatal(err)
				}
				wantAll(t, openStore(t, dir), want)
				l = openStore(t, dir)
				mustMerge(t, l)
				wantAll(t, l, want)
				wantAll(t, openStore(t, dir), want)
			}
			if n := unnamed(t, dir); n > 0 {
				t.Errorf("left over: %d files", n)
			}
		})
	}
}

func writeFile(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// TestSwitched covers a merge that was killed after the journal's head had
// named the new tables, and before the old ones were removed.
func TestSwitched(t *testing.T) {
	dir := t.TempDir()
	l := openStore(t, dir)
	want := model{}
	for i := range 3 {
		k := fmt.Sprintf("key%d", i)
		mustPut(t, l, k, "value")
		want[k] = "value"
		g := l.journal.generation
		if err := mergeTables(dir, g, &l.over, false); err != nil {
			t.Fatal(err)
		}
		if err := l.journal.begin(g + 1); err != nil {
			t.Fatal(err)
		}
		l = openStore(t, dir)
		wantAll(t, l, want)
	}
	mustMerge(t, l)
	wantAll(t, openStore(t, dir), want)
	if n := unnamed(t, dir); n > 0 {
		t.Errorf("left over: %d files", n)
	}
}

// blockMerge makes the merges of a handle fail when they have done all that
// comes before the journal's head, until allow is called.
func blockMerge(l *Local) (allow func()) {
	set := func(how func(string, uint64, *tree, bool) error) {
		l.mu.Lock()
		defer l.mu.Unlock()
		l.mergeTables = how
	}
	set(func(dir string, generation uint64, add *tree, all bool) error {
		return errors.Join(mergeTables(dir, generation, add, all), errors.New("blocked"))
	})
	return func() { set(mergeTables) }
}

// TestFailedMerge makes a merge fail half way: nothing is lost, in this handle
// or in others, and the next one makes up for it.
func TestFailedMerge(t *testing.T) {
	dir := t.TempDir()
	l := openStore(t, dir)
	mustPut(t, l, "key0", "value", "same", "0")
	mustMerge(t, l)
	mustPut(t, l, "key1", "value", "same", "1")
	want := model{"key0": "value", "key1": "value", "same": "1"}
	allow := blockMerge(l)
	for range 2 {
		if err := l.forceMerge(); err == nil {
			t.Fatal("the merge did not fail")
		}
		wantAll(t, l, want)
		wantAll(t, openStore(t, dir), want)
	}
	mustPut(t, l, "key2", "value", "same", "2")
	want["key2"], want["same"] = "value", "2"
	wantAll(t, l, want)
	allow()
	// The new tables are whole now, and the journal's head cannot be written.
	writable := l.journal.file
	readable, err := os.Open(l.journal.path)
	if err != nil {
		t.Fatal(err)
	}
	defer readable.Close()
	l.journal.file = readable
	if err := l.forceMerge(); err == nil {
		t.Fatal("the merge did not fail")
	}
	wantAll(t, l, want)
	l.journal.file = writable
	wantAll(t, openStore(t, dir), want)
	mustMerge(t, l)
	wantAll(t, l, want)
	wantAll(t, openStore(t, dir), want)
}

// TestGroupFailedMerge: an error of Group means that nothing of it was kept.
func TestGroupFailedMerge(t *testing.T) {
	dir := t.TempDir()
	l := openStore(t, dir)
	mustPut(t, l, "key", "value")
	mustMerge(t, l)
	allow := blockMerge(l)
	want := model{"key": "value"}
	err := l.Group(context.Background(), func(ctx context.Context) error {
		for i := range stayBytes/MaxValue + 1 {
			k, v := fmt.Sprint("large", i), bytes.Repeat([]byte{'v'}, MaxValue)
			if err := l.Update(ctx, func(tx Tx) error { return tx.Put([]byte(k), v) }); err != nil {
				return err
			}
			want[k] = string(v)
		}
		return nil
	})
	if err != nil {
		t.Logf("group: %v", err)
		want = model{"key": "value"}
	}
	wantAll(t, openStore(t, dir), want)
	allow()
	wantAll(t, l, want)
}

// TestDamagedTableLeavesNoFiles opens a damaged table again and again, as a
// process does that serves for long.
func TestDamagedTableLeavesNoFiles(t *testing.T) {
	files := func() int {
		names, err := os.ReadDir("/proc/self/fd")
		if err != nil {
			missing(t, "the system does not tell which files are open")
		}
		return len(names)
	}
	dir, want := mergedStore(t)
	name := sstOf(t, dir)
	whole, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	runs, err := readList(dir, 2)
	if err != nil {
		t.Fatal(err)
	}
	for block, at := range map[string]int{"first": bytes.Index(whole, []byte(want["key7"])), "last": int(runs[0][0].tail) - 1} {
		bad := bytes.Clone(whole)
		bad[at]++
		writeFile(t, name, string(bad))
		l := openStore(t, dir)
		before := files()
		for range 100 {
			if _, err := everything(l); !isCorrupt(err) {
				t.Fatalf("%s block: %v", block, err)
			}
		}
		if after := files(); after > before+20 {
			t.Errorf("%s block: %d files open, before %d", block, after, before)
		}
	}
}
