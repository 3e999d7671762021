package memory

import (
	"context"
	"slices"

	"golang.org/x/text/unicode/norm"

	"techo/store/ledger"
	"techo/store/memory/wording"
	"techo/store/search"
	"techo/store/space"
)

// SearchIn returns the memories of several sources that match a question best. Each
// hit names its space.
func SearchIn(ctx context.Context, s *ledger.Ledger, in space.Sources, question string, f Filter) (found Found,
	err error) {
	err = s.View(ctx, func(tx *ledger.Tx) error {
		p := searchedSources{question: question, filter: f}
		_, err := in.Open(tx, s, p.add)
		if err == nil {
			found, err = p.search()
		}
		return err
	})
	return found, err
}

type searchedSources struct {
	question string
	filter   Filter
	all      []searched
}

// searched is a source with its part of the search.
type searched struct {
	tx      *ledger.Tx
	user    UserRecord
	space   string
	records cache
	query   search.Query
	none    bool // no memory can match
}

func (p *searchedSources) add(at *space.Source, tx *ledger.Tx) error {
	u, err := LoadUser(tx, norm.NFC.String(at.Owner), false)
	if err != nil {
		return err
	}
	one := searched{tx: tx, user: u, space: at.Space, records: cache{tx, u.Number, map[string]Record{}}}
	q, ok, err := u.query(tx, p.question, p.filter, at.Time())
	around := u.Surroundings(tx)
	q.Around, q.FullText = around.Around, one.records.fullText
	one.query, one.none = q, !ok
	p.all = append(p.all, one)
	return err
}

// maxNearby is the largest number of words to try instead.
const maxNearby = 8

func (p *searchedSources) search() (found Found, err error) {
	for _, how := range []search.Respelling{search.Closely, search.Loosely} {
		found, err = p.find(func(q *search.Query) { q.Respell = how })
		if err != nil || len(found.Hits) > 0 {
			return found, err
		}
	}
	near, err := p.find(func(q *search.Query) {
		q.By, q.Limit = search.ByMeaning, 24
		q.Alike = 0.1 // a text without a word to try instead is less alike
	})
	var captions []string
	for _, h := range near.Hits {
		captions = append(captions, h.Caption)
	}
	found.Nearby = wording.Suggest(p.question, captions, maxNearby)
	return found, err
}

// find searches all sources once, with a change to their queries.
func (p *searchedSources) find(change func(*search.Query)) (found Found, err error) {
	var parts []search.Part
	var sources []*searched
	for i := range p.all {
		s := &p.all[i]
		if q := s.query; !s.none {
			change(&q)
			parts, sources = append(parts, search.Part{Index: s.user.index(), Tx: s.tx, Query: q}), append(sources, s)
		}
	}
	hits, err := search.Find(parts)
	if err != nil {
		return found, err
	}
	found.Total, found.AtLeast = hits.Total, hits.AtLeast
	for i, s := range sources {
		if err := s.records.read(hits, i); err != nil {
			return found, err
		}
	}
	words, crossed := wording.Question{Text: p.question, Respelt: len(hits.Respelt) > 0}, []string{}
	for _, h := range hits.Hits {
		s := sources[h.Part]
		r, err := s.records.get(h.ID)
		if err != nil {
			return found, err
		}
		m, inTime := r.memory(), slices.Contains(s.query.Favoured, h.Num)
		if h.Matches && !inTime && words.Crossed(h.Likeness, m.Texts) {
			if h.Shares == "" {
				found.Total, crossed = found.Total-1, append(crossed, h.ID)
				continue
			}
			h.Matches = false // only its name leads to it
		}
		if h.Matches {
			h.Shares = ""
		}
		if slices.Contains(crossed, h.Beside) {
			continue
		}
		hit := Hit{Memory: m, Space: s.space, Score: h.Probability, Matches: h.Matches, Likeness: h.Likeness, InTime: inTime,
			Beside: h.Beside, Shares: h.Shares}
		found.Hits = append(found.Hits, hit.asOf(p.filter.AsOf)...)
	}
	found.Hits = found.Hits[:min(p.filter.Limit, len(found.Hits))]
	for _, w := range hits.Respelt {
		if word, err := sources[w.Part].respelt(w); err != nil {
			return found, err
		} else if word.To != "" && !slices.Contains(found.Respelt, word) {
			found.Respelt = append(found.Respelt, word)
		}
	}
	return found, nil
}

// respelt returns a respelt word as a memory writes it.
func (s *searched) respelt(w search.Respelt) (Respelt, error) {
	r, err := s.records.get(w.ID)
	return Respelt{w.Written, search.Written(r.Full+"\n"+r.Caption, w.Term)}, err
}

// read reads the records that the result of a search needs from a part.
func (c cache) read(found search.Found, part int) error {
	var ids []string
	for _, h := range found.Hits {
		if h.Part == part {
			ids = append(ids, h.ID)
		}
	}
	for _, r := range found.Respelt {
		if r.Part == part {
			ids = append(ids, r.ID)
		}
	}
	return c.load(ids)
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
	records, err := loadMemories(tx, u.Number, ids)
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
