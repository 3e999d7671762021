package search

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"testing"

	"techo/internal/testenv"
	"techo/store/kv"
	"techo/store/search/vectors"
)

// judged is the reference for the vectors of models: by model and number of the text.
type judged map[string]map[uint32][]float32

// direction returns a vector of a model. Its numbers have little to do with each other, and much
// with the centre.
func (b *both) direction(dimensions int) []float32 {
	v := make([]float32, dimensions)
	for i := range v {
		v[i] = float32(b.rand.NormFloat64())
	}
	v[0] += 5
	return v
}

// fill gives some texts their vectors of a model, after others may have been removed.
func (b *both) fill(all judged, model string, dimensions, most int, between func()) (more bool) {
	b.t.Helper()
	var l Lacking
	b.update(func(tx kv.Tx) (err error) {
		l, err = b.index.Lacking(tx, model, most)
		return err
	})
	between()
	vecs := make([][]float32, len(l.Texts))
	for i := range vecs {
		vecs[i] = b.direction(dimensions)
	}
	b.update(func(tx kv.Tx) (err error) {
		more, err = b.index.Fill(tx, model, l, vecs, vectors.Scale{Centre: centreOf(dimensions),
			Tongue: make([]float32, dimensions), Mean: .1, Factor: 2})
		return err
	})
	if all[model] == nil {
		all[model] = map[uint32][]float32{}
	}
	for i, t := range l.Texts {
		all[model][t.Num] = vecs[i]
	}
	return more
}

func centreOf(dimensions int) []float32 {
	centre := make([]float32, dimensions)
	centre[0] = .8
	return centre
}

// likenessTo is the cosine of a question and a text, less the product of the question and the centre.
func likenessTo(question, text []float32) float64 {
	dot, qq, tt, common := 0.0, 0.0, 0.0, 0.0
	for i := range question {
		q, t := float64(question[i]), float64(text[i])
		dot, qq, tt, common = dot+q*t, qq+q*q, tt+t*t, common+q*float64(centreOf(len(text))[i])
	}
	return dot/math.Sqrt(qq*tt) - common/math.Sqrt(qq)
}

// scaled is the likeness as a search has it.
func scaled(a, b []float32) float64 { return min(max(.046+(likenessTo(a, b)-.1)*2, -1), 1) }

// sameJudged compares the likeness of texts with the reference, and checks the index.
func (b *both) sameJudged(all judged, model string, dimensions int) {
	b.t.Helper()
	question := b.direction(dimensions)
	err := b.engine.View(b.ctx, func(tx kv.Tx) (err error) {
		f := &finding{index: b.index, tx: tx, query: Query{Models: map[string][]float32{model: question}}, together: &together{}}
		if err := f.open(); err != nil {
			return err
		}
		if f.model, err = f.numbers.Models.Judge(tx, b.index.space, f.query.Models); err != nil {
			return err
		}
		if f.model == nil {
			b.t.Fatal("no model judges")
		}
		likely, err := f.likely(nil)
		if err != nil {
			return err
		}
		got := map[uint32]float64{}
		for _, l := range likely {
			got[l.num] = float64(l.likeness)
		}
		want := 0
		for _, d := range b.model.docs {
			vec := all[model][d.Num]
			if vec == nil {
				continue
			}
			want++
			is, ok := got[d.Num]
			missing := !ok && len(b.model.docs) < sketched
			if like := scaled(question, vec); missing || ok && math.Abs(is-like) > .06 {
				b.t.Errorf("text %d: %v %v, want %v", d.Num, is, ok, like)
			}
		}
		m, texts, err := b.index.Models(tx)
		if of := m.Of(model); err != nil || of.Vectors != want || texts != len(b.model.docs) {
			b.t.Errorf("%+v of %d, want %d of %d: %v", of, texts, want, len(b.model.docs), err)
		}
		if !slices.IsSortedFunc(likely, func(x, y akin) int { return cmp.Compare(y.likeness, x.likeness) }) {
			b.t.Error("the most alike is not first")
		}
		return b.check(tx)
	})
	if err != nil {
		b.t.Fatal(err)
	}
}

// TestModels adds and removes texts, and vectors by two models, one after the other.
func TestModels(t *testing.T) {
	b := newBoth(t)
	all := judged{}
	err := b.engine.Group(t.Context(), func(ctx context.Context) error {
		b.ctx = ctx
		for range testenv.Pick(3, 12) {
			b.addVectors(1 + b.rand.IntN(40))
			b.fill(all, "a", 70, 1+b.rand.IntN(30), func() { b.remove() })
			b.remove()
			b.sameJudged(all, "a", 70)
		}
		b.addVectors(400) // into the lists
		for b.fill(all, "a", 70, 100, func() { b.remove() }) {
		}
		b.sameJudged(all, "a", 70)
		if b.fill(all, "b", 7, 50, func() {}); !b.fill(all, "b", 7, 50, func() { b.remove() }) {
			t.Error("the second model is complete already")
		}
		b.sameJudged(all, "a", 70) // the former answers meanwhile
		b.sameJudged(all, "b", 7)
		for b.fill(all, "b", 7, 300, func() {}) {
		}
		b.sameJudged(all, "b", 7)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	err = b.engine.View(t.Context(), func(tx kv.Tx) error {
		m, _, err := b.index.Models(tx)
		if err != nil || len(m.All) != 1 {
			t.Errorf("%+v: %v", m, err)
		}
		for _, prefix := range []string{"sy", "sz", "sc"} {
			for item, err := range tx.Scan(kv.Range{Prefix: b.index.key(prefix)}) {
				if err != nil {
					return err
				}
				if !bytes.HasPrefix(item.Key, b.index.key(prefix, m.Of("b").Number)) {
					t.Errorf("%q is left of the former model", item.Key)
				}
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// TestFasterFill lets two fill in the same texts: the first wins, and nothing is counted twice.
func TestFasterFill(t *testing.T) {
	b := newBoth(t)
	all := judged{}
	b.addVectors(20)
	b.fill(all, "a", 5, 12, func() {
		b.fill(judged{}, "a", 5, 20, func() {})
	})
	err := b.engine.View(t.Context(), func(tx kv.Tx) error {
		m, texts, err := b.index.Models(tx)
		if err != nil || m.Of("a").Vectors != 20 || texts != 20 {
			return fmt.Errorf("%+v of %d: %w", m, texts, err)
		}
		return b.check(tx)
	})
	if err != nil {
		t.Fatal(err)
	}
}

// TestOtherDimensions lets a model of the same name answer with more numbers than before: it is
// another model.
func TestOtherDimensions(t *testing.T) {
	b := newBoth(t)
	b.addVectors(20)
	b.fill(judged{}, "a", 5, 12, func() {})
	all := judged{}
	for range 5 {
		b.fill(all, "a", 9, 20, func() {})
	}
	b.sameJudged(all, "a", 9)
}

// TestScale: unrelated texts are as alike as by the built-in table, whatever a model says.
func TestScale(t *testing.T) {
	b := newBoth(t)
	for _, common := range []float32{0, 15, 30} {
		all := make([][]float32, 24)
		for i := range all {
			all[i] = b.direction(100)
			all[i][0] = common
		}
		s := vectors.ScaleOf(all)
		deviation := 10 / (100 + float64(common*common)) // of unrelated texts
		if (s.Centre[0] > .1) != (common > 0) || math.Abs(float64(s.Mean)) > .1 ||
			math.Abs(float64(s.Factor)*deviation-.22) > .06 {
			t.Errorf("%v: %v, mean %v, factor %v", common, s.Centre[0], s.Mean, s.Factor)
		}
	}
	if s := vectors.ScaleOf([][]float32{{0, 2}, {0, 3}}); s.Factor != 1 || s.Centre[1] != 1 || s.Mean != 0 {
		t.Errorf("%+v", s)
	}
}
