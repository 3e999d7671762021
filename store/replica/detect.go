package replica

import (
	"bytes"
	"cmp"
	"maps"
	"slices"
	"time"

	"techo/store/event"
	"techo/store/kv"
	"techo/store/ledger"
)

// rescan is how often all records are looked at, whatever the history says.
const rescan = 24 * time.Hour

// changes returns the versions that this machine has to say: of records that changed since it last
// looked. The caller writes them into a segment with the number of settings plus one.
func changes(s *scope, set *settings) (all []said, err error) {
	counts, err := s.LoadHistoryCounts()
	if err != nil {
		return nil, err
	}
	now := s.Ledger.Time()
	names, err := calendarNames(s)
	if err != nil {
		return nil, err
	}
	marked, err := markedRecords(s)
	if err != nil {
		return nil, err
	}
	at, ids, known, err := changedSince(s, set.Watermark, counts)
	if err != nil {
		return nil, err
	}
	if !known || !maps.Equal(names, set.Calendars) || now.Sub(time.UnixMilli(set.Scanned)).Abs() > rescan {
		if ids, err = s.everyRecord(); err != nil {
			return nil, err
		}
		set.Scanned = now.UnixMilli()
	} else {
		for id := range marked {
			if !slices.Contains(ids, id) {
				ids = append(ids, id)
			}
		}
	}
	for _, id := range ids {
		v, changed, err := s.changed(id, set, cmp.Or(at[id], now.UnixMilli()), marked[id])
		if err != nil {
			return nil, err
		}
		if changed {
			all = append(all, said{id, v})
		}
	}
	if len(marked) > 0 {
		if err := s.DeletePrefix(marks.All()); err != nil {
			return nil, err
		}
	}
	for _, mark := range marked {
		set.Rewrite = set.Rewrite || mark == purged
	}
	set.Watermark, set.Calendars = counts.Last, names
	return all, nil
}

// changedSince returns the records of the changes after one, with the times of the last changes. known
// is false if the history does not have all of them.
func changedSince(s *scope, mark uint64, counts ledger.HistoryCounts) (at map[ID]int64, ids []ID, known bool, err error) {
	at = map[ID]int64{}
	known = !s.Ledger.History.Off && mark > 0 && (counts.Last == mark || counts.Changes > 0 && counts.First <= mark+1)
	err = s.EachChange(kv.Range{Prefix: ledger.HistoryChanges.All(), From: ledger.ChangeKey(mark + 1)},
		func(c ledger.Change) error {
			for _, r := range c.Records {
				if r.Kind == ledger.KindCalendar {
					known = false
				}
				if kindOf(r.Kind) == nil || r.Elsewhere {
					continue
				}
				id := ID{r.Kind, c.Owner, r.ID}
				if _, there := at[id]; !there {
					ids = append(ids, id)
				}
				at[id] = c.At.UnixMilli()
			}
			return nil
		})
	return at, ids, known, err
}

func calendarNames(s *scope) (map[string]string, error) {
	s.calendars = nil
	if _, err := s.calendarAt(""); err != nil {
		return nil, err
	}
	names := map[string]string{}
	for key, c := range s.calendars {
		if c.Kind == event.LocalCalendar && !c.Removing && !c.Gone && c.Name != key {
			names[key] = c.Name
		}
	}
	return names, nil
}

func markedRecords(s *scope) (map[ID]mark, error) {
	all := map[ID]mark{}
	for item, err := range kv.Pairs(s.Tx, kv.Range{Prefix: marks.All()}) {
		if err != nil {
			return nil, err
		}
		if id, ok := idOf(item.Key); ok {
			all[id] = mark(item.Value)
		}
	}
	return all, nil
}

// everyRecord returns the ids of all records that go to other machines, and of those that did.
func (s *scope) everyRecord() (ids []ID, err error) {
	there := map[ID]bool{}
	for _, k := range kinds() {
		for _, prefix := range s.Ledger.Schemas.Of(k.kind).Prefixes {
			for item, err := range s.Scan(kv.Range{Prefix: prefix.All(), KeysOnly: true}) {
				if err != nil {
					return nil, err
				}
				id, owner, ok, err := k.id(s, bytes.Clone(item.Key))
				if err != nil {
					return nil, err
				}
				if one := (ID{k.kind, owner, id}); ok && !there[one] {
					there[one] = true
					ids = append(ids, one)
				}
			}
		}
	}
	for item, err := range s.Scan(kv.Range{Prefix: entries.All(), KeysOnly: true}) {
		if err != nil {
			return nil, err
		}
		if id, ok := idOf(item.Key); ok && !there[id] {
			ids = append(ids, id)
		}
	}
	return ids, nil
}

// shared returns the value of a record in the form of all machines, nil for one that is missing or
// stays here, and the digest of the value here.
func (s *scope) shared(id ID) (value []byte, digest uint64, err error) {
	form, err := s.form(id)
	if err != nil || form == nil {
		return nil, 0, err
	}
	k := kindOf(id.Kind)
	if k.local != nil { // it may be in a calendar elsewhere
		r := &ledger.FieldReader{B: form}
		c, err := s.calendarAt(r.Text())
		if err != nil {
			return nil, 0, err
		}
		if c != nil && c.Kind != event.LocalCalendar {
			return nil, 0, nil
		}
	}
	value, err = k.portable(s, form)
	return value, ledger.DigestOf(s.canonical(id, value)), err
}

// canonical returns a value without what may differ between machines.
func (s *scope) canonical(id ID, value []byte) []byte {
	if k := kindOf(id.Kind); k.canonical != nil {
		return k.canonical(s, value)
	}
	return value
}

// changed returns the version that this machine has to say of a record, if it differs from the one
// that was shown last.
func (s *scope) changed(id ID, set *settings, at int64, m mark) (v Version, changed bool, err error) {
	e, _, err := load[entry](s.Tx, id.key(entries))
	if err != nil {
		return v, false, err
	}
	value, digest, err := s.shared(id)
	if err != nil {
		return v, false, err
	}
	if (value != nil) == e.Shown && digest == e.Digest {
		said, _ := e.Frontier.winner()
		if m == unmarked || m == purged && said.Purged || m == settled && e.Altered { // it was received, or said before
			return v, false, nil
		}
		if m == settled {
			at = said.At // what others changed meanwhile is later
		}
	}
	if value == nil && len(e.Frontier) == 0 {
		return v, false, nil // it came and went
	}
	v = Version{Stamp: after(at, set.Machine, e.Frontier), Segment: set.Number + 1, From: set.Name,
		Removed: value == nil, Purged: m == purged, Settled: m == settled, Value: value}
	if len(e.Frontier) > 0 {
		if s.own == nil {
			if s.own, err = seenNow(s.Tx); err != nil {
				return v, false, err
			}
		}
		v.Beyond = beyond(e.Frontier, set.Machine, s.own, s.of)
	}
	if old, ok := e.Frontier.winner(); ok && !old.Removed {
		v.From = old.From
	}
	if e.Altered && len(e.Frontier) > 0 {
		if err := s.unyield(id, e.Frontier[0].Value); err != nil {
			return v, false, err
		}
	}
	if m == purged {
		if err := s.forgetConflicts(id, nil); err != nil {
			return v, false, err
		}
	}
	e = entry{Frontier: Frontier{v}, Shown: value != nil, Digest: digest}
	return v, true, s.save(id, &e)
}

// save writes an entry. The value of the winner is left out if the record has it.
func (s *scope) save(id ID, e *entry) error {
	kept := *e
	if len(kept.Frontier) > 0 && !kept.Altered && kept.Shown {
		kept.Frontier = slices.Clone(kept.Frontier)
		kept.Frontier[0].Value = nil
	}
	return ledger.Save(s.Tx, id.key(entries), &kept)
}

// entry loads what is known of a record, with the value of the winner.
func (s *scope) entry(id ID) (entry, error) {
	e, found, err := load[entry](s.Tx, id.key(entries))
	if err == nil && found && e.Shown && !e.Altered && len(e.Frontier) > 0 {
		e.Frontier[0].Value, _, err = s.shared(id)
	}
	return e, err
}

// claimsOf returns what a value of a record, nil for none, claims.
func (s *scope) claimsOf(id ID, value []byte) (all []claim) {
	if k := kindOf(id.Kind); k.claims != nil && value != nil {
		for _, what := range k.claims(value) {
			all = append(all, claim{id.Kind, id.Owner, what})
		}
	}
	return all
}

// unyield forgets which claims of a value a record yielded.
func (s *scope) unyield(id ID, value []byte) error {
	for _, c := range s.claimsOf(id, value) {
		if err := s.Tx.Delete(append(claimKey(c.kind, c.owner, c.what), id.ID...)); err != nil {
			return err
		}
	}
	return nil
}

// forgetConflicts removes what lost against versions of a record, as far as which, which may be nil, selects it.
func (s *scope) forgetConflicts(id ID, which func(Conflict) bool) error {
	var keys [][]byte
	err := each(s.Tx, conflicts, func(key []byte, c Conflict) error {
		if c.ID == id && (which == nil || which(c)) {
			keys = append(keys, bytes.Clone(key))
		}
		return nil
	})
	if err != nil {
		return err
	}
	return s.DeleteKeys(keys)
}
