package store

import (
	"context"
	"slices"
	"time"

	"golang.org/x/text/unicode/norm"
)

// MemoriesAround returns the memories of a user around a time, the oldest first:
// up to n before it and up to n from it on. With an id the time is
// when that memory was created, and the memory itself lies between them. Expired memories are left out.
func MemoriesAround(ctx context.Context, s *Store, user, id string, at time.Time, n int) (memories []Memory,
	center time.Time, err error) {
	err = s.view(ctx, func(tx *Tx) error {
		memories, center = nil, at
		u, err := loadMemoryUser(tx, norm.NFC.String(user), false)
		if err != nil {
			return err
		}
		middle := moment{at: at.UnixMilli()}
		after := n
		if id != "" {
			_, r, err := findMemory(tx, user, id)
			if err != nil {
				return err
			}
			middle, center, after = r.moment(), time.UnixMilli(r.Created), n+1
		}
		if u.Number == 0 {
			return nil
		}
		moments, err := u.around(tx, middle, n, after, s.time())
		if err != nil {
			return err
		}
		ids := make([]string, len(moments))
		for i, m := range moments {
			ids[i] = m.id
		}
		records, err := indexedMemories(tx, u.Number, ids)
		for i := range records {
			memories = append(memories, records[i].memory())
		}
		return err
	})
	return memories, center, err
}

// around returns up to before moments before one, and up to after from it on. The
// middle itself is returned even if it has expired.
func (u memoryUser) around(tx *Tx, middle moment, before, after int, now time.Time) (all []moment, err error) {
	keep, err := u.visible(tx, MemoryFilter{}, now)
	if err != nil {
		return nil, err
	}
	hidden := func(m moment) bool { return keep != nil && !keep(m.text) && m.id != middle.id }
	line, later := u.line(), middle.at+1
	err = line.within(tx, span{until: &later}, true, func(m moment) error {
		if len(all) == before {
			return errStop
		}
		if m.compare(middle) < 0 && !hidden(m) {
			all = append(all, m)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	slices.Reverse(all)
	until := len(all) + after
	err = line.within(tx, span{since: &middle.at}, false, func(m moment) error {
		if len(all) == until {
			return errStop
		}
		if m.compare(middle) >= 0 && !hidden(m) {
			all = append(all, m)
		}
		return nil
	})
	return all, err
}
