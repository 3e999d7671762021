package store

import (
	"context"

	"techo/store/kv"
)

// Report is what Verify read of a sound store.
type Report struct {
	Records int
	Bytes   int64          // of keys and values
	Kept    map[string]int // how many of each noun, by its name in the plural
	Tables  int            // read to their last entry; 0 unless deep
}

// VerifyOptions say how Verify goes about it.
type VerifyOptions struct {
	// Deep also reads what newer records hide, and reads it from the disk
	// rather than from the system's memory.
	Deep bool

	// Progress, when set, is told now and then how many bytes were read, of
	// about how many.
	Progress func(done, total int64)
}

// Verify reads every record, and checks that the indexes and the counts are
// what the records make them. What is wrong is a kv.CorruptError.
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
	if o.Deep {
		tables, err := s.engine.Check(ctx, func(done int64) { o.Progress(done, 2*total) })
		if err != nil {
			return Report{}, err
		}
		r.Tables = tables
	}
	err = s.engine.Snapshot(ctx, func(tx kv.Tx) error {
		read, err := audited(ctx, tx, func(done int64) {
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

// audited shows every record to the audit of its noun.
func audited(ctx context.Context, tx kv.Tx, progress func(done int64)) (r Report, err error) {
	r.Kept = map[string]int{}
	audits := map[string]audit{} // by space
	all := nouns()
	made := make([]audit, len(all))
	for i, n := range all {
		made[i] = n.audit()
		for _, space := range n.spaces {
			audits[space] = made[i]
		}
	}
	for item, err := range tx.Scan(kv.Range{}) {
		if err != nil {
			return r, err
		}
		value, err := item.Value()
		if err != nil {
			return r, err
		}
		r.Records++
		r.Bytes += int64(len(item.Key) + len(value))
		a := audits[string(item.Key[:min(2, len(item.Key))])]
		if a == nil {
			return r, bad("unknown key %q", item.Key)
		}
		if err := a.see(tx, item.Key, value); err != nil {
			return r, err
		}
		if r.Records%256 == 0 {
			progress(r.Bytes)
			if ctx.Err() != nil {
				return r, context.Cause(ctx)
			}
		}
	}
	for i, n := range all {
		count, err := made[i].finish(tx)
		if err != nil {
			return r, err
		}
		r.Kept[n.name] = count
	}
	return r, nil
}
