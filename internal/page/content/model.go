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

var trained = sync.OnceValue(func() *model { return readModel(table) })

// model is a sum of regression trees, all in one list.
type model struct {
	roots  []int16
	nodes  []step
	leaves []float32
}

// step is an inner node. A negative next node is the complement of the index of a leaf.
type step struct {
	threshold   float32
	left, right int16 // the next node if at most the threshold, and if above it
	feature     uint8
}

// leafFrom is the first index of a leaf in an encoded tree.
const leafFrom = 128

func readModel(b []byte) *model {
	m := &model{}
	byteOf := func() int {
		first := int(b[0])
		b = b[1:]
		return first
	}
	number := func() float32 {
		f := math.Float32frombits(binary.LittleEndian.Uint32(b))
		b = b[4:]
		return f
	}
	for len(b) > 0 {
		n, base, leaves := byteOf(), len(m.nodes), len(m.leaves)
		next := func(at int) int16 {
			if at >= leafFrom {
				return int16(^(leaves + at - leafFrom))
			}
			return int16(base + at)
		}
		root := next(0)
		if n == 0 {
			root = next(leafFrom)
		}
		m.roots = append(m.roots, root)
		for range n {
			one := step{feature: uint8(byteOf()), threshold: number()}
			one.left, one.right = next(byteOf()), next(byteOf())
			m.nodes = append(m.nodes, one)
		}
		for range n + 1 {
			m.leaves = append(m.leaves, number())
		}
	}
	return m
}

// certain is the log-odds from which no more trees are asked: they would not change
// the decision.
const certain = 5

// stage is the number of trees after which the log-odds are compared with certain.
const stage = 20

// odds returns the log-odds of a block with a prior.
func (m *model) odds(v *vector, prior float64) float64 {
	odds := float32(prior)
	for rest := m.roots; len(rest) > 0; {
		n := min(stage, len(rest))
		if odds = m.sum(v, rest[:n], odds); odds <= -certain || odds >= certain {
			break
		}
		rest = rest[n:]
	}
	return float64(odds)
}

// sum adds the values of trees.
func (m *model) sum(v *vector, roots []int16, sum float32) float32 {
	for _, at := range roots {
		for at >= 0 {
			n := &m.nodes[at]
			if v.at[n.feature] <= n.threshold {
				at = n.left
			} else {
				at = n.right
			}
		}
		sum += m.leaves[^at]
	}
	return sum
}

func sigmoid(x float64) float64 { return 1 / (1 + math.Exp(-x)) }
