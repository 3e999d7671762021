package memory

import (
	"context"
	"slices"
	"time"

	"golang.org/x/text/unicode/norm"

	"techo/store/ledger"
)

// Around returns the memories of a user around a time, the oldest first:
// up to n before it and up to n from it on. With an id the time is
// when that memory was created, and the memory itself lies between them. Expired memories are left out.
func Around(ctx context.Context, s *ledger.Ledger, user, id string, at time.Time, n int) (memories []Memory,
	center time.Time, err error) {
	err = s.View(ctx, func(tx *ledger.Tx) error {
		memories, center = nil, at
		u, err := LoadUser(tx, norm.NFC.String(user), false)
		if err != nil {
			return err
		}
		middle := Moment{At: at.UnixMilli()}
		after := n
		if id != "" {
			r, err := findMemory(tx, user, id)
			if err != nil {
				return err
			}
			middle, center, after = r.moment(), time.UnixMilli(r.Created), n+1
		}
		if u.Number == 0 {
			return nil
		}
		moments, err := u.around(tx, middle, n, after, s.Time())
		if err != nil {
			return err
		}
		ids := make([]string, len(moments))
		for i, m := range moments {
			ids[i] = m.ID
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
func (u UserRecord) around(tx *ledger.Tx, middle Moment, before, after int, now time.Time) (all []Moment, err error) {
	keep, err := u.visible(tx, Filter{}, now)
	if err != nil {
		return nil, err
	}
	hidden := func(m Moment) bool { return keep != nil && !keep(m.Text) && m.ID != middle.ID }
	line, later := u.line(), middle.At+1
	err = line.within(tx, span{until: &later}, true, func(m Moment) error {
		if len(all) == before {
			return ledger.ErrStop
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
	err = line.within(tx, span{since: &middle.At}, false, func(m Moment) error {
		if len(all) == until {
			return ledger.ErrStop
		}
		if m.compare(middle) >= 0 && !hidden(m) {
			all = append(all, m)
		}
		return nil
	})
	return all, err
}
