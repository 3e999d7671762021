package export

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"techo/internal/confine"
	"techo/internal/testenv"
	"techo/store/memfile"
)

// bringFiles updates a folder with memory files by their names below /memories.
func bringFiles(ctx context.Context, dir string, files map[string]string) (Mirrored, error) {
	var all []memfile.File
	for _, name := range slices.Sorted(maps.Keys(files)) {
		all = append(all, memfile.File{Path: "/memories/" + name, Text: files[name]})
	}
	return mirrorFiles(ctx, confine.Place{Path: dir}, source{memoryFilesKind, "s", "u"}, all)
}

// readFiles returns the files of a folder by name, without the manifest. An empty folder has the name
// of the folder and a slash.
func readFiles(t *testing.T, dir string) map[string]string {
	t.Helper()
	all := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		name, _ := filepath.Rel(dir, path)
		if err != nil || name == manifestName {
			return err
		}
		if d.IsDir() {
			if in, _ := os.ReadDir(path); len(in) == 0 && name != "." {
				all[name+"/"] = ""
			}
			return nil
		}
		b, err := os.ReadFile(path)
		all[name] = string(b)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// randomFiles returns files with few names, so that files and folders take each other's places.
func randomFiles(r *rand.Rand) map[string]string {
	parts := []string{"a", "b b", "お茶.md", ".x", "INDEX.md", strings.Repeat("long", 60)}
	texts := []string{"", "x", "\r\n", "\xef\xbb\xbfmark", "a\x00b", "茶\n", strings.Repeat("y", 5000)}
	files := map[string]string{}
	for range r.IntN(12) {
		name := parts[r.IntN(len(parts))]
		for range r.IntN(2) {
			name += "/" + parts[r.IntN(len(parts))]
		}
		fits := true
		for other := range files {
			fits = fits && !strings.HasPrefix(other, name+"/") && !strings.HasPrefix(name, other+"/")
		}
		if fits {
			files[name] = texts[r.IntN(len(texts))]
		}
	}
	return files
}

// TestMemoryFiles: after each run the folder has the files of the store, to the byte, and nothing else.
func TestMemoryFiles(t *testing.T) {
	r, dir := testenv.Random(t), t.TempDir()
	before := map[string]string{}
	for range testenv.Pick(20, 100) {
		files := randomFiles(r)
		unchanged, removed := 0, 0
		for name, text := range before {
			if now, ok := files[name]; !ok {
				removed++
			} else if now == text {
				unchanged++
			}
		}
		want := Mirrored{len(files) - unchanged, unchanged, removed}
		if got, err := bringFiles(t.Context(), dir, files); err != nil || got != want {
			t.Fatalf("%v, %v, want %v\nbefore %q\nnow %q", got, err, want, before, files)
		}
		if got := readFiles(t, dir); !maps.Equal(got, files) {
			t.Fatalf("%q\nwant %q", got, files)
		}
		before = files
	}
}

// TestMemoryFilesOfOthers: a run keeps what others have put or changed in the folder, and follows no
// link.
func TestMemoryFilesOfOthers(t *testing.T) {
	outside := t.TempDir()
	for what, plant := range map[string]func(dir string){
		"file":   func(dir string) { os.WriteFile(filepath.Join(dir, "a"), []byte("mine"), 0o600) },
		"folder": func(dir string) { os.MkdirAll(filepath.Join(dir, "a", "b", "mine"), 0o700) },
		"link":   func(dir string) { testenv.Symlink(t, outside, filepath.Join(dir, "a")) },
		"link inside": func(dir string) {
			os.Mkdir(filepath.Join(dir, "other"), 0o700)
			testenv.Symlink(t, "other", filepath.Join(dir, "a"))
		},
	} {
		dir := t.TempDir()
		plant(dir)
		was := readFilesOrLinks(t, dir)
		foreign := new(ForeignError)
		if _, err := bringFiles(t.Context(), dir, map[string]string{"a/b": "x"}); !errors.As(err, &foreign) {
			t.Errorf("%s: %v", what, err)
		}
		if now := readFilesOrLinks(t, dir); !slices.Equal(now, was) {
			t.Errorf("%s: %q, was %q", what, now, was)
		}
	}
	if in, err := os.ReadDir(outside); err != nil || len(in) > 0 {
		t.Error(in, err)
	}
	dir := t.TempDir()
	for _, name := range []string{manifestName, stagePrefix + "1-0" + stageSuffix + "/a", "../a", "a/../../b"} {
		if _, err := bringFiles(t.Context(), dir, map[string]string{name: "x"}); !errors.As(err, new(*ForeignError)) {
			t.Errorf("%s: %v", name, err)
		}
	}
	manifest := fmt.Sprintf("# memory_files s \"u\"\n%s 4 0 ../precious\n%s 4 0 x/../../precious\n",
		sumOf([]byte("mine")), sumOf([]byte("mine")))
	os.WriteFile(filepath.Join(dir, "..", "precious"), []byte("mine"), 0o600)
	os.WriteFile(filepath.Join(dir, manifestName), []byte(manifest), 0o600)
	if _, err := bringFiles(t.Context(), dir, map[string]string{"a": "x"}); err != nil {
		t.Error(err)
	}
	if b, err := os.ReadFile(filepath.Join(dir, "..", "precious")); err != nil || string(b) != "mine" {
		t.Errorf("%q, %v", b, err)
	}
}

func readFilesOrLinks(t *testing.T, dir string) (all []string) {
	t.Helper()
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if name := filepath.Base(path); err == nil && !strings.HasPrefix(name, manifestName) && path != dir {
			all = append(all, fmt.Sprint(path, d.Type()))
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}
