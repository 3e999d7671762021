package memory

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"time"
	"unicode/utf8"

	"techo/internal/sorting"
	"techo/store/claims"
	"techo/store/ledger"
)

// MaxMerged is how many memories can be merged at once.
const MaxMerged = maxFormer

// Merge joins memories that say the same. The best one stays: of those that no other one of them
// replaces, the longest. It keeps the others as superseded, with their sessions, sources and
// dates, and counts as confirmed when it was said or confirmed last. It returns the ids of the
// others. Merge changes nothing if a memory is missing.
func Merge(ctx context.Context, s *ledger.Ledger, user string, ids []string) (m Memory, merged []string, err error) {
	err = s.Update(ctx, func(tx *ledger.Tx) error {
		m, merged = Memory{}, nil
		var u UserRecord
		var records []Record
		for i, id := range ids {
			if slices.Contains(ids[:i], id) {
				continue
			}
			user, r, err := changeableMemory(tx, user, id)
			if newer := new(SupersededError); errors.As(err, &newer) && slices.Contains(ids, newer.By) {
				continue // it was merged before
			}
			if err != nil {
				return err
			}
			u, records = user, append(records, r)
		}
		best := bestOf(records)
		others := slices.DeleteFunc(slices.Clone(records), func(r Record) bool { return r.ID == best.ID })
		for _, r := range others {
			merged = append(merged, r.ID)
		}
		if len(others) == 0 {
			m = best.memory()
			return nil
		}
		if err := dropMemories(tx, &u, others...); err != nil {
			return err
		}
		if err := u.save(tx); err != nil {
			return err
		}
		m, err = changeMemory(tx, &u, best, func(m *Memory) { m.merge(others) })
		return err
	})
	return m, merged, err
}

// bestOf returns the memory whose text a merger keeps.
func bestOf(all []Record) (best Record) {
	memories := make([]Memory, len(all))
	said := make([]claims.Statement, len(all))
	for i := range all {
		memories[i], said[i] = all[i].memory(), claims.Read(all[i].Full)
	}
	outdated := make([]bool, len(all))
	for i := range memories {
		for k := range memories {
			if !memories[k].newerThan(&memories[i]) {
				continue
			}
			if relation, holds := judge(&memories[i], &memories[k], said[i], said[k]); relation == claims.Replaces {
				outdated[i] = outdated[i] || holds == &memories[k]
				outdated[k] = outdated[k] || holds == &memories[i]
			}
		}
	}
	found := -1
	for i := range all {
		if found >= 0 && outdated[i] && !outdated[found] {
			continue
		}
		if found < 0 || outdated[found] && !outdated[i] || cmp.Or(
			cmp.Compare(utf8.RuneCountInString(all[i].Full), utf8.RuneCountInString(all[found].Full)),
			cmp.Compare(all[i].Created, all[found].Created)) > 0 {
			found = i
		}
	}
	return all[found]
}

// merge adds what other memories have.
func (m *Memory) merge(others []Record) {
	sorting.By(others, func(a, b Record) int { return cmp.Compare(b.Created, a.Created) })
	var former []Former
	ids := []string{m.ID}
	alike, last := slices.Clone(m.Alike), m.CreatedAt
	for i := range others {
		o := others[i].memory()
		ids = append(ids, o.ID)
		f := asFormer(o)
		f[0].Session, f[0].Source = o.Session, o.Source.Text
		former = append(former, f...)
		alike = append(alike, o.Alike...)
		for _, at := range []time.Time{o.CreatedAt, o.ConfirmedAt} {
			if at.After(last) {
				last = at
			}
		}
		m.Session, m.Topic = cmp.Or(m.Session, o.Session), m.topicOr(o)
		if m.Source == (Source{}) {
			m.Source = o.Source
		}
		if m.Relation == (Relation{}) {
			m.Relation = o.Relation
		}
		if m.ExpiresAt.IsZero() || o.ExpiresAt.IsZero() {
			m.ExpiresAt = time.Time{}
		} else if o.ExpiresAt.After(m.ExpiresAt) {
			m.ExpiresAt = o.ExpiresAt
		}
	}
	if last.After(m.CreatedAt) && last.After(m.ConfirmedAt) {
		m.ConfirmedAt = last
	}
	m.Supersedes = newestFormer(former, m.Supersedes)
	slices.Sort(alike)
	alike = slices.DeleteFunc(slices.Compact(alike), func(id string) bool { return slices.Contains(ids, id) })
	m.Alike = append([]string(nil), alike[:min(len(alike), 2*maxFormer)]...)
}

// topicOr returns the topic of a memory, or else the other one's, in its scope.
func (m *Memory) topicOr(o Memory) string {
	if m.Topic == "" && m.Scope == o.Scope {
		return o.Topic
	}
	return m.Topic
}
