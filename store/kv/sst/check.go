package sst

import (
	"bytes"
	"context"
	"path/filepath"

	"techo/store/kv"
)

// CheckAll reads all tables, also what newer runs hide. It returns their number and calls progress
// with the number of bytes read so far.
func (t *Tables) CheckAll(ctx context.Context, progress func(done int64)) (checked int, err error) {
	if err := t.checkRuns(); err != nil {
		return 0, err
	}
	var done int64
	for _, r := range t.Runs {
		for n, f := range r {
			if _, err := t.digest(r[n : n+1]); err != nil {
				return checked, err
			}
			checked++
			done += f.Size
			progress(done)
			if ctx.Err() != nil {
				return checked, context.Cause(ctx)
			}
		}
	}
	return checked, nil
}

// checkRuns checks that Badger reads the same entries as techo: Badger takes the
// highest version of a key, techo the newest run, and both search a run for the
// one table that may have the key. digest checks the version of each entry.
func (t *Tables) checkRuns() error {
	wrong := func(i Info, code kv.ReasonCode) error {
		return kv.Corrupt(filepath.Join(t.Path, i.Name()), code)
	}
	for n, r := range t.Runs {
		for k, f := range r {
			switch {
			case f.version != r[0].version || f.version == 0:
				return wrong(f.Info, kv.SeveralVersions)
			case n > 0 && f.version >= t.Runs[n-1][0].version:
				return wrong(f.Info, kv.OldRunNewVersion)
			case bytes.Compare(f.Low, f.High) > 0 || k > 0 && bytes.Compare(r[k-1].High, f.Low) >= 0:
				return wrong(f.Info, kv.RunsOutOfOrder)
			}
		}
	}
	return nil
}
