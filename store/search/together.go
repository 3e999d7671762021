package search

import (
	"cmp"
	"maps"
	"slices"

	"techo/store/kv"
)

// Together has the statistics of several indexes that are searched with one question. With
// them a text has the same score in each index as in one index of all texts, apart from
// its neighbours, so that hits of different indexes can be compared.
type Together struct {
	texts  int
	length int64
	counts map[string]int // texts with a term, "" for favoured texts

	similar map[respelling]similarTerms
}

// respelling is the search for terms that are similar to an unknown word.
type respelling struct {
	word string // its term
	how  Respelling
}

// similarTerms are the terms of all indexes that are most similar to an unknown word.
type similarTerms struct {
	begin    int            // of unknownWord.beginnings
	distance int            // letters that differ from the word
	counts   map[string]int // texts with each
}

// add adds the terms of another index: the more similar ones remain.
func (c *similarTerms) add(other similarTerms) {
	order := cmp.Or(cmp.Compare(other.begin, c.begin), cmp.Compare(other.distance, c.distance))
	if c.counts == nil || order < 0 {
		*c = other
	} else if order == 0 {
		for term, n := range other.counts {
			c.counts[term] += n
		}
	}
}

// best returns the most frequent term and its count.
func (c *similarTerms) best() (term string, count int) {
	for _, t := range slices.Sorted(maps.Keys(c.counts)) {
		if n := c.counts[t]; n > count {
			term, count = t, n
		}
	}
	return term, count
}

// Respell finds the terms of an index that are similar to words of the question that no
// index has. It is called for each index after Add was called for all, and before they are
// searched. Then all of them search for the same terms, with the same counts.
func (t *Together) Respell(x Index, tx kv.Tx, q Query) error {
	f := &finding{index: x, tx: tx, query: q}
	unknown := f.unknownWords(q.Respell == Loosely)
	if len(unknown) == 0 {
		return nil
	}
	if err := f.open(); err != nil || f.numbers.Texts == 0 {
		return err
	}
	all, _, err := f.similar(unknown)
	if err != nil {
		return err
	}
	for i, w := range unknown {
		found := all[i]
		if len(found.counts) > 0 {
			if t.similar == nil {
				t.similar = map[respelling]similarTerms{}
			}
			key := respelling{w.term, q.Respell}
			together := t.similar[key]
			together.add(found)
			t.similar[key] = together
		}
	}
	return nil
}

// chosen returns the term that replaces an unknown word in all indexes, or "" without one.
// Searched alone, an index has only its own similar terms.
func (t *Together) chosen(w unknownWord, how Respelling, own similarTerms) string {
	if t == nil {
		term, _ := own.best()
		return term
	}
	all := t.similar[respelling{w.term, how}]
	term, count := all.best()
	if own.counts[term] == 0 {
		return ""
	}
	t.counts[term] = max(t.counts[term], count)
	return term
}

// Add adds the statistics of an index for a query.
func (t *Together) Add(x Index, tx kv.Tx, q Query) error {
	f := newFinding(x, tx, q)
	if err := f.open(); err != nil || f.numbers.Texts == 0 {
		return err
	}
	if t.counts == nil {
		t.counts = map[string]int{}
	}
	t.texts += f.numbers.Texts
	t.length += f.numbers.Length
	for _, a := range f.terms {
		t.counts[a.term] += a.count()
	}
	t.counts[""] += len(f.query.Favoured)
	return nil
}

// statistics returns the number of all texts that are searched together, and their mean
// length.
func (t *Together) statistics(own numbers) (texts int, meanLength float64) {
	if t != nil {
		return t.texts, mean(t.length, t.texts)
	}
	return own.Texts, mean(own.Length, own.Texts)
}

// having returns the number of texts that have a term, in all indexes.
func (t *Together) having(a *asked) int {
	if t == nil {
		return a.count()
	}
	return max(t.counts[a.term], a.count())
}

// has reports whether any index has a term.
func (t *Together) has(term string) bool { return t != nil && t.counts[term] > 0 }
