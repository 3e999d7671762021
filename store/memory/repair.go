package memory

import (
	"bytes"
	"cmp"
	"context"
	"slices"
	"strings"

	"techo/internal/sorting"
	"techo/store/kv"
	"techo/store/ledger"
	"techo/store/search"
)

// Limits of one transaction of a repair. A repair works on a private copy of
// the store, so it may commit in several steps.
const (
	RepairMaxMemories = 4096
	repairMaxBytes    = 32 << 20
	repairMaxKeys     = 1 << 16
)

// rescuedMemory is a readable record and its position among the memories of its
// user.
type rescuedMemory struct {
	key     string
	user    string
	created int64
	order   uint32
}

func (m rescuedMemory) compare(o rescuedMemory) int {
	return cmp.Or(strings.Compare(m.user, o.user), cmp.Compare(m.created, o.created), cmp.Compare(m.order, o.order))
}

// rescuedMemories is the result of scanning all records of memories.
type rescuedMemories struct {
	all      []rescuedMemory
	broken   [][]byte // keys of the records that cannot be read
	repairs  []ledger.Repair
	lastUser uint32 // the greatest number of a user
}

// Repair rebuilds everything but the records. It drops memories that
// cannot be read, and memories whose text another memory of the user has. The
// search index of the memos goes as well; their repair, which runs later,
// rebuilds it.
//
// Users get numbers greater than all existing ones, so that no record that is
// written replaces one that is still to be read.
func Repair(ctx context.Context, s *ledger.Ledger) ([]ledger.Repair, error) {
	found, err := scanMemories(ctx, s)
	if err != nil {
		return nil, err
	}
	if err := dropKeys(ctx, s, found.broken); err != nil {
		return nil, err
	}
	removed, err := removedOf(ctx, s)
	if err != nil {
		return nil, err
	}
	for _, prefix := range prefixes() {
		if prefix == Records {
			continue
		}
		if err := dropPrefix(ctx, s, prefix); err != nil {
			return nil, err
		}
	}
	if found.lastUser > 0 {
		err := s.Update(ctx, func(tx *ledger.Tx) error { return ledger.Save(tx, UserCount.All(), found.lastUser) })
		if err != nil {
			return nil, err
		}
	}
	sorting.By(found.all, rescuedMemory.compare)
	drafter := NewDrafter()
	for len(found.all) > 0 {
		n, repairs, err := addRescued(ctx, s, drafter, found.all)
		if err != nil {
			return nil, err
		}
		found.repairs = append(found.repairs, repairs...)
		found.all = found.all[n:]
	}
	return found.repairs, keepRemoved(ctx, s, removed)
}

func scanMemories(ctx context.Context, s *ledger.Ledger) (found rescuedMemories, err error) {
	err = s.View(ctx, func(tx *ledger.Tx) error {
		found = rescuedMemories{}
		names := map[string]string{} // one string for all records with the same user
		return tx.ScanPrefixes([]ledger.Prefix{Records}, func(key, value []byte) error {
			user, tail, ok := ledger.CutUser(key)
			if !ok {
				found.broken = append(found.broken, key)
				return nil
			}
			found.lastUser = max(found.lastUser, user)
			r, err := Decode(key, value)
			if err != nil {
				found.repairs = append(found.repairs, ledger.DroppedRecord(ledger.KindMemory, string(tail), err))
				found.broken = append(found.broken, key)
				return nil
			}
			if _, ok := names[r.User]; !ok {
				names[r.User] = r.User
			}
			found.all = append(found.all, rescuedMemory{string(key), names[r.User], r.Created, r.order()})
			return nil
		})
	})
	return found, err
}

func dropPrefix(ctx context.Context, s *ledger.Ledger, prefix ledger.Prefix) error {
	for {
		var keys [][]byte
		err := s.View(ctx, func(tx *ledger.Tx) error {
			keys = nil
			for item, err := range tx.Scan(kv.Range{Prefix: prefix.All()}) {
				if err != nil {
					return err
				}
				if keys = append(keys, bytes.Clone(item.Key)); len(keys) == repairMaxKeys {
					return nil
				}
			}
			return nil
		})
		if err != nil || len(keys) == 0 {
			return err
		}
		if err := dropKeys(ctx, s, keys); err != nil {
			return err
		}
	}
}

func dropKeys(ctx context.Context, s *ledger.Ledger, keys [][]byte) error {
	for part := range slices.Chunk(keys, repairMaxKeys) {
		if err := s.Update(ctx, func(tx *ledger.Tx) error { return tx.DeleteKeys(part) }); err != nil {
			return err
		}
	}
	return nil
}

// addRescued adds the first of some rescued memories, all of one user, again.
// It returns their number.
func addRescued(ctx context.Context, s *ledger.Ledger, drafter *Drafter, all []rescuedMemory) (n int,
	repairs []ledger.Repair,
	err error) {
	user := all[0].user
	err = s.Update(ctx, func(tx *ledger.Tx) error {
		n, repairs = 0, nil
		var drafts []Draft
		for size := 0; n < min(len(all), RepairMaxMemories) && size < repairMaxBytes && all[n].user == user; n++ {
			var r Record
			if err := ledger.Load(tx, []byte(all[n].key), &r); err != nil {
				return err
			}
			if err := tx.Delete([]byte(all[n].key)); err != nil {
				return err
			}
			drafts = append(drafts, drafter.Draft(r.memory()))
			size += len(r.Full)
		}
		added, err := addDrafts(tx, user, drafts)
		for i, m := range added {
			switch {
			case m.Err != nil:
				repairs = append(repairs, ledger.DroppedRecord(ledger.KindMemory, drafts[i].ID, m.Err))
			case !m.Created:
				repairs = append(repairs, ledger.DroppedRecord(ledger.KindMemory, drafts[i].ID, &SameTextError{m.ID}))
			}
		}
		return err
	})
	return n, repairs, err
}

// refreshMemories builds the index of a user's memories again.
func refreshMemories(user uint32) ledger.Refreshing {
	return func(tx *ledger.Tx) (bool, error) {
		return search.At(user).Rebuild(tx, ledger.RefreshBatch, MemoryTexts(tx, user))
	}
}

// MemoryTexts returns the texts of a user's memories.
func MemoryTexts(tx kv.Tx, user uint32) search.TextsAfter {
	drafter := NewDrafter()
	return ledger.TextsOf(tx, Key(user, ""), func(p kv.Pair) (search.Doc, error) {
		r, err := Decode(p.Key, p.Value)
		return r.doc(drafter.Draft(r.memory())), err
	})
}
