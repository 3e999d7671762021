package content

import (
	_ "embed"
	"encoding/binary"
	"math"
	"sync"
)

// table is the trained model of the extractor. TestTrain fits it on the
// development pages of WCXB (Murrough-Foley, CC BY 4.0). Each tree is encoded as
// the number of inner nodes (a byte); for each inner node the feature (a byte),
// the threshold (float32) and the indexes of the two next nodes (a byte each, from
// 128 on leaves); then the leaves (float32). Numbers are little-endian.
//
//go:embed model.bin
var table []byte

// trained returns the embedded model.
var trained = sync.OnceValue(func() *compact { return readModel(table).compile() })

// model is a sum of regression trees.
type model struct{ trees []tree }

type tree struct {
	nodes  []branch
	leaves []float32
}

type branch struct {
	threshold   float32
	feature     uint8
	left, right uint8 // next node if at most the threshold, and if above it
}

// readModel decodes a model.
func readModel(b []byte) *model {
	m := &model{}
	number := func() float32 {
		f := math.Float32frombits(binary.LittleEndian.Uint32(b))
		b = b[4:]
		return f
	}
	for len(b) > 0 {
		n := int(b[0])
		b = b[1:]
		t := tree{nodes: make([]branch, n), leaves: make([]float32, n+1)}
		for i := range t.nodes {
			t.nodes[i].feature = b[0]
			b = b[1:]
			t.nodes[i].threshold = number()
			t.nodes[i].left, t.nodes[i].right = b[0], b[1]
			b = b[2:]
		}
		for i := range t.leaves {
			t.leaves[i] = number()
		}
		m.trees = append(m.trees, t)
	}
	return m
}

// append encodes the model.
func (m *model) append(b []byte) []byte {
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

const leafFrom = 128

// compact is a model whose trees are in one list, which is faster to evaluate.
type compact struct {
	roots  []int16
	nodes  []step
	leaves []float32
}

// step is an inner node. A negative next node is the complement of the index of a leaf.
type step struct {
	threshold   float32
	left, right int16
	feature     uint8
}

// compile makes a model faster.
func (m *model) compile() *compact {
	c := &compact{}
	for _, t := range m.trees {
		base, leaves := len(c.nodes), len(c.leaves)
		next := func(at uint8) int16 {
			if at >= leafFrom {
				return int16(^(leaves + int(at) - leafFrom))
			}
			return int16(base + int(at))
		}
		root := next(0)
		if len(t.nodes) == 0 {
			root = next(leafFrom)
		}
		c.roots = append(c.roots, root)
		for _, n := range t.nodes {
			c.nodes = append(c.nodes, step{n.threshold, next(n.left), next(n.right), n.feature})
		}
		c.leaves = append(c.leaves, t.leaves...)
	}
	return c
}

// certain is the log-odds from which no more trees are asked: they would not change
// the decision.
const certain = 5

// stage is the number of trees after which the log-odds are compared with certain.
const stage = 20

// odds returns the log-odds of a block with a prior.
func (c *compact) odds(v *vector, prior float64) float64 {
	odds := float32(prior)
	for rest := c.roots; len(rest) > 0; {
		n := min(stage, len(rest))
		if odds = c.sum(v, rest[:n], odds); odds <= -certain || odds >= certain {
			break
		}
		rest = rest[n:]
	}
	return float64(odds)
}

// sum adds the values of trees.
func (c *compact) sum(v *vector, roots []int16, sum float32) float32 {
	for _, at := range roots {
		for at >= 0 {
			n := &c.nodes[at]
			if v.at[n.feature] <= n.threshold {
				at = n.left
			} else {
				at = n.right
			}
		}
		sum += c.leaves[^at]
	}
	return sum
}

func sigmoid(x float64) float64 { return 1 / (1 + math.Exp(-x)) }
