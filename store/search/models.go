package search

import (
	"techo/internal/meaning"
	"techo/store/kv"
	"techo/store/search/vectors"
)

// silent reports whether the question says nothing.
func (f *finding) silent() bool { return f.vec.Zero() && f.model == nil }

// likeliest returns texts that are likely to be like the question. The built-in table judges the
// texts that the model of an endpoint does not.
func (f *finding) likeliest() ([]uint32, error) {
	keep := f.query.has
	if f.query.Only == nil && f.query.Keep == nil {
		keep = nil
	}
	most := sketched
	if f.together.texts > manyTexts {
		most = fewSketched
	}
	nums, err := f.model.Candidates(f.tx, most, keep)
	if err != nil || f.vec.Zero() || f.model != nil && f.numbers.Folded <= f.model.Filled() {
		return nums, err
	}
	if f.model != nil {
		keep = func(num uint32) bool { return num >= f.model.Filled() && f.query.has(num) }
	}
	more, err := f.index.vectors().Candidates(f.tx, f.sketches, f.vec.Append(nil), most, keep)
	return append(nums, more...), err
}

// compare uses the likeness to the question of texts that the model judges, or that do not wait.
func (f *finding) compare(nums []uint32, use func(num uint32, likeness float32)) error {
	others, err := f.model.Split(f.tx, nums, use)
	if err != nil {
		return f.index.corrupt("", err)
	}
	return f.vecs(others, func(i int, v *meaning.Vec) { use(others[i], meaning.Likeness(&f.vec, v)) })
}

// vecs uses the vectors of texts by the built-in table, the zero Vec for one without. None of the texts waits.
func (f *finding) vecs(nums []uint32, use func(i int, v *meaning.Vec)) error {
	all, err := f.index.vectors().Get(f.tx, nums)
	for i, b := range all {
		var v meaning.Vec
		if b != nil {
			if v, err = meaning.Decode(b); err != nil {
				break
			}
		}
		use(i, &v)
	}
	return f.index.corrupt("", err)
}

// Lacking are the first texts that have no vector of a model.
type Lacking struct {
	Texts      []Owner
	Dimensions int // of the vectors that are there, 0 for none
	from, upto uint32
}

// Lacking returns up to most texts that have no vector of a model.
func (x Index) Lacking(tx kv.Tx, model string, most int) (l Lacking, err error) {
	f := finding{index: x, tx: tx}
	if f.numbers, err = x.numbers(tx); err != nil {
		return l, err
	}
	if f.numbers.outdated() {
		return l, ErrOutdated
	}
	if m := f.numbers.Models.Of(model); m != nil {
		l.from, l.Dimensions = m.Filled, m.Dimensions
	}
	for l.upto = l.from; l.upto < f.numbers.Folded && len(l.Texts) < most; l.upto++ {
		o, err := f.owner(l.upto)
		if err != nil {
			return l, err
		}
		if o.ID != "" {
			l.Texts = append(l.Texts, o)
		}
	}
	err = x.waiting(tx, func(d Doc) error {
		if d.Num >= l.upto && len(l.Texts) < most {
			l.Texts, l.upto = append(l.Texts, d.owner()), d.Num+1
		}
		return nil
	})
	return l, err
}

// Fill gives texts their vectors of a model, in the order of l.Texts, as Models.Fill does.
func (x Index) Fill(tx kv.Tx, model string, l Lacking, vecs [][]float32, scale vectors.Scale) (
	more bool, err error,
) {
	f := finding{index: x, tx: tx}
	if f.numbers, err = x.numbers(tx); err != nil || f.numbers.outdated() {
		return false, err
	}
	err = x.waiting(tx, func(d Doc) error {
		f.waiting = append(f.waiting, d)
		return nil
	})
	p := vectors.Part{Model: model, From: l.from, Upto: l.upto, Scale: scale}
	for i := range vecs {
		o, err := f.owner(l.Texts[i].Num)
		if err != nil {
			return false, err
		}
		if o.ID == l.Texts[i].ID { // not removed meanwhile
			p.Nums, p.Vecs = append(p.Nums, o.Num), append(p.Vecs, vecs[i])
		}
	}
	models := f.numbers.Models.Clone()
	if models == nil {
		models = &vectors.Models{}
	}
	if err == nil {
		more, err = models.Fill(tx, x.space, f.numbers.Texts, p)
	}
	if err != nil {
		return false, x.corrupt("", err)
	}
	f.numbers.Models = models
	return more, x.saveNumbers(tx, f.numbers)
}

// Models returns the models of endpoints, nil for none, and the number of texts.
func (x Index) Models(tx kv.Tx) (*vectors.Models, int, error) {
	n, err := x.numbers(tx)
	return n.Models, n.Texts, err
}
