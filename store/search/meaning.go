package search

import (
	"cmp"
	"slices"
	"strings"
	"unicode/utf8"

	"techo/internal/meaning"
	"techo/store/kv"
)

// meant is how much of a text counts for its meaning, in bytes. The mean of more words
// says less.
const meant = 4 << 10

// MeaningOf returns the meaning of the beginnings of texts. What is in brackets behind
// the name of a speaker, such as a date, does not count.
func MeaningOf(texts ...string) meaning.Vec {
	if name, body := cutSpeaker(texts[0]); name != "" {
		texts = append([]string{name, body}, texts[1:]...)
	}
	text := strings.Join(texts, "\n")
	if len(text) > meant {
		end := meant
		for end > 0 && !utf8.RuneStart(text[end]) {
			end--
		}
		text = text[:end]
	}
	return meaning.Vector(text)
}

// sketched is the number of texts whose vectors are compared with the question's: their
// sketches are nearest to its own.
const sketched = 256

// Near is a text with its likeness to another one, from -1 to 1.
type Near struct {
	Owner
	Likeness float32
}

// Nearest returns the texts that are most like a vector, up to n, the most alike first.
// keep selects texts by number; nil selects all.
func (x Index) Nearest(tx kv.Tx, v meaning.Vec, n int, keep func(num uint32) bool) ([]Near, error) {
	f := &finding{index: x, tx: tx, query: Query{Keep: keep}, vec: v}
	if err := f.open(); err != nil || f.numbers.Texts == 0 {
		return nil, err
	}
	likely, err := f.likely(nil)
	if err != nil {
		return nil, err
	}
	likely = likely[:min(n, len(likely))]
	nums := make([]uint32, len(likely))
	for i, l := range likely {
		nums[i] = l.num
	}
	if err := f.readOwners(nums, 0); err != nil {
		return nil, err
	}
	all := make([]Near, len(likely))
	for i, l := range likely {
		o, err := f.owner(l.num)
		if err != nil {
			return nil, err
		}
		all[i] = Near{o, l.likeness}
	}
	return all, nil
}

// akin is a text with its likeness to the question.
type akin struct {
	num      uint32
	likeness float32
}

// likely returns the texts that are likely to be most like the question, and more
// texts, with their likeness, the most alike first.
func (f *finding) likely(more []uint32) ([]akin, error) {
	nums, err := f.index.vectors().Candidates(f.tx, &f.vec, sketched, f.keeps())
	if err != nil {
		return nil, f.index.corrupt("", err)
	}
	for _, num := range more {
		if num < f.numbers.Folded {
			nums = append(nums, num)
		}
	}
	slices.Sort(nums)
	nums = slices.Compact(nums)
	vecs, err := f.index.vectors().Get(f.tx, nums)
	if err != nil {
		return nil, f.index.corrupt("", err)
	}
	all := make([]akin, 0, len(nums)+len(f.waiting))
	for i := range vecs {
		all = append(all, akin{nums[i], meaning.Likeness(&f.vec, &vecs[i])})
	}
	for i := range f.waiting {
		if d := &f.waiting[i]; f.query.has(d.Num) && !d.Vec.Zero() {
			all = append(all, akin{d.Num, meaning.Likeness(&f.vec, &d.Vec)})
		}
	}
	slices.SortFunc(all, func(a, b akin) int {
		return cmp.Or(cmp.Compare(b.likeness, a.likeness), cmp.Compare(b.num, a.num))
	})
	return all, nil
}

// keeps returns which texts the query searches, nil for all.
func (f *finding) keeps() func(num uint32) bool {
	if f.query.Only == nil && f.query.Keep == nil {
		return nil
	}
	return f.query.has
}
