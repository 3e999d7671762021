package page

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
var trained = sync.OnceValue(func() *model { return readModel(table) })

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

// odds returns the log-odds that a block is content.
func (m *model) odds(v *vector) float64 {
	var sum float32
	for i := range m.trees {
		t := &m.trees[i]
		at := uint8(0)
		if len(t.nodes) == 0 {
			at = leafFrom
		}
		for at < leafFrom {
			n := &t.nodes[at]
			if v.at[n.feature] <= n.threshold {
				at = n.left
			} else {
				at = n.right
			}
		}
		sum += t.leaves[at-leafFrom]
	}
	return float64(sum)
}

func sigmoid(x float64) float64 { return 1 / (1 + math.Exp(-x)) }
