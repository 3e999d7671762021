package testenv

import (
	"fmt"
	"math/rand/v2"
)

// Damage is a way to damage a file.
type Damage struct {
	Name  string
	Apply func(r *rand.Rand, content []byte) []byte // may change content in place
}

// Damages returns the usual ways to damage a file that is not empty.
func Damages() []Damage {
	return []Damage{
		{"bit", func(r *rand.Rand, b []byte) []byte { b[r.IntN(len(b))] ^= 1 << r.IntN(8); return b }},
		{"byte of the last 100", func(r *rand.Rand, b []byte) []byte {
			b[len(b)-1-r.IntN(min(100, len(b)))] ^= 1 + byte(r.IntN(255))
			return b
		}},
		{"sector", func(r *rand.Rand, b []byte) []byte {
			at := r.IntN((len(b)+511)/512) * 512
			for i := range b[at:min(at+512, len(b))] {
				b[at+i] = byte(r.Uint32())
			}
			return b
		}},
		{"page", func(r *rand.Rand, b []byte) []byte {
			at := r.IntN((len(b)+4095)/4096) * 4096
			clear(b[at:min(at+4096, len(b))])
			return b
		}},
		{"cut", func(r *rand.Rand, b []byte) []byte { return b[:r.IntN(len(b))] }},
		{"last byte cut", func(_ *rand.Rand, b []byte) []byte { return b[:len(b)-1] }},
		{"zeros appended", func(r *rand.Rand, b []byte) []byte { return append(b, make([]byte, 1+r.IntN(5000))...) }},
		{"garbage appended", func(r *rand.Rand, b []byte) []byte { return fmt.Append(b, r.Uint64()) }},
		{"emptied", func(*rand.Rand, []byte) []byte { return nil }},
	}
}
