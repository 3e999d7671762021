package search

import (
	"fmt"
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

func (m *model) members(group uint32) (nums []uint32, err error) {
	for _, d := range m.docs {
		if d.Group == group {
			nums = append(nums, d.Num)
		}
	}
	return nums, nil
}

// bm25 returns the scores of bags.
func bm25(terms []string, bags []Bag, all int, total float64) []float64 {
	scores := make([]float64, len(bags))
	for _, term := range terms {
		having := 0
		counts := make([]float64, len(bags))
		for i, bag := range bags {
			for _, t := range bag.Terms {
				if t.Term == term {
					counts[i] += float64(t.N)
				}
			}
			if counts[i] > 0 {
				having++
			}
		}
		for i, n := range counts {
			if n > 0 {
				norm := 1.2 * (1 - 0.3 + 0.3*float64(bags[i].Length)/max(total/float64(max(all, 1)), 1))
				scores[i] += math.Log(1+(float64(all)-float64(having)+.5)/(float64(having)+.5)) * n * 2.2 / (n + norm)
			}
		}
	}
	return scores
}

// find answers a question without an index.
func (m *model) find(question string, grouped bool) map[uint32]float64 {
	terms := questionTerms(question)
	var bags []Bag
	total := 0.0
	for _, d := range m.docs {
		bags = append(bags, d.Bag)
		total += float64(d.Bag.Length)
	}
	own := bm25(terms, bags, len(bags), total)
	scores := map[uint32]float64{}
	for i, s := range own {
		if s > 0 {
			scores[m.docs[i].Num] = s
		}
	}
	if !grouped {
		return scores
	}
	return m.withSessions(terms, own, scores)
}

// withSessions adds the scores of neighbours and sessions to the scores of texts.
func (m *model) withSessions(terms []string, own []float64, scores map[uint32]float64) map[uint32]float64 {
	at, bySession := m.sessionScores(terms)
	with := map[uint32]float64{}
	for i, d := range m.docs {
		if d.Group == 0 {
			if own[i] > 0 {
				with[d.Num] = own[i]
			}
			continue
		}
		nums, _ := m.members(d.Group)
		here := slices.Index(nums, d.Num)
		score, near := 0.0, false
		for step, weight := range map[int]float64{-2: .2, -1: .3, 0: 1, 1: .3, 2: .2} {
			if j := here + step; j >= 0 && j < len(nums) && scores[nums[j]] > 0 {
				near = true
				score += weight * scores[nums[j]]
			}
		}
		if near {
			with[d.Num] = score + bySession[at[d.Group]]
		}
	}
	return with
}

// sessionScores returns the scores of the sessions, and the place of each group in
// them.
func (m *model) sessionScores(terms []string) (at map[uint32]int, scores []float64) {
	var sessions []Bag
	at = map[uint32]int{}
	inGroups, n := 0.0, 0
	for _, d := range m.docs {
		if d.Group == 0 {
			continue
		}
		if _, ok := at[d.Group]; !ok {
			at[d.Group] = len(sessions)
			sessions = append(sessions, Bag{})
		}
		s := &sessions[at[d.Group]]
		s.Terms = append(s.Terms, d.Bag.Terms...)
		s.Length += d.Bag.Length
		inGroups += float64(d.Bag.Length)
	}
	for _, s := range sessions {
		if s.Length > 0 {
			n++
		}
	}
	return at, bm25(terms, sessions, n, inGroups)
}

// same compares the hits with the model, ignoring the order of equal scores.
func (m *model) same(t *testing.T, tx kv.Tx, x Index, question string, limit int, grouped bool) {
	t.Helper()
	q := Query{Text: question, Limit: limit}
	if grouped {
		q.Members = m.members
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
		if h.ID != fmt.Sprint("id", h.Num) {
			t.Errorf("%q: hit %+v has a wrong id", question, h)
		}
	}
}
