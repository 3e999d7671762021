package memory

import (
	"bytes"
	"context"
	"maps"
	"slices"
	"time"

	"techo/internal/bitset"
	"techo/store/kv"
	"techo/store/ledger"
	"techo/store/search"
	"techo/store/space"
)

// Hit is a search result.
type Hit struct {
	Memory
	Space string // the shared space that it is in, "" for the user's own
	// Personal is set for a memory of the person's own store, beside a workspace.
	Personal bool
	Score    float64 // how likely it is that the memory answers the question, from 0 to 1
	Matches  bool    // it has words of the question, or is of the time that it names
	InTime   bool    // it is of that time

	Likeness float32 // of its meaning to the question's, 0 if only words count

	// Of a memory that held at the time of the search, and was superseded since.
	SupersededBy string
	SupersededAt time.Time

	// Why a memory without words of the question was found.
	Beside string // id of a memory of its session that matches and stands beside it
	Shares string // a rare name that the best memory has as well
}

// Respelt is a word of a question that no memory has, and the word that was searched
// for instead.
type Respelt struct{ From, To string }

// Found is the result of a search.
type Found struct {
	Hits    []Hit // the best first
	Total   int   // of the memories that match
	AtLeast bool  // Total is a lower bound
	Respelt []Respelt
	Nearby  []string // without hits: words of the memories to try instead
}

// SearchMemories returns the memories of a user that match a question best.
func (s Memories) SearchMemories(ctx context.Context, user, question string, f Filter) (Found, error) {
	return SearchIn(ctx, s.Ledger, space.Sources{User: user, Own: true}, question, f)
}

// asOf returns what held at a time of a memory and those that it superseded; the memory itself for the zero
// time.
func (h Hit) asOf(at time.Time) (all []Hit) {
	if at.IsZero() {
		return []Hit{h}
	}
	former := h.Supersedes
	h.Supersedes = slices.DeleteFunc(slices.Clone(former), func(f Former) bool { return f.SupersededAt.After(at) })
	instead := func(f Former) bool { return f.SupersededBy == h.ID && f.heldAt(at) } // an edited note keeps its date
	if h.CreatedAt.Before(at) && !slices.ContainsFunc(former, instead) {
		all = append(all, h)
	}
	for _, f := range former {
		if !f.heldAt(at) {
			continue
		}
		old := h
		old.Memory = f.of(&h.Memory)
		old.SupersededBy, old.SupersededAt = f.SupersededBy, f.SupersededAt
		all = append(all, old)
	}
	return all
}

// Texts returns the texts by which a memory is found.
func (m *Memory) Texts() []string {
	texts := []string{m.FullText, m.Caption}
	for _, f := range m.Supersedes {
		texts = append(texts, f.FullText, f.Caption)
	}
	return texts
}

// query returns the query of the search index; ok is false if no memory can match.
func (u UserRecord) query(tx *ledger.Tx, question string, f Filter, now time.Time) (
	q search.Query, ok bool, err error,
) {
	line, _, ok, err := f.line(tx, u)
	if err != nil || !ok {
		return q, false, err
	}
	q = search.Query{Text: question, Limit: f.Limit, By: f.By, Models: f.Models, TimeName: f.TimeName, Observe: f.Observe}
	if !f.AsOf.IsZero() {
		if q.Only, err = u.saidBefore(tx, f, line); err != nil {
			return q, false, err
		}
		now = f.AsOf
	}
	if q.Keep, err = u.visible(tx, f, now); err != nil {
		return q, false, err
	}
	if q.Only == nil && (line.Session != 0 || !f.span().all()) {
		q.Only = &bitset.Set{}
		err = line.within(tx, f.span(), false, func(m Moment) error {
			q.Only.Add(m.Text)
			return nil
		})
	}
	if f.Within != (Period{}) {
		q.Within = func(at int64) bool { return f.Within.Has(time.UnixMilli(at)) }
	}
	if named := f.Named.span(); err == nil && !named.all() {
		err = line.within(tx, named, false, func(m Moment) error {
			q.Favoured = append(q.Favoured, m.Text)
			return nil
		})
	}
	return q, true, err
}

// saidBefore returns the texts of a timeline that were said before the time of a filter, and those that
// superseded others: what they say is known to have changed.
func (u UserRecord) saidBefore(tx *ledger.Tx, f Filter, line Timeline) (*bitset.Set, error) {
	texts, period := &bitset.Set{}, Period{f.Since, f.AsOf}
	if !f.Until.IsZero() && f.Until.Before(f.AsOf) {
		period.Until = f.Until
	}
	err := line.within(tx, period.span(), false, func(m Moment) error {
		texts.Add(m.Text)
		return nil
	})
	if err != nil {
		return nil, err
	}
	records, err := u.superseding(tx)
	for i := range records {
		if line.Session == 0 || records[i].Group == line.Session {
			texts.Add(records[i].Text)
		}
	}
	return texts, err
}

// superseding returns the memories of a user that superseded others.
func (u UserRecord) superseding(tx *ledger.Tx) ([]Record, error) {
	prefix := replacements.OfUser(u.Number)
	var ids []string
	for item, err := range tx.Scan(kv.Range{Prefix: prefix, KeysOnly: true}) {
		if err != nil {
			return nil, err
		}
		_, by, _ := bytes.Cut(item.Key[len(prefix):], []byte{0})
		ids = append(ids, string(by))
	}
	slices.Sort(ids)
	return indexedMemories(tx, u.Number, slices.Compact(ids))
}

// latest returns the id of the latest memory of a user.
func (u UserRecord) latest(tx *ledger.Tx) (id string, err error) {
	err = u.line().within(tx, span{}, true, func(m Moment) error {
		id = m.ID
		return ledger.ErrStop
	})
	return id, err
}

// cache keeps the records of memories that a search reads.
type cache struct {
	tx      *ledger.Tx
	user    uint32
	records map[string]Record
}

func (c cache) get(id string) (r Record, err error) {
	r, ok := c.records[id]
	if !ok {
		if r, err = IndexedMemory(c.tx, c.user, id); err == nil {
			c.records[id] = r
		}
	}
	return r, err
}

// fullText returns the text of a memory, and reads others with it.
func (c cache) fullText(o search.Owner, others []search.Owner) (string, error) {
	ids := []string{o.ID}
	for _, other := range others {
		ids = append(ids, other.ID)
	}
	err := c.load(ids)
	return c.records[o.ID].Full, err
}

// load reads the records with some ids that were not read before.
func (c cache) load(ids []string) error {
	ids = slices.DeleteFunc(ids, func(id string) bool { _, known := c.records[id]; return known })
	if len(ids) == 0 {
		return nil
	}
	records, err := loadMemories(c.tx, c.user, ids)
	maps.Copy(c.records, records)
	return err
}
