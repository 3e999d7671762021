package search

import (
	"cmp"
	"slices"

	"techo/internal/meaning"
	"techo/store/search/speech"
)

// MeaningOf returns the meaning of the beginnings of texts.
func MeaningOf(texts ...string) meaning.Vec { return meaning.Vector(speech.Meant(texts...)) }

const (
	alikeAlone = 0.23 // likeness of a text that shares no word with the question, at least
	alikeWord  = 0.36 // likewise, if no text has the only word of the question, which is like many others
	mostAlike  = 32   // texts that meaning alone finds
)

// sketched is the number of texts, the nearest by their sketches, whose vectors are compared. Among many texts they
// lie far apart, so fewer are.
const (
	sketched    = 256
	fewSketched = 96
)

// akin is a text with its likeness to the question.
type akin struct {
	num      uint32
	likeness float32
}

// likely returns texts that are likely to be most like the question, the most alike first. With
// their vectors it reads the owners of the best texts.
func (f *finding) likely(best []scored) ([]akin, error) {
	nums, err := f.likeliest()
	if err != nil {
		return nil, f.index.corrupt("", err)
	}
	slices.Sort(nums)
	if err := f.readOwnersOf(best, f.index.vectors().Ahead(f.tx, nums)...); err != nil {
		return nil, err
	}
	all := make([]akin, 0, len(nums)+len(f.waiting))
	err = f.compare(nums, func(num uint32, likeness float32) { all = append(all, akin{num, likeness}) })
	if err != nil {
		return nil, err
	}
	for i := range f.waiting {
		if d := &f.waiting[i]; f.query.has(d.Num) && !d.Vec.Zero() && d.Num >= f.model.Filled() {
			all = append(all, akin{d.Num, meaning.Likeness(&f.vec, &d.Vec)})
		}
	}
	slices.SortFunc(all, func(a, b akin) int {
		return cmp.Or(cmp.Compare(b.likeness, a.likeness), cmp.Compare(b.num, a.num))
	})
	return all, nil
}

// alikeAlone returns the texts that are most like the question of those without its words, if they are as alike
// as least.
func (f *finding) alikeAlone(least float32) (all []akin, err error) {
	f.likeness = map[uint32]float32{}
	if f.silent() {
		return nil, nil
	}
	likely, err := f.likely(f.best)
	if err != nil {
		return nil, err
	}
	there := map[uint32]bool{}
	for _, s := range f.best {
		there[s.num] = true
	}
	for _, l := range likely {
		f.likeness[l.num] = l.likeness
		if len(all) < mostAlike && !there[l.num] && l.likeness >= least {
			all = append(all, l)
		}
	}
	return all, nil
}

// least is the likeness of a text that is found by its meaning alone.
func (f *finding) least() float32 { return cmp.Or(f.query.Alike, alikeAlone) }

// likenessKeys returns the keys that readLikeness will read for texts and what is beside them.
func (f *finding) likenessKeys(nums []uint32) [][]byte {
	if f.vec.Zero() || f.model != nil {
		return nil
	}
	return f.index.vectors().Ahead(f.tx, slices.DeleteFunc(nums, func(num uint32) bool {
		_, known := f.likeness[num]
		return known || num >= f.numbers.Folded
	}))
}

// readLikeness reads the likeness of texts and of their nearest neighbours.
func (f *finding) readLikeness(all []candidate) error {
	if f.silent() {
		return nil
	}
	var unknown []uint32
	for _, c := range all {
		for _, num := range c.around[max(0, c.at-near):min(c.at+near+1, len(c.around))] {
			if _, known := f.likeness[num]; !known && num < max(f.numbers.Folded, f.model.Filled()) {
				f.likeness[num] = 0
				unknown = append(unknown, num)
			}
		}
	}
	return f.compare(unknown, func(num uint32, likeness float32) { f.likeness[num] = likeness })
}

// single reports whether a question is one word at most.
func (q question) single() bool {
	words := 0
	for _, t := range q.tokens {
		if !t.common && !t.joined {
			words++
		}
	}
	return words < 2
}
