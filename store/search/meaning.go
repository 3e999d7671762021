package search

import (
	"cmp"
	"slices"

	"techo/internal/identifier"
	"techo/internal/meaning"
	"techo/store/search/speech"
)

// MeaningOf returns the meaning of the beginnings of texts.
func MeaningOf(texts ...string) meaning.Vec { return meaning.Vector(speech.Meant(texts...)) }

// # Meaning
//
// A text scores, beside what its words and the texts around it say (context.go),
//
//	whole × (weight × (likeness − alikeFloor) + alikeLeast × what is around it)
//
// whole is the weight of all terms of the question. weight is alikeMost if the best hit has few of
// them and alikeLeast if it has most: likeness fills what words leave empty. If it has few, a text that
// is not alike loses unmeant of its score; if it has most, aloneCovered counts.
const (
	alikeAlone = 0.23 // likeness of a text that shares no word with the question, at least
	alikeOnly  = 0.25 // likewise, if no text shares a word with it
	alikeWord  = 0.36 // likewise, if it has one word, which is like many others
	alikeFloor = 0.2  // likeness that means nothing
	alikeLeast = 0.25
	alikeMost  = 2
	alikeNear  = 0.25 // of the two texts on either side
	alikePeak  = 0.4  // of the best of three on either side and itself
	alike      = 0.3  // likeness from which words mean what they mean in the question
	unmeant    = 0.8  // of the score of words that mean nothing of it

	badlyCovered = 0.15 // score of the best hit, as a share of whole
	wellCovered  = 0.4
	halfCovered  = 0.6
	aloneCovered = 0.3 // of whole: terms of a text with nothing around it count once more beyond this weight

	// By the model of an endpoint, unless the best match is in a session, where its context tells more.
	// A text without the names and numbers of the question that another one has gets alikeLeast.
	modelLeast = 0.5
	modelMost  = 3
	modelBadly = 0.5 // as badlyCovered
	modelWell  = 1

	alikePlace = 5  // of the most alike text, at worst, if no hit has much of the question
	mostAlike  = 32 // texts that meaning alone finds
)

// sketched is the number of texts, the nearest by their sketches, whose vectors are compared.
const sketched = 256

// akin is a text with its likeness to the question.
type akin struct {
	num      uint32
	likeness float32
}

// likely returns texts that are likely to be most like the question, the most alike first. With
// their vectors it reads the owners of the best texts.
func (f *finding) likely(best []scored) ([]akin, error) {
	nums, err := likeliest(f)
	if err != nil {
		return nil, f.index.corrupt("", err)
	}
	slices.Sort(nums)
	if err := f.readOwnersOf(best, f.index.vectors().Ahead(f.tx, nums)...); err != nil {
		return nil, err
	}
	all := make([]akin, 0, len(nums)+len(f.waiting))
	err = compare(f, nums, func(num uint32, likeness float32) { all = append(all, akin{num, likeness}) })
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

// withLikely adds the texts that are most like the question to those with its words.
func (f *finding) withLikely(all []scored) ([]scored, error) {
	f.likeness = map[uint32]float32{}
	if silent(f) {
		return all, nil
	}
	if f.wordsSuffice(all) {
		return all[:min(len(all), max(f.query.Limit, smallPool/2))], nil
	}
	likely, err := f.likely(all)
	if err != nil {
		return nil, err
	}
	least, there := f.least(), map[uint32]bool{}
	if len(all) == 0 && f.query.Alike == 0 {
		least = max(least, f.question.alone())
	}
	for _, s := range all {
		there[s.num] = true
	}
	added := 0
	for _, l := range likely {
		f.likeness[l.num] = l.likeness
		if added < mostAlike && !there[l.num] && l.likeness >= least {
			all = append(all, scored{num: l.num})
			added++
		}
	}
	return all, nil
}

// mostAlone is the score of a text without words of the question, as a share of whole. Its likeness is
// below .75, with rare exceptions.
const mostAlone = alikeLeast * (.75 - alikeFloor) * (1 + 2*beside*alikeNear + alikePeak)

// wordsSuffice reports whether the words of the hits cover so much of the question that no text without
// its words reaches their scores. Then reading all sketches, most of a search's time, is left out.
func (f *finding) wordsSuffice(all []scored) bool {
	if f.numbers.Texts <= manyTexts || f.told || f.model != nil || f.query.Counted || f.query.Within != nil ||
		f.query.Around == nil || f.query.Limit < 1 || len(all) < f.query.Limit {
		return false
	}
	whole, trailing := f.whole(), 0.0
	for _, a := range f.terms {
		if !a.leads {
			trailing += a.weight
		}
	}
	inContext := func(s scored) float64 { return (asking+peak+cover)*s.score - cover*trailing } // at least
	return inContext(all[0]) >= halfCovered*whole && inContext(all[f.query.Limit-1]) >= mostAlone*whole
}

// least is the likeness of a text that is found by its meaning alone.
func (f *finding) least() float32 { return cmp.Or(f.query.Alike, alikeAlone) }

// likenessKeys returns the keys that readLikeness will read for texts and what is beside them.
func likenessKeys(f *finding, nums []uint32) [][]byte {
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
	if silent(f) {
		return nil
	}
	var unknown []uint32
	for _, c := range all {
		for _, num := range c.around[max(0, c.at-peaks):min(c.at+peaks+1, len(c.around))] {
			if _, known := f.likeness[num]; !known && num < max(f.numbers.Folded, f.model.Filled()) {
				f.likeness[num] = 0
				unknown = append(unknown, num)
			}
		}
	}
	return compare(f, unknown, func(num uint32, likeness float32) { f.likeness[num] = likeness })
}

// gain is what the likeness of a text counts.
func (f *finding) gain(num uint32) float64 { return max(0, float64(f.likeness[num])-alikeFloor) }

// gainBeside is what the likeness of the texts around one counts for it.
func (f *finding) gainBeside(c candidate) float64 {
	together, best := 0.0, f.gain(c.Num)
	for i := max(0, c.at-peaks); i <= min(c.at+peaks, len(c.around)-1); i++ {
		gain := f.gain(c.around[i])
		if best = max(best, gain); i != c.at && max(i-c.at, c.at-i) <= beside {
			together += gain
		}
	}
	return alikeNear*together + alikePeak*best
}

// meant adds to the scores of hits what their meaning says, and sorts them. It drops
// texts that neither words nor meaning nor neighbours speak for.
func (f *finding) meant(hits []Hit) []Hit {
	slices.SortFunc(hits, newestBefore)
	if silent(f) || len(hits) == 0 {
		return hits
	}
	if identifier.In(f.query.Text) && slices.ContainsFunc(hits, func(h Hit) bool { return h.Matches }) {
		return slices.DeleteFunc(hits, func(h Hit) bool { return !h.Matches && h.Beside == "" })
	}
	whole := f.whole()
	share := hits[0].Score / max(whole, 1e-9) // of the question that the words of the best hit cover
	if f.told {
		share = 0 // answers have other words
	}
	trust, exact := between(share, badlyCovered, wellCovered), 0
	weight := alikeLeast + (alikeMost-alikeLeast)*trust
	if f.model != nil {
		exact = slices.MaxFunc(hits, func(a, b Hit) int { return cmp.Compare(a.exact, b.exact) }).exact
		if hits[0].Group == 0 {
			weight = modelLeast + (modelMost-modelLeast)*between(share, modelBadly, modelWell)
		}
	}
	kept := hits[:0]
	for _, h := range hits {
		h.Likeness = f.likeness[h.Num]
		if !h.Matches && h.Beside == "" && h.Likeness < f.least() {
			continue
		}
		gain := f.gain(h.Num)
		if h.Traits.Asks {
			gain *= asking
		}
		doubt := min(1, max(0, 1-float64(h.Likeness)/alike))
		weight := weight
		if h.exact < exact {
			weight = alikeLeast
		}
		h.Score += (1 - trust) * max(0, h.alone-aloneCovered*whole)
		h.Score = h.Score*(1-unmeant*trust*doubt) + whole*(weight*gain+alikeLeast*h.gainBeside)
		kept = append(kept, h)
	}
	slices.SortFunc(kept, newestBefore)
	if share < halfCovered && len(kept) > alikePlace {
		lift(kept)
	}
	return kept
}

// between returns 1 for a share up to low, 0 from high on, and between in proportion.
func between(share, low, high float64) float64 { return min(1, max(0, (high-share)/(high-low))) }

// lift brings the most alike hit to the place alikePlace if it is behind.
func lift(hits []Hit) {
	most := 0
	for i, h := range hits {
		if h.Likeness > hits[most].Likeness {
			most = i
		}
	}
	if most >= alikePlace {
		hits[most].Score = (hits[alikePlace-2].Score + hits[alikePlace-1].Score) / 2
		slices.SortFunc(hits, newestBefore)
	}
}

// whole returns the weight of all terms of the question.
func (f *finding) whole() (weight float64) {
	known := placesOf(f.terms)
	texts, _ := f.query.Together.statistics(f.numbers)
	for _, a := range f.question.terms {
		if i, ok := known[a.term]; ok {
			weight += f.terms[i].weight
			continue
		}
		if a.joined {
			continue
		}
		weight += idf(texts, 0) * (k1 + 1) * a.part()
	}
	return weight
}

// alone is the likeness of a text if no text shares a word with the question, at least.
func (q question) alone() float32 {
	own := slices.DeleteFunc(slices.Clone(q.terms), func(a asked) bool { return a.common || a.joined })
	if len(own) < 2 {
		return alikeWord
	}
	return alikeOnly
}
