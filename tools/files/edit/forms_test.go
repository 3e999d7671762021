package edit

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"golang.org/x/text/unicode/norm"

	"techo/internal/testenv"
	"techo/tools"
	"techo/tools/files/read"
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
		out, err := readFile(t.Context(), env, read.In{Path: norm.NFC.String(nfd), Offset: 1, Limit: 9})
		check(t, err)
		if out.Content != "old text\n" || !out.Normalized || out.Path != nfd {
			t.Errorf("%+v", out)
		}
		out, err = readFile(t.Context(), env, read.In{Path: nfd, Offset: 1, Limit: 9})
		if err != nil || out.Normalized {
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
		put(t, filepath.Join(base, filepath.Dir(nfd), "é"), "a")
		put(t, filepath.Join(base, filepath.Dir(nfd), norm.NFD.String("é")), "b")
		if text, _ := readText(env, filepath.Dir(nfd)+"/é"); text != "a" {
			t.Errorf("the exact name comes first, not %q", text)
		}
		put(t, filepath.Join(base, norm.NFD.String("ǘ1")), "one")
		put(t, filepath.Join(base, "u\u0308\u03011"), "two")
		put(t, filepath.Join(base, "ü\u03011"), "three")
		if _, err := readText(env, "ǘ1"); codeOf(err) != tools.NotFound {
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
	if text, err := readText(env, "é"); err == nil {
		t.Errorf("%q", text)
	}
}
