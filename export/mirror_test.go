package export

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"techo/internal/confine"
	"techo/internal/testenv"
)

// bring updates a folder with texts by their ids.
func bring(t *testing.T, ctx context.Context, dir string, texts map[string]string) (Mirrored, error) {
	t.Helper()
	root, err := openRoot(confine.Place{Path: dir})
	if err != nil {
		t.Fatal(err)
	}
	m, err := openMirror(ctx, root, source{})
	if err != nil {
		t.Fatal(err)
	}
	defer m.close()
	for i := range 20 {
		id := fmt.Sprint("d", i)
		if text, ok := texts[id]; ok {
			if err := m.add(Document{ID: id, Caption: "caption of " + id, Created: "now", Text: text}); err != nil {
				return m.done, err
			}
		}
	}
	return m.done, m.finish(ctx, "Index")
}

// same checks that the folder holds the texts, the foreign files, and nothing
// else.
func same(t *testing.T, dir string, texts map[string]string, foreign ...string) {
	t.Helper()
	names, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	if want := len(texts) + 2 + len(foreign); len(names) != want {
		t.Errorf("%d files, want %d: %v", len(names), want, names)
	}
	index, err := os.ReadFile(filepath.Join(dir, indexName))
	if err != nil || strings.Count(string(index), "\n- [") != len(texts) {
		t.Errorf("%v, index:\n%s", err, index)
	}
	for id, text := range texts {
		got, err := os.ReadFile(filepath.Join(dir, id+".md"))
		if err != nil || !strings.HasSuffix(string(got), text) {
			t.Errorf("%s: %v %q, want %q", id, err, got, text)
		}
	}
}

// TestMirror changes texts at random, interrupts runs, leaves the leftovers of
// killed runs, and compares the folder with the texts.
func TestMirror(t *testing.T) {
	r := testenv.Random(t)
	dir := filepath.Join(t.TempDir(), "deep", "folder")
	texts := map[string]string{}
	for range 60 {
		changed := map[string]bool{}
		for range r.IntN(6) {
			id := fmt.Sprint("d", r.IntN(20))
			changed[id] = true
			if r.IntN(3) == 0 {
				delete(texts, id)
			} else {
				texts[id] = fmt.Sprint("text ", r.Uint64())
			}
		}
		if r.IntN(3) == 0 { // interrupted
			ctx, stop := context.WithCancel(t.Context())
			time.AfterFunc(time.Duration(r.IntN(3))*time.Millisecond, stop)
			root, err := openRoot(confine.Place{Path: dir})
			if err != nil {
				t.Fatal(err)
			}
			if m, err := openMirror(ctx, root, source{}); err == nil {
				_ = m.add(Document{ID: "d1", Caption: "c", Created: "now", Text: "half"})
				<-ctx.Done()
				if m.finish(ctx, "Index") == nil {
					t.Error("an interrupted run says that it is done")
				}
				m.close()
			}
			stop()
		}
		if r.IntN(4) == 0 { // killed
			left := filepath.Join(dir, stagePrefix+"9-0"+stageSuffix)
			if err := os.MkdirAll(left, 0o700); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(filepath.Join(left, "d3.md"), []byte("half"), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		if _, err := bring(t, t.Context(), dir, texts); err != nil {
			t.Fatal(err)
		}
		same(t, dir, texts)
	}
	before, _ := os.Stat(filepath.Join(dir, indexName))
	again, err := bring(t, t.Context(), dir, texts)
	after, _ := os.Stat(filepath.Join(dir, indexName))
	if err != nil || again.Written != 0 || again.Removed != 0 || again.Unchanged != len(texts) ||
		!after.ModTime().Equal(before.ModTime()) {
		t.Errorf("nothing changed: %+v, %v", again, err)
	}
}

// TestMirrorForeign leaves files of others alone, also in the place of its own
// files.
func TestMirrorForeign(t *testing.T) {
	dir := t.TempDir()
	if _, err := bring(t, t.Context(), dir, map[string]string{"d1": "one", "d2": "two", "d3": "three"}); err != nil {
		t.Fatal(err)
	}
	write := func(name, text string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("mine.md", "mine")
	write("d1.md", "changed by somebody")
	write("d2.md", "changed by somebody")
	foreign := new(ForeignError)
	if _, err := bring(t, t.Context(), dir, map[string]string{"d1": "one"}); !errors.As(err, &foreign) ||
		foreign.Name != "d1.md" || !foreign.Changed {
		t.Errorf("a changed file: %v", err)
	}
	if text, err := os.ReadFile(filepath.Join(dir, "d1.md")); err != nil || string(text) != "changed by somebody" {
		t.Errorf("%q, %v", text, err)
	}
	if err := os.Remove(filepath.Join(dir, "d1.md")); err != nil {
		t.Fatal(err)
	}
	done, err := bring(t, t.Context(), dir, map[string]string{"d1": "one"}) // d2 and d3 are gone
	if err != nil || done.Written != 1 || done.Removed != 1 {
		t.Errorf("%+v, %v", done, err)
	}
	if text, err := os.ReadFile(filepath.Join(dir, "d2.md")); err != nil || string(text) != "changed by somebody" {
		t.Errorf("%q, %v", text, err)
	}
	same(t, dir, map[string]string{"d1": "one"}, "mine.md", "d2.md")
	// A manifest that lies about names names no file.
	write(manifestName, "00 1 1 ../outside\n00 1 1 /etc/passwd\n00 x\nfoo\n")
	if _, err := bring(t, t.Context(), dir, map[string]string{"d1": "one"}); err != nil {
		t.Fatal(err)
	}
}

// TestMirrorInterrupted accepts its own file when the manifest is one run ahead,
// as after a run that ended before it moved the file.
func TestMirrorInterrupted(t *testing.T) {
	dir := t.TempDir()
	if _, err := bring(t, t.Context(), dir, map[string]string{"d1": "one"}); err != nil {
		t.Fatal(err)
	}
	old, err := os.ReadFile(filepath.Join(dir, "d1.md"))
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{"two", "three"} {
		if _, err := bring(t, t.Context(), dir, map[string]string{"d1": text}); err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		if text == "two" { // the manifest came, the file did not
			if err := os.WriteFile(filepath.Join(dir, "d1.md"), old, 0o600); err != nil {
				t.Fatal(err)
			}
		}
	}
	same(t, dir, map[string]string{"d1": "three"})
}

// TestMirrorLinks plants links in the place of files. Links in the place of
// documents are refused, links with techo's own names are replaced, and no target
// is written.
func TestMirrorLinks(t *testing.T) {
	base := t.TempDir()
	dir, outside := filepath.Join(base, "dir"), filepath.Join(base, "outside")
	for _, d := range []string{dir, outside} {
		if err := os.Mkdir(d, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	target := filepath.Join(outside, "file")
	if err := os.WriteFile(target, []byte("precious"), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, to := range map[string]string{manifestName: target, indexName: target, "d1.md": target, "d2.md": "d1.md",
		stagePrefix + "1-0" + stageSuffix: outside} {
		testenv.Symlink(t, to, filepath.Join(dir, name))
	}
	texts := map[string]string{"d1": "one", "d2": "two"}
	for _, name := range []string{"d1.md", "d2.md", indexName} {
		foreign := new(ForeignError)
		if _, err := bring(t, t.Context(), dir, texts); !errors.As(err, &foreign) {
			t.Errorf("%s: %v", name, err)
		}
		if err := os.Remove(filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	for range 2 {
		if _, err := bring(t, t.Context(), dir, texts); err != nil {
			t.Fatal(err)
		}
		same(t, dir, texts)
	}
	names, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, n := range names {
		if !n.Type().IsRegular() {
			t.Errorf("%s is still a link", n.Name())
		}
	}
	left, err := os.ReadDir(outside)
	if b, e := os.ReadFile(target); err != nil || e != nil || string(b) != "precious" || len(left) != 1 {
		t.Errorf("outside: %q %v %v %v", b, left, err, e)
	}
}
