package commands

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"techo/internal/testenv"
)

// TestForbiddenFirst checks that a path outside the roots is forbidden, whatever
// else is wrong with the input.
func TestForbiddenFirst(t *testing.T) {
	w := newWorld(t)
	root := filepath.Join(w.dir, "root")
	if err := os.Mkdir(root, 0o755); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{
		{"fs", "read", "x", "--limit", "0", "--colour", "red"},
		{"fs", "edit", "x"},
		{"fs", "edit", "x", "", ""},
		{"fs", "edit", "--batch", `[{"path":"root/missing","old_string":"a","new_string":"b"},{"path":"x"}]`},
		{"fs", "write", "x"},
		{"fs", "undo", "x", "y"},
		{"grep", "(", "x", "--max-results", "0"},
		{"fs", "glob", "*", "x", "--limit", "-1"},
		{"call", "edit_file", `{"path":"x","old_string":5}`},
		{"call", "edit_file", `{"batch":[{"path":"root/missing","old_string":"a","new_string":"b"},` +
			`{"path":"x","old_string":"a","new_string":"b"}]}`},
	} {
		if a := w.feed("", append(args, "--root", root)...); a.code != 4 ||
			!strings.HasPrefix(a.out, `{"error":{"code":"forbidden"`) {
			t.Errorf("%q: %d %s", args, a.code, a.out)
		}
	}
	w.noStore()
}

// TestRoots runs the commands that read or write a file or a folder of their input with roots:
// what is outside is refused, also behind a link, and neither read nor written.
func TestRoots(t *testing.T) {
	w := newWorld(t)
	for _, dir := range []string{"in", "out"} {
		if err := os.Mkdir(filepath.Join(w.dir, dir), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	testenv.Symlink(t, filepath.Join(w.dir, "out"), filepath.Join(w.dir, "in", "link"))
	w.run("memo", "add", "inside", "text", "--priority", "3").ok()
	w.run("memory", "add", "a memory").ok()
	w.run("cal", "create", "--title", "x", "--start", "2026-01-05T10:00:00Z").ok()
	for _, line := range []string{"export memos --to in/memos.jsonl", "export memories --to in/memories.jsonl",
		"cal export --to in/cal.ics", "store backup in/backup"} {
		w.run(append(strings.Fields(line), "--root", "in")...).ok()
	}
	if err := os.CopyFS(filepath.Join(w.dir, "out"), os.DirFS(filepath.Join(w.dir, "in"))); err != nil {
		t.Log(err) // the link
	}
	left := testenv.Snapshot(t, filepath.Join(w.dir, "out"), true)
	for _, line := range []string{"import memos FILE/memos.jsonl", "import memories FILE/memories.jsonl",
		"import memories FILE", "cal import FILE/cal.ics", "cal export --to FILE/new.ics", "store backup FILE/new",
		"store restore FILE/backup --force", "export memos --to FILE/new.jsonl", "export memos --to-dir FILE/new",
		"export memories --to FILE/new.jsonl", "export memories --to-dir FILE/new",
		"export memory-files --to-dir FILE/new", "import memory-files FILE", "export calendar --to-dir FILE/new",
		"man --to-dir FILE/new", "store copy FILE/store FILE/other",
		"memory investigate x --to-dir FILE/new"} {
		for _, file := range []string{"out", "in/link", "in/../out", filepath.Join(w.dir, "out")} {
			args := strings.Fields(strings.ReplaceAll(line, "FILE", file))
			for _, ja := range []bool{false, true} {
				more, want := []string{"--root", "in"}, "is outside of the allowed folders"
				if ja {
					more, want = append(more, "--lang", "ja"), "は許可されたフォルダの外です"
				}
				a := w.run(append(args, more...)...)
				if a.code != 4 || !strings.Contains(a.out, want) {
					t.Errorf("%q: %d %s", args, a.code, a.out)
				}
			}
		}
	}
	if now := testenv.Snapshot(t, filepath.Join(w.dir, "out"), true); now != left {
		t.Errorf("the folder outside was changed: %s, before: %s", now, left)
	}
	if a := w.run("store", "copy", w.env["TECHO_STORE"], "in/copy", "--root", w.dir); a.code != 4 ||
		!strings.Contains(a.out, "no folder is copied as a store") {
		t.Errorf("a copy below a root: %d %s", a.code, a.out)
	}
	w.env["TECHO_ROOTS"] = filepath.Join(w.dir, "in")
	if a := w.run("import", "memos", "out/memos.jsonl"); a.code != 4 {
		t.Errorf("with TECHO_ROOTS: %d %s", a.code, a.out)
	}
	for _, line := range []string{"import memos in/memos.jsonl", "import memories in/memories.jsonl",
		"cal import in/cal.ics", "export memos --to-dir in/memos", "export calendar --to-dir in/events"} {
		w.run(strings.Fields(line)...).ok()
	}
}
