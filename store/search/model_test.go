package search

import (
	"maps"
	"math"
	"slices"
	"testing"

	"techo/store/kv"
)

// model is the reference: a list of all texts that is scored completely for each
// question.
type model struct {
	docs []Doc
}

// around returns the texts of a group around one.
func (m *model) around(o Owner) (nums []uint32, at int) {
	if o.Group == 0 {
		return nil, 0
	}
	for _, d := range m.docs {
		if d.Group == o.Group {
			nums = append(nums, d.Num)
		}
	}
	i := slices.Index(nums, o.Num)
	from := max(0, i-Around)
	return nums[from:min(len(nums), i+Around+1)], i - from
}

// neighbours returns what is around some texts.
func (m *model) neighbours(of []Owner) (all []Neighbours, err error) {
	for _, o := range of {
		nums, at := m.around(o)
		all = append(all, Neighbours{nums, at})
	}
	return all, nil
}

// matching is what the terms of a question say about a text of the model.
type matching struct {
	own, leads float64
	terms      map[string]float64 // weights of its terms that distinguish texts
	matches    bool               // it has a term that is not common
	codes      float64            // share of the question's identifiers
}

// weight is the weight of its terms that distinguish texts.
func (m *matching) weight() (sum float64) {
	for _, weight := range m.terms {
		sum += weight
	}
	return sum
}

// match scores all texts without an index. whole is the weight of all terms, known or not; of joined
// ones only if known.
func (m *model) match(question string) (all map[uint32]*matching, whole float64) {
	total := 0.0
	for _, d := range m.docs {
		total += float64(d.Bag.Length)
	}
	length := max(total/float64(max(len(m.docs), 1)), 1)
	all = map[uint32]*matching{}
	terms, codes := readQuestion(newReader(), question).terms, 0
	having := map[string]int{}
	for _, a := range terms {
		for _, d := range m.docs {
			if d.Bag.count(a.term) > 0 {
				having[a.term]++
			}
		}
		if a.code && having[a.term] > 0 {
			codes++
		}
	}
	for _, a := range terms {
		term := a.term
		having := having[term]
		n := float64(len(m.docs))
		weight := math.Log(1+(n-float64(having)+.5)/(float64(having)+.5)) * 1.9
		switch {
		case a.common:
			whole += .25 * weight
		case having > 0 || !a.joined:
			whole += weight
		}
		for _, d := range m.docs {
			times := float64(d.Bag.count(term))
			if times == 0 {
				continue
			}
			if all[d.Num] == nil {
				all[d.Num] = &matching{terms: map[string]float64{}}
			}
			if a.code {
				all[d.Num].codes += 1 / float64(codes)
			}
			if all[d.Num].matches = all[d.Num].matches || !a.common; a.common {
				all[d.Num].own += .25 * weight * times / (times + .9*(.3+.7*float64(d.Bag.Length)/length))
				continue
			}
			score := weight * times / (times + .9*(.3+.7*float64(d.Bag.Length)/length))
			all[d.Num].own += score
			if having <= max(2, len(m.docs)/3) {
				all[d.Num].leads += score
				all[d.Num].terms[term] = weight
			}
		}
	}
	return all, whole
}

// matching returns the texts that match a question, the best by their own scores first. keep selects texts, nil selects
// all.
func (m *model) matching(all map[uint32]*matching, keep func(uint32) bool) (best []scored) {
	for _, d := range m.docs {
		if own := all[d.Num]; own != nil && own.matches && (keep == nil || keep(d.Num)) {
			best = append(best, scored{d.Num, own.own})
		}
	}
	slices.SortFunc(best, scored.before)
	return best
}

// find answers a question without an index: the scores of all hits by number, and how many texts match. The texts with
// the best own scores, up to most of them, are ranked.
func (m *model) find(question string, grouped bool, most int, keep func(uint32) bool) (scores map[uint32]float64, n int) {
	all, whole := m.match(question)
	best := m.matching(all, keep)
	n = len(best)
	best = best[:min(most, len(best))]
	candidates := map[uint32]Owner{}
	for _, s := range best {
		i := slices.IndexFunc(m.docs, func(d Doc) bool { return d.Num == s.num })
		candidates[s.num] = m.docs[i].owner()
		nums, at := m.around(m.docs[i].owner())
		for i, num := range nums {
			if grouped && i >= at-beside && i <= at+beside {
				i := slices.IndexFunc(m.docs, func(d Doc) bool { return d.Num == num })
				candidates[num] = m.docs[i].owner()
			}
		}
	}
	single := readQuestion(newReader(), question).single()
	scores, full := map[uint32]float64{}, 0.0 // of those with all words of the question
	for num, o := range candidates {
		x := figuresOf(all, whole, candidates, o)
		if grouped {
			nums, at := m.around(o)
			x.addNear(all, whole, nums, at)
		}
		if scores[num] = x.odds(); x[ofCover]*slack >= 1 || single && all[num] != nil && all[num].matches {
			full = max(full, scores[num])
		}
	}
	for num := range scores {
		if (all[num] == nil || !all[num].matches) && full > 0 {
			scores[num] = min(scores[num], full/2)
		}
	}
	return scores, n
}

// figuresOf returns the figures of a text, which neither asks nor has a meaning.
func figuresOf(all map[uint32]*matching, whole float64, candidates map[uint32]Owner, o Owner) (x Features) {
	of := func(num uint32) matching {
		if all[num] == nil {
			return matching{}
		}
		return *all[num]
	}
	own := of(o.Num)
	cover := own.weight() / whole
	before := 0.0
	for num := range candidates {
		if of(num).own > own.own*slack {
			before++
		}
	}
	x[ofCover], x[ofCode], x[ofContext] = cover*cover, own.codes, cover
	x[ofPlace] = 1 / (1 + before)
	return x
}

// addNear adds the figures of the texts around one.
func (x *Features) addNear(all map[uint32]*matching, whole float64, nums []uint32, at int) {
	terms := map[string]float64{}
	for i, num := range nums {
		d := all[num]
		if d == nil {
			continue
		}
		maps.Copy(terms, d.terms)
		if i != at && i >= at-near && i <= at+near {
			x[ofNear] = max(x[ofNear], d.leads/whole)
		}
	}
	if len(nums) > 0 {
		x[ofContext] = 0
	}
	for _, weight := range terms {
		x[ofContext] += weight / whole
	}
}

// same compares the hits with the model, ignoring the order of equal scores.
func (m *model) same(t *testing.T, tx kv.Tx, x Index, question string, limit int, grouped bool) {
	t.Helper()
	q := Query{Text: question, Limit: limit}
	if grouped {
		q.Around = m.neighbours
	}
	found, err := x.Find(tx, q)
	if err != nil {
		t.Fatal(err)
	}
	most := pool
	if len(m.docs) > manyTexts {
		most = smallPool
	}
	want, matching := m.find(question, grouped, most, nil)
	var order []float64
	for _, s := range want {
		order = append(order, s)
	}
	slices.Sort(order)
	slices.Reverse(order)
	if len(found.Hits) != min(limit, len(want)) {
		t.Fatalf("%q: %d hits, want %d of %d", question, len(found.Hits), limit, len(want))
	}
	if !grouped && (found.Total != matching && !found.AtLeast || found.Total > matching) {
		t.Errorf("%q: total %d (at least %v), want %d", question, found.Total, found.AtLeast, matching)
	}
	for i, h := range found.Hits {
		if math.Abs(h.Score-want[h.Num]) > 1e-9 || math.Abs(h.Score-order[i]) > 1e-9 {
			t.Fatalf("%q: hit %d is %+v, want score %v, and %v at this place", question, i, h, want[h.Num], order[i])
		}
		i := slices.IndexFunc(m.docs, func(d Doc) bool { return d.Num == h.Num })
		if i < 0 || h.ID != m.docs[i].ID {
			t.Errorf("%q: hit %+v has a wrong id", question, h)
		}
	}
}
