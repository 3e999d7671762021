package search

import (
	"cmp"
	"maps"
	"slices"

	"techo/internal/identifier"
	"techo/internal/sorting"
	"techo/store/kv"
	"techo/store/search/vectors"
)

// Part is an index that is searched together with others.
type Part struct {
	Index Index
	Tx    kv.Tx
	Query Query // of all parts the same but for what belongs to one of them: Only, Keep, Favoured, Around and FullText
}

// Find answers a query.
func (x Index) Find(tx kv.Tx, q Query) (Found, error) { return Find([]Part{{x, tx, q}}) }

// Find answers the query of several indexes. A text has the score that it had in one index of all texts, apart from its
// neighbours.
func Find(parts []Part) (Found, error) {
	t := &together{counts: map[string]int{}, similar: map[string]similarTerms{}}
	for i, p := range parts {
		f := newFinding(p.Index, p.Tx, p.Query)
		f.together, f.part = t, i
		if err := f.open(); err != nil {
			return Found{}, err
		}
		if f.numbers.Texts > 0 {
			t.add(f)
		}
	}
	if len(t.all) == 0 {
		return Found{}, nil
	}
	for _, step := range []func() error{t.respell, t.weigh, t.score, t.likely} {
		if err := step(); err != nil {
			return Found{}, err
		}
	}
	return t.found()
}

// together is the state of a search in several indexes.
type together struct {
	all     []*finding // of the parts that have texts
	texts   int
	length  int64
	counts  map[string]int // texts with a term, "" for favoured texts
	similar map[string]similarTerms
	whole   float64 // weight of all terms of the question, and of what favours texts
	codes   int     // identifiers of the question that texts have
}

func (t *together) add(f *finding) {
	t.all = append(t.all, f)
	t.texts += f.numbers.Texts
	t.length += f.numbers.Length
	for _, a := range f.terms {
		t.counts[a.term] += a.count()
	}
}

func (t *together) meanLength() float64 { return max(float64(t.length)/float64(max(t.texts, 1)), 1) }

// similarTerms are the terms that are most similar to an unknown word.
type similarTerms struct {
	begin    int            // of unknownWord.beginnings
	distance int            // letters that differ from the word
	counts   map[string]int // texts with each
}

// add adds the terms of another index: the more similar ones remain.
func (c *similarTerms) add(other similarTerms) {
	order := cmp.Or(cmp.Compare(other.begin, c.begin), cmp.Compare(other.distance, c.distance))
	if c.counts == nil || order < 0 {
		c.begin, c.distance, c.counts = other.begin, other.distance, maps.Clone(other.counts)
	} else if order == 0 {
		for term, n := range other.counts {
			c.counts[term] += n
		}
	}
}

// best returns the most frequent term.
func (c similarTerms) best() (term string) {
	count := 0
	for _, t := range slices.Sorted(maps.Keys(c.counts)) {
		if n := c.counts[t]; n > count {
			term, count = t, n
		}
	}
	return term
}

// respell adds similar terms for words of the question that no text has: all indexes search for the same ones.
func (t *together) respell() error {
	how := t.all[0].query.Respell
	if how == AsWritten {
		return nil
	}
	unknown := t.all[0].unknownWords(how == Loosely)
	if len(unknown) == 0 {
		return nil
	}
	lists := make([]map[string]asked, len(t.all))
	for i, f := range t.all {
		similar, found, err := f.similar(unknown)
		if err != nil {
			return err
		}
		lists[i] = found
		for k, w := range unknown {
			if len(similar[k].counts) > 0 {
				all := t.similar[w.term]
				all.add(similar[k])
				t.similar[w.term] = all
			}
		}
	}
	for i, f := range t.all {
		for _, w := range unknown {
			term := t.similar[w.term].best()
			if found, ok := lists[i][term]; ok && f.alsoAsk(found) {
				f.respelt = append(f.respelt, Respelt{Written: w.written, Term: term, Part: f.part, num: found.first()})
			}
		}
	}
	return nil
}

// alsoAsk adds a term to those that are searched for, and reports whether it was none of them.
func (f *finding) alsoAsk(a asked) bool {
	if slices.ContainsFunc(f.terms, func(o asked) bool { return o.term == a.term }) {
		return false
	}
	f.terms = append(f.terms, a)
	f.together.counts[a.term] += a.count()
	return true
}

// weigh weighs the terms of the question, and reads their lists.
func (t *together) weigh() error {
	for _, f := range t.all {
		if err := f.longForms(); err != nil {
			return err
		}
		if len(f.query.Favoured) > 0 {
			f.alsoAsk(favoured(f.query.Favoured, uint32(t.meanLength())))
		}
	}
	question := t.all[0].question.terms
	if n := t.counts[""]; n > 0 {
		question = append(slices.Clip(question), asked{})
	}
	for _, a := range question {
		if n := t.counts[a.term]; n > 0 || !a.joined {
			t.whole += t.weightOf(&a)
		}
		if a.code && t.counts[a.term] > 0 {
			t.codes++
		}
	}
	for _, term := range Terms(t.all[0].told) {
		t.whole += t.weightOf(&asked{term: term})
	}
	for _, f := range t.all {
		if f.query.By == ByMeaning {
			f.terms = nil
		}
		f.weighTerms()
		if err := f.readBlocks(); err != nil {
			return err
		}
		var err error
		if f.model, err = f.numbers.Models.Judge(f.tx, f.index.space, f.query.Models); err != nil {
			return f.index.corrupt("", err)
		}
	}
	return nil
}

// weightOf returns the weight of a term: idf × (k1+1), less for common ones.
func (t *together) weightOf(a *asked) float64 {
	return idf(t.texts, t.counts[a.term]) * (k1 + 1) * a.part()
}

// pool returns the number of texts with words of the question to rank.
func (t *together) pool() int {
	n := pool
	switch {
	case t.all[0].query.Within != nil: // many of the best may be of another time
		n = 2 * pool
	case t.texts > manyTexts:
		n = smallPool
	}
	return max(n, t.all[0].query.Limit)
}

// score finds the texts with the highest own scores.
func (t *together) score() (err error) {
	var scores []float64
	for _, f := range t.all {
		if f.best, err = f.score(t.pool()); err != nil {
			return err
		}
		for _, s := range f.best {
			scores = append(scores, s.score)
		}
	}
	if least, more := place(scores, t.pool()); more {
		for _, f := range t.all {
			f.best = slices.DeleteFunc(f.best, func(s scored) bool { return s.score < least })
		}
	}
	return nil
}

// place returns the n-th largest figure, if there are more than n.
func place[T cmp.Ordered](all []T, n int) (at T, more bool) {
	if len(all) <= n {
		return at, false
	}
	slices.Sort(all)
	return all[len(all)-n], true
}

// likely adds the texts that are most like the question to those with its words.
func (t *together) likely() (err error) {
	least := t.all[0].least()
	if t.all[0].query.Alike == 0 && t.all[0].question.single() &&
		!slices.ContainsFunc(t.all, func(f *finding) bool { return len(f.best) > 0 }) {
		least = alikeWord
	}
	var likeness []float32
	alike := make([][]akin, len(t.all))
	for i, f := range t.all {
		if alike[i], err = f.alikeAlone(least); err != nil {
			return err
		}
		for _, a := range alike[i] {
			likeness = append(likeness, a.likeness)
		}
	}
	least, more := place(likeness, mostAlike)
	for i, f := range t.all {
		for _, a := range alike[i] {
			if !more || a.likeness >= least {
				f.best = append(f.best, scored{num: a.num})
			}
		}
	}
	return nil
}

// found ranks what was found.
func (t *together) found() (found Found, err error) {
	var all []candidate
	for _, f := range t.all {
		hits, err := f.hits()
		if err != nil {
			return Found{}, err
		}
		more, err := f.inContext(hits)
		if err != nil {
			return Found{}, err
		}
		all = append(all, more...)
		found.Total += f.total
		found.AtLeast = found.AtLeast || f.pruned
		found.Respelt = append(found.Respelt, f.respelt...)
	}
	if err := t.compareFits(all); err != nil {
		return Found{}, err
	}
	found.Hits = t.rank(all)
	for _, h := range found.Hits {
		if !h.Matches && (h.Beside == "" || h.Likeness > 0) {
			found.Total++
		}
	}
	outlook := OutlookOf(need.Of(t.all[0].query.Text), found.Hits)
	if q := t.all[0]; q.vec.Zero() && len(q.question.terms) > 0 { // only words count, or the table knows none of them
		outlook.Likeness = usualLikeness
	}
	if slices.ContainsFunc(t.all, func(f *finding) bool { return f.model != nil }) {
		outlook.Likeness = vectors.ByTable(outlook.Likeness) // also if another index has none: rather too little
	}
	if found.Hits, err = t.linked(found.Hits); err != nil {
		return Found{}, err
	}
	found.Hits = found.Hits[:min(t.all[0].query.Limit, len(found.Hits))]
	for i := range found.Hits {
		found.Hits[i].Probability = outlook.Probability(found.Hits[i])
	}
	return found, nil
}

// rank scores candidates and sorts them. It drops texts that neither words nor meaning nor neighbours speak for. A text
// without a word of the question comes after the best one that has all, in one of their spellings.
func (t *together) rank(all []candidate) []Hit {
	first := t.all[0]
	exact := identifier.In(first.query.Text) && slices.ContainsFunc(all, func(c candidate) bool { return c.Matches })
	hits := make([]Hit, 0, len(all))
	for _, c := range all {
		if c.Matches || c.Beside != "" || !exact && c.Likeness >= first.least() {
			hits = append(hits, c.Hit)
		}
	}
	if first.query.Observe != nil {
		first.query.Observe(hits)
	}
	best, single := 0.0, first.told == "" && first.question.single()
	for i := range hits {
		h := &hits[i]
		if h.Score = h.Features.odds(); h.Features[ofCover]*slack >= 1 || single && h.Matches {
			best = max(best, h.Score)
		}
	}
	for i := range hits {
		h := &hits[i]
		if !h.Matches && best > 0 {
			h.Score = min(h.Score, best/2)
		}
		if h.elsewhen {
			h.Score *= elsewhen
		}
	}
	slices.SortFunc(hits, newestBefore)
	return hits
}

// linked adds the texts that share a rare name with the best hit.
func (t *together) linked(hits []Hit) ([]Hit, error) {
	if len(hits) == 0 || !hits[0].Matches {
		return hits, nil
	}
	best := hits[0]
	names, err := t.named(hits)
	if err != nil || len(names) == 0 {
		return hits, err
	}
	var all []rareName
	counts := map[string]int{}
	lists := make([][]asked, len(t.all))
	for i, f := range t.all {
		if lists[i], err = f.termsOf(slices.Sorted(maps.Keys(names))); err != nil {
			return nil, err
		}
		for _, a := range lists[i] {
			counts[a.term] += a.count()
		}
	}
	for term, n := range counts {
		if n >= 2 && n <= min(maxNamed, max(2, t.texts/4)) {
			all = append(all, rareName{term, names[term], n})
		}
	}
	sorting.By(all, func(a, b rareName) int { return cmp.Or(a.count-b.count, cmp.Compare(a.term, b.term)) })
	all = all[:min(len(all), maxLinking)]
	for i, f := range t.all {
		if hits, err = f.link(hits, best, all, lists[i]); err != nil {
			return nil, err
		}
	}
	slices.SortFunc(hits, newestBefore)
	return hits, nil
}
