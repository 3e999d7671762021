package pdftext

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/ledongthuc/pdf"
)

// The library can return the text of a page as well, but a program that calls its
// GetPlainText builds a map of 4,280 glyph names at every start. So the library
// reads the file's objects, and this package decodes and arranges the texts in them.

// content collects the texts and the rules of a page.
type content struct {
	state
	saved     []state
	resources pdf.Value        // of the page or of the form that is drawn
	fonts     map[string]*font // of these resources, used so far
	at        matrix           // where the next character goes
	line      matrix           // the beginning of the current line
	depth     int              // of forms within forms
	runs      []run
	ink       drawing
	err       error // the first malformed operator
}

// state has the values that the operators q and Q save and restore.
type state struct {
	font    *font
	size    float64 // of the font
	between float64 // added after each character
	blank   float64 // added after each blank
	scale   float64 // of widths
	leading float64 // the distance of lines
	rise    float64 // of raised characters
	page    matrix  // from here to the page
}

// Limits of forms within forms, and of states in states.
const (
	maxForms  = 12
	maxStates = 1000
)

// pageText returns the text of a page in the order of reading. After an error it is
// incomplete.
func pageText(p pdf.Page) (text string, err error) {
	c := &content{resources: p.Resources(), fonts: map[string]*font{}, at: upright, line: upright,
		state: state{scale: 1, page: upright}}
	err = c.draw(p.V.Key("Contents"))
	if fields := c.drawFields(p.V.Key("Annots")); err == nil {
		err = fields
	}
	return arrange(c.runs, c.ink.rules), err
}

// draw runs a content stream.
func (c *content) draw(stream pdf.Value) (err error) {
	defer func() {
		if r := recover(); r != nil { // the library panics on unexpected input
			err = fmt.Errorf("pdf: %v", r)
		}
	}()
	if stream.IsNull() {
		return nil
	}
	if endsInHex(stream) {
		return errors.New("pdf: a text does not end")
	}
	pdf.Interpret(stream, func(stack *pdf.Stack, operator string) {
		if err := c.show(operator, operands(stack)); err != nil && c.err == nil {
			c.err = fmt.Errorf("pdf: operator %s: %w", operator, err)
		}
	})
	return c.err
}

// endsInHex reports whether a content stream ends within a text of hexadecimal digits, which
// the library would read forever.
func endsInHex(stream pdf.Value) bool {
	parts := []pdf.Value{stream}
	if stream.Kind() == pdf.Array {
		parts = nil
		for i := range stream.Len() {
			parts = append(parts, stream.Index(i))
		}
	}
	var l lexer
	buffer := make([]byte, 32<<10)
	for _, part := range parts {
		from := part.Reader()
		for {
			n, err := from.Read(buffer)
			for _, b := range buffer[:n] {
				l.read(b)
			}
			if err != nil {
				break
			}
		}
		from.Close()
	}
	return l.within == '<'
}

// operands empties the stack. The first operand comes first.
func operands(stack *pdf.Stack) []pdf.Value {
	if stack.Len() == 0 {
		return nil
	}
	all := make([]pdf.Value, stack.Len())
	for i := len(all) - 1; i >= 0; i-- {
		all[i] = stack.Pop()
	}
	return all
}

// arity returns the number of operands of an operator that concerns text, or -1.
func arity(operator string) int {
	switch operator {
	case "BT", "T*", "q", "Q":
		return 0
	case "Tj", "'", "TJ", "Tc", "Tw", "Tz", "TL", "Ts", "Do":
		return 1
	case "Tf", "Td", "TD":
		return 2
	case `"`:
		return 3
	case "Tm", "cm":
		return 6
	}
	return -1
}

// show runs an operator of the content stream.
func (c *content) show(operator string, operands []pdf.Value) error {
	n := arity(operator)
	if n < 0 {
		c.ink.draw(operator, operands, c.page)
		return nil
	}
	if len(operands) < n || n > 0 && len(operands) > n {
		return fmt.Errorf("%d operands, want %d", len(operands), n)
	}
	values := make([]float64, n)
	for i := range values {
		values[i] = number(operands[i])
	}
	c.set(operator, operands, values)
	switch operator {
	case "Tj", "'", `"`:
		c.write(operands[n-1].RawString())
	case "TJ": // texts and the distances between them
		for i := range operands[0].Len() {
			if part := operands[0].Index(i); part.Kind() == pdf.String {
				c.write(part.RawString())
			} else {
				c.adjust(number(part) / 1000 * c.size)
			}
		}
	case "Do":
		return c.drawForm(c.resources.Key("XObject").Key(operands[0].Name()))
	}
	return nil
}

// set changes the state by an operator.
func (c *content) set(operator string, operands []pdf.Value, values []float64) {
	switch operator {
	case "q":
		if len(c.saved) < maxStates {
			c.saved = append(c.saved, c.state)
		}
	case "Q":
		if last := len(c.saved) - 1; last >= 0 {
			c.state, c.saved = c.saved[last], c.saved[:last]
		}
	case "cm":
		c.page = matrix(values).times(c.page)
	case "BT":
		c.at, c.line = upright, upright
	case "Tf":
		c.font, c.size = c.fontOf(operands[0].Name()), values[1]
	case "Tc":
		c.between = values[0]
	case "Tw":
		c.blank = values[0]
	case "Tz":
		c.scale = values[0] / 100
	case "TL":
		c.leading = values[0]
	case "Ts":
		c.rise = values[0]
	case "TD":
		c.leading = -values[1]
		c.next(values[0], values[1])
	case "Td":
		c.next(values[0], values[1])
	case "Tm":
		c.line = matrix(values)
		c.at = c.line
	case `"`:
		c.blank, c.between = values[0], values[1]
		c.next(0, -c.leading)
	case "'", "T*":
		c.next(0, -c.leading)
	}
}

// next begins a line at a distance from the beginning of the last one.
func (c *content) next(x, y float64) {
	c.line = c.line.moved(x, y)
	c.at = c.line
}

// advance moves on by a distance in units of the text.
func (c *content) advance(by float64) {
	if c.font != nil && c.font.vertical {
		c.at = c.at.moved(0, -by)
	} else {
		c.at = c.at.moved(by*c.scale, 0)
	}
}

// adjust moves against the direction of writing, or down.
func (c *content) adjust(by float64) {
	if c.font == nil || !c.font.vertical {
		by = -by
	}
	c.advance(by)
}

// write shows the characters of codes.
func (c *content) write(codes string) {
	if c.font == nil {
		c.font = &font{decode: asUTF8, step: stepUTF8}
	}
	var text []byte
	from, wide := c.at, 0.0
	spaced := math.Abs(c.between) > wordGap/2*math.Abs(c.size) // like a table of characters
	for codes != "" {
		n := min(max(c.font.step(codes), 1), len(codes))
		g := c.font.glyph(codes[:n])
		step := g.width*c.size + c.between
		if codes[:n] == " " {
			step += c.blank
		}
		text = append(text, g.text...)
		wide += step
		if codes = codes[n:]; codes == "" || spaced {
			c.advance(wide)
			c.add(text, from, wide-c.between)
			text, from, wide = text[:0], c.at, 0
		}
	}
}

// add adds a shown text, which begins at a place and has a width.
func (c *content) add(text []byte, from matrix, width float64) {
	m := from.times(c.page)
	at, size := m.turn(), m.height()*c.size
	if c.font.vertical {
		at = (at + 270) % 360
		width *= m.height()
	} else {
		width *= m.width() * c.scale
	}
	if size < 0 {
		size = -size
	}
	if width < 0 { // a negative size turns text around
		width, at = -width, (at+180)%360
	}
	along, across := along(at, m[4], m[5])
	r := run{text: text, from: along, to: along + width, across: across + c.rise*m.height(), size: size,
		turn: at, guessed: c.font.guessed}
	if last := len(c.runs) - 1; last >= 0 && c.runs[last].continues(r) {
		c.runs[last].text = append(c.runs[last].text, text...)
		c.runs[last].to = r.to
		return
	}
	r.text = slices.Clone(text)
	c.runs = append(c.runs, r)
}

// drawForm draws a form: a content stream with resources of its own.
func (c *content) drawForm(form pdf.Value) error {
	if form.Key("Subtype").Name() != "Form" || c.depth >= maxForms {
		return nil
	}
	inner := *c
	inner.depth++
	inner.saved = nil
	if own := form.Key("Resources"); own.Kind() == pdf.Dict {
		inner.resources, inner.fonts = own, map[string]*font{}
	}
	if m := form.Key("Matrix"); m.Len() == 6 {
		inner.page = matrixOf(m).times(c.page)
	}
	err := inner.draw(form)
	c.runs, c.ink.rules = inner.runs, inner.ink.rules
	return err
}

// fontOf returns the font with a name.
func (c *content) fontOf(name string) *font {
	f := c.fonts[name]
	if f == nil {
		f = readFont(c.resources.Key("Font").Key(name))
		c.fonts[name] = f
	}
	return f
}

// number returns the value of a number, whole or not.
func number(v pdf.Value) float64 {
	if v.Kind() == pdf.Integer {
		return float64(v.Int64())
	}
	return v.Float64()
}

// numbers returns the values of an array of numbers.
func numbers(array pdf.Value) []float64 {
	all := make([]float64, array.Len())
	for i := range all {
		all[i] = number(array.Index(i))
	}
	return slices.Clip(all)
}
