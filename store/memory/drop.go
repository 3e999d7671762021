package memory

import (
	"errors"
	"slices"

	"techo/store/kv"
	"techo/store/ledger"
	"techo/store/search"
)

// dropMemories removes different memories from the records and the indexes. The caller saves
// the user's record.
func dropMemories(tx *ledger.Tx, u *UserRecord, all ...Record) error {
	drafter := NewDrafter()
	drafts, docs := make([]Draft, len(all)), make([]search.Doc, len(all))
	for i, r := range all {
		drafts[i] = drafter.Draft(r.memory())
		docs[i] = r.doc(drafts[i])
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

func dropMoments(tx *ledger.Tx, u UserRecord, all []Record) error {
	lines := map[Timeline][]Moment{}
	for i := range all {
		at := all[i].moment()
		lines[u.line()] = append(lines[u.line()], at)
		if group := all[i].Group; group != 0 {
			line := Timeline{User: u.Number, Session: group}
			lines[line] = append(lines[line], at)
		}
	}
	for line, moments := range lines {
		slices.SortFunc(moments, Moment.compare)
		if err := line.remove(tx, moments); err != nil {
			return err
		}
	}
	return nil
}

// dropEntries removes a memory, for which there is a draft, from the records and from all
// indexes but the words and the timelines.
func dropEntries(tx *ledger.Tx, u UserRecord, r *Record, d *Draft) error {
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
	if r.ID != IdOfText(d.digest) {
		if err := tx.Delete(memoryTextKey(u.Number, d.digest)); err != nil {
			return err
		}
	}
	return tx.Delete(Key(u.Number, r.ID))
}

// leaveSession decrements the count of a session, and removes a session without
// memories.
func leaveSession(tx *ledger.Tx, user uint32, name string) error {
	var s SessionRecord
	key := memorySessionKey(user, name)
	if err := ledger.Load(tx, key, &s); err != nil {
		if errors.Is(err, kv.ErrNotFound) {
			err = ledger.Finding(ledger.NoRecord, ledger.KindSession, name, nil)
		}
		return err
	}
	if s.Memories--; s.Memories <= 0 {
		return tx.Delete(key)
	}
	return ledger.Save(tx, key, s)
}
