package memory

import (
	"cmp"
	"context"
	"slices"

	"golang.org/x/text/unicode/norm"

	"techo/internal/sorting"
	"techo/store/ledger"
	"techo/store/memory/wording"
	"techo/store/search"
)

const (
	mostRelated  = 3  // memories that are shown beside a new one
	lookedAround = 16 // memories, the first of a search with its text, that are compared with it
)

// relatedTo returns the memories about the matter of a draft, the nearest first, as a search finds them,
// without some. It reads them before the transaction that writes, which others wait for.
func relatedTo(ctx context.Context, s *ledger.Ledger, d Draft, without ...string) (related []Memory, err error) {
	if d.limits() != nil {
		return nil, nil // the change itself reports it
	}
	err = s.View(ctx, func(tx *ledger.Tx) error {
		related = nil
		u, err := LoadUser(tx, norm.NFC.String(d.User), false)
		if err == nil && u.Number != 0 {
			related, err = u.related(tx, d, without)
		}
		return err
	})
	return related, err
}

func (u UserRecord) related(tx *ledger.Tx, d Draft, without []string) ([]Memory, error) {
	keep, err := u.visible(tx, Filter{}, tx.Ledger.Time())
	if err != nil {
		return nil, err
	}
	found, err := u.index().Find(tx, search.Query{Text: d.FullText, Limit: lookedAround, Keep: keep})
	if err != nil {
		return nil, err
	}
	var ids []string
	for _, h := range found.Hits {
		if !slices.Contains(without, h.ID) {
			ids = append(ids, h.ID)
		}
	}
	records, err := indexedMemories(tx, u.Number, ids)
	if err != nil {
		return nil, err
	}
	type candidate struct {
		Memory
		near float64
	}
	var all []candidate
	r := newReader()
	own := r.read(d.FullText)
	for i := range records {
		m := records[i].memory()
		near := own.near(r.read(m.FullText))
		if near >= sameMatter && !m.Relation.Link() && sameText(m.FullText) != sameText(d.FullText) {
			all = append(all, candidate{m, near})
		}
	}
	sorting.By(all, func(a, b candidate) int { return cmp.Compare(b.near, a.near) })
	var related []Memory
	for _, c := range all[:min(len(all), mostRelated)] {
		related = append(related, c.Memory)
	}
	return related, nil
}

// idsOf returns the ids of memories, nil for none.
func idsOf(all []Memory) (ids []string) {
	for _, m := range all {
		ids = append(ids, m.ID)
	}
	return ids
}

// nearOf returns the ids of the memories that a new one is to be reviewed with: none of a turn of a
// conversation, which is a record of it.
func (d *Draft) nearOf(related []Memory) []string {
	if wording.Turn(d.FullText, d.Session != "") {
		return nil
	}
	return idsOf(related)
}
