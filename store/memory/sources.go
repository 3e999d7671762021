package memory

import (
	"cmp"
	"context"
	"slices"

	"golang.org/x/text/unicode/norm"

	"techo/internal/sorting"
	"techo/store/ledger"
	"techo/store/search"
	"techo/store/space"
)

// SearchIn returns the memories of several sources that match a question best. Each
// hit names its space.
func SearchIn(ctx context.Context, s *ledger.Ledger, in space.Sources, question string, f Filter) (found Found,
	err error) {
	err = s.View(ctx, func(tx *ledger.Tx) error {
		p := searchedSources{how: searching{question: question, filter: f}, users: map[*space.Source]UserRecord{}}
		var err error
		p.all, err = in.Open(tx, s, func(at *space.Source, tx *ledger.Tx) (err error) {
			p.users[at], err = LoadUser(tx, norm.NFC.String(at.Owner), false)
			return err
		})
		if err == nil {
			found, err = p.search(tx)
			found.Hits = found.Hits[:min(f.Limit, len(found.Hits))]
		}
		return err
	})
	return found, err
}

// searchedSources is the search of several sources.
type searchedSources struct {
	all   []*space.Source
	how   searching
	users map[*space.Source]UserRecord
	found map[*space.Source]Found
}

// search searches all sources, and merges what they have.
func (p *searchedSources) search(tx *ledger.Tx) (found Found, err error) {
	if len(p.all) > 1 {
		p.how.together = &search.Together{}
		err = space.EachSource(tx, p.all, p.count)
	}
	for _, p.how.respell = range []search.Respelling{search.Closely, search.Loosely} {
		if err == nil && len(found.Hits) == 0 && p.how.together != nil {
			err = space.EachSource(tx, p.all, p.respell)
		}
		if err == nil && len(found.Hits) == 0 {
			p.found = map[*space.Source]Found{}
			err = space.EachSource(tx, p.all, func(at *space.Source, tx *ledger.Tx) (err error) {
				p.found[at], err = p.users[at].search(tx, p.how, at.Time())
				return err
			})
			found = p.merged()
		}
	}
	if err != nil || len(found.Hits) > 0 {
		return found, err
	}
	err = space.EachSource(tx, p.all, func(at *space.Source, tx *ledger.Tx) error {
		words, err := p.users[at].nearby(tx, p.how, at.Time())
		p.found[at] = Found{Nearby: words}
		return err
	})
	return p.merged(), err
}

// count adds the statistics of a source.
func (p *searchedSources) count(at *space.Source, tx *ledger.Tx) error {
	u := p.users[at]
	q, ok, err := u.query(tx, p.how.question, p.how.filter, at.Time())
	if err != nil || !ok {
		return err
	}
	return p.how.together.Add(u.index(), tx, q)
}

// respell finds words of a source that are similar to unknown words of the question.
func (p *searchedSources) respell(at *space.Source, tx *ledger.Tx) error {
	u, how := p.users[at], p.how
	if _, ok, err := how.filter.line(tx, u); err != nil || !ok {
		return err
	}
	q := search.Query{Text: how.question, Respell: how.respell, Together: how.together}
	return how.together.Respell(u.index(), tx, q)
}

// maxNearby is the largest number of words to try instead.
const maxNearby = 8

// merged returns what all sources have: the best first, and of equally good hits the
// newest. Scores of two indexes may differ by the rounding of sums in different orders, so
// they are compared as float32.
func (p *searchedSources) merged() (all Found) {
	for _, at := range p.all {
		found := p.found[at]
		for _, h := range found.Hits {
			h.Space = at.Space
			all.Hits = append(all.Hits, h)
		}
		all.Total += found.Total
		all.AtLeast = all.AtLeast || found.AtLeast
		for _, r := range found.Respelt {
			if !slices.Contains(all.Respelt, r) {
				all.Respelt = append(all.Respelt, r)
			}
		}
		for _, word := range found.Nearby {
			if !slices.Contains(all.Nearby, word) && len(all.Nearby) < maxNearby {
				all.Nearby = append(all.Nearby, word)
			}
		}
	}
	if len(p.all) > 1 {
		sorting.By(all.Hits, func(a, b Hit) int {
			return cmp.Or(cmp.Compare(float32(b.Score), float32(a.Score)), b.CreatedAt.Compare(a.CreatedAt))
		})
	}
	all.Hits = all.Hits[:min(p.how.filter.Limit, len(all.Hits))]
	return all
}

// SourcedMemory is a memory with the shared space that it is in, "" for the user's own.
type SourcedMemory struct {
	Memory
	Space string

	Personal bool // of the person's own store, beside a workspace
}

// GetIn is GetMemories for several sources. The first source that has an id
// counts.
func GetIn(ctx context.Context, s *ledger.Ledger, in space.Sources, ids []string) (found []SourcedMemory,
	missing []string,
	err error) {
	err = s.View(ctx, func(tx *ledger.Tx) error {
		bySource := map[*space.Source]map[string]Memory{}
		sources, err := in.Open(tx, s, func(at *space.Source, tx *ledger.Tx) (err error) {
			bySource[at], err = memoriesByID(tx, at.Owner, ids)
			return err
		})
		if err != nil {
			return err
		}
		found, missing = nil, nil
		type place struct{ space, id string }
		seen := map[place]bool{}
		for i, id := range ids {
			if slices.Contains(ids[:i], id) {
				continue
			}
			at := slices.IndexFunc(sources, func(at *space.Source) bool { _, ok := bySource[at][id]; return ok })
			if at < 0 {
				missing = append(missing, id)
				continue
			}
			m := SourcedMemory{Memory: bySource[sources[at]][id], Space: sources[at].Space}
			if p := (place{m.Space, m.ID}); !seen[p] {
				seen[p] = true
				found = append(found, m)
			}
		}
		return nil
	})
	return found, missing, err
}

// memoriesByID returns the memories of a user that some ids name.
func memoriesByID(tx *ledger.Tx, user string, ids []string) (map[string]Memory, error) {
	all := map[string]Memory{}
	u, err := LoadUser(tx, norm.NFC.String(user), false)
	if err != nil || u.Number == 0 {
		return all, err
	}
	records, _, err := loadMemories(tx, u.Number, ids)
	if err != nil {
		return nil, err
	}
	for _, id := range ids {
		r, ok := records[id]
		if !ok {
			r, err = findMemory(tx, u.Name, id) // another one may have superseded it
			if ledger.IsMissing(err) {
				continue
			}
			if err != nil {
				return nil, err
			}
		}
		all[id] = r.memory()
	}
	return all, nil
}
