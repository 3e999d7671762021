// Package meaning turns text into vectors, so that texts in other words, and in
// the other of two languages, are found. It knows English and Japanese in one space.
//
// A vector is the direction of the sum of the vectors of the text's tokens, from a
// built-in table. The table was fitted to three sentence encoders; the program, its
// sources and the measurements are in train. Nothing of the table is read before the
// first vector, and then only the pages that the text's tokens are on.
package meaning

import (
	"encoding/binary"
	"errors"
	"math"
)

// Model names the built-in table. Vectors of different models cannot be compared.
const Model = "techo-1"

// Dimensions is the length of a vector.
const Dimensions = 192

// Size is the number of bytes of an encoded vector.
const Size = 4 + Dimensions

// Vec is the direction of a text's meaning. Its numbers times Scale are a vector of
// length 1. The zero Vec is the meaning of a text without a known token.
type Vec struct {
	Scale float32
	Q     [Dimensions]int8
}

var errSize = errors.New("vector: wrong size")

// Vector returns the meaning of text. It is safe for concurrent use.
func Vector(text string) Vec { return new(Reader).Vector(text) }

// Reader finds the meanings of many texts, whose words it keeps. It is not safe for concurrent use.
type Reader struct{ words map[string][]int } // the rows of each word; nil keeps none

// maxWords is the number of words that a Reader keeps.
const maxWords = 1 << 15

// NewReader returns a Reader.
func NewReader() *Reader { return &Reader{map[string][]int{}} }

// Vector returns the meaning of text.
func (r *Reader) Vector(text string) Vec {
	var x [Dimensions]float32
	known := false
	add := func(row int) {
		builtIn.add(row, &x)
		known = true
	}
	builtIn.tokens(text, func(word []byte) {
		for _, row := range r.rows(word) {
			add(row)
		}
	}, add)
	if !known {
		return Vec{}
	}
	return Direction(&x)
}

// rows returns the row of each token of a word.
func (r *Reader) rows(word []byte) []int {
	rows, ok := r.words[string(word)]
	if ok {
		return rows
	}
	builtIn.word(word, func(row int) { rows = append(rows, row) })
	if r.words != nil && len(r.words) < maxWords {
		r.words[string(word)] = rows
	}
	return rows
}

// Likeness returns the cosine of two vectors, from -1 to 1. It is 0 if one of them is
// the zero Vec. Unrelated texts are around 0, texts that say the same above 0.75.
func Likeness(a, b *Vec) float32 {
	var even, odd int32 // two sums, since each addition waits for the one before it
	for i := 0; i < Dimensions; i += 4 {
		x, y := a.Q[i:i+4:i+4], b.Q[i:i+4:i+4]
		even += int32(x[0])*int32(y[0]) + int32(x[2])*int32(y[2])
		odd += int32(x[1])*int32(y[1]) + int32(x[3])*int32(y[3])
	}
	return float32(even+odd) * (a.Scale * b.Scale)
}

// Zero reports whether v says nothing.
func (v *Vec) Zero() bool { return v.Scale == 0 }

// Append appends the encoded vector to b: Scale as a little-endian float32, then Q.
func (v *Vec) Append(b []byte) []byte {
	b = binary.LittleEndian.AppendUint32(b, math.Float32bits(v.Scale))
	for _, q := range v.Q {
		b = append(b, byte(q))
	}
	return b
}

// Decode returns the vector that Append encoded. It fails if b has another size.
func Decode(b []byte) (Vec, error) {
	if len(b) != Size {
		return Vec{}, errSize
	}
	v := Vec{Scale: math.Float32frombits(binary.LittleEndian.Uint32(b))}
	for i := range v.Q {
		v.Q[i] = int8(b[4+i])
	}
	return v, nil
}

// Direction returns the direction of x, rounded to bytes. Scale corrects what rounding did to the length.
func Direction(x *[Dimensions]float32) Vec {
	var most float32
	for _, v := range x {
		most = max(most, v, -v)
	}
	if most == 0 {
		return Vec{}
	}
	var v Vec
	var square int32
	for i := range x {
		q := int32(math.RoundToEven(float64(x[i] / most * 127)))
		v.Q[i] = int8(q)
		square += q * q
	}
	v.Scale = float32(1 / math.Sqrt(float64(square)))
	return v
}
