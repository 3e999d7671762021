package store

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"techo/internal/testenv"
	"techo/store/history"
	"techo/store/ledger"
	"techo/store/memo"
	"techo/store/replica"
)

// pair returns two machines of one notebook, with places of their own.
func pair(t *testing.T) (a, b *computer) {
	t.Helper()
	dir := t.TempDir()
	a, b = newComputer(t, dir, "laptop"), newComputer(t, dir, "desktop")
	key, _, err := a.notebook().Init(t.Context(), a.place, a.name)
	if err != nil {
		t.Fatal(err)
	}
	carry(t, nil, a.place, b.place, false)
	if err := b.notebook().Join(t.Context(), b.place, key, b.name); err != nil {
		t.Fatal(err)
	}
	return a, b
}

func (c *computer) memo(name, content string) memo.Memo {
	c.t.Helper()
	m, err := c.AddMemo(c.t.Context(), memo.Memo{Name: name, Content: content, Priority: 3})
	if err != nil {
		c.t.Fatal(err)
	}
	return m
}

func (c *computer) edit(name, content string) {
	c.t.Helper()
	if _, err := c.EditMemo(c.t.Context(), name, memo.Change{Content: &content}); err != nil {
		c.t.Fatal(err)
	}
}

// exchange syncs both machines until nothing moves.
func exchange(t *testing.T, a, b *computer) {
	t.Helper()
	for range 3 {
		a.sync()
		carry(t, nil, a.place, b.place, false)
		b.sync()
		carry(t, nil, b.place, a.place, false)
	}
	if x, y := a.notes(), b.notes(); x != y {
		t.Fatalf("they differ:\n%s", difference(x, y))
	}
}

func (c *computer) files() (all []string) {
	c.t.Helper()
	err := filepath.WalkDir(c.place, func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() && d.Name() != "techo.json" {
			all = append(all, path)
		}
		return err
	})
	if err != nil {
		c.t.Fatal(err)
	}
	return all
}

// TestReplicaTampered changes, cuts, swaps and replays 200 files. None is applied, each is named, and what
// comes whole afterwards is.
func TestReplicaTampered(t *testing.T) {
	a, b := pair(t)
	r := rand.New(rand.NewPCG(1, 2))
	a.memo("first", "a text that nobody may read")
	a.sync()
	a.edit("first", "another secret text")
	a.sync()
	files := a.files()
	if len(files) != 2 {
		t.Fatal(files)
	}
	for _, f := range files {
		if content, err := os.ReadFile(f); err != nil || bytes.Contains(content, []byte("text")) {
			t.Errorf("%s: %v, or it can be read", f, err)
		}
	}
	one, _ := os.ReadFile(files[0])
	two, _ := os.ReadFile(files[1])
	machine := filepath.Base(filepath.Dir(files[0]))
	there := func(name string) string { return filepath.Join(b.place, machine, name) }
	put := func(name string, content []byte) {
		t.Helper()
		if err := os.MkdirAll(filepath.Dir(there(name)), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(there(name), content, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want := b.notes()
	refused := func(what string) {
		t.Helper()
		if report := b.sync(); report.Received != 0 || len(report.Waiting) == 0 {
			t.Errorf("%s: %+v", what, report)
		}
		if got := b.notes(); got != want {
			t.Errorf("%s was applied:\n%s", what, got)
		}
		_ = os.RemoveAll(filepath.Join(b.place, machine))
	}
	for n := range 90 {
		bad := bytes.Clone(one)
		bad[r.IntN(len(bad))] ^= byte(1 + r.IntN(255))
		put("00000001.age", bad)
		refused(fmt.Sprint("a flipped byte ", n))
	}
	for n := range 70 {
		put("00000001.age", one[:r.IntN(len(one))])
		refused(fmt.Sprint("a cut file ", n))
	}
	for n := range 30 {
		put("00000001.age", append(bytes.Clone(one), make([]byte, 1+r.IntN(100))...))
		refused(fmt.Sprint("a longer file ", n))
	}
	put("00000001.age", two)
	refused("the second file as the first")
	put("00000002.age", two)
	refused("the second file alone")
	put("SNAPSHOT.00000001", one)
	refused("a segment as a snapshot")
	put("00000001.age", []byte("age-encryption.org/v1\n"))
	refused("a header alone")
	put("00000001 (conflicted copy).age", one)
	refused("a conflicted copy alone")
	if err := os.MkdirAll(there("00000001.age"), 0o700); err != nil {
		t.Fatal(err)
	}
	refused("a folder in the place of a file")
	if err := os.MkdirAll(filepath.Join(b.place, "zzzzzzzz"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(b.place, "zzzzzzzz", "00000001.age"), one, 0o600); err != nil {
		t.Fatal(err)
	}
	refused("a file of another machine")
	if err := os.RemoveAll(filepath.Join(b.place, "zzzzzzzz")); err != nil {
		t.Fatal(err)
	}

	// A file of a person who has no key is no file of the notebook.
	other, _ := pair(t)
	other.memo("foreign", "of another notebook")
	other.sync()
	foreign, _ := os.ReadFile(other.files()[0])
	put("00000001.age", foreign)
	refused("a file of another notebook")

	put("00000001.age", one)
	put("00000002.age", two)
	if report := b.sync(); report.Received != 2 || len(report.Waiting) > 0 {
		t.Errorf("whole files: %+v", report)
	}
	want = b.notes()
	put("00000003.age", one)
	put("00000001.age", two)
	refused("an old file as a new one")
	exchange(t, a, b)
}

// TestReplicaConflicts changes one record on two machines that do not know of each other.
func TestReplicaConflicts(t *testing.T) {
	a, b := pair(t)
	a.memo("plan", "the first plan")
	exchange(t, a, b)
	a.edit("plan", "the plan of the laptop")
	b.edit("plan", "the plan of the desktop")
	b.edit("plan", "the later plan of the desktop")
	exchange(t, a, b)
	for _, c := range []*computer{a, b} {
		m, err := c.GetMemo(t.Context(), "plan")
		if err != nil || m.Content != "the later plan of the desktop" {
			t.Errorf("%s: %+v, %v", c.name, m, err)
		}
		lost, numbers, err := c.notebook().Conflicts(t.Context())
		if err != nil || len(lost) != 1 || !strings.Contains(lost[0].Lost, "the plan of the laptop") ||
			!strings.Contains(lost[0].Kept, "the later plan") || lost[0].Machine != "laptop" {
			t.Fatalf("%s: %+v, %v", c.name, lost, err)
		}
		if c == b { // the laptop hears of it
			if _, err := c.notebook().Settle(t.Context(), numbers[0], false); err != nil {
				t.Error(err)
			}
		}
	}
	exchange(t, a, b)
	if lost, _, err := a.notebook().Conflicts(t.Context()); err != nil || len(lost) > 0 {
		t.Errorf("settled elsewhere: %+v, %v", lost, err)
	}

	// The machine of a conflict is the one that made the change, not the one that said the record first.
	b.edit("plan", "lost on the desktop")
	a.now = b.now.Add(time.Minute)
	a.edit("plan", "kept by the laptop")
	exchange(t, a, b)
	for _, c := range []*computer{a, b} {
		lost, numbers, err := c.notebook().Conflicts(t.Context())
		if err != nil || len(lost) != 1 || lost[0].Machine != "desktop" {
			t.Fatalf("%s: %+v, %v", c.name, lost, err)
		}
		if c == b {
			if _, err := c.notebook().Settle(t.Context(), numbers[0], false); err != nil {
				t.Error(err)
			}
		}
	}
	exchange(t, a, b)

	// A change beats a removal that had not seen it.
	if _, err := a.RemoveMemo(t.Context(), "plan"); err != nil {
		t.Fatal(err)
	}
	b.edit("plan", "it is still wanted")
	exchange(t, a, b)
	if m, err := a.GetMemo(t.Context(), "plan"); err != nil || m.Content != "it is still wanted" {
		t.Errorf("%+v, %v", m, err)
	}
	// A removal that had seen it removes it, and the same name may be used again.
	if _, err := a.RemoveMemo(t.Context(), "plan"); err != nil {
		t.Fatal(err)
	}
	exchange(t, a, b)
	if _, err := b.GetMemo(t.Context(), "plan"); !ledger.IsMissing(err) {
		t.Error(err)
	}

	// Two memos of one name both stay; the later one has the name of its machine.
	a.memo("wifi", "in the office")
	b.now = a.now.Add(time.Second)
	b.memo("wifi", "at home")
	exchange(t, a, b)
	for _, name := range []string{"wifi", "wifi (desktop)"} {
		if _, err := a.GetMemo(t.Context(), name); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	// Without the first one the other has its name.
	if _, err := a.RemoveMemo(t.Context(), "wifi"); err != nil {
		t.Fatal(err)
	}
	exchange(t, a, b)
	if m, err := a.GetMemo(t.Context(), "wifi"); err != nil || m.Content != "at home" {
		t.Errorf("%+v, %v", m, err)
	}
	// What was received can be undone, and the undo is sent.
	a.edit("wifi", "everywhere")
	exchange(t, a, b)
	if _, err := history.Of(b.Ledger).Undo(t.Context(), "", history.Filter{}); err != nil {
		t.Fatal(err)
	}
	exchange(t, a, b)
	if m, err := a.GetMemo(t.Context(), "wifi"); err != nil || m.Content != "at home" {
		t.Errorf("%+v, %v", m, err)
	}
}

// TestReplicaNames gives a memo the very name that another one has after it yielded its own.
func TestReplicaNames(t *testing.T) {
	a, b := pair(t)
	a.memo("wifi", "in the office")
	b.now = a.now.Add(time.Second)
	b.memo("wifi", "at home")
	a.memo("wifi (desktop)", "of the desktop")
	exchange(t, a, b)
	names := func() (all []string) {
		found, _, err := a.FindMemos(t.Context(), memo.Filter{Limit: 10})
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range found {
			all = append(all, m.Name)
		}
		return all
	}
	if all := names(); len(all) != 3 || !slices.Contains(all, "wifi") || !slices.Contains(all, "wifi (desktop)") {
		t.Errorf("%q", all)
	}
	if m, err := a.GetMemo(t.Context(), "wifi (desktop)"); err != nil || m.Content != "of the desktop" {
		t.Errorf("%+v, %v", m, err)
	}
	// Without that one the other has the name of its machine.
	if _, err := a.RemoveMemo(t.Context(), "wifi (desktop)"); err != nil {
		t.Fatal(err)
	}
	exchange(t, a, b)
	if m, err := a.GetMemo(t.Context(), "wifi (desktop)"); err != nil || m.Content != "at home" {
		t.Errorf("%q, %+v, %v", names(), m, err)
	}
}

// TestReplicaPurge purges a record on one machine: no text of it is left on any, nor in the files.
func TestReplicaPurge(t *testing.T) {
	a, b := pair(t)
	a.memo("secret", "alpha")
	a.sync()
	laptop := filepath.Base(filepath.Dir(a.files()[0]))
	exchange(t, a, b)
	b.edit("secret", "beta")
	exchange(t, a, b)
	ctx := ledger.WithPurge(t.Context())
	if _, err := a.RemoveMemo(ctx, "secret"); err != nil {
		t.Fatal(err)
	}
	exchange(t, a, b)
	for _, c := range []*computer{a, b} {
		page, err := history.Of(c.Ledger).List(t.Context(), history.Filter{Limit: 100})
		if err != nil {
			t.Fatal(err)
		}
		for _, change := range page.Changes {
			if change.Records[0].Kind == ledger.KindMemo {
				t.Errorf("%s: the history has %+v", c.name, change)
			}
		}
		wantSound(t, c.Store)
	}
	for _, c := range []*computer{a, b} {
		c.sync()
		for _, f := range c.files() {
			own := (filepath.Base(filepath.Dir(f)) == laptop) == (c == a)
			if own && !strings.HasPrefix(filepath.Base(f), "SNAPSHOT") {
				t.Errorf("%s: %s may have the purged text", c.name, f)
			}
		}
	}
}

// TestReplicaInterrupted ends syncs at any moment, as a kill does. The next one goes on.
func TestReplicaInterrupted(t *testing.T) {
	a, b := pair(t)
	r := testenv.Random(t)
	for n := range testenv.Pick(30, 100) {
		a.act(r, n)
		b.act(r, 1000+n)
		for _, c := range []*computer{a, b} {
			ctx, cancel := context.WithCancel(t.Context())
			steps := r.IntN(3)
			_, err := c.notebook().Sync(ctx, func(int) {
				if steps--; steps < 0 {
					cancel()
				}
			})
			cancel()
			if err != nil && !errors.Is(err, context.Canceled) {
				t.Fatal(err)
			}
		}
		carry(t, r, a.place, b.place, true)
		carry(t, r, b.place, a.place, true)
	}
	exchange(t, a, b)
	wantSound(t, a.Store)
	wantSound(t, b.Store)
}

// TestReplicaGrowth changes a record many times: the files of a machine do not grow with that, and a
// machine that was away reads what is left.
func TestReplicaGrowth(t *testing.T) {
	a, b := pair(t)
	a.memo("diary", "")
	exchange(t, a, b)
	noise := rand.New(rand.NewPCG(3, 4))
	for n := range 60 {
		text := make([]byte, 20<<10)
		for i := range text {
			text[i] = 'a' + byte(noise.IntN(26))
		}
		a.edit("diary", fmt.Sprint(n, string(text)))
		a.sync()
	}
	if files := a.files(); len(files) > 45 {
		t.Errorf("%d files", len(files))
	}
	exchange(t, a, b)
	lone, err := b.GetMemo(t.Context(), "diary")
	if err != nil || !strings.HasPrefix(lone.Content, "59") {
		t.Errorf("%.20s, %v", lone.Content, err)
	}
}

// TestReplicaFaults calls what a store that is in no notebook, or in one already, refuses.
func TestReplicaFaults(t *testing.T) {
	a, b := pair(t)
	ctx := t.Context()
	alone := newComputer(t, t.TempDir(), "alone")
	if _, err := alone.notebook().Sync(ctx, nil); !errors.Is(err, replica.ErrNotJoined) {
		t.Error(err)
	}
	if _, _, err := alone.notebook().Init(ctx, a.place, "alone"); !errors.Is(err, replica.ErrTaken) {
		t.Error(err)
	}
	if err := alone.notebook().Join(ctx, alone.place, "AGE-SECRET-KEY-1", "alone"); !errors.Is(err, replica.ErrNoNotebook) {
		t.Error(err)
	}
	if err := alone.notebook().Join(ctx, a.place, "AGE-SECRET-KEY-1", "alone"); !errors.Is(err, replica.ErrWrongKey) {
		t.Error(err)
	}
	if _, _, err := a.notebook().Init(ctx, t.TempDir(), "again"); !errors.Is(err, replica.ErrJoined) {
		t.Error(err)
	}
	if err := os.RemoveAll(b.place); err != nil {
		t.Fatal(err)
	}
	if _, err := b.notebook().Sync(ctx, nil); !errors.As(err, new(*replica.PlaceError)) {
		t.Error(err)
	}
	tries, err := b.notebook().LastTries(ctx)
	if err != nil || !errors.Is(tries.Failed, fs.ErrNotExist) {
		t.Errorf("%+v, %v", tries, err)
	}
	a.memo("last", "words")
	if err := a.notebook().Leave(ctx); err != nil || len(a.files()) != 1 {
		t.Errorf("%v, %v", a.files(), err)
	}
}

// TestReplicaCopied copies the store of a machine, as people do. Both go on, each as a machine, and
// nothing that either said is lost. A store that was restored from a backup gets back what it had sent.
func TestReplicaCopied(t *testing.T) {
	testenv.InFolder(t)
	a, b := pair(t)
	a.memo("shared", "before the copy")
	exchange(t, a, b)
	a.memo("sent", "before the copy was made, but after the backup")
	backup := t.TempDir()
	if err := os.CopyFS(filepath.Join(backup, "copy"), os.DirFS(a.Where)); err != nil {
		t.Fatal(err)
	}
	a.sync()
	copied := *a
	copied.name = "copy"
	copied.Store = open(t, filepath.Join(backup, "copy"), Options{Write: true, Now: a.Now})
	copied.edit("shared", "changed in the copy")
	copied.memo("new", "in the copy")
	a.edit("shared", "changed in the original")
	a.memo("other", "in the original")
	for range 3 {
		copied.sync()
		a.sync()
		exchange(t, a, b)
	}
	copied.sync()
	if x, y := a.notes(), copied.notes(); x != y {
		t.Fatalf("they differ:\n%s", difference(x, y))
	}
	for _, name := range []string{"shared", "sent", "new", "other"} {
		if _, err := b.GetMemo(t.Context(), name); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	kept := remains(t, []*computer{a, b, &copied})
	for _, text := range []string{"changed in the copy", "changed in the original"} {
		if !strings.Contains(kept, text) {
			t.Errorf("%q is gone", text)
		}
	}
}

// TestReplicaBuiltOn: a version that was made with a file, but without another one that the file builds on,
// replaces what both say, in whatever order the three arrive.
func TestReplicaBuiltOn(t *testing.T) {
	dir := t.TempDir()
	var all []*computer
	folders := map[*computer]string{} // of the files of each machine
	key := ""
	for _, name := range []string{"laptop", "desktop", "phone", "attic", "server"} {
		c := newComputer(t, dir, name)
		if all = append(all, c); len(all) == 1 {
			k, _, err := c.notebook().Init(t.Context(), c.place, name)
			if err != nil {
				t.Fatal(err)
			}
			key = k
		} else {
			about, err := os.ReadFile(filepath.Join(all[0].place, "techo.json"))
			if err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(filepath.Join(c.place, "techo.json"), about, 0o600); err != nil {
				t.Fatal(err)
			}
			if err := c.notebook().Join(t.Context(), c.place, key, name); err != nil {
				t.Fatal(err)
			}
		}
		c.memo("of "+name, "x")
		c.sync()
		entries, err := os.ReadDir(c.place)
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range entries {
			if e.IsDir() {
				folders[c] = e.Name()
			}
		}
	}
	laptop, desktop, phone, attic, server := all[0], all[1], all[2], all[3], all[4]
	bring := func(of, to *computer) {
		t.Helper()
		if err := os.CopyFS(filepath.Join(dir, "new"), os.DirFS(filepath.Join(of.place, folders[of]))); err != nil {
			t.Fatal(err)
		}
		target := filepath.Join(to.place, folders[of])
		if err := errors.Join(os.RemoveAll(target), os.Rename(filepath.Join(dir, "new"), target)); err != nil {
			t.Fatal(err)
		}
		to.sync()
	}
	everywhere := func() {
		t.Helper()
		for _, of := range all {
			for _, to := range all {
				if of != to {
					bring(of, to)
				}
			}
		}
	}
	laptop.memo("plan", "first")
	laptop.sync()
	everywhere()
	laptop.edit("plan", "second")
	laptop.sync()
	bring(laptop, desktop)
	desktop.edit("plan", "third")
	desktop.sync()
	bring(desktop, phone) // without the second
	m, err := phone.GetMemo(t.Context(), "plan")
	if err != nil || m.Content != "third" {
		t.Fatal(m.Content, err)
	}
	if _, err := phone.RemoveMemo(t.Context(), m.ID); err != nil {
		t.Fatal(err)
	}
	phone.sync()
	for _, c := range []*computer{laptop, phone, desktop} {
		bring(c, attic)
	}
	for _, c := range []*computer{laptop, desktop, phone} {
		bring(c, server)
	}
	everywhere()
	for _, c := range all {
		if _, err := c.GetMemo(t.Context(), "plan"); !ledger.IsMissing(err) {
			t.Errorf("%s: %v", c.name, err)
		}
		if got, want := c.notes(), laptop.notes(); got != want {
			t.Errorf("%s: %s", c.name, difference(want, got))
		}
	}
}
