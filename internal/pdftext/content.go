package pdftext

import (
	"fmt"
	"math"
	"strings"

	"github.com/ledongthuc/pdf"
)

// The library can return the text of a page as well, but a program that calls its
// GetPlainText builds a map of 4,280 glyph names at every start. So the library
// reads the file's objects, and this package decodes the texts in them.

// content collects the text that a page's content stream shows.
type content struct {
	fonts    pdf.Value          // the page's fonts by name
	decoders map[string]decoder // of the fonts used so far
	decode   decoder            // of the current font
	size     float64            // of the current font
	at       matrix             // of the current line
	length   float64            // about the width of the text since the last move, in sizes of the font
	text     strings.Builder
	err      error // the first malformed operator
}

// decoder turns the codes of a font into text.
type decoder func(codes string) string

// pageText returns the text of a page in the order of its content stream, which
// is not always the order of reading.
func pageText(p pdf.Page) (string, error) {
	stream := p.V.Key("Contents")
	if stream.IsNull() {
		return "", nil
	}
	c := &content{fonts: p.Resources().Key("Font"), decoders: map[string]decoder{}, decode: asUTF8,
		at: upright}
	pdf.Interpret(stream, func(stack *pdf.Stack, operator string) {
		if err := c.show(operator, operands(stack)); err != nil && c.err == nil {
			c.err = fmt.Errorf("pdf: operator %s: %w", operator, err)
		}
	})
	return c.text.String(), c.err
}

// operands empties the stack. The first operand comes first.
func operands(stack *pdf.Stack) []pdf.Value {
	all := make([]pdf.Value, stack.Len())
	for i := len(all) - 1; i >= 0; i-- {
		all[i] = stack.Pop()
	}
	return all
}

// arity is the number of operands of the operators that concern text.
var arity = map[string]int{"BT": 0, "T*": 0, "Tf": 2, "Tj": 1, "'": 1, `"`: 3, "TJ": 1, "Td": 2, "TD": 2,
	"Tm": 6}

// show runs an operator of the content stream.
func (c *content) show(operator string, operands []pdf.Value) error {
	n, known := arity[operator]
	if !known {
		return nil
	}
	if len(operands) < n || n > 0 && len(operands) > n {
		return fmt.Errorf("%d operands, want %d", len(operands), n)
	}
	switch operator {
	case "BT", "T*", "'", `"`:
		c.text.WriteByte('\n')
		if operator == "BT" {
			c.at, c.length = upright, 0
		}
	case "Tf":
		c.decode, c.size = c.decoderOf(operands[0].Name()), number(operands[1])
	case "Td", "TD":
		c.moveTo(c.at.moved(number(operands[0]), number(operands[1])))
	case "Tm":
		var to matrix
		for i := range to {
			to[i] = number(operands[i])
		}
		c.moveTo(to)
	}
	switch operator {
	case "Tj", "'", `"`:
		c.write(operands[n-1].RawString())
	case "TJ": // texts and the distances between them
		for i := range operands[0].Len() {
			c.write(operands[0].Index(i).RawString())
		}
	}
	return nil
}

// write adds shown text.
func (c *content) write(codes string) {
	text := c.decode(codes)
	for _, r := range text {
		if r >= firstWide {
			c.length++
		} else {
			c.length += wideCharacter
		}
	}
	c.text.WriteString(text)
}

// moveTo begins a new line of text if its position changes by more than half of the
// font's size across the direction of the text, which may be rotated. Raised and
// lowered characters stay in their line. A wide gap within a line, as between
// columns, becomes a blank.
func (c *content) moveTo(to matrix) {
	size := c.size * to.height()
	along, across := to.position()
	oldAlong, oldAcross := c.at.position()
	turned := to.isTurned(c.at)
	gap := along - oldAlong - c.length*c.size*c.at.width()
	isBelow := !turned && c.length == 1 && math.Abs(along-oldAlong) < size/2 &&
		math.Abs(oldAcross-across-size) < size/10 // wide characters one below the other are vertical text
	c.at, c.length = to, 0
	text := c.text.String()
	switch {
	case text == "" || strings.HasSuffix(text, "\n") || isBelow:
	case turned || math.Abs(across-oldAcross) > math.Abs(size)/2:
		c.text.WriteByte('\n')
	case gap > math.Abs(size) && !strings.HasSuffix(text, " "):
		c.text.WriteByte(' ')
	}
}

const (
	// wideCharacter is more than the usual width of a character in sizes of the font,
	// because a blank within a word is worse than a missing one.
	wideCharacter = 0.6

	firstWide = '\u2e80' // the first of the characters as wide as the font's size
)

// matrix maps coordinates of a text to coordinates of the page.
type matrix [6]float64

var upright = matrix{1, 0, 0, 1, 0, 0}

// moved returns the matrix of a line that begins elsewhere.
func (m matrix) moved(x, y float64) matrix {
	m[4], m[5] = m[4]+x*m[0]+y*m[2], m[5]+x*m[1]+y*m[3]
	return m
}

func (m matrix) width() float64  { return math.Hypot(m[0], m[1]) }
func (m matrix) height() float64 { return math.Hypot(m[2], m[3]) }

// position returns the position of the line along the direction of its text, and
// across it.
func (m matrix) position() (along, across float64) {
	w := max(m.width(), 1e-9)
	return (m[0]*m[4] + m[1]*m[5]) / w, (m[0]*m[5] - m[1]*m[4]) / w
}

// isTurned reports whether the text has another direction.
func (m matrix) isTurned(from matrix) bool {
	w := max(m.width()*from.width(), 1e-9)
	return (m[0]*from[0]+m[1]*from[1])/w < 0.9
}

// number returns the value of a number, whole or not.
func number(v pdf.Value) float64 {
	if v.Kind() == pdf.Integer {
		return float64(v.Int64())
	}
	return v.Float64()
}

// decoderOf returns the decoder of the font with a name.
func (c *content) decoderOf(name string) decoder {
	d := c.decoders[name]
	if d == nil {
		d = fontDecoder(c.fonts.Key(name))
		c.decoders[name] = d
	}
	return d
}
