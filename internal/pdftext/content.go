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
	y        float64            // of the current line
	scale    float64            // of the height of the text
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
		scale: 1}
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
			c.y, c.scale = 0, 1
		}
	case "Tf":
		c.decode, c.size = c.decoderOf(operands[0].Name()), number(operands[1])
	case "Td", "TD":
		c.moveTo(c.y+number(operands[1])*c.scale, c.scale)
	case "Tm":
		c.moveTo(number(operands[5]), number(operands[3]))
	}
	switch operator {
	case "Tj", "'", `"`:
		c.text.WriteString(c.decode(operands[n-1].RawString()))
	case "TJ": // texts and the distances between them
		for i := range operands[0].Len() {
			c.text.WriteString(c.decode(operands[0].Index(i).RawString()))
		}
	}
	return nil
}

// moveTo begins a new line of text if the position changes by more than half of the
// font's size. Raised and lowered characters stay in their line.
func (c *content) moveTo(y, scale float64) {
	moved := math.Abs(y-c.y) > math.Abs(c.size*scale)/2
	c.y, c.scale = y, scale
	if text := c.text.String(); moved && text != "" && !strings.HasSuffix(text, "\n") {
		c.text.WriteByte('\n')
	}
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
