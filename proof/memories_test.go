package proof

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"techo/internal/testenv"
)

func (k *killing) count(t *testing.T, field string, args ...string) int {
	t.Helper()
	n, ok := mustTecho(t, k.store, args...).Doc[field].(float64)
	if !ok {
		t.Fatalf("%q: no number %s", args, field)
	}
	return int(n)
}

// TestKillImport kills imports of several batches. A killed import leaves complete
// batches; running it again imports the rest, and nothing twice.
func TestKillImport(t *testing.T) {
	const together = 2_048 // lines of one transaction
	lines := testenv.Pick(8_000, 70_000)
	k := newKilling(t)
	file := filepath.Join(t.TempDir(), "memories.jsonl")
	var b bytes.Buffer
	for i := range lines {
		fmt.Fprintf(&b, "{\"full_text\":\"Fact %d of the garden, bed %d.\",\"session\":\"s%d\"}\n", i, i%97, i/40)
	}
	if err := os.WriteFile(file, b.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	first := k.store
	k.rounds(t, 3, 60, func(n int) {
		if n%4 == 0 {
			k.store = fmt.Sprint(first, n) // otherwise the import continues in the same store
			began := time.Now()
			if k.usual == 0 {
				mustTecho(t, fmt.Sprint(first, "-usual"), "import", "memories", file)
				k.usual = time.Since(began)
			}
		}
		k.strike(t, command(t.Context(), k.store, "import", "memories", file))
		there := k.count(t, "total", "memory", "list")
		if there%together != 0 && there != lines {
			t.Errorf("%d memories are not a whole number of batches", there)
		}
		if n%4 != 3 {
			return
		}
		a := mustTecho(t, k.store, "import", "memories", file).Doc
		if a["imported"] != float64(lines-there) || a["existing"] != float64(there) || a["skipped"] != float64(0) {
			t.Errorf("after %d: %v", there, a)
		}
		if got := k.count(t, "existing", "import", "memories", file); got != lines {
			t.Errorf("%d of %d lines are there", got, lines)
		}
		if got := k.count(t, "total", "memory", "list"); got != lines {
			t.Errorf("%d memories of %d lines", got, lines)
		}
		mustTecho(t, k.store, "store", "verify")
	})
	mustTecho(t, k.store, "import", "memories", file)
	if got := k.count(t, "total", "memory", "list"); got != lines {
		t.Errorf("%d memories of %d lines", got, lines)
	}
	mustTecho(t, k.store, "store", "verify")
}

// TestKillExport kills exports into one folder while memories change. Each file is
// always complete, with its old or new content, and the next complete run updates
// all files.
func TestKillExport(t *testing.T) {
	const memories = 1000
	k := newKilling(t)
	dir := t.TempDir()
	file, folder := filepath.Join(dir, "memories.jsonl"), filepath.Join(dir, "folder")
	var b bytes.Buffer
	for i := range memories {
		fmt.Fprintf(&b, "{\"id\":\"mem_%d\",\"full_text\":\"Fact %d. %s the end\"}\n", i, i,
			strings.Repeat("blah ", k.random.IntN(3000)))
	}
	if err := os.WriteFile(file, b.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	mustTecho(t, k.store, "import", "memories", file, "--user", "tanaka")
	export := []string{"export", "memories", "--user", "tanaka", "--to-dir"}
	whole := map[string][]string{} // contents that a file may have
	reference := func() {
		now := filepath.Join(dir, "now")
		began := time.Now()
		mustTecho(t, k.store, append(export, now)...)
		k.record(time.Since(began))
		for name, text := range contents(t, now) {
			whole[name] = append(whole[name], text)
		}
		if err := os.RemoveAll(now); err != nil {
			t.Fatal(err)
		}
	}
	reference()
	k.rounds(t, 12, 300, func(n int) {
		if n%4 == 0 {
			k.editMemories(t, n, memories)
			reference()
			if n > 0 && n%8 == 0 {
				if err := os.RemoveAll(folder); err != nil {
					t.Fatal(err)
				}
			}
		}
		k.strike(t, command(t.Context(), k.store, append(export, folder)...))
		for name, text := range contents(t, folder) {
			if !slices.Contains(whole[name], text) {
				t.Errorf("%s is not whole: %.100q", name, text)
			}
		}
	})
	mustTecho(t, k.store, append(export, folder)...)
	got := contents(t, folder)
	if len(got) != len(whole) {
		t.Errorf("%d files, want %d", len(got), len(whole))
	}
	for name, texts := range whole {
		if got[name] != texts[len(texts)-1] {
			t.Errorf("%s is not as the memory is now", name)
		}
	}
	if left, _ := filepath.Glob(filepath.Join(folder, ".techo-export-*")); len(left) > 0 {
		t.Errorf("left behind: %q", left)
	}
}

// editMemories gives twenty of the memories a new text.
func (k *killing) editMemories(t *testing.T, n, memories int) {
	t.Helper()
	var edits strings.Builder
	for range 20 {
		id := fmt.Sprint("mem_", k.random.IntN(memories))
		edits.WriteString(batchLine("edit_memory",
			map[string]any{"id": id, "full_text": fmt.Sprint("Changed ", n, " ", id, " the end")}))
	}
	c := command(t.Context(), k.store, "call", "--batch", "--user", "tanaka")
	c.Stdin = strings.NewReader(edits.String())
	if a := collect(c); a.Code != 0 || strings.Contains(string(a.Out), `"error"`) {
		t.Fatal(a)
	}
}

// contents reads the files of a folder except hidden ones.
func contents(t *testing.T, dir string) map[string]string {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(dir, "[^.]*"))
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]string{}
	for _, name := range names {
		b, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		all[filepath.Base(name)] = string(b)
	}
	return all
}
