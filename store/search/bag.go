package search

import (
	"encoding/binary"
	"slices"
	"strings"
)

// Bag is a text as the index sees it: its terms, sorted by their bytes, and its
// length in terms.
type Bag struct {
	Terms  []Count
	Length uint32
	Traits Traits // of the first text
}

// Size returns the size of the bag's record in the index, in bytes.
func (b Bag) Size() int {
	size := 0
	for _, t := range b.Terms {
		size += 1 + len(t.Term) + len(binary.AppendUvarint(nil, uint64(t.N)))
	}
	return size
}

// Count is the number of occurrences of a term in a text.
type Count struct {
	Term string
	N    uint32
}

// Analyzer converts texts to bags. It is not safe for concurrent use.
type Analyzer struct {
	reader *reader
	at     map[string]int // index in bag.Terms
	bag    Bag
	first  bool // the first of the texts of the bag is read
}

// NewAnalyzer returns an Analyzer. It caches the words it has seen.
func NewAnalyzer() *Analyzer {
	return &Analyzer{reader: newReader(), at: map[string]int{}}
}

// Bag converts texts to one bag.
func (a *Analyzer) Bag(texts ...string) Bag {
	clear(a.at)
	a.bag = Bag{Terms: make([]Count, 0, 64)}
	if len(texts) > 0 {
		a.bag.Traits = a.traits(texts[0])
	}
	for i, text := range texts {
		a.first = i == 0
		a.reader.read(text, a.count)
	}
	slices.SortFunc(a.bag.Terms, func(x, y Count) int { return strings.Compare(x.Term, y.Term) })
	return a.bag
}

func (a *Analyzer) count(t token) {
	if a.first {
		a.bag.Traits.word(t.term)
	}
	if !t.common && !t.joined && a.bag.Length < maxLength {
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

// count returns the number of occurrences of a term.
func (b Bag) count(term string) uint32 {
	i, ok := slices.BinarySearchFunc(b.Terms, term, func(c Count, t string) int { return strings.Compare(c.Term, t) })
	if !ok {
		return 0
	}
	return b.Terms[i].N
}
