package search

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"techo/internal/testenv"
	"techo/store/kv"
)

// randomPostings returns postings in ascending order, near and far from each other.
func randomPostings(r *rand.Rand, most int) []posting {
	var ps []posting
	num := uint32(r.IntN(1 << 20))
	for range 1 + r.IntN(most) {
		p := posting{num, 1, roundLength(uint32(math.Pow(40000, r.Float64())))}
		if r.IntN(4) == 0 {
			p.n = uint32(1 + math.Pow(1e6, r.Float64()))
		}
		ps = append(ps, p)
		num += 1 + uint32(math.Pow(1e5, r.Float64()*r.Float64()))
	}
	return ps
}

// TestPostings decodes blocks completely, and looks up ascending numbers in them.
func TestPostings(t *testing.T) {
	r := testenv.Random(t)
	for range 200 {
		ps := randomPostings(r, perBlock)
		b := appendBlock(nil, ps)
		got, err := blockPostings(nil, ps[0].num, b)
		if err != nil || !slices.Equal(got, ps) {
			t.Fatalf("%v: %d postings became %d", err, len(ps), len(got))
		}
		a := asked{head: head{count: len(ps), firsts: []uint32{ps[0].num}}, blocks: [][]byte{b}}
		c := &iterator{f: &finding{}, a: &a}
		for i := 0; ; {
			// Some numbers are there, others not; some postings are read one by one.
			want := i + int(math.Pow(float64(len(ps)), r.Float64()*r.Float64())) - 1
			if want >= len(ps) {
				break
			}
			num := ps[want].num + uint32(r.IntN(2))
			if r.IntN(5) == 0 {
				if n, ok := c.next(); !ok || n > num {
					num = n
				}
			}
			i, _ = slices.BinarySearchFunc(ps, num, func(p posting, num uint32) int { return int(p.num) - int(num) })
			there := i < len(ps) && ps[i].num == num
			if p, ok := c.posting(num); ok != there || ok && p != ps[i] || c.f.err != nil {
				t.Fatalf("%d: %+v, %v, %v", num, p, ok, c.f.err)
			}
		}
	}
}

// TestLengths rounds all lengths: short ones are exact, others differ by 3.2 % at most,
// and the order stays.
func TestLengths(t *testing.T) {
	before := uint32(0)
	for length := range uint32(maxLength + 1) {
		got := roundLength(length)
		off := math.Abs(float64(got)-float64(length)) / max(float64(length), 1)
		if length < exactLengths && got != length || length < greatestCoded && off > 0.032 || got < before {
			t.Fatalf("%d became %d after %d", length, got, before)
		}
		before = got
	}
	if before != greatestCoded {
		t.Errorf("the longest became %d", before)
	}
}

// TestFindLongTexts compares texts of more than 128 terms with the model.
func TestFindLongTexts(t *testing.T) {
	b := newBoth(t)
	a := NewAnalyzer()
	for range 50 {
		b.model.docs = append(b.model.docs, Doc{ID: "id", Bag: a.Bag(b.text(1 + b.rand.IntN(3000)))})
	}
	b.update(func(tx kv.Tx) error { return b.index.Add(tx, b.model.docs) })
	err := b.engine.View(t.Context(), func(tx kv.Tx) error {
		for range 20 {
			question := b.text(3)
			f := newFinding(b.index, tx, Query{Text: question})
			f.together = &together{counts: map[string]int{}}
			if err := f.open(); err != nil {
				return err
			}
			f.together.add(f)
			if err := f.together.weigh(); err != nil {
				return err
			}
			found, err := f.score(50)
			if err != nil {
				return err
			}
			want, _ := b.model.match(question)
			for _, h := range found {
				if off := math.Abs(h.score-want[h.num].own) / want[h.num].own; off > 0.03 {
					t.Errorf("%q: %+v, want %v", question, h, want[h.num].own)
				}
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// TestKeeper keeps the best of random texts.
func TestKeeper(t *testing.T) {
	r := testenv.Random(t)
	for range 300 {
		all := make([]scored, r.IntN(300))
		k := &keeper{wanted: r.IntN(80), door: -1}
		for i := range all {
			all[i] = scored{uint32(i), float64(r.IntN(60))}
			k.offer(all[i])
		}
		slices.SortFunc(all, scored.before)
		slices.SortFunc(k.kept, scored.before)
		if want := all[:min(k.wanted, len(all))]; !slices.Equal(k.kept, want) {
			t.Fatalf("%v, want %v", k.kept, want)
		}
	}
}
