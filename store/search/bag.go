package search

import (
	"encoding/binary"
	"slices"
	"strings"

	"techo/internal/meaning"
	"techo/store/search/speech"
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
	means  *meaning.Reader
	at     map[string]int // index in bag.Terms
	bag    Bag
	first  bool // the first of the texts of the bag is read
}

// NewAnalyzer returns an Analyzer. It caches the words it has seen.
func NewAnalyzer() *Analyzer {
	return &Analyzer{reader: newReader(), means: meaning.NewReader(), at: map[string]int{}}
}

// Bag converts texts to one bag.
func (a *Analyzer) Bag(texts ...string) Bag {
	clear(a.at)
	a.bag = Bag{Terms: a.bag.Terms[:0]}
	if len(texts) > 0 {
		a.bag.Traits = a.traits(texts[0])
	}
	for i, text := range texts {
		a.first = i == 0
		a.reader.read(text, a.count)
	}
	slices.SortFunc(a.bag.Terms, func(x, y Count) int { return strings.Compare(x.Term, y.Term) })
	bag := a.bag
	bag.Terms = append(make([]Count, 0, len(bag.Terms)), bag.Terms...)
	return bag
}

// Meaning is MeaningOf. It takes less time for many texts.
func (a *Analyzer) Meaning(texts ...string) meaning.Vec {
	return a.means.Vector(speech.Meant(texts...))
}

func (a *Analyzer) count(t token) {
	if a.first {
		personal, timed := speech.English(t.term)
		a.bag.Traits.Personal, a.bag.Traits.Timed = a.bag.Traits.Personal || personal, a.bag.Traits.Timed || timed
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

// Has reports whether the bag contains a term.
func (b Bag) Has(term string) bool { return b.count(term) > 0 }

// count returns the number of occurrences of a term.
func (b Bag) count(term string) uint32 {
	i, ok := slices.BinarySearchFunc(b.Terms, term, func(c Count, t string) int { return strings.Compare(c.Term, t) })
	if !ok {
		return 0
	}
	return b.Terms[i].N
}

// Traits are properties of a text that ranking uses (rank.go).
type Traits struct {
	Asks     bool   // it ends with a question
	Personal bool   // it speaks in the first person
	Timed    bool   // it names a time relative to its own, such as yesterday
	Speaker  string // term of the name before it: Nina: …, ゆか（夜）：…
}

// traits returns the traits of a text, without what its words add.
func (a *Analyzer) traits(text string) (t Traits) {
	name, body := speech.CutSpeaker(text)
	if name != "" {
		a.reader.read(name, func(k token) {
			if t.Speaker == "" {
				t.Speaker = k.term
			}
		})
	}
	t.Asks = speech.Asks(body)
	t.Personal, t.Timed = speech.Japanese(body)
	return t
}
