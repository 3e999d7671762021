package kv

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
)

// Check reads the whole store from the disk: the journal and every entry of every
// table, also entries that newer ones hide.
func (l *Local) Check(ctx context.Context, progress func(done int64)) (checked int, err error) {
	forgetCached(l.dir)
	fresh, err := Open(l.dir, Options{Holder: l.opts.Holder})
	if err != nil {
		return 0, err
	}
	defer fresh.Close()
	err = fresh.Snapshot(ctx, func(tx Tx) error {
		t, err := tx.(*localTx).tables.open()
		if err != nil || t == nil {
			return err
		}
		if err := t.checkRuns(); err != nil {
			return err
		}
		var done int64
		for _, r := range t.runs {
			for n, f := range r {
				if _, err := t.digest(r[n : n+1]); err != nil {
					return err
				}
				checked++
				done += f.size
				progress(done)
				if ctx.Err() != nil {
					return context.Cause(ctx)
				}
			}
		}
		return nil
	})
	return checked, err
}

// checkRuns checks that Badger reads the same entries as techo: Badger takes the
// highest version of a key, techo the newest run, and both search a run for the
// one table that may have the key. digest checks the version of each entry.
func (t *tables) checkRuns() error {
	wrong := func(i tableInfo, code ReasonCode) error {
		return corrupt(filepath.Join(t.path, i.name()), code)
	}
	for n, r := range t.runs {
		for k, f := range r {
			switch {
			case f.version != r[0].version || f.version == 0:
				return wrong(f.tableInfo, SeveralVersions)
			case n > 0 && f.version >= t.runs[n-1][0].version:
				return wrong(f.tableInfo, OldRunNewVersion)
			case bytes.Compare(f.low, f.high) > 0 || k > 0 && bytes.Compare(r[k-1].high, f.low) >= 0:
				return wrong(f.tableInfo, RunsOutOfOrder)
			}
		}
	}
	return nil
}

// forgetCached asks the system to drop the store's files from the page cache, so
// that the next read comes from the disk. It has no effect on some systems; Check
// then reads cached pages.
func forgetCached(dir string) {
	_ = filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return nil
		}
		forgetFile(path)
		return nil
	})
}

// forgetFile is forgetCached for one file.
func forgetFile(path string) {
	if f, err := os.Open(path); err == nil {
		dropCache(f)
		f.Close()
	}
}
