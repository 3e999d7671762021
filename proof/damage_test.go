package proof

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"techo/internal/testenv"
)

// backups is a store that a failed restore must not change, and two backups of
// other stores that differ in a few bytes.
type backups struct {
	store string
	notes notes
	one   []byte
	two   []byte
	held  notes // by one
}

func makeBackups(t *testing.T, r *rand.Rand) *backups {
	t.Helper()
	dir := t.TempDir()
	b := &backups{store: filepath.Join(dir, "store"), notes: notes{}, held: notes{}}
	b.notes.write(t, b.store, some(r, "mine", 20), false)
	other := filepath.Join(dir, "other")
	b.held.write(t, other, some(r, "other", 100), false)
	for i := range 4 { // so that the backup has several chunks
		b.held.write(t, other, notes{fmt.Sprintf("large-%d", i): randomNote(r, 200<<10)}, false)
	}
	b.one = backupOf(t, other)
	mustTecho(t, other, "memo", "edit", "other-050", "--priority", fmt.Sprint(1+b.held["other-050"].Priority%5))
	b.two = backupOf(t, other)
	if min(len(b.one), len(b.two)) < 3*(256<<10) {
		t.Fatalf("backups of %d and %d bytes", len(b.one), len(b.two))
	}
	return b
}

func backupOf(t *testing.T, store string) []byte {
	t.Helper()
	file := filepath.Join(t.TempDir(), "backup")
	mustTecho(t, store, "store", "backup", file)
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// spoils are ways to damage a backup. Each returns a new slice.
var spoils = map[string]func(r *rand.Rand, b *backups) []byte{
	"flipped": func(r *rand.Rand, b *backups) []byte {
		bad := bytes.Clone(b.one)
		bad[r.IntN(len(bad))] ^= 1 << r.IntN(8)
		return bad
	},
	"flipped at an end": func(r *rand.Rand, b *backups) []byte {
		bad := bytes.Clone(b.one)
		at := r.IntN(64)
		if r.IntN(2) == 0 {
			at = len(bad) - 1 - at
		}
		bad[at] ^= 1 << r.IntN(8)
		return bad
	},
	"truncated": func(r *rand.Rand, b *backups) []byte { return b.one[:r.IntN(len(b.one))] },
	"truncated a little": func(r *rand.Rand, b *backups) []byte {
		return b.one[:len(b.one)-1-r.IntN(100)]
	},
	"zeroed": func(r *rand.Rand, b *backups) []byte {
		bad := bytes.Clone(b.one)
		at := r.IntN(len(bad) / 4096)
		clear(bad[at*4096:][:4096])
		return bad
	},
	"appended": func(r *rand.Rand, b *backups) []byte {
		more := make([]byte, 1+r.IntN(100))
		if r.IntN(2) == 0 {
			more[r.IntN(len(more))] = byte(r.Uint32())
		}
		return append(bytes.Clone(b.one), more...)
	},
	"twice": func(_ *rand.Rand, b *backups) []byte { return append(bytes.Clone(b.one), b.one...) },
	"mixed": func(r *rand.Rand, b *backups) []byte {
		first, last := differences(b)
		at := first + 1 + r.IntN(last-first)
		return append(bytes.Clone(b.one[:at]), b.two[at:]...)
	},
	"mixed at a chunk": func(r *rand.Rand, b *backups) []byte {
		first, _ := differences(b)
		at := slices.DeleteFunc(chunks(b.one), func(at int) bool { return at <= first })
		cut := at[r.IntN(len(at))]
		return append(bytes.Clone(b.one[:cut]), b.two[min(cut, len(b.two)):]...)
	},
	"without a chunk": func(r *rand.Rand, b *backups) []byte {
		at := chunks(b.one)
		n := r.IntN(len(at) - 1)
		return append(bytes.Clone(b.one[:at[n]]), b.one[at[n+1]:]...)
	},
	"another file": func(r *rand.Rand, _ *backups) []byte {
		bad := make([]byte, r.IntN(1<<16))
		for i := range bad {
			bad[i] = byte(r.Uint32())
		}
		return bad
	},
}

// differences returns the offsets of the first and last byte in which the two
// backups differ. A start of one and an end of the other, cut between these
// offsets, form a file that equals neither.
func differences(b *backups) (first, last int) {
	first = -1
	for i := range min(len(b.one), len(b.two)) {
		if b.one[i] != b.two[i] {
			last = i
			if first < 0 {
				first = i
			}
		}
	}
	return first, last
}

// chunks returns the offsets of the chunks of a backup, and then its length.
func chunks(backup []byte) (at []int) {
	for pos := 20; ; {
		at = append(at, pos)
		n := int(binary.BigEndian.Uint32(backup[pos:]))
		if n == 0 {
			return at
		}
		pos += 8 + n
	}
}

// TestBackupDamaged checks that every damaged backup is refused, whether the store
// is empty, not empty, or may be replaced, and that no store changes.
func TestBackupDamaged(t *testing.T) {
	r := testenv.Random(t)
	b := makeBackups(t, r)
	times := testenv.Pick(1, 3)
	if testenv.Long() {
		times = 100
	}
	for _, name := range slices.Sorted(maps.Keys(spoils)) {
		var bad [][]byte
		for range times {
			bad = append(bad, spoils[name](r, b))
		}
		each(len(bad), func(i int) { b.refused(t, name, bad[i]) })
	}
	t.Logf("%d kinds of damage, %d times each", len(spoils), times)
	b.notes.mustHold(t, b.store)
}

func (b *backups) refused(t *testing.T, name string, bad []byte) {
	dir := t.TempDir()
	defer os.RemoveAll(dir)
	file, none := filepath.Join(dir, "bad.backup"), filepath.Join(dir, "none")
	if err := os.WriteFile(file, bad, 0o600); err != nil {
		t.Error(err)
		return
	}
	before := folder(t, filepath.Dir(b.store))
	for _, store := range []string{none, b.store} {
		a := techo(t, store, "store", "restore", file, "--force")
		// a flipped version number looks like a newer format
		newer := a.errorCode() == "unavailable" && a.Code == 4 && strings.HasPrefix(name, "flipped")
		if !newer && (a.errorCode() != "corrupt" || a.Code != 1) {
			t.Errorf("%s, %d bytes: %v", name, len(bad), a)
		}
	}
	if after := folder(t, filepath.Dir(b.store)); !maps.Equal(before, after) {
		t.Errorf("%s: the store was touched: it has %v, had %v", name, slices.Sorted(maps.Keys(after)),
			slices.Sorted(maps.Keys(before)))
	}
	if _, err := os.Stat(none); err == nil {
		if left := folder(t, none); len(left) > 0 {
			t.Errorf("%s: left %v", name, slices.Sorted(maps.Keys(left)))
		}
	}
}

// folder returns the content of every file below a folder, except the notes that
// lock holders write.
func folder(t *testing.T, dir string) map[string]string {
	files := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() || d.Name() == "lock" || d.Name() == "queue" {
			return err
		}
		data, err := os.ReadFile(path)
		files[path] = string(data)
		return err
	})
	if err != nil {
		t.Error(err)
	}
	return files
}

// TestBackupRestores checks that a good backup restores, as a new store and over
// another one. The result verifies, lists the same bytes and gives the same backup.
func TestBackupRestores(t *testing.T) {
	r := testenv.Random(t)
	b := makeBackups(t, r)
	dir := t.TempDir()
	file, fresh := filepath.Join(dir, "good.backup"), filepath.Join(dir, "fresh")
	if err := os.WriteFile(file, b.one, 0o600); err != nil {
		t.Fatal(err)
	}
	if a := techo(t, b.store, "store", "restore", file); a.errorCode() != "conflict" {
		t.Errorf("over a store that is not empty: %v", a)
	}
	b.notes.mustHold(t, b.store)
	mustTecho(t, fresh, "store", "restore", file)
	a := mustTecho(t, b.store, "store", "restore", file, "--force")
	for _, store := range []string{fresh, b.store} {
		b.held.mustHold(t, store)
		if again := backupOf(t, store); !bytes.Equal(again, b.one) {
			t.Errorf("%s: a backup of what was restored has other bytes: %d, %d", store, len(again), len(b.one))
		}
	}
	one, two := mustTecho(t, fresh, "memo", "list", "--limit", "1000"),
		mustTecho(t, b.store, "memo", "list", "--limit", "1000")
	if !bytes.Equal(one.Out, two.Out) {
		t.Errorf("lists differ:\n%s\n%s", one.Out, two.Out)
	}
	aside, _ := a.Doc["aside"].(string)
	if aside == "" {
		t.Fatalf("nothing was kept aside: %v", a)
	}
	b.notes.mustHold(t, aside)
}

// writer adds memos in order, one call each. After each it sets a pair of memos to
// the number: first left, then right.
type writer struct {
	name    string
	started atomic.Int64 // numbers begun
	done    atomic.Int64 // numbers answered, both edits too
}

func (w *writer) write(t *testing.T, store string, until *atomic.Bool) {
	for n := int64(1); !until.Load() && !t.Failed(); n++ {
		w.started.Store(n)
		text := fmt.Sprint(n)
		for _, words := range [][]string{
			{"memo", "add", fmt.Sprintf("%s-%04d", w.name, n), text, "--priority", "3"},
			{"memo", "edit", w.name + "-left", "--content", text},
			{"memo", "edit", w.name + "-right", "--content", text},
		} {
			if a := techo(t, store, words...); a.Code != 0 {
				t.Errorf("%v", a)
			}
		}
		w.done.Store(n)
	}
}

// TestBackupOfBusyStore checks that a backup taken during eight writers is one
// state: each memo with those before it, no right side newer than its left, all
// writes answered before the backup began and none begun after it ended.
func TestBackupOfBusyStore(t *testing.T) {
	store := filepath.Join(t.TempDir(), "store")
	rounds := 3
	if testenv.Long() {
		rounds = 40
	}
	notes{}.write(t, store, some(testenv.Random(t), "old", 185), true) // so that merges are near
	var writers []*writer
	for i := range 8 {
		w := &writer{name: fmt.Sprint("w", i)}
		for _, side := range []string{"-left", "-right"} {
			mustTecho(t, store, "memo", "add", w.name+side, "0", "--priority", "3")
		}
		writers = append(writers, w)
	}
	var stop atomic.Bool
	var wg sync.WaitGroup
	defer wg.Wait()
	defer stop.Store(true)
	for _, w := range writers {
		wg.Go(func() { w.write(t, store, &stop) })
	}
	for round := range rounds {
		file := filepath.Join(t.TempDir(), "backup")
		low := numbers(writers, func(w *writer) int64 { return w.done.Load() })
		mustTecho(t, store, "store", "backup", file)
		high := numbers(writers, func(w *writer) int64 { return w.started.Load() })
		restored := filepath.Join(t.TempDir(), "restored")
		mustTecho(t, restored, "store", "restore", file)
		mustTecho(t, restored, "store", "verify")
		checkState(t, restored, writers, low, high)
		if round == rounds-1 {
			t.Logf("%d rounds, numbers at the end %v", rounds, high)
		}
	}
}

func numbers(writers []*writer, of func(*writer) int64) (all []int64) {
	for _, w := range writers {
		all = append(all, of(w))
	}
	return all
}

// checkState checks one state: the number of each writer is between low and high,
// and its memos are consistent.
func checkState(t *testing.T, store string, writers []*writer, low, high []int64) {
	t.Helper()
	list := mustTecho(t, store, "memo", "list", "--limit", "100000")
	memos := map[string]string{}
	for _, m := range list.Doc["memos"].([]any) {
		m := m.(map[string]any)
		memos[m["name"].(string)] = m["content"].(string)
	}
	for i, w := range writers {
		added := int64(0)
		for memos[fmt.Sprintf("%s-%04d", w.name, added+1)] != "" {
			added++
		}
		count := int64(0)
		for name := range memos {
			if strings.HasPrefix(name, w.name+"-") {
				count++
			}
		}
		var left, right int64
		_, _ = fmt.Sscan(memos[w.name+"-left"], &left)
		_, _ = fmt.Sscan(memos[w.name+"-right"], &right)
		if count != added+2 || added < low[i] || added > high[i] || right < low[i] ||
			left > added || left < added-1 || right > left || right < left-1 {
			t.Errorf("%s: %d added, %d of them in order, left %d, right %d, between %d and %d",
				w.name, count-2, added, left, right, low[i], high[i])
		}
	}
}
