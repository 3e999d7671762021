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

// match scores all texts without an index.
func (m *model) match(question string) map[uint32]*matching {
	total := 0.0
	for _, d := range m.docs {
		total += float64(d.Bag.Length)
	}
	length := max(total/float64(max(len(m.docs), 1)), 1)
	all := map[uint32]*matching{}
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
	return all
}

// find answers a question without an index: the scores of all hits by number.
func (m *model) find(question string, grouped bool) map[uint32]float64 {
	all := m.match(question)
	scores := map[uint32]float64{}
	for _, d := range m.docs {
		nums, at, _ := m.around(Owner{Num: d.Num, Group: d.Group})
		switch {
		case all[d.Num] == nil || !all[d.Num].matches:
		case !grouped:
			scores[d.Num] = all[d.Num].own
		default:
			scores[d.Num] = inPlace(all, d.Num, nums, at)
			for i, num := range nums {
				if i >= at-2 && i <= at+2 {
					nums, at, _ := m.around(Owner{Num: num, Group: d.Group})
					scores[num] = inPlace(all, num, nums, at)
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
