package search

// # Looking up candidates
//
// Texts that have one of the first terms and may be among the best are looked up in the
// other lists, a few thousand at a time: all of them in one list, then the ones that are
// left in the next, longer list. Scores only grow, so the scores by the lists so far are
// lower bounds. The last of the best by these is a threshold that leaves out most texts
// before the longest lists are read. That takes fewer steps and fewer blocks than to look
// one text after the other up in all lists.
const (
	leastPartials = 512 // texts that are looked up together, at first
	mostPartials  = 2048
)

// partial is a text with the score of a part of the terms.
type partial struct {
	num   uint32
	terms uint32 // as scores.terms counts them
	score float64
}

// partials are texts, sorted by number, whose scores lack the same terms.
type partials struct {
	all  []partial
	most int      // with so many they are looked up
	best []scored // memory for raise
}

// raise raises the minimum score to that of the last wanted text among those of the
// keeper and some with partial scores, and returns the ones that can still reach it if their
// other terms score at most rest.
func (open *partials) raise(k *keeper, all []partial, rest float64) []partial {
	if len(k.kept)+len(all) < k.wanted {
		return all
	}
	t := keeper{wanted: k.wanted, kept: append(open.best[:0], k.kept...), door: k.door}
	for i := range all {
		// A score that is equal to the last one kept does not raise it.
		if p := &all[i]; (p.score > t.door || len(t.kept) < t.wanted) && p.terms >= enough {
			t.offer(scored{p.num, p.score})
		}
	}
	k.door, open.best = t.door, t.kept
	n, least := 0, k.door
	for i := range all {
		if p := &all[i]; (p.score+rest)*slack >= least {
			if n < i {
				all[n] = *p
			}
			n++
		}
	}
	return all[:n]
}

// complete looks the open texts up in the other lists and offers them to the keeper.
// Afterwards no text is open.
func (open *partials) complete(f *finding, others []*iterator, k *keeper) {
	all := open.all
	for i, c := range others {
		all = open.raise(k, all, f.rest[len(f.rest)-1-len(others)+i])
		c.add(all)
	}
	for _, p := range all {
		if p.terms >= enough {
			k.offer(scored{p.num, p.score})
		}
	}
	open.all, open.most = open.all[:0], min(2*open.most, mostPartials)
}

// add adds the scores of the term in texts, which are sorted by number and not before
// the iterator's place.
func (c *iterator) add(all []partial) {
	for len(all) > 0 && c.f.err == nil {
		if len(c.ps) <= 1 && len(c.rest) > 0 && c.last >= all[0].num {
			all = c.addInGroup(all)
			continue
		}
		if p, ok := c.posting(all[0].num); ok {
			all[0].add(c.f, c.a, p)
		}
		all = all[1:]
	}
}

// addInGroup is add for the texts up to the end of the group, of which there is at least
// one. It returns the others. At most one posting of the group is decoded.
func (c *iterator) addInGroup(all []partial) []partial {
	p, rest, there := posting{num: c.base}, c.rest, len(c.ps) > 0
	if there {
		p = c.ps[0]
	}
	for len(all) > 0 && all[0].num <= c.last {
		t := &all[0]
		if p.num < t.num || !there {
			if p, rest, there = skipPostings(p.num, rest, t.num); !there {
				c.f.err = c.f.index.corrupt(c.a.term, errRecord)
				return nil
			}
		}
		if p.num == t.num {
			t.add(c.f, c.a, p)
		}
		all = all[1:]
	}
	c.keep(p, rest)
	return all
}

func (t *partial) add(f *finding, a *asked, p posting) {
	t.score += f.share(a, p)
	switch {
	case !a.common:
		t.terms = enough
	case a.kana:
		t.terms++
	}
}
