package folder

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/dgraph-io/badger/v4"

	"techo/internal/testenv"
	"techo/store/kv"
	"techo/store/kv/disk"
	"techo/store/kv/lock"
)

// powerRun is a random workload on a powerDisk, beside a model of what it wrote.
type powerRun struct {
	t    *testing.T
	r    *rand.Rand
	disk *powerDisk
	l    *Engine

	others string // folder of the stores that power failures leave

	kept   model   // what was acknowledged
	maybe  []model // other states that a power failure may leave
	tables []model // states that the tables may have

	cutOneIn int   // of the changes
	cuts     int   // so far
	wrong    error // what the last cut lost
}

// TestPowerFailures cuts the power before random changes of a random workload, on a
// disk that works and on one that fails now and then. Nothing that was acknowledged
// is lost, no transaction is half there, and stock Badger opens the tables.
func TestPowerFailures(t *testing.T) {
	runs, cuts := testenv.Pick(2, 6), 0
	if testenv.Long() {
		runs = 1500
	}
	first := testenv.Random(t).Uint64()
	for n := range runs {
		seed := first + uint64(n)
		p := newPowerRun(t, seed)
		p.cutOneIn = 8
		if err := p.work(40, n%2 == 1); err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		cuts += p.cuts
	}
	t.Logf("seeds from %d: %d power failures in %d runs", first, cuts, runs)
	if cuts < 10*runs {
		t.Error("the power failed too rarely to test it")
	}
}

// TestPowerFailuresFound checks the test: when a sync does nothing, it finds what
// a power failure loses.
func TestPowerFailuresFound(t *testing.T) {
	inTables := func(path string) bool { return filepath.Dir(path) == disk.TablesName }
	for name, lies := range map[string]func(path string) bool{
		"the journal": func(path string) bool { return path == disk.JournalName },
		"the tables":  func(path string) bool { return inTables(path) && filepath.Ext(path) == ".sst" },
		"the manifest": func(path string) bool {
			return inTables(path) && filepath.Base(path) == disk.ManifestName
		},
		"the store":         func(path string) bool { return path == "." },
		"the tables' names": func(path string) bool { return path == disk.TablesName },
	} {
		t.Run(name, func(t *testing.T) {
			for seed := range uint64(40) {
				p := newPowerRun(t, seed)
				p.cutOneIn, p.disk.lies = 2, lies
				if err := p.work(30, false); err != nil {
					t.Logf("seed %d, %d cuts: %v", seed, p.cuts, err)
					return
				}
			}
			t.Error("nothing was lost without this sync")
		})
	}
}

// TestJournalNamedBeforeTables replaces the records of empty stores on disks that fail, and then
// merges. No power failure leaves tables without the journal.
func TestJournalNamedBeforeTables(t *testing.T) {
	failed := 0
	for seed := range uint64(60) {
		p := newPowerRun(t, seed)
		p.disk.before = func() {
			if p.disk.now[disk.TablesName] != nil && p.disk.names[disk.JournalName] == nil {
				t.Errorf("seed %d: there are tables, and the journal may vanish", seed)
			}
		}
		p.open()
		p.disk.fails = true
		if err := p.replace(); err != nil {
			t.Fatal(err)
		}
		failed += min(1, p.disk.failed)
		if err := p.merge((*Engine).forceMerge); err != nil {
			t.Fatal(err)
		}
	}
	if failed < 10 {
		t.Errorf("only %d replacements failed", failed)
	}
}

// TestReplacementTakenBack replaces the records of stores on disks that fail twice, and then writes.
// Where the old records came back, no power failure during the write puts the new ones in their
// place.
func TestReplacementTakenBack(t *testing.T) {
	failed := 0
	for seed := range uint64(testenv.Pick(20, 200)) {
		seed += 100 // some of the first ones find the fault
		p := newPowerRun(t, seed)
		cut := p.disk.before
		p.disk.before = func() {}
		p.open()
		if err := p.write(); err != nil {
			t.Fatal(err)
		}
		n, first, second := 0, p.r.IntN(60), 1+p.r.IntN(12)
		p.disk.often = 1
		p.disk.before = func() {
			p.disk.fails = n == first || n == first+second
			n++
		}
		if err := p.replace(); err != nil {
			t.Errorf("seed %d: %v", seed, err)
			continue
		}
		failed += p.disk.failed / 2
		p.disk.before, p.disk.fails, p.cutOneIn = cut, false, 1
		if err := errors.Join(p.write(), p.wrong); err != nil {
			t.Errorf("seed %d: %v", seed, err)
		}
	}
	if failed < 5 {
		t.Errorf("only %d replacements failed", failed)
	}
}

func newPowerRun(t *testing.T, seed uint64) *powerRun {
	t.Helper()
	r := rand.New(rand.NewPCG(seed, 0))
	p := &powerRun{t: t, r: r, others: t.TempDir(), kept: model{}, tables: []model{{}}}
	p.disk = onPowerDisk(t, t.TempDir(), r)
	p.disk.before = func() {
		if p.wrong == nil && p.r.IntN(p.cutOneIn) == 0 {
			p.wrong = p.cut()
		}
	}
	return p
}

// work runs a number of random steps. With faults the disk fails in some of them.
func (p *powerRun) work(steps int, faults bool) error {
	p.open()
	for range steps {
		p.disk.fails = faults && p.r.IntN(3) == 0
		var err error
		switch p.r.IntN(12) {
		case 0, 1:
			err = p.merge((*Engine).forceMerge)
		case 2:
			err = p.merge(func(l *Engine) error { return l.Compact(context.Background()) })
		case 3:
			if err = p.merge((*Engine).Close); err == nil {
				p.open()
			}
		case 4:
			err = p.replace()
		default:
			err = p.write()
		}
		p.disk.fails = false
		if err := errors.Join(err, p.wrong); err != nil {
			return err
		}
	}
	return errors.Join(p.merge((*Engine).Close), p.wrong)
}

func (p *powerRun) open() {
	p.t.Helper()
	fails := p.disk.fails
	p.disk.fails = false
	p.l = openStore(p.t, p.disk.root)
	p.l.timer = time.NewTimer(time.Hour) // no compaction in the background
	p.disk.fails = fails
}

// write commits a transaction, or a group of them, and compares what the engine
// reads then.
func (p *powerRun) write() error {
	before, failed := p.kept, p.disk.failed
	next := maps.Clone(p.kept)
	var pairs []string
	for range 1 + p.r.IntN(4) {
		pairs = append(pairs, fmt.Sprint("key", p.r.IntN(20)), noise(p.r, []int{1, 80, 700, 6000}[p.r.IntN(4)]))
	}
	gone := fmt.Sprint("key", p.r.IntN(20))
	for i := 0; i < len(pairs); i += 2 {
		next[pairs[i]] = pairs[i+1]
	}
	delete(next, gone)
	p.maybe = append(p.maybe, next)
	err := p.l.Group(context.Background(), func(ctx context.Context) error {
		for i := 0; i < len(pairs); i += 2 {
			err := p.l.Update(ctx, func(tx kv.Tx) error { return tx.Put([]byte(pairs[i]), []byte(pairs[i+1])) })
			if err != nil {
				return err
			}
		}
		return p.l.Update(ctx, func(tx kv.Tx) error { return tx.Delete([]byte(gone)) })
	})
	failed = p.disk.failed - failed
	p.disk.fails = false
	got, e := everything(p.l)
	switch {
	case e != nil:
		return fmt.Errorf("after %v: %w", err, e)
	case err == nil && maps.Equal(got, next):
		p.kept, p.maybe = next, nil
		return nil
	case err != nil && failed > 0 && maps.Equal(got, before):
		return nil
	case err != nil && failed > 1 && maps.Equal(got, next): // it could not be taken back either
		p.kept, p.maybe = next, append(p.maybe, before)
		return nil
	}
	return fmt.Errorf("after %v and %d faults: %s, before %s, next %s", err, failed, got, before, next)
}

// replace replaces all records, as a restore does.
func (p *powerRun) replace() error {
	next := model{}
	for n := range p.r.IntN(6) {
		next[fmt.Sprint("key", n)] = noise(p.r, 200)
	}
	path := filepath.Join(p.others, "fresh")
	fresh, err := Open(path, Options{Write: true})
	for k, v := range next {
		if err == nil {
			err = put(fresh, k, v)
		}
	}
	if err == nil {
		err = fresh.Close()
	}
	defer disk.RemoveStore(path)
	if err != nil {
		return err
	}
	before, failed := p.kept, p.disk.failed
	p.maybe, p.tables = append(p.maybe, next), append(p.tables, before, next)
	err = p.replaceBy(path)
	p.disk.fails = false
	got, e := everything(p.l)
	if err != nil && p.disk.failed > failed && e == nil {
		if maps.Equal(got, before) {
			return nil
		}
		// The new manifest has its name, perhaps not for long: the caller does it again.
		p.maybe = append(p.maybe, before)
		err = p.replaceBy(path)
	}
	if err := errors.Join(err, e); err != nil || !maps.Equal(got, next) {
		return fmt.Errorf("replaced %s by %s: reads %s: %w", before, next, got, err)
	}
	p.kept, p.maybe = next, nil
	return nil
}

// replaceBy replaces all records by the records of a fresh store.
func (p *powerRun) replaceBy(fresh string) error {
	h, err := lock.Acquire(context.Background(), p.disk.root, false, "", nil)
	if err != nil {
		return err
	}
	defer h.Release()
	_, err = replaceRecords(context.Background(), p.disk.root, fresh, "", h)
	return err
}

// merge runs a compaction, or what may lead to one.
func (p *powerRun) merge(how func(*Engine) error) error {
	failed := p.disk.failed
	p.tables = append(p.tables, p.kept)
	err := how(p.l)
	if err != nil && p.disk.failed == failed {
		return err
	}
	return nil
}

// cut checks what a power failure at this moment leaves.
func (p *powerRun) cut() error {
	p.cuts++
	dir := filepath.Join(p.others, fmt.Sprint(p.cuts))
	defer os.RemoveAll(dir)
	p.disk.cut(p.t, dir)
	l, err := Open(dir, Options{Write: true})
	if err != nil {
		return err
	}
	defer l.Close()
	got, err := everything(l)
	if err != nil {
		return err
	}
	if allowed := append([]model{p.kept}, p.maybe...); !slices.ContainsFunc(allowed, got.equals) {
		return fmt.Errorf("after a power failure %s, before %s", got, allowed)
	}
	if p.cuts%4 == 0 {
		if err := p.badger(dir); err != nil {
			return err
		}
	}
	got["next"] = "value"
	if err := errors.Join(put(l, "next", "value"), l.forceMerge()); err != nil {
		return err
	}
	again, err := everything(l)
	if err == nil && !maps.Equal(got, again) {
		err = fmt.Errorf("after the next write %s, want %s", again, got)
	}
	_, damaged := l.Check(context.Background(), func(int64) {})
	return errors.Join(err, damaged)
}

// badger opens the tables of a store with stock Badger. They have a state of one of
// the compactions.
func (p *powerRun) badger(dir string) error {
	tables := filepath.Join(dir, disk.TablesName)
	if _, err := os.Stat(manifestPath(dir)); err != nil {
		if left, _ := filepath.Glob(filepath.Join(tables, "*.sst")); len(left) > 0 {
			return fmt.Errorf("%q without a manifest: %w", left, err)
		}
		return nil
	}
	got, _, err := badgerRecords(badger.DefaultOptions(tables).WithReadOnly(true))
	if err == nil && !slices.ContainsFunc(p.tables, got.equals) {
		err = fmt.Errorf("Badger reads %s", strings.TrimSpace(got.String()))
	}
	return err
}

func (m model) equals(other model) bool { return maps.Equal(m, other) }
