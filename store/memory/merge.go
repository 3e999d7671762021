package memory

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"time"

	"techo/internal/sorting"
	"techo/store/ledger"
	"techo/store/memory/wording"
)

// MaxMerged is how many memories can be merged at once.
const MaxMerged = maxFormer

// Merge joins memories. The newest one stays, with the given text or, if it is "", with the sentences of all,
// those of the newest first and each once. It keeps the others as superseded, with their sessions, sources and
// dates, and counts as confirmed when it was said or confirmed last. It returns the ids of the others. Merge
// changes nothing if a memory is missing.
func Merge(ctx context.Context, s *ledger.Ledger, user string, ids []string, text string) (
	m Memory, merged []string, err error) {
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
		sorting.By(records, func(a, b Record) int { return b.moment().compare(a.moment()) })
		newest, others := records[0], records[1:]
		for _, r := range others {
			merged = append(merged, r.ID)
		}
		if len(others) == 0 {
			m = newest.memory()
			return nil
		}
		former, err := retire(tx, &u, others)
		if err != nil {
			return err
		}
		for i := range others {
			at := slices.IndexFunc(former, func(f Former) bool { return f.ID == others[i].ID })
			old := others[i].memory()
			former[at].Session, former[at].Source = old.Session, old.Source.Text
		}
		joined := text
		if joined == "" {
			var texts []string
			for i := range records {
				texts = append(texts, records[i].Full)
			}
			joined = wording.Joined(texts)
		}
		m, err = changeMemory(tx, &u, newest, func(m *Memory) { m.merge(joined, others, former) })
		return err
	})
	return m, merged, err
}

// merge gives a memory a text, and adds what other memories have.
func (m *Memory) merge(text string, others []Record, former []Former) {
	if sameText(text) != sameText(m.FullText) {
		if wording.StaleCaption(m.Caption, m.FullText, text) {
			m.Caption = ""
		}
		m.FullText = text
	}
	ids := []string{m.ID}
	near, last := slices.Clone(m.Near), m.CreatedAt
	for i := range others {
		o := others[i].memory()
		ids, near = append(ids, o.ID), append(near, o.Near...)
		for _, at := range []time.Time{o.CreatedAt, o.ConfirmedAt} {
			if at.After(last) {
				last = at
			}
		}
		m.Session = cmp.Or(m.Session, o.Session)
		if m.Topic == "" && m.Scope == o.Scope {
			m.Topic = o.Topic
		}
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
	slices.Sort(near)
	near = slices.DeleteFunc(slices.Compact(near), func(id string) bool { return slices.Contains(ids, id) })
	m.Near = append([]string(nil), near[:min(len(near), 2*maxFormer)]...)
}
