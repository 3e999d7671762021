package search

import (
	"maps"
	"math"
	"slices"
	"testing"

	"techo/internal/identifier"
	"techo/internal/meaning"
	"techo/store/kv"
)

// model is the reference: a list of all texts that is scored completely for each
// question.
type model struct {
	docs []Doc
}

// around returns the texts of a group around one.
func (m *model) around(o Owner) (nums []uint32, at int, err error) {
	if o.Group == 0 {
		return nil, 0, nil
	}
	for _, d := range m.docs {
		if d.Group == o.Group {
			nums = append(nums, d.Num)
		}
	}
	i := slices.Index(nums, o.Num)
	from := max(0, i-Around)
	return nums[from:min(len(nums), i+Around+1)], i - from, nil
}

// neighbours returns what is around some texts.
func (m *model) neighbours(of []Owner) (all []Neighbours, err error) {
	for _, o := range of {
		nums, at, _ := m.around(o)
		all = append(all, Neighbours{nums, at})
	}
	return all, nil
}

// matching is what the terms of a question say about a text of the model.
type matching struct {
	own, leads float64
	terms      map[string]float64 // weights of its terms that distinguish texts
	matches    bool               // it has a term that is not common
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
	for _, a := range readQuestion(newReader(), question).terms {
		term := a.term
		having := 0
		for _, d := range m.docs {
			if d.Bag.count(term) > 0 {
				having++
			}
		}
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

// find answers a question without an index: the scores of all hits by number. A hit alone in
// its place gets the weight of its terms beyond three tenths of the question.
func (m *model) find(question string, grouped bool) map[uint32]float64 {
	all, whole := m.match(question)
	if vec := meaning.Vector(question); vec.Zero() || identifier.In(question) {
		whole = math.Inf(1)
	}
	place := func(num uint32, nums []uint32, at int) float64 {
		score := inPlace(all, num, nums, at)
		if len(nums) < 2 && all[num] != nil {
			score += max(0, all[num].weight()-.3*whole)
		}
		return score
	}
	scores := map[uint32]float64{}
	for _, d := range m.docs {
		nums, at, _ := m.around(Owner{Num: d.Num, Group: d.Group})
		switch {
		case all[d.Num] == nil || !all[d.Num].matches:
		case !grouped:
			scores[d.Num] = all[d.Num].own
		default:
			scores[d.Num] = place(d.Num, nums, at)
			for i, num := range nums {
				if i >= at-2 && i <= at+2 {
					nums, at, _ := m.around(Owner{Num: num, Group: d.Group})
					scores[num] = place(num, nums, at)
				}
			}
		}
	}
	return scores
}

// inPlace scores a text with its neighbours.
func inPlace(all map[uint32]*matching, num uint32, nums []uint32, at int) float64 {
	score, best, terms := 0.0, 0.0, map[string]float64{}
	if own := all[num]; own != nil {
		score, best = own.own, own.own
		maps.Copy(terms, own.terms)
	}
	for i, num := range nums {
		other := all[num]
		if other == nil || i == at {
			continue
		}
		maps.Copy(terms, other.terms)
		if i >= at-2 && i <= at+2 {
			score += .15 * other.leads
		}
		if i >= at-3 && i <= at+3 {
			best = max(best, other.leads)
		}
	}
	score += .4 * best
	for _, weight := range terms {
		score += .25 * weight
	}
	return score
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
	want := m.find(question, grouped)
	var order []float64
	for _, s := range want {
		order = append(order, s)
	}
	slices.Sort(order)
	slices.Reverse(order)
	if len(found.Hits) != min(limit, len(want)) {
		t.Fatalf("%q: %d hits, want %d of %d", question, len(found.Hits), limit, len(want))
	}
	if !grouped && (found.Total != len(want) && !found.AtLeast || found.Total > len(want)) {
		t.Errorf("%q: total %d (at least %v), want %d", question, found.Total, found.AtLeast, len(want))
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
