package files

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"golang.org/x/text/unicode/norm"

	"techo/internal/testenv"
	"techo/tools"
)

// TestPathForms reads and edits files by paths in the other Unicode form.
func TestPathForms(t *testing.T) {
	for _, roots := range []bool{false, true} {
		base := t.TempDir()
		env := testEnv(base)
		if roots {
			env = confined(t, base, base)
		}
		nfd := norm.NFD.String("がぎ/café.txt")
		check(t, os.MkdirAll(filepath.Join(base, filepath.Dir(nfd)), 0o755))
		put(t, filepath.Join(base, nfd), "old text\n")
		if _, err := os.Lstat(filepath.Join(base, norm.NFC.String(nfd))); err == nil {
			testenv.Missing(t, "a file system that distinguishes NFC and NFD")
		}
		out, err := readFile(t.Context(), env, ReadIn{Path: norm.NFC.String(nfd), Offset: 1, Limit: 9})
		check(t, err)
		if out.Content != "old text\n" || !out.Normalized || out.Path != nfd {
			t.Errorf("%+v", out)
		}
		if out, err = readFile(t.Context(), env, ReadIn{Path: nfd, Offset: 1, Limit: 9}); err != nil || out.Normalized {
			t.Errorf("%+v, %v", out, err)
		}
		edited, err := edit(env, replace(norm.NFC.String(nfd), "old", "new"))
		check(t, err)
		if edited.Path != nfd || !slices.Equal(edited.Normalized, []string{"path"}) || len(edited.Notes) == 0 {
			t.Errorf("%+v", edited)
		}
		_, err = insertText(context.Background(), env, InsertIn{Path: norm.NFC.String(nfd), Line: -1, NewText: "x"})
		check(t, err)
		if got, _ := os.ReadFile(filepath.Join(base, nfd)); string(got) != "new text\nx\n" {
			t.Errorf("%q", got)
		}
		_, err = writeFile(t.Context(), env, WriteIn{Path: filepath.Dir(nfd) + "/é", Content: "a"})
		check(t, err)
		other := filepath.Dir(nfd) + "/" + norm.NFD.String("é")
		_, err = writeFile(t.Context(), env, WriteIn{Path: other, Content: "b"})
		check(t, err)
		if text, _ := readWhole(env, filepath.Dir(nfd)+"/é"); text != "a" {
			t.Errorf("the exact name comes first, not %q", text)
		}
		put(t, filepath.Join(base, norm.NFD.String("ǘ1")), "one")
		put(t, filepath.Join(base, "u\u0308\u03011"), "two")
		put(t, filepath.Join(base, "ü\u03011"), "three")
		if _, err := readWhole(env, "ǘ1"); codeOf(err) != tools.NotFound {
			t.Errorf("one of several files: %v", err)
		}
	}
}

// TestPathFormsConfined follows no link in the other form out of the roots.
func TestPathFormsConfined(t *testing.T) {
	base := t.TempDir()
	in := filepath.Join(base, "in")
	check(t, os.Mkdir(in, 0o755))
	put(t, filepath.Join(base, "secret"), "secret")
	link(t, filepath.Join(base, "secret"), filepath.Join(in, norm.NFD.String("é")))
	env := confined(t, in, in)
	if text, err := readWhole(env, "é"); err == nil {
		t.Errorf("%q", text)
	}
}

// TestNameCursors lists all names in pages, by path and by time.
func TestNameCursors(t *testing.T) {
	dir := t.TempDir()
	env := testEnv(dir)
	want := []string{"a-b", "a/1", "a/2", "a/sub/x", "a.txt", "b", "z"}
	now := time.Now().Truncate(time.Second)
	for i, name := range want {
		check(t, os.MkdirAll(filepath.Join(dir, filepath.Dir(name)), 0o755))
		put(t, filepath.Join(dir, name), "text")
		at := now.Add(-time.Duration(i/2) * time.Minute) // pairs have the same time
		check(t, os.Chtimes(filepath.Join(dir, name), at, at))
	}
	for _, sort := range []string{"path", "modified"} {
		whole, err := findFiles(t.Context(), env, GlobIn{Pattern: "**", Path: ".", Limit: 100, Sort: sort})
		check(t, err)
		for limit := 1; limit < 9; limit++ {
			var got []string
			in := GlobIn{Pattern: "**", Path: ".", Limit: limit, Sort: sort}
			for range 10 {
				out, err := findFiles(t.Context(), env, in)
				check(t, err)
				if out.Total != len(want) || out.Truncated != (out.Next != "") {
					t.Fatalf("%+v", out)
				}
				got = append(got, out.Paths...)
				if in.Cursor = out.Next; in.Cursor == "" {
					break
				}
			}
			if !slices.Equal(got, whole.Paths) || len(got) != len(want) {
				t.Errorf("by %s, %d at a time: %q, want %q", sort, limit, got, whole.Paths)
			}
		}
	}
	all, err := listFiles(t.Context(), env, ListIn{Path: ".", Depth: 9, Limit: 100})
	check(t, err)
	var got []Listed
	in := ListIn{Path: ".", Depth: 9, Limit: 2}
	for range 10 {
		out, err := listFiles(t.Context(), env, in)
		check(t, err)
		got = append(got, out.Entries...)
		if in.Cursor = out.Next; in.Cursor == "" {
			break
		}
	}
	if !slices.Equal(got, all.Entries) || len(got) != 9 {
		t.Errorf("%v, want %v", got, all.Entries)
	}
	if _, err := findFiles(t.Context(), env, GlobIn{Pattern: "**", Path: ".", Limit: 1, Cursor: "x"}); err == nil {
		t.Error("an invalid cursor of glob")
	}
	if _, err := listFiles(t.Context(), env, ListIn{Path: ".", Depth: 1, Limit: 1, Cursor: "x:y"}); err == nil {
		t.Error("an invalid cursor of list")
	}
}
