package search

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"techo/internal/bitset"
	"techo/internal/meaning"
	"techo/internal/sorting"
	"techo/store/kv"
	"techo/store/search/speech"
	"techo/store/search/vectors"
)

// # Scores
//
// The own score of a text is BM25 over the terms of the question:
//
//	idf(t) × n (k1+1) / (n + k1 (1 − b + b × length/mean length))
//	idf(t) = ln(1 + (N − N(t) + ½) / (N(t) + ½))
//
// A common term counts a part of that. scan.go describes how the lists are read.
// The texts with the best own scores are candidates (rank.go).
const (
	k1 = 0.9
	b  = 0.7

	commonShare = 0.25
	kanaShare   = 0.5  // of pairs of hiragana that are not grammar
	favour      = 4    // of the term of favoured texts
	elsewhen    = 5e-5 // of the odds of texts of another time than the question is about or names

	// pool is the number of texts, the best by their own scores, that are
	// candidates. It is smaller among many texts, which lie far apart in the index.
	pool      = 300
	smallPool = 64
	manyTexts = 20_000

	// With fewer postings than spare all are read, without pruning.
	spare = 1 << 14

	// A rough search reads no more postings than this to find candidates, but at least those of so many terms.
	mostRoughly  = 1 << 17
	leastRoughly = 16

	// maxTerms is the number of terms of a question that count, the rarest first. A
	// message may be a page long.
	maxTerms = 128
)

// Query is a question and the number of hits wanted.
type Query struct {
	Text  string
	Limit int
	Only  *bitset.Set // texts to search; nil for all

	// Keep selects texts as Only does.
	Keep func(num uint32) bool

	// Favoured are texts that the question names by other means than words, such as a
	// date: they match as if they had one more term.
	Favoured []uint32

	// TimeName is the name of the time of the favoured texts. Other texts that have its words do not match worse: what
	// is so in winter may have been said in June.
	TimeName string

	// Within reports whether the question is about a time, in milliseconds since 1970. Texts
	// of other times match worse. If it is nil, the question is about all times.
	Within func(at int64) bool

	// Around returns what is around each of some texts. If it is nil, the context of texts does
	// not count.
	Around func([]Owner) ([]Neighbours, error)

	// FullText returns the text of the best hit. It may read along, in one round trip, the other hits and the texts
	// with respelt words, of which only the ids are set. If it is nil, rare names do not lead to other texts.
	FullText func(best Owner, others []Owner) (string, error)

	// Respell allows similar words in place of words that no text has.
	Respell Respelling

	// Models are vectors of the question by models of endpoints. The model with the most vectors
	// judges the texts that have one of it; the built-in table judges the others.
	Models map[string][]float32

	// Roughly finds candidates by the rarest terms of a long question among many texts, and ranks them by all terms.
	Roughly bool

	By      By      // words, meaning or both
	Alike   float32 // likeness of a hit without words of the question, at least; 0 is the usual one
	Counted bool    // the total of the result is exact: no list is pruned

	// Observe is called with all candidates before they are ranked, if it is not nil.
	Observe func([]Hit)
}

// Neighbours are the texts around one, in order; none if it has no neighbours.
type Neighbours struct {
	Nums []uint32
	At   int // index of the text itself
}

// Respelling is how similar a word must be to one that no text has, to be searched for
// in its place.
type Respelling int

// The degrees.
const (
	AsWritten Respelling = iota
	Closely
	Loosely // also in place of short words; for a question that finds nothing otherwise
)

// By is by what texts are found.
type By int

// The ways.
const (
	ByBoth By = iota
	ByWords
	ByMeaning
)

// has reports whether the query searches a text.
func (q *Query) has(num uint32) bool {
	return (q.Only == nil || q.Only.Has(num)) && (q.Keep == nil || q.Keep(num))
}

// Hit is a text that was found.
type Hit struct {
	Owner
	Part        int     // index of the part of the search that has it
	Score       float64 // its odds
	Probability float64 // how likely it is that it answers, by its odds and those of the others
	Matches     bool    // it has a term of the question

	// Likeness of its meaning to the question's, 0 if only words count.
	Likeness float32
	Features Features
	elsewhen bool // it is of another time than the question is about or names

	// Why a text without a term of the question was found.
	Beside string // id of a text of its group that matches and stands beside it
	Shares string // a rare name that the best hit has as well
}

// Found is the result of a search, the best hit first.
type Found struct {
	Hits    []Hit
	Total   int  // number of texts with a term or the meaning of the question
	AtLeast bool // Total is a lower bound: lists were pruned
	Respelt []Respelt
}

// finding is the state of one search.
type finding struct {
	index    Index
	tx       kv.Tx
	query    Query
	together *together
	part     int // of the search
	question question
	timeName []string           // the terms of the name of the time
	vec      meaning.Vec        // of the question
	told     string             // words that answers have instead of its own, since it asks for a state
	model    *vectors.Judge     // the model of an endpoint, nil for none
	likeness map[uint32]float32 // of texts to the question
	numbers  numbers
	terms    []asked
	waiting  []Doc
	owners   map[uint32]ownerChunk
	respelt  []Respelt
	best     []scored  // texts, the best by their own scores and by their meaning
	rest     []float64 // upper bound of the score of the terms from the i-th on, of those that texts are scored by
	sketches vectors.Sketches
	// base + slope × length is k1 (1 − b + b × length/mean length).
	base, slope float64
	came        int  // number of visited texts
	total       int  // lower bound of the number of texts with a term
	pruned      bool // lists were pruned
	err         error
}

func newFinding(x Index, tx kv.Tx, q Query) *finding {
	f := &finding{index: x, tx: tx, query: q, question: readQuestion(newReader(), q.Text), told: speech.Told(q.Text),
		timeName: Terms(q.TimeName)}
	if q.By != ByWords {
		f.vec = meaning.Vector(q.Text + "\n" + f.told)
	}
	return f
}

// hits returns the best texts with their owners.
func (f *finding) hits() (all []Hit, err error) {
	if err := f.readOwnersOf(f.best); err != nil {
		return nil, err
	}
	for i, r := range f.respelt {
		o, err := f.owner(r.num)
		if err != nil {
			return nil, err
		}
		f.respelt[i].ID = o.ID
	}
	all = make([]Hit, len(f.best))
	for i, s := range f.best {
		all[i].Part = f.part
		if all[i].Owner, err = f.owner(s.num); err != nil {
			return nil, err
		}
	}
	return all, nil
}

// weighTerms sorts and weighs the terms. Those that distinguish texts count for the texts around them as well.
func (f *finding) weighTerms() {
	sorting.By(f.terms, func(a, b asked) int {
		return cmp.Or(cmp.Compare(f.together.counts[a.term], f.together.counts[b.term]), strings.Compare(a.term, b.term))
	})
	f.terms = f.terms[:min(len(f.terms), maxTerms)]
	length := f.together.meanLength()
	f.base, f.slope = k1*(1-b), k1*b/length
	for i := range f.terms {
		f.weigh(&f.terms[i])
	}
}

// favoured returns a term that texts have by other means than words. They count as
// texts of one length.
func favoured(nums []uint32, length uint32) asked {
	a := asked{}
	nums = slices.Sorted(slices.Values(nums))
	for _, num := range slices.Compact(nums) {
		a.waiting = append(a.waiting, posting{num, 1, length})
	}
	return a
}

func idf(all, having int) float64 {
	having = min(having, all)
	return math.Log(1 + (float64(all)-float64(having)+0.5)/(float64(having)+0.5))
}

// weigh sets the weight of a term and the upper bound of its score.
func (f *finding) weigh(a *asked) {
	a.weight = f.together.weightOf(a)
	a.leads = !a.common && f.together.counts[a.term] <= max(2, f.together.texts/3)
	most, shortest := a.head.most, a.head.shortest
	for i, p := range a.waiting {
		most = max(most, p.n)
		if a.head.count == 0 && i == 0 || p.length < shortest {
			shortest = p.length
		}
	}
	a.most = f.shareOf(a, posting{n: most, length: shortest})
	if a.once = nil; a.count() > exactLengths {
		a.once = make([]float64, exactLengths)
		for length := range a.once {
			a.once[length] = f.shareOf(a, posting{n: 1, length: uint32(length)})
		}
	}
}

// part is what a term counts beside others of its rarity.
func (a *asked) part() float64 {
	switch {
	case a.kana:
		return kanaShare
	case a.common:
		return commonShare
	case a.term == "":
		return favour
	}
	return 1
}

// share returns the score of a term in a text.
func (f *finding) share(a *asked, p posting) float64 {
	if p.n == 1 && int(p.length) < len(a.once) {
		return a.once[p.length]
	}
	return f.shareOf(a, p)
}

func (f *finding) shareOf(a *asked, p posting) float64 {
	n := float64(p.n)
	return a.weight * n / (n + f.base + f.slope*float64(p.length))
}

// newestBefore orders hits by score, and equal ones by time, the newest first.
func newestBefore(a, b Hit) int {
	return cmp.Or(cmp.Compare(b.Score, a.Score), cmp.Compare(b.At, a.At), cmp.Compare(b.Num, a.Num))
}

// readOwnersOf reads the owners of the best texts, and the values of more keys.
func (f *finding) readOwnersOf(best []scored, more ...[]byte) error {
	nums := make([]uint32, 0, len(best)+len(f.respelt))
	for _, s := range best {
		nums = append(nums, s.num)
	}
	for _, r := range f.respelt {
		nums = append(nums, r.num)
	}
	if f.query.Around == nil {
		return f.readOwners(nums, 0, more...)
	}
	return f.readOwners(nums, beside, more...)
}

// owner returns the owner of a text.
func (f *finding) owner(num uint32) (o Owner, err error) {
	if num >= f.numbers.Folded {
		if d := f.waitingText(num); d != nil {
			return d.owner(), nil
		}
		return Owner{Num: num}, nil
	}
	c, err := f.ownersOf(num)
	if err == nil {
		o, err = c.owner(int(num % ownersPerChunk))
	}
	o.Num = num
	return o, f.index.corrupt("", err)
}

// waitingText returns the text with a number if it waits.
func (f *finding) waitingText(num uint32) *Doc {
	i, ok := slices.BinarySearchFunc(f.waiting, num, func(d Doc, n uint32) int { return cmp.Compare(d.Num, n) })
	if !ok {
		return nil
	}
	return &f.waiting[i]
}

// ownersOf returns the chunk with the owner of a text that does not wait.
func (f *finding) ownersOf(num uint32) (ownerChunk, error) {
	err := f.readOwners([]uint32{num}, 0)
	return f.owners[num/ownersPerChunk], err
}
