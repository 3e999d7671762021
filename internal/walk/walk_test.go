package walk

import (
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"techo/internal/testenv"
)

// grow creates a tree and returns its files in path order.
func grow(t *testing.T, r *rand.Rand, dir string, n int) (files []string) {
	t.Helper()
	folders := []string{""}
	for i := range n {
		at := folders[r.IntN(len(folders))]
		p := filepath.Join(at, []string{"a", "b", "exec", "c d", "é"}[r.IntN(5)]+
			[]string{"", ".go", "-x", "0"}[r.IntN(4)]+fmt.Sprint(i%7))
		if r.IntN(3) == 0 {
			if os.Mkdir(filepath.Join(dir, p), 0o755) == nil {
				folders = append(folders, p)
			}
			continue
		}
		f, err := os.OpenFile(filepath.Join(dir, p), os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o644)
		if err != nil {
			continue
		}
		fmt.Fprint(f, p)
		f.Close()
		files = append(files, filepath.ToSlash(p))
	}
	slices.SortFunc(files, func(a, b string) int {
		return slices.Compare(strings.Split(a, "/"), strings.Split(b, "/"))
	})
	return files
}

// visitor records the visited files and their contents.
type visitor struct {
	t    *testing.T
	mu   sync.Mutex
	seen []string
}

func (v *visitor) visit(_ int, f *Folder, e Entry) {
	if e.Kind != File {
		return
	}
	path := f.Join(e)
	o, err := f.Open(e)
	if err != nil {
		v.t.Errorf("%s: %v", path, err)
		return
	}
	defer o.Close()
	if text, err := io.ReadAll(o); err != nil || string(text) != filepath.FromSlash(path) {
		v.t.Errorf("%s: %q, %v", path, text, err)
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	v.seen = append(v.seen, path)
}

func (v *visitor) failed(path string, err error) { v.t.Errorf("%s: %v", path, err) }

func open(t *testing.T, dir string) *os.Root {
	t.Helper()
	root, err := os.OpenRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { root.Close() })
	return root
}

// TestWalk checks that each file is visited once, and in order with one worker.
func TestWalk(t *testing.T) {
	r := testenv.Random(t)
	for _, workers := range []int{1, 2, 16} {
		dir := t.TempDir()
		want := grow(t, r, dir, 600)
		v := &visitor{t: t}
		New(Options{Workers: workers, Enter: func(*Folder) {}, Visit: v.visit, Failed: v.failed}).Run(t.Context(),
			open(t, dir))
		if workers > 1 {
			slices.SortFunc(v.seen, Compare)
		}
		if !slices.Equal(v.seen, want) {
			t.Errorf("%d workers:\ngot  %q\nwant %q", workers, v.seen, want)
		}
	}
}

// TestLimit checks that all paths up to the limit are visited, whenever it is set.
func TestLimit(t *testing.T) {
	r := testenv.Random(t)
	dir := t.TempDir()
	want := grow(t, r, dir, 600)
	for range 30 {
		limit := want[r.IntN(len(want))]
		after := r.IntN(len(want))
		v := &visitor{t: t}
		var w *Walk
		w = New(Options{Workers: 1 + r.IntN(8), Enter: func(*Folder) {}, Failed: v.failed,
			Visit: func(i int, f *Folder, e Entry) {
				v.visit(i, f, e)
				v.mu.Lock()
				n := len(v.seen)
				v.mu.Unlock()
				if n >= after {
					w.Limit(limit)
					w.Limit(want[len(want)-1]) // no effect
				}
			}})
		w.Run(t.Context(), open(t, dir))
		for _, p := range want {
			if Compare(p, limit) <= 0 && !slices.Contains(v.seen, p) {
				t.Errorf("limit %s: %s was not visited", limit, p)
			}
		}
	}
}

// TestEnter removes entries and passes data and marks on to subfolders.
func TestEnter(t *testing.T) {
	dir := t.TempDir()
	for _, p := range []string{"a/b/c", "a/x/c", "d"} {
		if err := os.MkdirAll(filepath.Join(dir, filepath.Dir(p)), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, p), []byte(p), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	v := &visitor{t: t}
	New(Options{Workers: 2, Failed: v.failed, Visit: func(i int, f *Folder, e Entry) {
		v.visit(i, f, e)
		if depth := strings.Count(f.Join(e), "/"); f.Data != depth {
			t.Errorf("%s: data %v", f.Join(e), f.Data)
		}
	}, Enter: func(f *Folder) {
		depth, ok := f.Data.(int)
		if ok {
			depth++
		}
		f.Data = depth
		f.Entries = slices.DeleteFunc(f.Entries, func(e Entry) bool { return string(f.Name(e)) == "x" })
	}}).Run(t.Context(), open(t, dir))
	slices.Sort(v.seen)
	if want := []string{"a/b/c", "d"}; !slices.Equal(v.seen, want) {
		t.Errorf("got %q", v.seen)
	}
}

// TestStop cancels a walk.
func TestStop(t *testing.T) {
	dir := t.TempDir()
	grow(t, testenv.Random(t), dir, 600)
	ctx, cancel := context.WithCancel(t.Context())
	v := &visitor{t: t}
	New(Options{Workers: 4, Enter: func(*Folder) {}, Failed: v.failed, Visit: func(i int, f *Folder, e Entry) {
		cancel()
		<-ctx.Done()
		time.Sleep(time.Millisecond)
		v.visit(i, f, e)
	}}).Run(ctx, open(t, dir))
	if len(v.seen) > 4*batch*2 {
		t.Errorf("%d files after the end", len(v.seen))
	}
}

// TestPanic checks that the panic of a worker reaches the caller.
func TestPanic(t *testing.T) {
	dir := t.TempDir()
	grow(t, testenv.Random(t), dir, 300)
	root := open(t, dir)
	defer func() {
		if r := recover(); r != "broken" {
			t.Errorf("recovered %v", r)
		}
	}()
	New(Options{Workers: 4, Enter: func(*Folder) {}, Failed: func(string, error) {},
		Visit: func(int, *Folder, Entry) { panic("broken") }}).Run(t.Context(), root)
}

// TestDescriptors checks that every folder is closed.
func TestDescriptors(t *testing.T) {
	dir := t.TempDir()
	want := grow(t, testenv.Random(t), dir, 600)
	root := open(t, dir)
	before := testenv.OpenFiles(t)
	for i := range 20 {
		v := &visitor{t: t}
		ctx, cancel := context.WithCancel(t.Context())
		w := New(Options{Workers: 1 + i%8, Enter: func(*Folder) {}, Failed: v.failed, Visit: v.visit})
		switch i % 3 {
		case 1:
			w.Limit(want[i*10])
		case 2:
			cancel()
		}
		w.Run(ctx, root)
		cancel()
	}
	if after := testenv.OpenFiles(t); after != before {
		t.Errorf("%d descriptors, %d before", after, before)
	}
}

// TestLinks checks that links are not followed, even if one replaces a folder.
func TestLinks(t *testing.T) {
	dir, outside := t.TempDir(), t.TempDir()
	if err := os.WriteFile(filepath.Join(outside, "secret"), []byte("secret"), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"link", "swapped"} {
		testenv.Symlink(t, outside, filepath.Join(dir, name))
	}
	v := &visitor{t: t}
	failed := 0
	New(Options{Workers: 1, Visit: v.visit, Failed: func(string, error) { failed++ }, Enter: func(f *Folder) {
		for i := range f.Entries {
			if string(f.Name(f.Entries[i])) == "swapped" {
				f.Entries[i].Kind = Dir // simulates a folder that was replaced after the read
			}
		}
	}}).Run(t.Context(), open(t, dir))
	if len(v.seen) > 0 || failed != 1 {
		t.Errorf("visited %q, %d failed", v.seen, failed)
	}
}

func TestCompare(t *testing.T) {
	for _, pair := range [][2]string{{"exec/a", "exec.go"}, {"a", "a/b"}, {"a/b", "a-b"}, {"a/z", "b"}, {"a", "b"}} {
		if Compare(pair[0], pair[1]) >= 0 || Compare(pair[1], pair[0]) <= 0 {
			t.Errorf("%s is not before %s", pair[0], pair[1])
		}
	}
}
