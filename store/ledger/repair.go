package ledger

import (
	"bytes"
	"context"

	"techo/store/kv"
)

// RepairWith repairs the records of some kinds.
func (l *Ledger) RepairWith(ctx context.Context, kinds []Schema, repairs []Repair) ([]Repair, error) {
	for _, k := range kinds {
		more, err := k.Repair(ctx, l)
		repairs = append(repairs, more...)
		if err != nil {
			return repairs, err
		}
	}
	return repairs, nil
}

// DropUnknown removes all keys with unknown prefixes.
func (l *Ledger) DropUnknown(ctx context.Context) (repairs []Repair, err error) {
	known, kinds := map[Prefix]bool{SharedRecords: true}, l.Schemas.All
	if l.parent != nil {
		known, kinds = map[Prefix]bool{SpaceMembers: true}, l.Schemas.Shared()
	}
	for _, k := range kinds {
		for _, s := range k.Prefixes {
			known[s] = true
		}
	}
	err = l.Update(ctx, func(tx *Tx) error {
		repairs = nil
		var drop [][]byte
		for item, err := range tx.Scan(kv.Range{}) {
			if err != nil {
				return err
			}
			if known[PrefixOf(item.Key)] {
				continue
			}
			key := bytes.Clone(item.Key)
			drop = append(drop, key)
			repairs = append(repairs, DroppedRecord("", string(key), Finding(UnknownKey, "", string(key), nil)))
		}
		return tx.DeleteKeys(drop)
	})
	return repairs, err
}

// Repair is one change to a rescued record.
type Repair struct {
	Action  RepairAction
	Kind    Kind
	Record  string // its id, name or key
	Space   string // the shared space that it is in, or ""
	NewName string // of a renamed record
	Reason  error  // of the others: a FindingError, a LimitError or an error of AddMemories
}

func DroppedRecord(kind Kind, record string, reason error) Repair {
	return Repair{Action: Dropped, Kind: kind, Record: record, Reason: reason}
}

// Joined reports whether a context has an open transaction. Another one must not begin
// before it has ended.
func Joined(ctx context.Context) bool { return ctx.Value(openKey{}) != nil }

// UntilDone repeats a step until it has nothing left to do.
func UntilDone(step func() (done int, err error)) error {
	for {
		if done, err := step(); err != nil || done == 0 {
			return err
		}
	}
}
