package search

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"techo/store/kv"
)

// # Scores
//
// A text's own score is BM25 over the terms of the question that it has:
//
//	idf(t) × n (k1+1) / (n + k1 (1 − b + b × length/mean length))
//	idf(t) = ln(1 + (N − N(t) + ½) / (N(t) + ½))
//
// What was said around a text says something about it too. In a group, the own
// scores of the texts one place before and after it count 0.3 times, those two
// places away 0.2 times, and so does, in full, the BM25 score of the group as
// one text among all groups.
//
// How the lists are read, scan.go says.
const (
	k1 = 1.2
	b  = 0.3

	near1, near2 = 0.3, 0.2

	// pool is how many texts, the best by their own scores, the words around
	// are looked at for.
	pool = 500

	// Fewer postings than that are read rather than spared; with groups, where
	// the own scores of all texts count for their neighbours, many fewer.
	spare        = 1 << 14
	spareGrouped = 1 << 18

	// mostAsked is how many terms of a question count, the rarest: a message
	// may be a page long.
	mostAsked = 128
)

// Query is a question.
type Query struct {
	Text  string
	Limit int
	Only  *Set // texts that may answer; nil is all

	// Members returns the texts of a group in their order; nil leaves out what
	// is around a text.
	Members func(group uint32) ([]uint32, error)
}

// Hit is one answer.
type Hit struct {
	Num   uint32
	ID    string
	Score float64
}

// Found are the answers, the best first.
type Found struct {
	Hits    []Hit
	Total   int  // texts that have a term of the question
	AtLeast bool // there are more; they were not counted
}

// asked is a term of a question, and what the index knows of it.
type asked struct {
	term    string
	head    head
	waiting []posting
	weight  float64 // idf × (k1+1)
	most    float64 // that a text can score by it
}

func (a *asked) count() int { return a.head.count + len(a.waiting) }

// finding is one search.
type finding struct {
	Index
	tx      kv.Tx
	query   Query
	numbers numbers
	terms   []asked
	waiting []Doc
	lengths lengths
	rest    []float64 // what a text can score by the terms from the i-th on

	nums   []uint32 // texts that were come by, with their own scores; only for groups
	own    []float64
	came   int  // texts that were come by
	total  int  // texts that have a term, at least
	pruned bool // there are more
	err    error
}

// Find answers a question.
func (x Index) Find(tx kv.Tx, q Query) (Found, error) {
	f := &finding{Index: x, tx: tx, query: q}
	err := f.prepare()
	if err != nil || f.numbers.Texts == 0 {
		return Found{}, err
	}
	grouped := q.Members != nil && f.numbers.Grouped > 0
	wanted, enough := q.Limit, spare
	if grouped {
		wanted, enough = max(pool, q.Limit), spareGrouped
	}
	best, err := f.score(wanted, enough, grouped)
	if err != nil || f.lengths.err != nil {
		return Found{}, cmp.Or(err, f.lengths.err)
	}
	found := Found{Total: f.total, AtLeast: f.pruned}
	if grouped {
		if best, err = f.around(best); err != nil {
			return Found{}, err
		}
		found.Total = max(found.Total, len(best))
	}
	best = best[:min(q.Limit, len(best))]
	for i := range best {
		o, err := f.owner(best[i].Num)
		if err != nil {
			return Found{}, err
		}
		best[i].ID = o.id
	}
	found.Hits = best
	return found, nil
}

// prepare reads the numbers, the heads of the lists, and what waits.
func (f *finding) prepare() (err error) {
	if f.numbers, err = f.Index.numbers(f.tx); err != nil || f.numbers.Texts == 0 {
		return err
	}
	at := map[string]int{}
	for _, term := range questionTerms(f.query.Text) {
		at[term] = len(f.terms)
		f.terms = append(f.terms, asked{term: term})
	}
	f.lengths = lengths{index: f.Index, tx: f.tx, kind: texts, folded: f.numbers.Folded}
	if f.numbers.Waiting > 0 {
		f.lengths.waiting = make([]uint32, f.numbers.Next-f.numbers.Folded)
		err = f.Index.waiting(f.tx, func(d Doc) error {
			f.waiting = append(f.waiting, d)
			f.lengths.waiting[d.Num-f.numbers.Folded] = d.Bag.Length
			for _, t := range d.Bag.Terms {
				if i, ok := at[t.Term]; ok {
					f.terms[i].waiting = append(f.terms[i].waiting, posting{d.Num, t.N})
				}
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	for i := range f.terms {
		if f.terms[i].head, err = f.loadHead(f.tx, texts, f.terms[i].term); err != nil {
			return err
		}
	}
	f.terms = slices.DeleteFunc(f.terms, func(a asked) bool { return a.count() == 0 })
	slices.SortFunc(f.terms, func(a, b asked) int {
		return cmp.Or(cmp.Compare(a.count(), b.count()), strings.Compare(a.term, b.term))
	})
	f.terms = f.terms[:min(len(f.terms), mostAsked)]
	for i := range f.terms {
		f.weigh(&f.terms[i])
	}
	return nil
}

// questionTerms returns the terms that a question asks for, each once.
func questionTerms(text string) (terms []string) {
	seen := map[string]bool{}
	rare := false
	var all []token
	newReader().read(text, func(t token) {
		if !seen[t.term] {
			seen[t.term] = true
			rare = rare || !t.common
			all = append(all, t)
		}
	})
	for _, t := range all {
		if !t.common || !rare {
			terms = append(terms, t.term)
		}
	}
	return terms
}

func idf(all, having int) float64 {
	return math.Log(1 + (float64(all)-float64(having)+0.5)/(float64(having)+0.5))
}

// mean is the mean length of texts.
func mean(length int64, n int) float64 { return max(float64(length)/float64(max(n, 1)), 1) }

// weigh says what a term counts, and what a text can score by it at most.
func (f *finding) weigh(a *asked) {
	a.weight = idf(f.numbers.Texts, a.count()) * (k1 + 1)
	most, shortest := a.head.most, a.head.shortest
	for _, p := range a.waiting {
		most = max(most, p.n)
		if l := f.lengths.of(p.num); a.head.count == 0 || l < shortest {
			shortest = min(shortest, l)
		}
	}
	base, slope := f.norm()
	a.most = a.weight * float64(most) / (float64(most) + base + slope*float64(shortest))
}

// norm returns k1 (1 − b + b × length/mean) as a base and a slope over length.
func (f *finding) norm() (base, slope float64) {
	return k1 * (1 - b), k1 * b / mean(f.numbers.Length, f.numbers.Texts)
}

// before orders answers: by score, and of equals the one that came last.
func before(a, b Hit) int {
	return cmp.Or(cmp.Compare(b.Score, a.Score), cmp.Compare(b.Num, a.Num))
}

// owner finds whose a text is.
func (f *finding) owner(num uint32) (owner, error) {
	if num >= f.numbers.Folded {
		i, ok := slices.BinarySearchFunc(f.waiting, num, func(d Doc, n uint32) int { return cmp.Compare(d.Num, n) })
		if !ok {
			return owner{}, nil
		}
		return owner{f.waiting[i].Group, f.waiting[i].ID}, nil
	}
	return f.loadOwner(f.tx, num)
}

// lengths reads the lengths of texts, chunk by chunk.
type lengths struct {
	index   Index
	tx      kv.Tx
	kind    kind
	folded  uint32
	waiting []uint32 // from folded on
	chunks  [][]byte
	err     error // the first fault; lengths are 0 from there on
}

func (l *lengths) of(num uint32) uint32 {
	if num >= l.folded {
		if i := int(num - l.folded); i < len(l.waiting) {
			return l.waiting[i]
		}
		return 0
	}
	chunk := int(num / l.kind.perChunk())
	if chunk >= len(l.chunks) || l.chunks[chunk] == nil {
		l.load(chunk)
	}
	return l.kind.length(l.chunks[chunk], num%l.kind.perChunk())
}

func (l *lengths) load(chunk int) {
	if chunk >= len(l.chunks) {
		l.chunks = append(l.chunks, make([][]byte, chunk+1-len(l.chunks))...)
	}
	c, err := l.index.loadChunk(l.tx, l.index.lengthKey(l.kind, uint32(chunk)))
	if err != nil && l.err == nil {
		l.err = err
	}
	l.chunks[chunk] = c
	if c == nil {
		l.chunks[chunk] = []byte{}
	}
}

// Set is a set of texts, by number.
type Set struct{ bits []uint64 }

// Add puts a text into the set.
func (s *Set) Add(num uint32) {
	i := int(num / 64)
	if i >= len(s.bits) {
		s.bits = append(s.bits, make([]uint64, i+1-len(s.bits))...)
	}
	s.bits[i] |= 1 << (num % 64)
}

// Has reports whether a text is in the set.
func (s *Set) Has(num uint32) bool {
	i := int(num / 64)
	return i < len(s.bits) && s.bits[i]&(1<<(num%64)) != 0
}
