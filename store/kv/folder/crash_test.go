package folder

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
	"testing"
	"time"

	"techo/internal/testenv"
	"techo/store/kv"
	"techo/store/kv/disk"
	"techo/store/kv/sst"
)

// childVariable names what a copy of the test binary does instead of testing,
// in the folder of its second word.
const childVariable = "TECHO_TEST_CHILD"

func TestMain(m *testing.M) {
	does, ok := map[string]func(dir string) error{
		"":      func(string) error { os.Exit(m.Run()); return nil },
		"pairs": writePairs,
		"modes": writeModes,
		"read":  func(dir string) error { return holdStore(dir, false) },
		"write": func(dir string) error { return holdStore(dir, true) },
		"close": closeUnderRead,
		"serve": serveRegisters,
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

// pairValue returns the value of both keys of a pair. Every 32nd is large.
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
		err := l.Update(context.Background(), func(tx kv.Tx) error {
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
func pairsOf(l *Engine) (n int, err error) {
	err = l.View(context.Background(), func(tx kv.Tx) error {
		n = 0
		for item, err := range tx.Scan(kv.Range{Prefix: []byte("a")}) {
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

func countKeys(tx kv.Tx, prefix string) (n int, err error) {
	for _, err := range tx.Scan(kv.Range{Prefix: []byte(prefix)}) {
		if err != nil {
			return n, err
		}
		n++
	}
	return n, nil
}

// TestKill kills a writer at any moment, again and again.
func TestKill(t *testing.T) {
	r := testenv.Random(t)
	dir := filepath.Join(t.TempDir(), "store")
	rounds, inMerge, pairs := testenv.Pick(30, 60), 0, 0
	if testenv.Long() {
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
		if round%2 == 0 {
			wantBadgerOpens(t, dir)
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

// unnamed counts the files among a store's tables that its manifest does not list.
func unnamed(t *testing.T, dir string) (n int) {
	t.Helper()
	l := openStore(t, dir)
	defer l.Close()
	_ = l.View(t.Context(), func(kv.Tx) error { return nil })
	named := map[string]bool{disk.ManifestName: true, disk.ManifestCopy: true}
	if tables, err := l.openedTables(); err == nil {
		for _, run := range tables.List() {
			for _, i := range run {
				named[i.Name()], named[sst.KeysName(i.ID)] = true, true
			}
		}
	}
	names, _ := os.ReadDir(filepath.Join(dir, disk.TablesName))
	for _, name := range names {
		if !named[name.Name()] {
			n++
		}
	}
	return n
}
