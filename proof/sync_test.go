package proof

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
)

// TestKillSync syncs two stores through one folder, with several processes at once on each, which are
// killed at random moments. Nothing is lost or there twice, and both stores export the same.
func TestKillSync(t *testing.T) {
	k := newKilling(t)
	dir := t.TempDir()
	stores := []string{filepath.Join(dir, "laptop"), filepath.Join(dir, "desktop")}
	place := filepath.Join(dir, "place")
	if err := os.Mkdir(place, 0o700); err != nil {
		t.Fatal(err)
	}
	key, _ := mustTecho(t, stores[0], "sync", "init", place, "--name", "laptop").Doc["key"].(string)
	join := command(t.Context(), stores[1], "sync", "join", place, "--name", "desktop")
	join.Stdin = strings.NewReader(key)
	if a := collect(join); a.Code != 0 {
		t.Fatal(a)
	}
	k.record(mustTecho(t, stores[0], "sync").Took)
	texts := map[string]bool{}
	k.rounds(t, 24, 400, func(n int) {
		var all sync.WaitGroup
		for i, store := range stores {
			text := fmt.Sprintf("fact %d of machine %d", n, i)
			k.afterIn(t, store, "memory", "add", text)
			texts[text] = true
			for range 2 {
				all.Go(func() { collect(command(t.Context(), store, "sync")) })
			}
		}
		k.strike(t, command(t.Context(), stores[n%2], "sync"))
		all.Wait()
		if n%8 == 7 { // a change of one record on both
			for i, store := range stores {
				_ = techo(t, store, "memo", "add", "plan", fmt.Sprint("made on ", i, " in round ", n), "--priority", "3")
				k.afterIn(t, store, "memo", "edit", "plan", "--content", fmt.Sprint("of ", i, " in round ", n))
			}
		}
	})
	var exports [2][]byte
	for range 2 {
		for i, store := range stores {
			k.afterIn(t, store, "sync")
			exports[i] = nil
			for _, what := range []string{"memories", "memos"} {
				file := store + "." + what
				k.afterIn(t, store, "export", what, "--to", file)
				content, err := os.ReadFile(file)
				if err != nil {
					t.Fatal(err)
				}
				exports[i] = append(exports[i], content...)
			}
		}
	}
	if !slices.Equal(sortedLines(exports[0]), sortedLines(exports[1])) {
		t.Errorf("they differ:\n%s\n\n%s", exports[0], exports[1])
	}
	for text := range texts {
		if n := bytes.Count(exports[0], []byte(fmt.Sprintf(`"full_text":%q`, text))); n != 1 {
			t.Errorf("%q is there %d times", text, n)
		}
	}
	for _, store := range stores {
		k.afterIn(t, store, "store", "verify")
	}
}

// sortedLines returns the lines of an export, sorted: memories of the same millisecond are in the order
// in which they came to a machine.
func sortedLines(export []byte) []string { return slices.Sorted(strings.Lines(string(export))) }
