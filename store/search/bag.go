package search

import (
	"slices"
	"strings"
)

// Bag is what the index knows of a text: its terms, in the order of their
// bytes, and how many of them count.
type Bag struct {
	Terms  []Count
	Length uint32
}

// Count says how often a term stands in a text.
type Count struct {
	Term string
	N    uint32
}

// Analyzer makes bags. It is for one goroutine.
type Analyzer struct {
	reader *reader
	at     map[string]int // of bag.Terms
	bag    Bag
}

// NewAnalyzer returns an Analyzer, which remembers the words that it has seen.
func NewAnalyzer() *Analyzer {
	return &Analyzer{reader: newReader(), at: map[string]int{}}
}

// Bag reads texts as one.
func (a *Analyzer) Bag(texts ...string) Bag {
	clear(a.at)
	a.bag = Bag{Terms: make([]Count, 0, 64)}
	for _, text := range texts {
		a.reader.read(text, a.count)
	}
	slices.SortFunc(a.bag.Terms, func(x, y Count) int { return strings.Compare(x.Term, y.Term) })
	return a.bag
}

func (a *Analyzer) count(t token) {
	if !t.common && a.bag.Length < maxLength {
		a.bag.Length++
	}
	i, ok := a.at[t.term]
	if !ok {
		i = len(a.bag.Terms)
		a.at[t.term] = i
		a.bag.Terms = append(a.bag.Terms, Count{Term: t.term})
	}
	a.bag.Terms[i].N++
}
