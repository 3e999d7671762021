package content

import (
	"encoding/binary"
	"math"
	"slices"
	"sync"
)

// forest holds the parameters of the training.
type forest struct {
	rounds, leaves int
	rate           float64
	least          float64 // minimum weight of a leaf
	damp           float64
	columns        float64 // share of the features available to a tree
	rows           float64 // share of the pages that a tree is fitted on
}

// maxSampled is about the largest number of rows of a page that a tree is fitted on.
const maxSampled = 200

const seed = 88172645463325252

// binCount is the number of intervals into which the values of a feature are
// divided. Splits lie between intervals.
const binCount = 64

// dataset has one row for each block of all pages.
type dataset struct {
	bins   [][]uint8   // by feature, then row
	edges  [][]float32 // upper limits of the intervals of each feature
	pages  []int32     // page of each row
	sizes  []int       // rows of each page
	label  []float32
	weight []float32
	prior  []float32
}

// newDataset divides the first features of the lessons into intervals.
func newDataset(lessons []*lesson, features int) *dataset {
	d := &dataset{}
	for n, l := range lessons {
		d.sizes = append(d.sizes, len(l.labels))
		for i := range l.labels {
			d.pages = append(d.pages, int32(n))
			d.label = append(d.label, float32(l.labels[i]))
			d.weight = append(d.weight, float32(l.weights[i]))
			d.prior = append(d.prior, float32(l.priors[i]))
		}
	}
	d.bins, d.edges = make([][]uint8, features), make([][]float32, features)
	var wait sync.WaitGroup
	for f := range features {
		wait.Go(func() { d.quantize(lessons, f) })
	}
	wait.Wait()
	return d
}

// quantize divides one feature.
func (d *dataset) quantize(lessons []*lesson, f int) {
	values := make([]float32, 0, len(d.pages))
	for _, l := range lessons {
		for i := range l.vectors {
			values = append(values, l.vectors[i].at[f])
		}
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
	column := make([]uint8, len(values))
	for i, v := range values {
		at, _ := slices.BinarySearch(e, v)
		column[i] = uint8(at)
	}
	d.bins[f], d.edges[f] = column, e
}

// random is a generator of our own, so that training is reproducible.
type random uint64

func (r *random) next() float64 {
	s := uint64(*r)
	s ^= s << 13
	s ^= s >> 7
	s ^= s << 17
	*r = random(s)
	return float64(s>>11) / (1 << 53)
}

// fit grows trees by gradient boosting with logistic loss on some of the pages. It
// returns the log-odds of all rows, priors included.
func (f forest) fit(d *dataset, learn []bool, from random) (*fitted, []float32) {
	odds := slices.Clone(d.prior)
	g, h := make([]float32, len(odds)), make([]float32, len(odds))
	m := &fitted{}
	settled := make([]float32, len(odds)) // the log-odds of certain rows, 0 for others
	for range f.rounds {
		var use []int
		for i := range len(d.bins) {
			if from.next() < f.columns {
				use = append(use, i)
			}
		}
		in := make([]bool, len(learn))
		for i := range in {
			in[i] = learn[i] && from.next() < f.rows
		}
		var rows []int32
		for i, o := range odds {
			page := d.pages[i]
			if !in[page] {
				continue
			}
			share := min(1, maxSampled/float32(d.sizes[page]))
			if share < 1 && float32(from.next()) >= share {
				continue
			}
			p := float32(sigmoid(float64(o)))
			w := d.weight[i] / share
			g[i], h[i] = w*(d.label[i]-p), w*p*(1-p)
			rows = append(rows, int32(i))
		}
		b := &grower{forest: f, dataset: d, use: use, g: g, h: h}
		b.grow(rows)
		b.apply(odds)
		if m.trees = append(m.trees, b.tree); len(m.trees)%stage == 0 {
			settle(settled, odds)
		}
	}
	for i, o := range settled {
		if o != 0 {
			odds[i] = o
		}
	}
	return m, odds
}

// settle keeps the first certain log-odds of each row, as model.odds does.
func settle(settled, odds []float32) {
	for i, o := range odds {
		if settled[i] == 0 && (o <= -certain || o >= certain) {
			settled[i] = o
		}
	}
}

// sums are the sums of the gradients and weights of some rows.
type sums struct{ g, h, w float32 }

func (s sums) plus(o sums) sums  { return sums{s.g + o.g, s.h + o.h, s.w + o.w} }
func (s sums) minus(o sums) sums { return sums{s.g - o.g, s.h - o.h, s.w - o.w} }

// grower grows one tree.
type grower struct {
	forest
	*dataset
	use  []int // features
	g, h []float32
	tree tree
	cuts []uint8 // for each node, the last interval that goes to the left
}

// part is a leaf that may be split.
type part struct {
	rows         []int32
	sums         [][binCount]sums // by used feature and interval
	gain         float64
	feature, bin int
	owner        int // parent node, -1 for the root
	right        bool
}

// grow splits the best leaf until there are enough.
func (b *grower) grow(rows []int32) {
	root := part{rows: rows, owner: -1, sums: b.add(rows)}
	parts := []part{b.best(root)}
	for len(parts) < b.leaves {
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
		node := len(b.tree.nodes)
		b.tree.nodes = append(b.tree.nodes, branch{feature: uint8(p.feature), threshold: b.edges[p.feature][p.bin]})
		b.cuts = append(b.cuts, uint8(p.bin))
		b.tree.link(p, uint8(node))
		left, right := part{owner: node}, part{owner: node, right: true}
		for _, r := range p.rows {
			if int(b.bins[p.feature][r]) <= p.bin {
				left.rows = append(left.rows, r)
			} else {
				right.rows = append(right.rows, r)
			}
		}
		small, large := &left, &right
		if len(left.rows) > len(right.rows) {
			small, large = large, small
		}
		small.sums, large.sums = b.add(small.rows), p.sums
		for k := range large.sums {
			for i := range large.sums[k] {
				large.sums[k][i] = large.sums[k][i].minus(small.sums[k][i])
			}
		}
		parts[top] = b.best(left)
		parts = append(parts, b.best(right))
	}
	for i, p := range parts {
		b.tree.link(p, uint8(leafFrom+i))
		var total sums
		for _, r := range p.rows {
			total = total.plus(sums{b.g[r], b.h[r], 0})
		}
		b.tree.leaves = append(b.tree.leaves, float32(b.rate*float64(total.g)/(float64(total.h)+b.damp)))
	}
}

func (b *grower) add(rows []int32) [][binCount]sums {
	all := make([][binCount]sums, len(b.use))
	for k, f := range b.use {
		column, to := b.bins[f], &all[k]
		for _, r := range rows {
			s := &to[column[r]&(binCount-1)]
			s.g += b.g[r]
			s.h += b.h[r]
			s.w += b.weight[r]
		}
	}
	return all
}

// best finds the best split of a leaf.
func (b *grower) best(p part) part {
	value := func(s sums) float64 { return float64(s.g) * float64(s.g) / (float64(s.h) + b.damp) }
	for k := range p.sums {
		var total, left sums
		for _, s := range p.sums[k] {
			total = total.plus(s)
		}
		for bin := range len(b.edges[b.use[k]]) {
			left = left.plus(p.sums[k][bin])
			right := total.minus(left)
			if float64(left.w) < b.least || float64(right.w) < b.least {
				continue
			}
			if gain := value(left) + value(right) - value(total); gain > p.gain {
				p.gain, p.feature, p.bin = gain, b.use[k], bin
			}
		}
	}
	return p
}

// link connects a node or leaf with its parent.
func (t *tree) link(p part, to uint8) {
	switch {
	case p.owner < 0:
	case p.right:
		t.nodes[p.owner].right = to
	default:
		t.nodes[p.owner].left = to
	}
}

// apply adds the tree to the log-odds of all rows.
func (b *grower) apply(odds []float32) {
	for i := range odds {
		at := uint8(0)
		if len(b.tree.nodes) == 0 {
			at = leafFrom
		}
		for at < leafFrom {
			if n := &b.tree.nodes[at]; b.bins[n.feature][i] <= b.cuts[at] {
				at = n.left
			} else {
				at = n.right
			}
		}
		odds[i] += b.tree.leaves[at-leafFrom]
	}
}

// fitted is a sum of regression trees, as they grow.
type fitted struct{ trees []tree }

type tree struct {
	nodes  []branch
	leaves []float32
}

type branch struct {
	threshold   float32
	feature     uint8
	left, right uint8 // next node if at most the threshold, and if above it
}

// append encodes the trees.
func (m *fitted) append(b []byte) []byte {
	number := func(f float32) { b = binary.LittleEndian.AppendUint32(b, math.Float32bits(f)) }
	for _, t := range m.trees {
		b = append(b, byte(len(t.nodes)))
		for _, n := range t.nodes {
			b = append(b, n.feature)
			number(n.threshold)
			b = append(b, n.left, n.right)
		}
		for _, l := range t.leaves {
			number(l)
		}
	}
	return b
}
