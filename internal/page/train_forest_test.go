package page

import (
	"slices"
)

// fit grows trees by gradient boosting with logistic loss.
func (f forest) fit(lessons []*lesson, seed uint64) *model {
	random := func() float64 { // a generator of our own, so that training is reproducible
		seed ^= seed << 13
		seed ^= seed >> 7
		seed ^= seed << 17
		return float64(seed>>11) / (1 << 53)
	}
	var (
		x       []*vector
		y, w, o []float64
		page    []int
	)
	for n, l := range lessons {
		for i := range l.vectors {
			x, y, w, o, page = append(x, l.vectors[i]), append(y, l.labels[i]), append(w, l.weights[i]),
				append(o, l.priors[i]), append(page, n)
		}
	}
	bins, edges := quantize(x)
	m := &model{}
	for range f.rounds {
		use := make([]bool, features)
		for i := range use {
			use[i] = random() < f.columns
		}
		in := make([]bool, len(lessons))
		for i := range in {
			in[i] = random() < f.rows
		}
		g, h := make([]float64, len(x)), make([]float64, len(x))
		var rows []int
		for i := range x {
			p := sigmoid(o[i])
			g[i], h[i] = w[i]*(y[i]-p), w[i]*p*(1-p)
			if in[page[i]] {
				rows = append(rows, i)
			}
		}
		t := f.grow(bins, edges, use, rows, g, h, w)
		one := &model{trees: []tree{t}}
		for i := range x {
			o[i] += one.odds(x[i])
		}
		m.trees = append(m.trees, t)
	}
	return m
}

const binCount = 48

func quantize(x []*vector) (bins [][]uint8, edges [][]float32) {
	for f := range features {
		values := make([]float32, len(x))
		for i, v := range x {
			values[i] = v.at[f]
		}
		sorted := slices.Clone(values)
		slices.Sort(sorted)
		distinct := slices.Compact(slices.Clone(sorted))
		var e []float32
		if len(distinct) <= binCount {
			for i := 0; i+1 < len(distinct); i++ {
				e = append(e, (distinct[i]+distinct[i+1])/2)
			}
		} else {
			for b := 1; b < binCount; b++ {
				e = append(e, sorted[len(sorted)*b/binCount])
			}
			e = slices.Compact(e)
		}
		column := make([]uint8, len(x))
		for i, v := range values {
			at, _ := slices.BinarySearch(e, v)
			column[i] = uint8(at)
		}
		bins, edges = append(bins, column), append(edges, e)
	}
	return bins, edges
}

// part is a leaf that may be split.
type part struct {
	rows         []int
	gain         float64
	feature, bin int
	owner        int // parent node, -1 for the root
	right        bool
}

func (f forest) grow(bins [][]uint8, edges [][]float32, use []bool, rows []int, g, h, w []float64) tree {
	parts := []part{f.best(part{rows: rows, owner: -1}, bins, use, g, h, w)}
	var t tree
	for len(parts) < f.leaves {
		top := 0
		for i := range parts {
			if parts[i].gain > parts[top].gain {
				top = i
			}
		}
		p := parts[top]
		if p.gain <= 1e-6 {
			break
		}
		node := len(t.nodes)
		t.nodes = append(t.nodes, branch{feature: uint8(p.feature), threshold: edges[p.feature][p.bin]})
		t.link(p, uint8(node))
		var left, right []int
		for _, r := range p.rows {
			if int(bins[p.feature][r]) <= p.bin {
				left = append(left, r)
			} else {
				right = append(right, r)
			}
		}
		parts[top] = f.best(part{rows: left, owner: node}, bins, use, g, h, w)
		parts = append(parts, f.best(part{rows: right, owner: node, right: true}, bins, use, g, h, w))
	}
	for i, p := range parts {
		t.link(p, uint8(leafFrom+i))
		var sg, sh float64
		for _, r := range p.rows {
			sg, sh = sg+g[r], sh+h[r]
		}
		t.leaves = append(t.leaves, float32(f.rate*sg/(sh+f.damp)))
	}
	return t
}

func (t *tree) link(p part, to uint8) {
	switch {
	case p.owner < 0:
	case p.right:
		t.nodes[p.owner].right = to
	default:
		t.nodes[p.owner].left = to
	}
}

func (f forest) best(p part, bins [][]uint8, use []bool, g, h, w []float64) part {
	var tg, th, tw float64
	for _, r := range p.rows {
		tg, th, tw = tg+g[r], th+h[r], tw+w[r]
	}
	value := func(g, h float64) float64 { return g * g / (h + f.damp) }
	for feature := range bins {
		if !use[feature] {
			continue
		}
		var sg, sh, sw [256]float64
		top := uint8(0)
		for _, r := range p.rows {
			b := bins[feature][r]
			top = max(top, b)
			sg[b], sh[b], sw[b] = sg[b]+g[r], sh[b]+h[r], sw[b]+w[r]
		}
		var lg, lh, lw float64
		for b := 0; b < int(top); b++ {
			lg, lh, lw = lg+sg[b], lh+sh[b], lw+sw[b]
			if lw < f.least || tw-lw < f.least {
				continue
			}
			if gain := value(lg, lh) + value(tg-lg, th-lh) - value(tg, th); gain > p.gain {
				p.gain, p.feature, p.bin = gain, feature, b
			}
		}
	}
	return p
}

const seed = 88172645463325252
