package memory

import (
	"slices"
	"strings"
	"time"

	"techo/store/memory"
	"techo/store/memory/wording"
)

// # The newest of a matter
//
// Memories about the same matter stand newest first: the newer one may say what has become of the older.
// Whether it does is for the reader to judge.

// The share of the weight of a question's words in one memory that a newer one must have to stand before it in a
// search, and to stand beside it in a prompt if it is not relevant itself: "On which floor does Anton sit?" is not
// answered by where Quinn sits. Both were chosen on testdata/changes.txt.
const (
	asksAlike  = 0.8
	asksBeside = 0.55

	withBeside = 3 // memories of a prompt, at most, with such ones
)

// newerFirst moves each hit before the first older one about the same matter that has little more of the
// question. One whose text the question repeats is compared with all: who says what is known wants to see
// what has changed.
func newerFirst(question string, hits []memory.Hit) {
	matters, message := memory.MattersOf(hits), subjectOf(question)
	asked := wording.Folded(question)
	weights := make([]float64, len(hits))
	for i, h := range hits {
		weights[i] = weightIn(h, message)
	}
	order := make([]int, 0, len(hits)) // places of the hits
	for i, h := range hits {
		at := slices.IndexFunc(order, func(k int) bool {
			older := hits[k]
			return said(h).After(said(older)) && // what costs most is asked last
				(weights[i] >= asksAlike*weights[k] || strings.Contains(asked, wording.Folded(older.FullText))) &&
				matters.Same(i, k)
		})
		if at < 0 {
			at = len(order)
		}
		order = slices.Insert(order, at, i)
	}
	sorted := make([]memory.Hit, 0, len(hits))
	for _, i := range order {
		sorted = append(sorted, hits[i])
	}
	for i := len(sorted) - 2; i >= 0; i-- { // the scores fall as before
		sorted[i].Score = max(sorted[i].Score, sorted[i+1].Score)
	}
	copy(hits, sorted)
}

// said returns when a memory was said or confirmed last.
func said(h memory.Hit) time.Time {
	if h.ConfirmedAt.After(h.CreatedAt) {
		return h.ConfirmedAt
	}
	return h.CreatedAt
}

// weightIn returns the weight of the words of a message that a memory has.
func weightIn(h memory.Hit, message subject) float64 {
	return relevanceOf(strings.Join(h.Texts(), "\n")).weightOf(message)
}

// offer is a memory of a prompt, with the number of its matter.
type offer struct {
	memory.Hit
	matter int
}

// offers returns the memories of a prompt, most at most: the best of the relevant ones of a search and newer ones about
// the same matter, those about one matter together, newest first. Those beyond most are counted, and exact repetitions,
// which are left out.
func offers(message subject, hits, relevant []memory.Hit, most int) (all []offer, omitted, repeated int) {
	type key struct{ space, id string }
	place := map[key]int{}
	for i, h := range hits {
		place[key{h.Space, h.ID}] = i
	}
	matters := memory.MattersOf(hits)
	var kept []int             // places of the memories
	there := map[string]bool{} // texts
	for _, h := range relevant {
		text := wording.Folded(h.FullText)
		if there[text] {
			repeated++
			continue
		}
		there[text], kept = true, append(kept, place[key{h.Space, h.ID}])
	}
	found := len(kept)
	for _, at := range slices.Clone(kept) {
		weight := weightIn(hits[at], message)
		for i, h := range hits {
			if len(kept) < withBeside && !there[wording.Folded(h.FullText)] && said(h).After(said(hits[at])) &&
				matters.Same(at, i) && weightIn(h, message) >= asksBeside*weight {
				there[wording.Folded(h.FullText)], kept = true, append(kept, i)
			}
		}
	}
	total, matter := len(kept), 0
	kept = slices.Concat(kept[:min(found, most)], kept[found:])
	for len(kept) > 0 {
		group := []int{kept[0]} // the best of those that are left, and all about its matter
		rest := kept[1:]
		kept = nil
		for _, i := range rest {
			if matters.Same(group[0], i) {
				group = append(group, i)
			} else {
				kept = append(kept, i)
			}
		}
		slices.SortStableFunc(group, func(a, b int) int { return said(hits[b]).Compare(said(hits[a])) })
		for _, i := range group {
			all = append(all, offer{hits[i], matter})
		}
		matter++
	}
	all = all[:min(len(all), most)]
	return all, total - len(all), repeated
}
