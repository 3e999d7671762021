package store

import (
	"context"

	"techo/store/kv"
)

// rootOf returns the store that a shared space is in.
func rootOf(s *Ledger) *Ledger {
	if s.parent != nil {
		return s.parent
	}
	return s
}

// viewRoot runs fn in a read transaction of the store, outside of all spaces.
func viewRoot(ctx context.Context, s *Ledger, fn func(*Tx) error) error {
	return rootOf(s).view(ctx, fn)
}

// updateRoot is viewRoot for a write transaction.
func updateRoot(ctx context.Context, s *Ledger, fn func(*Tx) error) error {
	return rootOf(s).update(ctx, fn)
}

// maintained returns the space with a number as a store for checks and repairs, which
// need no role.
func maintained(s *Ledger, number uint64) *Ledger {
	return within(s, "", func(*Tx, Role) (sharedPlace, error) {
		return sharedPlace{number: number, role: AdminRole}, nil
	})
}

func within(s *Ledger, name string, enter func(*Tx, Role) (sharedPlace, error)) *Ledger {
	base := rootOf(s)
	return &Ledger{schemas: base.schemas, engine: base.engine, where: base.where, shown: base.shown, now: base.now, history: base.history,
		observe: base.observe, parent: base, space: name, enter: enter}
}

// SpaceOf returns the name of a shared space, or "" for the store itself.
func SpaceOf(s *Ledger) string { return s.space }

// spacesWithKeys returns the numbers of the shared spaces that have any keys.
func spacesWithKeys(ctx context.Context, s *Ledger) (numbers []uint64, err error) {
	err = s.view(ctx, func(tx *Tx) error {
		numbers = nil
		for from := sharedRecords.all(); ; {
			number, found, err := nextSpace(tx, from)
			if err != nil || !found {
				return err
			}
			numbers = append(numbers, number)
			from = sharedPrefix(number + 1)
		}
	})
	return numbers, err
}

// nextSpace returns the number of the first shared space with a key at or after from.
func nextSpace(tx *Tx, from []byte) (number uint64, found bool, err error) {
	r := kv.Range{Prefix: sharedRecords.all(), From: from, Limit: 1, KeysOnly: true}
	for item, err := range tx.Scan(r) {
		if err != nil {
			return 0, false, err
		}
		number, _, ok := cutShared(item.Key)
		if !ok {
			return 0, false, finding(UnknownKey, KindSpace, string(item.Key), nil)
		}
		return number, true, nil
	}
	return 0, false, nil
}
