package store

import (
	"context"
	"errors"

	"techo/store/kv"
	"techo/store/kv/rescue"
	"techo/store/ledger"
)

// Diagnosis is the result of Doctor.
type Diagnosis struct {
	Sound    bool
	Damage   error            // the first damage of an unsound store
	Findings []rescue.Finding // the damaged parts of files
	Repairs  []ledger.Repair  // made, or to be made, to the records that could be read
	Changes  []RecordChange   // records that are lost, old, or back after their removal
	Unnamed  int              // damaged places whose records could not all be named
	Report   Report           // of the sound store, or of the rescued copy
	Empty    bool             // no record of a store that held some can be read: it is not replaced
	Repaired bool             // the rescued copy replaced the store
	Aside    string           // path of the damaged store that was replaced
}

// Complete reports whether nothing is lost, old or changed, as far as Doctor
// can detect.
func (d Diagnosis) Complete() bool {
	return d.Sound || len(d.Changes) == 0 && d.Unnamed == 0 && len(d.Repairs) == 0
}

// DoctorOptions configure Doctor.
type DoctorOptions struct {
	Options
	Repair   bool // replace a damaged store by its rescued copy
	Progress func(done, total int64)
}

// Doctor verifies the store in a folder, deeply. For a damaged store it copies
// all readable records, rebuilds their indexes and verifies the copy. The copy
// is then removed or, with Repair, replaces the store. A copy without records
// never replaces a store.
func Doctor(ctx context.Context, where string, o DoctorOptions) (d Diagnosis, err error) {
	d.Report, d.Damage = examine(ctx, where, o.Options, VerifyOptions{Deep: true, Progress: o.Progress})
	if d.Damage == nil {
		d.Sound = true
		return d, nil
	}
	corrupt := new(kv.CorruptError)
	if !errors.As(d.Damage, &corrupt) {
		return d, d.Damage
	}
	driver, err := driverOf(where)
	if err != nil {
		return d, err
	}
	if driver.rescue == nil {
		return d, d.Damage // a backup is the only way
	}
	r, err := driver.rescue(ctx, where, o.Repair, o.Holder, func(fresh string, r rescue.Rescued) (err error) {
		d.Findings, d.Unnamed = r.Findings, r.Unnamed
		if len(d.Findings) == 0 {
			d.Findings = []rescue.Finding{{Path: corrupt.Path, Reason: corrupt.Reason}}
		}
		var keys int // that could be read, also index entries
		if d.Changes, keys, err = namedChanges(ctx, fresh, o.Options, r); err != nil {
			return err
		}
		if d.Repairs, err = repairAll(ctx, fresh, o.Options); err != nil {
			return err
		}
		d.Report, err = examine(ctx, fresh, o.Options, VerifyOptions{})
		d.Empty = d.Report.Records == 0 && (keys == 0 || len(d.Changes) > 0 || d.Unnamed > 0)
		if err == nil && d.Empty {
			return errEmpty
		}
		return err
	})
	if errors.Is(err, errEmpty) {
		return d, nil
	}
	if err != nil {
		return d, err
	}
	d.Repaired, d.Aside = o.Repair, r.Aside
	return d, nil
}

// errEmpty stops a rescue that would replace a store by an empty one.
var errEmpty = errors.New("store: nothing could be read")

func examine(ctx context.Context, where string, o Options, v VerifyOptions) (Report, error) {
	o.Write = false
	s, err := Open(where, o)
	if err != nil {
		return Report{}, err
	}
	defer s.Close()
	return s.Verify(ctx, v)
}

// repairAll drops keys of unknown spaces and repairs each record kind.
func repairAll(ctx context.Context, where string, o Options) (repairs []ledger.Repair, err error) {
	ctx = ledger.WithoutHistory(ctx)
	o.Write = true
	s, err := Open(where, o)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	if repairs, err = s.Ledger.DropUnknown(ctx); err != nil {
		return repairs, err
	}
	return s.Ledger.RepairWith(ctx, schemas().All, repairs)
}

// inSpace returns the changes of the records of a shared space.
func (n *namer) inSpace(space string, suspects bool) (all []RecordChange) {
	if suspects {
		n.addSuspects()
	}
	all = n.result()
	for i := range all {
		all[i].Space = space
	}
	return all
}

// of returns the namer of the records that a key belongs to, and the key there.
func (n *namer) of(key []byte) (*namer, []byte) {
	if ledger.PrefixOf(key) != ledger.SharedRecords {
		return n, key
	}
	number, within, ok := ledger.CutShared(key)
	if !ok {
		return n, key
	}
	if n.shared[number] == nil {
		n.shared[number] = newNamer()
	}
	return n.shared[number], within
}
