package ledger

import (
	"context"

	"techo/store/kv"
)

// Root returns the store that a shared space is in.
func (s *Ledger) Root() *Ledger {
	if s.parent != nil {
		return s.parent
	}
	return s
}

// ViewRoot runs fn in a read transaction of the store, outside of all spaces.
func (s *Ledger) ViewRoot(ctx context.Context, fn func(*Tx) error) error {
	return s.Root().View(ctx, fn)
}

// UpdateRoot is viewRoot for a write transaction.
func (s *Ledger) UpdateRoot(ctx context.Context, fn func(*Tx) error) error {
	return s.Root().Update(ctx, fn)
}

// Maintained returns the space with a number as a store for checks and repairs, which
// need no role.
func (s *Ledger) Maintained(number uint64) *Ledger {
	return s.Within("", func(*Tx, Role) (Place, error) {
		return Place{Number: number, Role: AdminRole}, nil
	})
}

func (s *Ledger) Within(name string, enter func(*Tx, Role) (Place, error)) *Ledger {
	base := s.Root()
	return &Ledger{Schemas: base.Schemas, Engine: base.Engine, Where: base.Where, Shown: base.Shown, Now: base.Now,
		History: base.History,
		Observe: base.Observe, parent: base, Space: name, enter: enter}
}

// SpaceOf returns the name of a shared space, or "" for the store itself.
func SpaceOf(s *Ledger) string { return s.Space }

// SpacesWithKeys returns the numbers of the shared spaces that have any keys.
func (s *Ledger) SpacesWithKeys(ctx context.Context) (numbers []uint64, err error) {
	err = s.View(ctx, func(tx *Tx) error {
		numbers = nil
		for from := SharedRecords.All(); ; {
			number, found, err := tx.nextSpace(from)
			if err != nil || !found {
				return err
			}
			numbers = append(numbers, number)
			from = SharedPrefix(number + 1)
		}
	})
	return numbers, err
}

// nextSpace returns the number of the first shared space with a key at or after from.
func (tx *Tx) nextSpace(from []byte) (number uint64, found bool, err error) {
	r := kv.Range{Prefix: SharedRecords.All(), From: from, Limit: 1, KeysOnly: true}
	for item, err := range tx.Scan(r) {
		if err != nil {
			return 0, false, err
		}
		number, _, ok := CutShared(item.Key)
		if !ok {
			return 0, false, Finding(UnknownKey, KindSpace, string(item.Key), nil)
		}
		return number, true, nil
	}
	return 0, false, nil
}
