package store

import (
	"cmp"
	"slices"
)

func (r *restoring) restoreMemories(c Change) error {
	u, err := loadMemoryUser(r.tx, c.Owner, true)
	if err != nil {
		return err
	}
	var now []memoryRecord
	for _, m := range c.Records {
		if !m.Exists {
			continue
		}
		there, err := loadMemory(r.tx, u.Number, m.ID)
		if err != nil {
			return err
		}
		now = append(now, there)
	}
	order := map[string]uint32{}
	for _, there := range now {
		order[there.ID] = there.order() + 1
	}
	if err := dropMemories(r.tx, &u, now...); err != nil {
		return err
	}
	if err := u.save(r.tx); err != nil {
		return err
	}
	drafts, err := draftsBefore(c, u.Number, order)
	if err != nil || len(drafts) == 0 {
		return err
	}
	added, err := r.s.addDrafts(r.tx, u.Name, drafts)
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
func draftsBefore(c Change, user uint32, order map[string]uint32) (drafts []Draft, err error) {
	var records []memoryRecord
	for _, m := range c.Records {
		if !m.Existed {
			continue
		}
		before, err := decodeMemory(memoryKey(user, m.ID), m.before)
		if err != nil {
			return nil, err
		}
		records = append(records, before)
	}
	slices.SortFunc(records, func(a, b memoryRecord) int { return cmp.Compare(a.order(), b.order()) })
	drafter := NewDrafter()
	for _, m := range records {
		d := drafter.Draft(m.memory())
		d.order = order[m.ID]
		drafts = append(drafts, d)
	}
	return drafts, nil
}
