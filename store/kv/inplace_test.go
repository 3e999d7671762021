package kv

import (
	"os"
	"path/filepath"
	"testing"
)

// TestReplaceInPlace replaces a store whose folder cannot be renamed, under the
// eyes of a process that has it open.
func TestReplaceInPlace(t *testing.T) {
	for name, fill := range map[string]func(l *Local){
		"full":  func(l *Local) { mustPut(t, l, "new", "v"); mustMerge(t, l); mustPut(t, l, "later", "v") },
		"empty": func(*Local) {},
	} {
		t.Run(name, func(t *testing.T) {
			parent := t.TempDir()
			dir, aside := filepath.Join(parent, "store"), filepath.Join(parent, "store.before-1")
			l := openStore(t, dir)
			mustPut(t, l, "old", "v")
			mustMerge(t, l)
			mustPut(t, l, "older", "v")
			fresh := openStore(t, aside)
			fill(fresh)
			want, err := everything(fresh)
			if err != nil {
				t.Fatal(err)
			}
			if err := fresh.Close(); err != nil {
				t.Fatal(err)
			}
			id := mustID(t, dir)
			if got, err := replaceInPlace(dir, aside); err != nil || got != aside {
				t.Fatalf("%q, %v", got, err)
			}
			wantAll(t, openStore(t, dir), want)
			wantAll(t, l, want)
			if got := mustID(t, dir); got != id {
				t.Errorf("id %s, not %s", got, id)
			}
			wantAll(t, openStore(t, aside), model{"old": "v", "older": "v"})
			mustPut(t, l, "written", "v")
			want["written"] = "v"
			wantAll(t, openStore(t, dir), want)
			names, err := os.ReadDir(parent)
			if err != nil || len(names) != 2 {
				t.Errorf("left over: %v, %v", names, err)
			}
		})
	}
}
