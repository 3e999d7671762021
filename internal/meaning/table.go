package meaning

import (
	_ "embed"
	"math"
)

// data is the table that train/pack.py wrote; its comment describes the layout.
//
//go:embed table.bin
var data string

var builtIn = &table{data: data}

const (
	headerSize = 16
	slotSize   = 8
	rowSize    = 2 + Dimensions/2
	noRow      = 0xFFFFFF
)

// table reads entries and rows where they lie in data.
type table struct{ data string }

// header returns a number of the header, counted in words of four bytes.
func (t *table) header(i int) int { return int(word(t.data, 4*i)) }

func (t *table) rows() int  { return t.header(2) }
func (t *table) slots() int { return t.header(3) }

// entry is a text of the table: the row of its vector, and in Japanese the cost of
// cutting the text there, eight times the negative logarithm of its share of all words.
type entry struct {
	row  int
	cost uint8
}

func (t *table) find(text []byte) (entry, bool) { return t.lookup(hash(start, text)) }

// lookup returns the entry of the text with the hash h.
func (t *table) lookup(h uint64) (entry, bool) {
	mark, slots := uint32(h), t.slots()
	for at := int((h >> 32) % uint64(slots)); ; at = (at + 1) % slots {
		slot := headerSize + at*slotSize
		packed := word(t.data, slot+4)
		if packed&noRow == noRow {
			return entry{}, false
		}
		if word(t.data, slot) == mark {
			return entry{int(packed & noRow), uint8(packed >> 24)}, true
		}
	}
}

func (t *table) add(row int, x *[Dimensions]float32) {
	at := headerSize + t.slots()*slotSize + row*rowSize
	packed := t.data[at+2 : at+rowSize]
	step := math.Float32frombits(uint32(t.data[at])<<16 | uint32(t.data[at+1])<<24)
	var values [16]float32 // of four bits; the additions are not fused with their products, on any machine
	for i := range values {
		values[i] = float32(i-8) * step
	}
	for i := range Dimensions / 2 {
		b := packed[i]
		x[2*i] += values[b&15]
		x[2*i+1] += values[b>>4]
	}
}

// start is the hash of the empty text.
const start = 0xcbf29ce484222325

// hash extends the hash h, FNV-1a of 64 bits, by text.
func hash(h uint64, text []byte) uint64 {
	for _, b := range text {
		h = (h ^ uint64(b)) * 0x100000001b3
	}
	return h
}

// word reads a little-endian number.
func word(s string, at int) uint32 {
	b := s[at : at+4]
	return uint32(b[0]) | uint32(b[1])<<8 | uint32(b[2])<<16 | uint32(b[3])<<24
}
