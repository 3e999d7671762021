package kv

import (
	"context"
	"os"
	"path/filepath"
)

// Check reads the whole folder anew: the journal, and every entry of every table.
func (l *Local) Check(ctx context.Context, progress func(done int64)) (checked int, err error) {
	forgetCached(l.dir)
	fresh, err := Open(l.dir, Options{Holder: l.opts.Holder})
	if err != nil {
		return 0, err
	}
	defer fresh.Close()
	err = fresh.Snapshot(ctx, func(tx Tx) error {
		base := tx.(*localTx).base
		if base == nil {
			return nil
		}
		var done int64
		for _, r := range base.runs {
			for n, f := range r {
				if _, err := base.digest(r[n : n+1]); err != nil {
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

// forgetCached asks the system to read the files of a store from the disk the
// next time. That it does not is no harm: then what it remembers is checked.
func forgetCached(dir string) {
	_ = filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return nil
		}
		if f, err := os.Open(path); err == nil {
			dropCache(f)
			f.Close()
		}
		return nil
	})
}
