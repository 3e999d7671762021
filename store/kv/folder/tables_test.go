package folder

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"techo/store/kv"
	"techo/store/kv/disk"
)

// large is the size of a value that fills many blocks of a table.
const large = 512 << 10

// noise is a value that differs in every block.
func noise(r *rand.Rand, size int) string {
	b := make([]byte, size)
	for i := 0; i < size; i += 1 + r.IntN(4096) {
		b[i] = byte(r.Uint32())
	}
	return string(b)
}

// TestFewFiles: the number of files does not grow with the number of merges,
// neither for keys that come in order nor for such that are written again.
func TestFewFiles(t *testing.T) {
	for _, key := range []string{"key%04d", "same"} {
		dir := t.TempDir()
		l := openStore(t, dir)
		for i := range 40 {
			k := key
			if strings.Contains(key, "%") {
				k = fmt.Sprintf(key, i)
			}
			mustPut(t, l, k, noise(rand.New(rand.NewPCG(uint64(i), 0)), 3000))
			mustMerge(t, l)
		}
		i, err := l.Info(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		if i.Generation != 40 || i.Files > 40 {
			t.Errorf("%s: %d files after %d merges", key, i.Files, i.Generation)
		}
		files := 0
		for path, info := range folderOf(t, dir) {
			if !info.IsDir() {
				files++
			}
			if ext := filepath.Ext(path); ext == ".mem" || ext == ".vlog" {
				t.Errorf("%s was left behind", path)
			}
		}
		if files != i.Files {
			t.Errorf("info tells of %d files, there are %d", i.Files, files)
		}
	}
}

func folderOf(t *testing.T, dir string) map[string]fs.FileInfo {
	t.Helper()
	all := map[string]fs.FileInfo{}
	err := filepath.Walk(dir, func(path string, info fs.FileInfo, err error) error {
		all[path] = info
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// writeModes makes files of all kinds.
func writeModes(dir string) error {
	l, err := Open(dir, Options{Write: true})
	if err != nil {
		return err
	}
	for i := range 3 {
		if err := put(l, fmt.Sprint("key", i), strings.Repeat("v", large*i)); err != nil {
			return err
		}
		if err := l.forceMerge(); err != nil {
			return err
		}
	}
	if err := l.Compact(context.Background()); err != nil {
		return err
	}
	return errors.Join(put(l, "k", "v"), l.Close())
}

// mergedStore is a store with some values in its tables and none in its journal.
func mergedStore(t *testing.T) (dir string, want model) {
	t.Helper()
	dir = t.TempDir()
	l := openStore(t, dir)
	want = model{}
	r := rand.New(rand.NewPCG(1, 1))
	for i := range 8 {
		k := fmt.Sprint("key", i)
		want[k] = fmt.Sprintf("value %d %s", i, strings.Repeat("v", i))
	}
	want["large"] = noise(r, large+2000)
	for k, v := range want {
		mustPut(t, l, k, v)
	}
	mustMerge(t, l)
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	return dir, want
}

func manifestPath(dir string) string { return filepath.Join(dir, disk.TablesName, disk.ManifestName) }

func sstOf(t *testing.T, dir string) string {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(dir, disk.TablesName, "*.sst"))
	if err != nil || len(names) != 1 {
		t.Fatalf("tables %q, %v", names, err)
	}
	return names[0]
}

func getValue(l *Engine, key string) (string, error) {
	var value []byte
	err := l.View(context.Background(), func(tx kv.Tx) (err error) {
		value, err = tx.Get([]byte(key))
		return err
	})
	return string(value), err
}

// TestMissingTables takes files away, or puts others in their place.
func TestMissingTables(t *testing.T) {
	move := func(t *testing.T, from, to string) {
		if err := os.Rename(from, to); err != nil {
			t.Fatal(err)
		}
	}
	for name, spoil := range map[string]func(t *testing.T, dir string){
		"no table":       func(t *testing.T, dir string) { os.Remove(sstOf(t, dir)) },
		"empty table":    func(t *testing.T, dir string) { os.Truncate(sstOf(t, dir), 0) },
		"no manifest":    func(t *testing.T, dir string) { os.Remove(manifestPath(dir)) },
		"empty manifest": func(t *testing.T, dir string) { os.Truncate(manifestPath(dir), 0) },
		"no folder": func(t *testing.T,
			dir string) {
			move(t, filepath.Join(dir, disk.TablesName), filepath.Join(dir, "x"))
		},
		"a file for the folder": func(t *testing.T, dir string) {
			move(t, filepath.Join(dir, disk.TablesName), filepath.Join(dir, "x"))
			writeFile(t, filepath.Join(dir, disk.TablesName), "not a folder")
		},
		"an older manifest": func(t *testing.T, dir string) {
			old, err := os.ReadFile(manifestPath(dir))
			if err != nil {
				t.Fatal(err)
			}
			l := openStore(t, dir)
			mustMerge(t, l)
			writeFile(t, manifestPath(dir), string(old))
		},
	} {
		t.Run(name, func(t *testing.T) {
			dir, _ := mergedStore(t)
			spoil(t, dir)
			l := openStore(t, dir)
			for range 2 {
				if _, err := everything(l); !isCorrupt(err) {
					t.Errorf("scan: %v", err)
				}
				if _, err := getValue(l, "key1"); !isCorrupt(err) {
					t.Errorf("get: %v", err)
				}
			}
			if err := l.forceMerge(); err == nil {
				// It left alone what it did not have to read.
				if _, err := recordsIn(t, dir); !isCorrupt(err) {
					t.Errorf("after a merge: %v", err)
				}
			}
		})
	}
}
