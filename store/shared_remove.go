package store

import (
	"bytes"
	"context"
	"errors"

	"golang.org/x/text/unicode/norm"

	"techo/store/kv"
)

// removedBatch is how many keys of a removed space one transaction deletes.
const removedBatch = 5000

// Remove removes a shared space: at once for its members, then its keys batch by
// batch. Only an admin or the owner of the store may do it. Unless contents is set, it
// fails with a FullSpaceError if the space has records. Removed records do not come
// back.
func (a Spaces) Remove(ctx context.Context, name string, contents bool, by Acting) (sp SharedSpace, err error) {
	name = norm.NFC.String(name)
	err = updateRoot(ctx, a.store, func(tx *Tx) error {
		number, role, err := by.enter(tx, name)
		if err != nil {
			return err
		}
		if role < AdminRole && !by.Owner {
			return &SpaceRoleError{name, role, AdminRole}
		}
		within := tx.in(sharedPlace{number: number})
		m, err := loadMembers(within)
		if err != nil {
			return err
		}
		sp = m.shared(role)
		if full, err := hasRecords(within); err != nil {
			return err
		} else if full && !contents {
			return &FullSpaceError{name}
		}
		for _, p := range m.entries(number) {
			if err := tx.Delete(p.Key); err != nil {
				return err
			}
		}
		return tx.Put(removedSpaceKey(number), nil)
	})
	if err != nil || joined(ctx) {
		return sp, err
	}
	return sp, dropRemovedSpaces(ctx, rootOf(a.store))
}

// joined reports whether a context has an open transaction. Another one must not begin
// before it has ended.
func joined(ctx context.Context) bool { return ctx.Value(openKey{}) != nil }

// hasRecords reports whether a space has records of its members.
func hasRecords(tx *Tx) (bool, error) {
	for _, s := range []space{memoRecords, memoryRecords, singleRecords, seriesRecords, todoRecords} {
		for _, err := range tx.Scan(kv.Range{Prefix: s.all(), Limit: 1, KeysOnly: true}) {
			return err == nil, err
		}
	}
	return false, nil
}

// dropRemovedSpaces deletes the keys of removed spaces. A process that was killed may
// have left some.
func dropRemovedSpaces(ctx context.Context, s *Store) error {
	ctx = withoutHistory(ctx)
	return untilDone(func() (done int, err error) {
		err = s.view(ctx, func(tx *Tx) error { // a write to no purpose would cost a sync
			_, err := firstRemoved(tx)
			return err
		})
		if errors.Is(err, kv.ErrNotFound) {
			return 0, nil
		}
		if err == nil {
			err = s.update(ctx, dropSomeKeys)
		}
		return 1, err
	})
}

// firstRemoved returns the number of a removed space that still has keys, or
// kv.ErrNotFound.
func firstRemoved(tx *Tx) (number uint64, err error) {
	for item, err := range tx.Scan(kv.Range{Prefix: removedSpaces.all(), Limit: 1}) {
		if err != nil {
			return 0, err
		}
		if number, ok := cutNumber(rest(item.Key)); ok {
			return number, nil
		}
		return 0, finding(UnknownKey, KindSpace, string(item.Key), nil)
	}
	return 0, kv.ErrNotFound
}

// dropSomeKeys deletes some keys of a removed space, and its mark with the last.
func dropSomeKeys(tx *Tx) error {
	number, err := firstRemoved(tx)
	if err != nil {
		return ignoreMissing(err)
	}
	var keys [][]byte
	for item, err := range tx.Scan(kv.Range{Prefix: sharedPrefix(number), Limit: removedBatch, KeysOnly: true}) {
		if err != nil {
			return err
		}
		keys = append(keys, bytes.Clone(item.Key))
	}
	if len(keys) < removedBatch {
		keys = append(keys, removedSpaceKey(number))
	}
	return deleteKeys(tx, keys)
}
