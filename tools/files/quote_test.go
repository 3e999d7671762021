package files

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"techo/internal/testenv"
)

// TestQuotedPaths converts random paths and back.
func TestQuotedPaths(t *testing.T) {
	r := testenv.Random(t)
	parts := []string{"a", "日", "\xff", "\xe9", "\n", "\t", "\"", "\\", " ", "/", "\x1b", "\x7f", "'", "1"}
	for range 2000 {
		var b strings.Builder
		for range 1 + r.IntN(8) {
			b.WriteString(parts[r.IntN(len(parts))])
		}
		path := b.String()
		if shown := showPath(path); plainPath(shown) != path {
			t.Errorf("%q is shown as %q, which is %q", path, shown, plainPath(shown))
		}
		line := linePath(showPath(path))
		if plainPath(line) != path && line != path || strings.ContainsAny(line, "\n\x1b") {
			t.Errorf("%q is shown as the line %q, which is %q", path, line, plainPath(line))
		}
	}
	for _, path := range []string{`"x"`, `"`, `""`, `"x`, `"a\qb"`} {
		if plainPath(path) != path {
			t.Errorf("%q is taken for %q", path, plainPath(path))
		}
	}
}

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
	found, err := grep(ctx, env, GrepIn{Pattern: "hello", Path: ".", Limit: 50})
	check(t, err)
	listed, err := listFiles(ctx, env, ListIn{Path: ".", Depth: 3, Limit: 50})
	check(t, err)
	named, err := findFiles(ctx, env, GlobIn{Pattern: "**/*.txt", Path: ".", Limit: 50})
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
			!slices.ContainsFunc(listed.Entries, func(e Listed) bool { return e.Path == m.Path }) {
			t.Errorf("%q is not in the other results: %q", m.Path, named.Paths)
		}
		sent, _ := json.Marshal(m.Path) // as a client gets it and sends it back
		var path string
		check(t, json.Unmarshal(sent, &path))
		text, err := readWhole(env, path)
		if check(t, err); text != "hello\n" {
			t.Errorf("%q: %q", path, text)
		}
		_, err = edit(env, replace(path, "hello", "bye"))
		check(t, err)
		_, err = undoEdit(ctx, env, UndoIn{Path: path})
		check(t, err)
		if again, _ := readWhole(env, path); again != text {
			t.Errorf("%q: undo left %q", path, again)
		}
		to := fmt.Sprint("moved", i)
		_, err = moveFile(ctx, env, MoveIn{From: path, To: to})
		check(t, err)
		_, err = undoEdit(ctx, env, UndoIn{Path: to})
		check(t, err)
		if _, err = removeFile(ctx, env, RemoveIn{Path: path}); err != nil {
			t.Errorf("%q: %v", path, err)
		}
	}
	if left := names(t, dir); len(left) > 0 {
		t.Errorf("left: %q", left)
	}
}

// TestUnusualCursor continues behind a file whose name is not UTF-8.
func TestUnusualCursor(t *testing.T) {
	dir := t.TempDir()
	if os.WriteFile(filepath.Join(dir, "b\xff"), bytes.Repeat([]byte("x\n"), 3), 0o644) != nil {
		testenv.Missing(t, "a file system with names that are not UTF-8")
	}
	put(t, filepath.Join(dir, "c"), "x\n")
	var lines []int
	in := GrepIn{Pattern: "x", Path: ".", Limit: 1}
	for range 6 {
		out := searchFor(t, dir, in)
		for _, m := range out.Matches {
			lines = append(lines, m.Line)
		}
		if in.Cursor = out.NextCursor; in.Cursor == "" {
			break
		}
	}
	if !slices.Equal(lines, []int{1, 2, 3, 1}) {
		t.Errorf("%v", lines)
	}
}
