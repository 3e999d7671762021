package memory

import (
	"cmp"
	"slices"

	"techo/store/ledger"
)

// restoreMemories gives memories their previous values. What is removed again, or was removed on another machine,
// was removed for good.
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
	if err != nil {
		return err
	}
	if len(drafts) > 0 {
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
	}
	gone, err := goneAgain(tx, c, now)
	if err != nil || len(gone) == 0 {
		return err
	}
	return noteRemoved(tx, u.Name, gone)
}

// goneAgain returns the memories that the undo of a change removes since their removal is done again, or was done on
// another machine. The undo of an addition removes as well, but who undoes an import may repeat it.
func goneAgain(tx *ledger.Tx, c ledger.Change, now []Record) (gone []Record, err error) {
	first := c
	for first.Undoes != 0 {
		if first, err = tx.LoadWholeChange(first.Undoes); err != nil {
			return nil, ledger.IgnoreMissing(err) // it is no longer kept
		}
	}
	again := c.Undoes != 0 && first.Tool == removalTool
	back := func(id string) bool {
		return slices.ContainsFunc(c.Records, func(r ledger.ChangedRecord) bool { return r.ID == id && r.Existed })
	}
	removed := func(id string) bool {
		return slices.ContainsFunc(first.Records, func(r ledger.ChangedRecord) bool {
			return r.ID == id && r.Existed && !r.Exists
		})
	}
	for _, r := range now {
		if !back(r.ID) && (tx.Received || again && removed(r.ID)) {
			gone = append(gone, r)
		}
	}
	return gone, nil
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
