package search

import "techo/store/kv"

// Together has the statistics of several indexes that are searched with one question. With
// them a text has the same score in each index as in one index of all texts, apart from
// its neighbours, so that hits of different indexes can be compared.
type Together struct {
	texts  int
	length int64
	counts map[string]int // texts with a term, "" for favoured texts
}

// Add adds the statistics of an index for a query.
func (t *Together) Add(x Index, tx kv.Tx, q Query) error {
	f := &finding{index: x, tx: tx, query: q}
	if err := f.open(); err != nil || f.numbers.Texts == 0 {
		return err
	}
	if err := f.readQuestion(); err != nil {
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
