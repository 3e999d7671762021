package store

import (
	"context"
	"errors"
	"time"

	"techo/store/kv"
	"techo/store/ledger"
	"techo/store/space"
)

// Report is the result of Verify for a sound store.
type Report struct {
	Records int
	Future  int            // of the records: written later than now, by a clock that was wrong
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
	info, err := s.Engine.Info(ctx)
	if err != nil {
		return Report{}, err
	}
	total := info.TableBytes + info.JournalBytes
	var r Report
	if checker, ok := s.Engine.(kv.Checker); ok && o.Deep {
		tables, err := checker.Check(ctx, func(done int64) { o.Progress(done, 2*total) })
		if err != nil {
			return Report{}, err
		}
		r.Tables = tables
	}
	err = s.Snapshot(ctx, func(tx *ledger.Tx) error {
		read, err := auditAll(ctx, tx, s.Now(), func(done int64) {
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
func auditAll(ctx context.Context, tx *ledger.Tx, now time.Time, progress func(done int64)) (r Report, err error) {
	r.Counts = map[string]int{}
	all := newAuditor(tx, now, new(space.Audit))
	var within *auditor // of the shared space whose keys are read
	for p, err := range kv.Pairs(tx, kv.Range{}) {
		if err != nil {
			return r, err
		}
		r.Records++
		r.Bytes += int64(len(p.Key) + len(p.Value))
		a, key := all, p.Key
		if ledger.PrefixOf(key) == ledger.SharedRecords {
			if within, key, err = all.enter(within, key, &r); err != nil {
				return r, err
			}
			a = within
		}
		if err := a.visit(key, p.Value); err != nil {
			return r, err
		}
		if r.Records%256 == 0 {
			progress(r.Bytes)
			if ctx.Err() != nil {
				return r, context.Cause(ctx)
			}
		}
	}
	if within != nil {
		if err := within.finish(&r); err != nil {
			return r, err
		}
	}
	return r, all.finish(&r)
}

// auditor passes the keys of the store, or of a shared space, to the audits of their
// kinds.
type auditor struct {
	now     time.Time
	tx      *ledger.Tx
	number  uint64 // of the shared space; 0 is the store
	spaces  *space.Audit
	audits  map[string]ledger.Audit // by the name of the kind
	bySpace map[ledger.Prefix]ledger.Audit
}

func newAuditor(tx *ledger.Tx, now time.Time, spaces *space.Audit) *auditor {
	a := &auditor{tx: tx, now: now, spaces: spaces, audits: map[string]ledger.Audit{},
		bySpace: map[ledger.Prefix]ledger.Audit{}}
	kinds := schemas().All
	if within := tx.Within; within != nil {
		a.number, kinds = within.Number, schemas().Shared()
		a.bySpace[ledger.SpaceMembers] = spaces
	} else {
		spaces.Begin()
		a.audits["spaces"] = spaces
	}
	for _, k := range kinds {
		audit := a.audits[k.Name]
		if audit == nil {
			audit = k.Audit()
			if d, ok := audit.(ledger.Dated); ok {
				d.BeginAt(now)
			}
			a.audits[k.Name] = audit
		}
		for _, s := range k.Prefixes {
			a.bySpace[s] = audit
		}
	}
	return a
}

// enter returns the auditor of the shared space that a key belongs to, and the key
// within. All keys of a space are adjacent: it finishes the space before.
func (a *auditor) enter(before *auditor, key []byte, r *Report) (*auditor, []byte, error) {
	number, within, ok := ledger.CutShared(key)
	if !ok {
		return nil, nil, ledger.Finding(ledger.UnknownKey, ledger.KindSpace, string(key), nil)
	}
	if before != nil && before.number == number {
		return before, within, nil
	}
	if before != nil {
		if err := before.finish(r); err != nil {
			return nil, nil, err
		}
	}
	return newAuditor(a.tx.In(ledger.Place{Number: number}), a.now, a.spaces), within, nil
}

func (a *auditor) visit(key, value []byte) error {
	if a.spaces.Removed[a.number] {
		return nil // part of the space is gone
	}
	audit := a.bySpace[ledger.PrefixOf(key)]
	if audit == nil {
		return a.placed(ledger.Finding(ledger.UnknownKey, "", string(key), nil))
	}
	return a.placed(audit.Visit(a.tx, key, value))
}

// placed adds the name of the shared space to a finding.
func (a *auditor) placed(err error) error {
	if f := new(ledger.FindingError); a.number != 0 && errors.As(err, &f) && f.Kind != ledger.KindSpace {
		f.Space = space.NameOf(a.tx, a.number)
	}
	return err
}

// finish finishes the audits in the order of the kinds, and adds what they counted.
func (a *auditor) finish(r *Report) error {
	if a.number != 0 && a.spaces.Removed[a.number] {
		return nil
	}
	for _, k := range schemas().All {
		if audit := a.audits[k.Name]; audit != nil {
			n, err := audit.Finish(a.tx)
			if err != nil {
				return a.placed(err)
			}
			r.Counts[k.Name] += n
			if d, ok := audit.(ledger.Dated); ok {
				r.Future += d.Future()
			}
		}
	}
	return nil
}
