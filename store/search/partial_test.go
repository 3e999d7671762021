package search

import (
	"slices"
	"testing"

	"techo/internal/testenv"
)

// TestPartials adds the scores of a term to some texts together, as many times as a search
// does, and compares them with the postings.
func TestPartials(t *testing.T) {
	r := testenv.Random(t)
	for range 200 {
		ps := randomPostings(r, 4*perGroup)
		a := asked{head: head{count: len(ps), firsts: []uint32{ps[0].num}}, weight: 1, common: r.IntN(2) == 0,
			kana: r.IntN(2) == 0, blocks: [][]byte{appendBlock(nil, ps)}}
		f := &finding{base: 0.3, slope: 0.01}
		var got, want []partial
		for _, p := range ps {
			for _, num := range []uint32{p.num, p.num + 1} {
				if r.IntN(3) == 0 || len(got) > 0 && got[len(got)-1].num >= num {
					continue
				}
				got = append(got, partial{num: num, score: 1})
				one := got[len(got)-1]
				if i, ok := slices.BinarySearchFunc(ps, num, func(p posting, num uint32) int {
					return int(p.num) - int(num)
				}); ok {
					one.add(f, &a, ps[i])
				}
				want = append(want, one)
			}
		}
		c := &iterator{f: f, a: &a}
		for rest := got; len(rest) > 0; {
			n := 1 + r.IntN(len(rest))
			c.add(rest[:n])
			rest = rest[n:]
		}
		if !slices.Equal(got, want) || f.err != nil {
			t.Fatalf("%v; %v, want %v", f.err, got, want)
		}
	}
}
