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
// The own score of a text is BM25 over the terms of the question:
//
//	idf(t) × n (k1+1) / (n + k1 (1 − b + b × length/mean length))
//	idf(t) = ln(1 + (N − N(t) + ½) / (N(t) + ½))
//
// The context of a text counts as well. In a group, the own scores of the direct
// neighbours count 0.3 times, the scores of their neighbours 0.2 times, and the
// BM25 score of the whole group, as one text among all groups, counts in full.
//
// scan.go describes how the lists are read.
const (
	k1 = 1.2
	b  = 0.3

	near1, near2 = 0.3, 0.2

	// pool is the number of texts, the best by their own scores, whose neighbours are
	// considered.
	pool = 500

	// With fewer postings than spare all are read, without pruning. With groups the
	// limit is lower, because the own scores of all texts count for their neighbours.
	spare        = 1 << 14
	spareGrouped = 1 << 18

	// maxTerms is the number of terms of a question that count, the rarest first. A
	// message may be a page long.
	maxTerms = 128
)

// Query is a question and the number of hits wanted.
type Query struct {
	Text  string
	Limit int
	Only  *Set // texts to search; nil for all

	// Keep selects texts as Only does.
	Keep func(num uint32) bool

	// Members returns the texts of a group in order. If it is nil, neighbours do not
	// count.
	Members func(group uint32) ([]uint32, error)
}

// has reports whether the query searches a text.
func (q *Query) has(num uint32) bool {
	return (q.Only == nil || q.Only.Has(num)) && (q.Keep == nil || q.Keep(num))
}

// Hit is a text that matches.
type Hit struct {
	Num   uint32
	ID    string
	Score float64
}

// Found is the result of a search, the best hit first.
type Found struct {
	Hits    []Hit
	Total   int  // number of texts with a term of the question
	AtLeast bool // Total is a lower bound: lists were pruned
}

// asked is a term of a question with its statistics.
type asked struct {
	term    string
	head    head
	waiting []posting
	weight  float64 // idf × (k1+1)
	most    float64 // upper bound of its score in a text
}

func (a *asked) count() int { return a.head.count + len(a.waiting) }

// finding is the state of one search.
type finding struct {
	Index
	tx      kv.Tx
	query   Query
	numbers numbers
	terms   []asked
	waiting []Doc
	lengths lengths
	rest    []float64 // upper bound of the score of the terms from the i-th on

	nums   []uint32 // visited texts and their own scores; only with groups
	own    []float64
	came   int  // number of visited texts
	total  int  // lower bound of the number of texts with a term
	pruned bool // lists were pruned
	err    error
}

// Find answers a query.
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

// prepare reads the statistics, the heads of the lists and the waiting texts.
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
	f.terms = f.terms[:min(len(f.terms), maxTerms)]
	for i := range f.terms {
		f.weigh(&f.terms[i])
	}
	return nil
}

// questionTerms returns the distinct terms of a question.
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

// mean returns the mean length of texts, at least 1.
func mean(length int64, n int) float64 { return max(float64(length)/float64(max(n, 1)), 1) }

// weigh sets the weight of a term and the upper bound of its score.
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

// norm returns k1 (1 − b + b × length/mean) as a linear function of length.
func (f *finding) norm() (base, slope float64) {
	return k1 * (1 - b), k1 * b / mean(f.numbers.Length, f.numbers.Texts)
}

// before orders hits by score, and equal ones by number, the newest first.
func before(a, b Hit) int {
	return cmp.Or(cmp.Compare(b.Score, a.Score), cmp.Compare(b.Num, a.Num))
}

// owner returns the id and the group of a text.
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

// lengths reads the lengths of texts chunk by chunk.
type lengths struct {
	index   Index
	tx      kv.Tx
	kind    kind
	folded  uint32
	waiting []uint32 // lengths of the waiting texts
	chunks  [][]byte
	err     error // the first error; later lengths are 0
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

// Set is a set of texts by number.
type Set struct{ bits []uint64 }

// Add adds a text to the set.
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
