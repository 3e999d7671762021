//go:build unix

package files

import (
	"context"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"techo/store"
	"techo/tools"
)

// linked makes a file with two names, which is written in place.
func linked(t *testing.T, path, text string) {
	t.Helper()
	put(t, path, text)
	check(t, os.Link(path, path+".other"))
}

// TestCopyKept undoes a write in place that was killed halfway, with the copy beside the
// file or in the store.
func TestCopyKept(t *testing.T) {
	for _, beside := range []bool{true, false} {
		dir, kept := t.TempDir(), filepath.Join(t.TempDir(), "store")
		env := addStore(t, freeEnv(dir)) // with roots, a file with two names is refused
		check(t, os.MkdirAll(kept, 0o700))
		env.Where = func() (string, error) { return kept, nil }
		path := filepath.Join(dir, "f")
		linked(t, path, "the old content")
		out, err := writeFile(t.Context(), env, WriteIn{Path: "f", Content: "another text"})
		check(t, err)
		if len(out.Notes) != 1 || !slices.Equal(names(t, dir), []string{"f", "f.other"}) {
			t.Fatalf("%+v, files %q", out, names(t, dir))
		}
		f, err := openFile(t.Context(), env, "f", false)
		check(t, err)
		defer f.close()
		content := []byte("the old content")
		if beside {
			_, err = keepCopy(env, f, content)
			check(t, err)
		} else {
			k, err := copyInStore(env, f, hashOf(content), true)
			check(t, err)
			check(t, k.dir.WriteFile(k.name, content, 0o600))
		}
		check(t, os.WriteFile(path, []byte("another content"), 0o644)) // half of it
		_, err = undoEdit(t.Context(), env, UndoIn{})
		check(t, err)
		if got, _ := os.ReadFile(path + ".other"); string(got) != string(content) {
			t.Errorf("beside %v: %q", beside, got)
		}
		if !slices.Equal(names(t, dir), []string{"f", "f.other"}) {
			t.Errorf("beside %v: files %q", beside, names(t, dir))
		}
		if !beside && len(names(t, filepath.Join(kept, copiesFolder))) > 0 {
			t.Error("the copy in the store was not removed")
		}
	}
}

// TestCopyWrong does not use a copy with another content.
func TestCopyWrong(t *testing.T) {
	dir := t.TempDir()
	env := addStore(t, freeEnv(dir))
	path := filepath.Join(dir, "f")
	linked(t, path, "the old content")
	_, err := writeFile(t.Context(), env, WriteIn{Path: "f", Content: "new"})
	check(t, err)
	put(t, path, "by hand")
	put(t, filepath.Join(dir, copyName("f", hashOf([]byte("the old content")))), "planted")
	if _, err := undoEdit(t.Context(), env, UndoIn{}); codeOf(err) != tools.Conflict {
		t.Error(err)
	}
	if got, _ := os.ReadFile(path); string(got) != "by hand" {
		t.Errorf("%q", got)
	}
}

// TestKilledInPlace kills a process that writes in place. Undo always leads back to a
// whole content.
func TestKilledInPlace(t *testing.T) {
	contents := []string{strings.Repeat("a line of the one\n", 200_000), strings.Repeat("another line\n", 300_000)}
	openIn := func(dir string) *tools.Env {
		env := freeEnv(dir)
		st, err := store.Open(filepath.Join(dir, "store"), store.Options{Write: true, Now: time.Now})
		check(t, err)
		t.Cleanup(func() { st.Close() })
		env.Open = func(context.Context, bool) (*store.Store, error) { return st, nil }
		return env
	}
	if dir := os.Getenv("TECHO_TEST_WRITES"); dir != "" {
		env := openIn(dir)
		for i := 1; ; i++ {
			_, err := writeFile(t.Context(), env, WriteIn{Path: "f", Content: contents[i%2]})
			check(t, err)
			os.Stderr.WriteString(".")
		}
	}
	for range 12 {
		dir := t.TempDir()
		path := filepath.Join(dir, "f")
		linked(t, path, contents[0])
		c := exec.Command(os.Args[0], "-test.run=^TestKilledInPlace$")
		c.Env = append(os.Environ(), "TECHO_TEST_WRITES="+dir)
		stderr, err := c.StderrPipe()
		check(t, err)
		check(t, c.Start())
		_, err = io.ReadFull(stderr, make([]byte, 1+rand.IntN(2)))
		check(t, err)
		time.Sleep(time.Duration(rand.IntN(60_000)) * time.Microsecond)
		check(t, c.Process.Kill())
		_ = c.Wait()
		got, err := os.ReadFile(path)
		check(t, err)
		if slices.Contains(contents, string(got)) {
			continue
		}
		t.Log("torn")
		_, err = undoEdit(t.Context(), openIn(dir), UndoIn{Path: "f"})
		check(t, err)
		if got, _ := os.ReadFile(path); !slices.Contains(contents, string(got)) {
			t.Fatalf("%d bytes, neither the one nor the other", len(got))
		}
	}
}
