package store

import (
	"cmp"
	"context"
	"encoding/binary"
	"slices"
	"strings"

	"techo/store/kv"
)

// What a transaction of mending takes at most: it runs on a copy that nobody
// else has, so that there may be several.
const (
	mendTogether      = 4096
	mendTogetherBytes = 32 << 20
	mendKeys          = 1 << 16
)

// kept is a record that can be read, and where it comes in the order of its
// user's memories.
type kept struct {
	key     string
	user    string
	created int64
	text    uint32
}

func (k kept) compare(o kept) int {
	return cmp.Or(strings.Compare(k.user, o.user), cmp.Compare(k.created, o.created), cmp.Compare(k.text, o.text))
}

// mendMemories makes everything but the records anew. A memory that cannot be
// read is dropped, and so is one whose text another of the same user has. The
// memos, whose index goes as well, are mended after.
//
// Users get numbers above all that there were: so no record that is written
// meets one that is still to be read.
func mendMemories(ctx context.Context, s *Store) (notes []Note, err error) {
	all, broken, notes, last, err := s.keptMemories(ctx)
	if err != nil {
		return nil, err
	}
	if err := s.dropKeys(ctx, broken); err != nil {
		return nil, err
	}
	for _, space := range memorySpaces() {
		if space == "pm" {
			continue
		}
		if err := s.dropSpace(ctx, space); err != nil {
			return nil, err
		}
	}
	if last > 0 {
		if err := s.update(ctx, func(tx kv.Tx) error { return save(tx, memoryUsersKey, last) }); err != nil {
			return nil, err
		}
	}
	slices.SortFunc(all, kept.compare)
	drafter := NewDrafter()
	for len(all) > 0 {
		n, more, err := s.mendSome(ctx, drafter, all)
		if err != nil {
			return nil, err
		}
		notes = append(notes, more...)
		all = all[n:]
	}
	return notes, nil
}

// keptMemories reads all records: where those are that can be kept, the keys of
// the others, and the greatest number of a user.
func (s *Store) keptMemories(ctx context.Context) (all []kept, broken []string, notes []Note, last uint32, err error) {
	err = s.view(ctx, func(tx kv.Tx) error {
		all, broken, notes, last = nil, nil, nil, 0
		names := map[string]string{} // one text for a name that many records have
		for item, err := range tx.Scan(kv.Range{Prefix: []byte("pm")}) {
			if err != nil {
				return err
			}
			key := string(item.Key)
			if len(key) < 6 {
				broken = append(broken, key)
				continue
			}
			last = max(last, binary.BigEndian.Uint32(item.Key[2:]))
			value, err := item.Value()
			if err != nil {
				return err
			}
			r, err := memoryOf(item.Key, value)
			if err != nil {
				notes = append(notes, Note{Kind: "dropped", About: key[6:], Reason: err.Error()})
				broken = append(broken, key)
				continue
			}
			if _, ok := names[r.User]; !ok {
				names[r.User] = r.User
			}
			all = append(all, kept{key, names[r.User], r.Created, r.Text})
		}
		return nil
	})
	return all, broken, notes, last, err
}

// dropSpace removes all keys of a space.
func (s *Store) dropSpace(ctx context.Context, space string) error {
	for {
		var keys []string
		err := s.view(ctx, func(tx kv.Tx) error {
			keys = nil
			for item, err := range tx.Scan(kv.Range{Prefix: []byte(space)}) {
				if err != nil {
					return err
				}
				if keys = append(keys, string(item.Key)); len(keys) == mendKeys {
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

func (s *Store) dropKeys(ctx context.Context, keys []string) error {
	for part := range slices.Chunk(keys, mendKeys) {
		err := s.update(ctx, func(tx kv.Tx) error {
			for _, key := range part {
				if err := tx.Delete([]byte(key)); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// mendSome takes the first of the records, all of one user, out and adds them
// anew. It returns how many it took.
func (s *Store) mendSome(ctx context.Context, drafter *Drafter, all []kept) (n int, notes []Note, err error) {
	user := all[0].user
	err = s.update(ctx, func(tx kv.Tx) error {
		n, notes = 0, nil
		var drafts []Draft
		for size := 0; n < min(len(all), mendTogether) && size < mendTogetherBytes && all[n].user == user; n++ {
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
				notes = append(notes, Note{Kind: "dropped", About: drafts[i].ID, Reason: m.Err.Error()})
			case !m.Created:
				notes = append(notes, Note{Kind: "dropped", About: drafts[i].ID, Reason: "the same text as " + m.ID})
			}
		}
		return err
	})
	return n, notes, err
}
