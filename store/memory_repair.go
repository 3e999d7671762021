package store

import (
	"bytes"
	"cmp"
	"context"
	"slices"
	"strings"

	"techo/store/kv"
)

// Limits of one transaction of a repair. A repair works on a private copy of
// the store, so it may commit in several steps.
const (
	repairMaxMemories = 4096
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
	repairs  []Repair
	lastUser uint32 // the greatest number of a user
}

// repairMemories rebuilds everything but the records. It drops memories that
// cannot be read, and memories whose text another memory of the user has. The
// search index of the memos goes as well; repairMemos, which runs later,
// rebuilds it.
//
// Users get numbers greater than all existing ones, so that no record that is
// written replaces one that is still to be read.
func repairMemories(ctx context.Context, s *Store) ([]Repair, error) {
	found, err := s.scanMemories(ctx)
	if err != nil {
		return nil, err
	}
	if err := s.dropKeys(ctx, found.broken); err != nil {
		return nil, err
	}
	for _, space := range memorySpaces() {
		if space == memoryRecords {
			continue
		}
		if err := s.dropSpace(ctx, space); err != nil {
			return nil, err
		}
	}
	if found.lastUser > 0 {
		err := s.update(ctx, func(tx *Tx) error { return save(tx, memoryUserCount.all(), found.lastUser) })
		if err != nil {
			return nil, err
		}
	}
	slices.SortFunc(found.all, rescuedMemory.compare)
	drafter := NewDrafter()
	for len(found.all) > 0 {
		n, repairs, err := s.addRescued(ctx, drafter, found.all)
		if err != nil {
			return nil, err
		}
		found.repairs = append(found.repairs, repairs...)
		found.all = found.all[n:]
	}
	return found.repairs, nil
}

func (s *Store) scanMemories(ctx context.Context) (found rescuedMemories, err error) {
	err = s.view(ctx, func(tx *Tx) error {
		found = rescuedMemories{}
		names := map[string]string{} // one string for all records with the same user
		return scanSpaces(tx, []space{memoryRecords}, func(key, value []byte) error {
			user, tail, ok := cutUser(key)
			if !ok {
				found.broken = append(found.broken, key)
				return nil
			}
			found.lastUser = max(found.lastUser, user)
			r, err := decodeMemory(key, value)
			if err != nil {
				found.repairs = append(found.repairs, dropped(KindMemory, string(tail), err))
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

// dropSpace removes all keys of a space.
func (s *Store) dropSpace(ctx context.Context, space space) error {
	for {
		var keys [][]byte
		err := s.view(ctx, func(tx *Tx) error {
			keys = nil
			for item, err := range tx.Scan(kv.Range{Prefix: space.all()}) {
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
		if err := s.dropKeys(ctx, keys); err != nil {
			return err
		}
	}
}

func (s *Store) dropKeys(ctx context.Context, keys [][]byte) error {
	for part := range slices.Chunk(keys, repairMaxKeys) {
		if err := s.update(ctx, func(tx *Tx) error { return deleteKeys(tx, part) }); err != nil {
			return err
		}
	}
	return nil
}

// addRescued adds the first of some rescued memories, all of one user, again.
// It returns their number.
func (s *Store) addRescued(ctx context.Context, drafter *Drafter, all []rescuedMemory) (n int, repairs []Repair,
	err error) {
	user := all[0].user
	err = s.update(ctx, func(tx *Tx) error {
		n, repairs = 0, nil
		var drafts []Draft
		for size := 0; n < min(len(all), repairMaxMemories) && size < repairMaxBytes && all[n].user == user; n++ {
			var r memoryRecord
			if err := load(tx, []byte(all[n].key), &r); err != nil {
				return err
			}
			if err := tx.Delete([]byte(all[n].key)); err != nil {
				return err
			}
			drafts = append(drafts, drafter.Draft(r.memory()))
			size += len(r.Full)
		}
		added, err := s.addDrafts(tx, user, drafts)
		for i, m := range added {
			switch {
			case m.Err != nil:
				repairs = append(repairs, dropped(KindMemory, drafts[i].ID, m.Err))
			case !m.Created:
				repairs = append(repairs, dropped(KindMemory, drafts[i].ID, &SameTextError{m.ID}))
			}
		}
		return err
	})
	return n, repairs, err
}
