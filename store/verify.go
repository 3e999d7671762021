package store

import (
	"context"

	"techo/store/kv"
)

// Report is the result of Verify for a sound store.
type Report struct {
	Records int
	Bytes   int64          // of keys and values
	Counts  map[string]int // records by kind, in the plural
	Tables  int            // tables that were read in full; 0 unless deep
}

// VerifyOptions configure Verify.
type VerifyOptions struct {
	// Deep also reads versions that newer records hide, and reads from the disk
	// rather than from the system's cache.
	Deep bool

	// Progress, when set, is called now and then with the bytes read and an
	// estimate of the total.
	Progress func(done, total int64)
}

// Verify reads every record and checks that the indexes and the counts match
// the records. Damage is a kv.CorruptError; damage that only the meaning of
// records shows is a FindingError as well.
func (s *Store) Verify(ctx context.Context, o VerifyOptions) (Report, error) {
	if o.Progress == nil {
		o.Progress = func(done, total int64) {}
	}
	info, err := s.engine.Info(ctx)
	if err != nil {
		return Report{}, err
	}
	total := info.TableBytes + info.JournalBytes
	var r Report
	if checker, ok := s.engine.(kv.Checker); ok && o.Deep {
		tables, err := checker.Check(ctx, func(done int64) { o.Progress(done, 2*total) })
		if err != nil {
			return Report{}, err
		}
		r.Tables = tables
	}
	err = s.engine.Snapshot(ctx, func(tx kv.Tx) error {
		read, err := auditAll(ctx, tx, func(done int64) {
			if o.Deep {
				o.Progress(min(done, total)+total, 2*total)
			} else {
				o.Progress(min(done, total), total)
			}
		})
		read.Tables = r.Tables
		r = read
		return err
	})
	return r, err
}

// auditAll passes every record to the audit of its kind.
func auditAll(ctx context.Context, tx kv.Tx, progress func(done int64)) (r Report, err error) {
	r.Counts = map[string]int{}
	kinds := recordKinds()
	audits := make([]audit, len(kinds))
	bySpace := map[space]audit{}
	for i, k := range kinds {
		audits[i] = k.audit()
		for _, s := range k.spaces {
			bySpace[s] = audits[i]
		}
	}
	for p, err := range kv.Pairs(tx, kv.Range{}) {
		if err != nil {
			return r, err
		}
		r.Records++
		r.Bytes += int64(len(p.Key) + len(p.Value))
		a := bySpace[spaceOf(p.Key)]
		if a == nil {
			return r, finding(UnknownKey, "", string(p.Key), nil)
		}
		if err := a.visit(tx, p.Key, p.Value); err != nil {
			return r, err
		}
		if r.Records%256 == 0 {
			progress(r.Bytes)
			if ctx.Err() != nil {
				return r, context.Cause(ctx)
			}
		}
	}
	for i, k := range kinds {
		if r.Counts[k.name], err = audits[i].finish(tx); err != nil {
			return r, err
		}
	}
	return r, nil
}
