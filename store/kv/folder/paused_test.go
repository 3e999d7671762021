package folder

import (
	"context"
	"fmt"
	"maps"
	"testing"

	"techo/internal/testenv"
	"techo/store/kv"
	"techo/store/kv/disk"
	"techo/store/kv/sst"
)

// TestReadBesidePaused pauses a writer before each of its changes of files. Readers answer
// meanwhile: the same handle, one that has read before, and a new one. They see the state
// before or after the write, and never an older one than before.
func TestReadBesidePaused(t *testing.T) {
	before := model{"one": "1", "two": "2", "three": "3"}
	with := func(k, v string) model {
		m := maps.Clone(before)
		m[k] = v
		return m
	}
	for name, c := range map[string]struct {
		work  func(t *testing.T, l *Engine) error
		after model
	}{
		"write": {func(_ *testing.T, l *Engine) error { return put(l, "one", "new") }, with("one", "new")},
		"group": {func(_ *testing.T, l *Engine) error {
			return l.Group(context.Background(), func(ctx context.Context) error {
				for range 2 {
					err := l.Update(ctx, func(tx kv.Tx) error { return tx.Put([]byte("two"), []byte("new")) })
					if err != nil {
						return err
					}
				}
				return nil
			})
		}, with("two", "new")},
		"merge":   {func(_ *testing.T, l *Engine) error { return l.forceMerge() }, before},
		"compact": {func(_ *testing.T, l *Engine) error { return l.Compact(context.Background()) }, before},
		"restore": {func(t *testing.T, l *Engine) error {
			_, err := replaced(t, l.dir, "", model{"other": "v"})
			return err
		}, model{"other": "v"}},
	} {
		t.Run(name, func(t *testing.T) {
			few := 4
			if name == "restore" { // the longest
				few = 19
			}
			step := testenv.Pick(few, 1)
			for n, came := testenv.Random(t).IntN(step), true; came; n += step {
				came = readBesidePaused(t, n, before, c.after, c.work)
			}
		})
	}
}

// readBesidePaused pauses work before its n-th change, and reports whether it has one.
func readBesidePaused(t *testing.T, n int, before, after model, work func(*testing.T, *Engine) error) (came bool) {
	t.Helper()
	reached, resume := make(chan bool), make(chan bool)
	d := &failOnce{left: 1 << 30, pause: func() { reached <- true; <-resume }}
	disk.Current = d
	defer func() { disk.Current = disk.SystemDisk{} }()
	dir := t.TempDir()
	l, reader := openStore(t, dir), openStore(t, dir)
	mustPut(t, l, "one", "1")
	mustMerge(t, l)
	mustPut(t, l, "two", "2")
	wantAll(t, reader, model{"one": "1", "two": "2"})
	mustPut(t, l, "three", "3")
	d.left = n
	done := make(chan error, 1)
	go func() { done <- work(t, l) }()
	select {
	case <-reached:
		came = true
		seen := before
		for _, h := range []*Engine{l, reader, openStore(t, dir), reader, l} {
			if d.restoring(dir) {
				break // the last step of a restore, for which readers wait
			}
			got, err := readSoon(h)
			switch {
			case err == nil && maps.Equal(got, seen):
			case err == nil && maps.Equal(got, after):
				seen = after
			default:
				t.Fatalf("before %s: read %s, %v", d.failed, got, err)
			}
		}
		close(resume)
	case err := <-done:
		done <- err
	}
	if err := <-done; err != nil {
		t.Fatal(d.failed, err)
	}
	d.left = 1 << 30
	for _, h := range []*Engine{l, reader, openStore(t, dir)} {
		wantAll(t, h, after)
	}
	return came
}

// restoring reports whether the manifest lists the tables of a restore that has not ended.
func (d *failOnce) restoring(dir string) bool {
	l, err := Open(dir, Options{})
	if err != nil {
		return false
	}
	defer l.Close()
	at, ok := l.journal.Look()
	return ok && at.Number == 0 && at.Generation < sst.ManifestGeneration(dir)
}

// readSoon reads a store without waiting for long.
func readSoon(l *Engine) (got model, err error) {
	ctx, stop := context.WithTimeout(context.Background(), soon)
	defer stop()
	err = l.View(ctx, func(tx kv.Tx) error {
		got = model{}
		for p, err := range kv.Pairs(tx, kv.Range{}) {
			if err != nil {
				return err
			}
			got[string(p.Key)] = string(p.Value)
		}
		return nil
	})
	if err == nil && ctx.Err() != nil {
		err = fmt.Errorf("took longer than %s", soon)
	}
	return got, err
}
