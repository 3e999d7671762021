package search

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"testing"

	"techo/store/kv"
)

// alike is the reference for Index.Alike: it counts the terms of all texts and scores
// every text.
func (m *model) alike(bag Bag) (all []Alike) {
	having, most := m.having(sampleTerms(bag)), maxAlike
	if len(bag.Terms) > sampled {
		most = fewAlike
	}
	terms := rarestOf(having)
	length := 0.0
	for _, d := range m.docs {
		length += float64(d.Bag.Length)
	}
	length = max(length/float64(max(len(m.docs), 1)), 1)
	type text struct {
		doc   Doc
		has   int
		score float64
	}
	var texts []text
	for _, d := range m.docs {
		t := text{doc: d}
		for _, term := range terms {
			if n := float64(d.Bag.count(term)); n > 0 {
				rare, of := float64(having[term]), float64(len(m.docs))
				t.has++
				t.score += math.Log(1+(of-rare+.5)/(rare+.5)) * 1.9 * n /
					(n + .9*(.3+.7*float64(roundLength(d.Bag.Length))/length))
			}
		}
		if t.has > 0 {
			texts = append(texts, t)
		}
	}
	best := func(a, b text) int { return cmp.Or(cmp.Compare(b.score, a.score), cmp.Compare(b.doc.Num, a.doc.Num)) }
	slices.SortFunc(texts, best)
	texts = texts[:min(64, len(texts))]
	for i, t := range texts {
		shorter := max(min(len(terms), int(roundLength(t.doc.Bag.Length))), 1)
		texts[i].score *= float64(t.has) / float64(shorter)
	}
	slices.SortFunc(texts, best)
	for _, t := range texts[:min(most, len(texts))] {
		all = append(all, Alike{t.doc.ID, float64(t.has) / float64(len(terms))})
	}
	return all
}

// having returns the number of texts with each of some terms, leaving out terms without a text.
func (m *model) having(terms []string) map[string]int {
	having := map[string]int{}
	for _, t := range terms {
		for _, d := range m.docs {
			if d.Bag.count(t) > 0 {
				having[t]++
			}
		}
	}
	return having
}

// rarestOf returns the 16 rarest terms, the rarest first.
func rarestOf(having map[string]int) []string {
	terms := slices.SortedFunc(maps.Keys(having), func(a, b string) int {
		return cmp.Or(cmp.Compare(having[a], having[b]), strings.Compare(a, b))
	})
	return terms[:min(16, len(terms))]
}

// nearly returns a text with some words left out, replaced or repeated.
func (b *both) nearly(text string) string {
	words := strings.Fields(text)
	for range b.rand.IntN(3) {
		if len(words) > 0 {
			i := b.rand.IntN(len(words))
			words = slices.Replace(words, i, i+1, strings.Fields(b.text(b.rand.IntN(3)))...)
		}
	}
	return strings.Join(words, " ")
}

// TestAlike compares Alike with the model while texts, many of them near copies of
// others, are added and removed.
func TestAlike(t *testing.T) {
	b := newBoth(t)
	var texts []string
	err := b.engine.Group(t.Context(), func(ctx context.Context) error { // one sync instead of dozens
		b.ctx = ctx
		for range 12 {
			texts = append(texts, b.addCopies(texts)...)
			for range b.rand.IntN(len(b.model.docs) / 8) {
				b.remove()
			}
			b.sameAlike(texts)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// addCopies adds new texts and near copies of others, at times more than may wait.
func (b *both) addCopies(texts []string) (added []string) {
	b.t.Helper()
	docs, a := make([]Doc, 10+b.rand.IntN(1+b.rand.IntN(300))), NewAnalyzer()
	for i := range docs {
		text := b.aText()
		if len(texts) > 0 && b.rand.IntN(2) == 0 {
			text = b.nearly(texts[b.rand.IntN(len(texts))])
		}
		docs[i] = Doc{ID: fmt.Sprint("id", b.next), Bag: a.Bag(text)}
		b.next++
		added = append(added, text)
	}
	b.update(func(tx kv.Tx) error { return b.index.Add(tx, docs) })
	b.model.docs = append(b.model.docs, docs...)
	return added
}

// aText returns a text of any kind: short, long, or of function words only.
func (b *both) aText() string {
	switch b.rand.IntN(12) {
	case 0:
		return b.text(60 + b.rand.IntN(150))
	case 1:
		return []string{"to be or not to be", "what is it", "そうですか"}[b.rand.IntN(3)]
	}
	return b.text(1 + b.rand.IntN(20))
}

// sameAlike compares the texts like some near copies and some new texts with the model's.
func (b *both) sameAlike(texts []string) {
	b.t.Helper()
	a := NewAnalyzer()
	err := b.engine.View(b.ctx, func(tx kv.Tx) error {
		for range 20 {
			text := b.aText()
			if b.rand.IntN(3) > 0 {
				text = b.nearly(texts[b.rand.IntN(len(texts))])
			}
			bag := a.Bag(text)
			got, err := b.index.Alike(tx, bag)
			if err != nil {
				return err
			}
			if want := b.model.alike(bag); !slices.Equal(got, want) {
				b.t.Fatalf("%q of %d texts: %v, want %v", text, len(b.model.docs), got, want)
			}
		}
		return nil
	})
	if err != nil {
		b.t.Fatal(err)
	}
}
