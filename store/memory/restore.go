package memory

import (
	"cmp"
	"slices"

	"techo/store/ledger"
)

// restoreMemories gives memories their previous values.
func restoreMemories(tx *ledger.Tx, c ledger.Change) error {
	u, err := LoadUser(tx, c.Owner, true)
	if err != nil {
		return err
	}
	var now []Record
	for _, m := range c.Records {
		if !m.Exists {
			continue
		}
		there, err := loadMemory(tx, u.Number, m.ID)
		if err != nil {
			return err
		}
		now = append(now, there)
	}
	order := map[string]uint32{}
	for _, there := range now {
		order[there.ID] = there.order() + 1
	}
	if err := dropMemories(tx, &u, now...); err != nil {
		return err
	}
	if err := u.save(tx); err != nil {
		return err
	}
	drafts, err := draftsBefore(c, u.Number, order)
	if err != nil || len(drafts) == 0 {
		return err
	}
	added, err := addDrafts(tx, u.Name, drafts)
	if err != nil {
		return err
	}
	for _, a := range added {
		if a.Err == nil && !a.Created {
			a.Err = &SameTextError{a.ID}
		}
		if a.Err != nil {
			return a.Err
		}
	}
	return nil
}

// draftsBefore returns the memories before a change, with the given orders. Memories of one
// time keep their order among themselves.
func draftsBefore(c ledger.Change, user uint32, order map[string]uint32) (drafts []Draft, err error) {
	var records []Record
	for _, m := range c.Records {
		if !m.Existed {
			continue
		}
		before, err := Decode(Key(user, m.ID), m.Before)
		if err != nil {
			return nil, err
		}
		records = append(records, before)
	}
	slices.SortFunc(records, func(a, b Record) int { return cmp.Compare(a.order(), b.order()) })
	drafter := NewDrafter()
	for _, m := range records {
		d := drafter.Draft(m.memory())
		d.order = order[m.ID]
		drafts = append(drafts, d)
	}
	return drafts, nil
}
