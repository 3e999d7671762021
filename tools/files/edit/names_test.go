package edit

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"techo/internal/testenv"
	"techo/tools"
	"techo/tools/files/filestest"
	"techo/tools/files/search"
)

// TestUnusualNames finds, reads, edits, undoes, moves and removes files whose names are
// not UTF-8 or contain control characters, by the paths that results show.
func TestUnusualNames(t *testing.T) {
	base := t.TempDir()
	dir := filepath.Join(base, "d\xffr")
	if err := os.Mkdir(dir, 0o755); err != nil {
		testenv.Missing(t, "a file system with names that are not UTF-8")
	}
	files := map[string]string{"bad\xff\xfename.txt": "", "new\nline.txt": "", "tab\t\x1b[31m.txt": "",
		"\"quoted\".txt": "", "plain.txt": "", "日本.txt": ""}
	for name := range files {
		put(t, filepath.Join(dir, name), "hello\n")
	}
	env := withStore(t, base)
	ctx := t.Context()
	found, err := filestest.Call[search.GrepOut](ctx, search.Grep, env,
		search.GrepIn{Pattern: "hello", Path: ".", Limit: 50})
	check(t, err)
	listed, err := filestest.Call[search.ListOut](ctx, search.List, env, search.ListIn{Path: ".", Depth: 3, Limit: 50})
	check(t, err)
	named, err := filestest.Call[search.GlobOut](ctx, search.Glob, env,
		search.GlobIn{Pattern: "**/*.txt", Path: ".", Limit: 50})
	check(t, err)
	if found.Count != len(files) || listed.Files != len(files) || len(named.Paths) != len(files) {
		t.Fatalf("%d, %d and %d files", found.Count, listed.Files, len(named.Paths))
	}
	for _, text := range []string{found.Text(env), named.Text(env)} {
		if n := strings.Count(text, "\n") + 1; n != len(files) || strings.Contains(text, "\x1b") {
			t.Errorf("%d lines: %q", n, text)
		}
	}
	for i, m := range found.Matches {
		if !slices.Contains(named.Paths, m.Path) ||
			!slices.ContainsFunc(listed.Entries, func(e search.Listed) bool { return e.Path == m.Path }) {
			t.Errorf("%q is not in the other results: %q", m.Path, named.Paths)
		}
		sent, _ := json.Marshal(m.Path) // as a client gets it and sends it back
		var path string
		check(t, json.Unmarshal(sent, &path))
		useUnusual(t, env, path, fmt.Sprint("moved", i))
	}
	if left := filestest.Names(t, dir); len(left) > 0 {
		t.Errorf("left: %q", left)
	}
}

// useUnusual reads, edits, undoes, moves and removes a file.
func useUnusual(t *testing.T, env *tools.Env, path, to string) {
	t.Helper()
	text, err := readText(env, path)
	if check(t, err); text != "hello\n" {
		t.Errorf("%q: %q", path, text)
	}
	_, err = edit(env, replace(path, "hello", "bye"))
	check(t, err)
	_, err = undoEdit(t.Context(), env, UndoIn{Path: path})
	check(t, err)
	if again, _ := readText(env, path); again != text {
		t.Errorf("%q: undo left %q", path, again)
	}
	_, err = moveFile(t.Context(), env, MoveIn{From: path, To: to})
	check(t, err)
	_, err = undoEdit(t.Context(), env, UndoIn{Path: to})
	check(t, err)
	if _, err = removeFile(t.Context(), env, RemoveIn{Path: path}); err != nil {
		t.Errorf("%q: %v", path, err)
	}
}
