package store

import (
	"errors"
	"slices"

	"techo/store/kv"
	"techo/store/search"
)

// dropMemories removes different memories from the records and the indexes. The caller saves
// the user's record.
func dropMemories(tx *Tx, u *memoryUser, all ...memoryRecord) error {
	if err := refreshMemoryIndex(tx, u.Number); err != nil {
		return err
	}
	drafter := NewDrafter()
	drafts, docs := make([]Draft, len(all)), make([]search.Doc, len(all))
	for i, r := range all {
		drafts[i] = drafter.Draft(r.memory())
		docs[i] = r.doc(drafts[i].bag)
	}
	if err := u.index().Remove(tx, docs...); err != nil {
		return err
	}
	if err := dropMoments(tx, *u, all); err != nil {
		return err
	}
	for i := range all {
		if err := dropEntries(tx, *u, &all[i], &drafts[i]); err != nil {
			return err
		}
		u.Memories--
	}
	return nil
}

// dropMoments removes memories from the timelines.
func dropMoments(tx *Tx, u memoryUser, all []memoryRecord) error {
	lines := map[timeline][]moment{}
	for i := range all {
		at := all[i].moment()
		lines[u.line()] = append(lines[u.line()], at)
		if group := all[i].Group; group != 0 {
			line := timeline{user: u.Number, session: group}
			lines[line] = append(lines[line], at)
		}
	}
	for line, moments := range lines {
		slices.SortFunc(moments, moment.compare)
		if err := line.remove(tx, moments); err != nil {
			return err
		}
	}
	return nil
}

// dropEntries removes a memory, for which there is a draft, from the records and from all
// indexes but that of words and the timelines.
func dropEntries(tx *Tx, u memoryUser, r *memoryRecord, d *Draft) error {
	for _, e := range memoryEntries(u.Number, r) {
		if err := tx.Delete(e.key); err != nil {
			return err
		}
	}
	if r.Group != 0 {
		if err := leaveSession(tx, u.Number, d.Session); err != nil {
			return err
		}
	}
	if r.ID != idOfText(d.digest) {
		if err := tx.Delete(memoryTextKey(u.Number, d.digest)); err != nil {
			return err
		}
	}
	return tx.Delete(memoryKey(u.Number, r.ID))
}

// leaveSession decrements the count of a session, and removes a session without
// memories.
func leaveSession(tx *Tx, user uint32, name string) error {
	var s memorySession
	key := memorySessionKey(user, name)
	if err := load(tx, key, &s); err != nil {
		if errors.Is(err, kv.ErrNotFound) {
			err = finding(NoRecord, KindSession, name, nil)
		}
		return err
	}
	if s.Memories--; s.Memories <= 0 {
		return tx.Delete(key)
	}
	return save(tx, key, s)
}
