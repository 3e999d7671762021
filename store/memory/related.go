package memory

import (
	"cmp"
	"context"
	"math"
	"slices"

	"golang.org/x/text/unicode/norm"

	"techo/internal/sorting"
	"techo/store/ledger"
	"techo/store/search"
)

const (
	mostRelated  = 3  // memories that are shown beside a new one
	lookedAround = 16 // memories, the first of a search with its text, that are compared with it
)

// A text has nothing related if even the nearest memory is no nearer than chance would have it, and the more memories
// there are, the nearer one is by chance. Of 170 texts that had nothing to do with 35 to 2,000 memories, about one of
// six found one this near. Texts as near as nearAnyway are related however many others there are.
const (
	nearByChance = 0.18
	nearPerFold  = 0.055 // for e times as many memories
	nearAnyway   = 0.6
	nearBest     = 0.6 // of the nearest: what is less near is not shown beside it
)

// nearEnough returns how near the nearest of some memories must be to be related.
func nearEnough(memories int) float64 {
	return min(nearByChance+nearPerFold*math.Log(float64(max(memories, 1))), nearAnyway)
}

// neighbour is an earlier memory, and how near its matter is.
type neighbour struct {
	Memory
	near float64
}

// relatedTo returns the memories about the matter of a draft, the nearest first, as a search finds them,
// without some. It reads them before the transaction that writes, which others wait for.
func relatedTo(ctx context.Context, s *ledger.Ledger, d Draft, without ...string) (related []neighbour, err error) {
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

func (u UserRecord) related(tx *ledger.Tx, d Draft, without []string) ([]neighbour, error) {
	keep, err := u.visible(tx, Filter{}, tx.Ledger.Time())
	if err != nil {
		return nil, err
	}
	found, err := u.index().Find(tx, search.Query{Text: beginning(d.FullText), Limit: lookedAround, Keep: keep, Roughly: true})
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
	var all []neighbour
	r, nearest := newReader(), 0.0
	own := r.read(d.FullText)
	for i := range records {
		m := records[i].memory()
		if m.Relation.Link() || sameText(m.FullText) == sameText(d.FullText) {
			continue
		}
		n := neighbour{m, own.near(r.read(m.FullText))}
		all, nearest = append(all, n), max(nearest, n.near)
	}
	if nearest < nearEnough(u.Memories) {
		return nil, nil
	}
	all = slices.DeleteFunc(all, func(n neighbour) bool { return n.near < nearBest*nearest })
	all = all[:min(len(all), mostRelated)]
	sorting.By(all, func(a, b neighbour) int { return cmp.Compare(b.near, a.near) })
	return all, nil
}

// memoriesOf returns the memories of neighbours, without those with some ids.
func memoriesOf(all []neighbour, without ...string) (memories []Memory) {
	for _, n := range all {
		if !slices.Contains(without, n.ID) {
			memories = append(memories, n.Memory)
		}
	}
	return memories
}

// nearOf returns the ids of the neighbours that a text is to be reviewed with: those of the same matter.
func nearOf(all []neighbour) (ids []string) {
	for _, n := range all {
		if n.near >= sameMatter {
			ids = append(ids, n.ID)
		}
	}
	return ids
}
