package content

import (
	"encoding/binary"
	"math"
)

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
