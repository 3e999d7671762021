//go:build unix

package edit

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
	"techo/tools/files/filestest"
)

// TestKilledInPlace kills a process that writes in place. Undo always leads back to a
// whole content.
func TestKilledInPlace(t *testing.T) {
	filestest.Once(t)
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
		filestest.Linked(t, path, contents[0])
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
