package search

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"
)

// TestGlobForms checks that patterns and names in composed and decomposed form
// (NFC, NFD) find each other, and that the result reports it.
func TestGlobForms(t *testing.T) {
	dir := putFiles(t, map[string]string{"cafe\u0301/re\u0301sume\u0301.txt": "", "caf\u00e9.txt": "", "b.txt": ""})
	for _, test := range []struct {
		pattern string
		want    string
		other   int
	}{
		{"**/r\u00e9sum\u00e9.*", "[cafe\u0301/re\u0301sume\u0301.txt]", 1},
		{"caf\u00e9/*.txt", "[cafe\u0301/re\u0301sume\u0301.txt]", 1},
		{"*/r\u00e9*", "[cafe\u0301/re\u0301sume\u0301.txt]", 1},
		{"cafe\u0301.txt", "[caf\u00e9.txt]", 1},
		{"caf\u00e9.txt", "[caf\u00e9.txt]", 0},
		{"b.*", "[b.txt]", 0},
	} {
		in := GlobIn{Pattern: test.pattern, Path: ".", Limit: 10, Sort: "path"}
		out, err := findFiles(t.Context(), testEnv(dir), in)
		check(t, err)
		if got := fmt.Sprint(out.Paths); got != test.want || out.Normalized != test.other {
			t.Errorf("%+q: %+q, %d in the other form", test.pattern, got, out.Normalized)
		}
	}
	out := searchFor(t, dir,
		GrepIn{Pattern: "x", Path: ".", Include: "r\u00e9sum\u00e9.txt", FilesWithout: true, Limit: 10})
	if len(out.Paths) != 1 {
		t.Errorf("include: %+q", out.Paths)
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
