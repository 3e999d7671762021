package space

import (
	"bytes"
	"context"
	"errors"

	"golang.org/x/text/unicode/norm"

	"techo/store/kv"
	"techo/store/ledger"
)

// removedBatch is how many keys of a removed space one transaction deletes.
const removedBatch = 5000

// Remove removes a shared space: at once for its members, then its keys batch by
// batch. Only an admin or the owner of the store may do it. Unless contents is set, it
// fails with a FullSpaceError if the space has records. Removed records do not come
// back.
func (a Spaces) Remove(ctx context.Context, name string, contents bool, by Acting) (sp Shared, err error) {
	name = norm.NFC.String(name)
	err = a.store.Root().Update(ctx, func(tx *ledger.Tx) error {
		number, role, err := by.Enter(tx, name)
		if err != nil {
			return err
		}
		if role < ledger.AdminRole && !by.Owner {
			return &RoleError{name, role, ledger.AdminRole}
		}
		within := tx.In(ledger.Place{Number: number})
		m, err := loadMembers(within)
		if err != nil {
			return err
		}
		sp = m.shared(role)
		if full, err := hasRecords(within); err != nil {
			return err
		} else if full && !contents {
			return &FullError{name}
		}
		for _, p := range m.entries(number) {
			if err := tx.Delete(p.Key); err != nil {
				return err
			}
		}
		return tx.Put(removedSpaceKey(number), nil)
	})
	if err != nil || ledger.Joined(ctx) {
		return sp, err
	}
	return sp, DropRemovedSpaces(ctx, a.store.Root())
}

// hasRecords reports whether a space has records of its members.
func hasRecords(tx *ledger.Tx) (bool, error) {
	for _, s := range tx.Ledger.Schemas.SharedRecords() {
		for _, err := range tx.Scan(kv.Range{Prefix: s.All(), Limit: 1, KeysOnly: true}) {
			return err == nil, err
		}
	}
	return false, nil
}

// DropRemovedSpaces deletes the keys of removed spaces. A process that was killed may
// have left some.
func DropRemovedSpaces(ctx context.Context, s *ledger.Ledger) error {
	ctx = ledger.WithoutHistory(ctx)
	return ledger.UntilDone(func() (done int, err error) {
		err = s.View(ctx, func(tx *ledger.Tx) error { // a write to no purpose would cost a sync
			_, err := firstRemoved(tx)
			return err
		})
		if errors.Is(err, kv.ErrNotFound) {
			return 0, nil
		}
		if err == nil {
			err = s.Update(ctx, dropSomeKeys)
		}
		return 1, err
	})
}

// firstRemoved returns the number of a removed space that still has keys, or
// kv.ErrNotFound.
func firstRemoved(tx *ledger.Tx) (number uint64, err error) {
	for item, err := range tx.Scan(kv.Range{Prefix: removedOnes.All(), Limit: 1}) {
		if err != nil {
			return 0, err
		}
		if number, ok := ledger.CutNumber(ledger.Rest(item.Key)); ok {
			return number, nil
		}
		return 0, ledger.Finding(ledger.UnknownKey, ledger.KindSpace, string(item.Key), nil)
	}
	return 0, kv.ErrNotFound
}

// dropSomeKeys deletes some keys of a removed space, and its mark with the last.
func dropSomeKeys(tx *ledger.Tx) error {
	number, err := firstRemoved(tx)
	if err != nil {
		return ledger.IgnoreMissing(err)
	}
	var keys [][]byte
	for item, err := range tx.Scan(kv.Range{Prefix: ledger.SharedPrefix(number), Limit: removedBatch, KeysOnly: true}) {
		if err != nil {
			return err
		}
		keys = append(keys, bytes.Clone(item.Key))
	}
	if len(keys) < removedBatch {
		keys = append(keys, removedSpaceKey(number))
	}
	return tx.DeleteKeys(keys)
}
