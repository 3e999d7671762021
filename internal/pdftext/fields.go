package pdftext

import (
	"strings"
	"unicode/utf16"

	"github.com/ledongthuc/pdf"
)

// Limits of the fields of a form.
const (
	maxFields  = 10_000
	maxParents = 20
)

// drawFields shows the values of the fields of a form where they stand. The page itself
// lacks them.
func (c *content) drawFields(annotations pdf.Value) (err error) {
	defer func() {
		if recover() != nil {
			err = ErrDamaged
		}
	}()
	for i := range min(annotations.Len(), maxFields) {
		a := annotations.Index(i)
		box := a.Key("Rect")
		const hidden, noView = 1 << 1, 1 << 5
		if a.Key("Subtype").Name() != "Widget" || box.Len() != 4 || a.Key("F").Int64()&(hidden|noView) != 0 {
			continue
		}
		c.drawField(fieldText(a), numbers(box))
	}
	return nil
}

// drawField shows a value in a box: its left, lower, right and upper edge.
func (c *content) drawField(text string, box []float64) {
	text = strings.TrimSpace(strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(text))
	if text == "" {
		return
	}
	lines := strings.Split(text, "\n")
	left, low, high := min(box[0], box[2]), min(box[1], box[3]), max(box[1], box[3])
	const usual = 12
	size := min(usual, (high-low)/float64(len(lines))*0.8)
	base := (low+high)/2 - size*0.35
	if len(lines) > 1 {
		base = high - size
	}
	for i, line := range lines {
		wide := 0.0
		for _, r := range line {
			wide += widthOf(r)
		}
		c.runs = append(c.runs, run{text: []byte(line), from: left + 2, to: left + 2 + wide*size,
			across: base - float64(i)*size*1.15, size: size, guessed: true})
	}
}

// fieldText returns the visible value of a field. Boxes that can be ticked are ☑ or ☐.
func fieldText(field pdf.Value) string {
	value := inherited(field, "V")
	switch inherited(field, "FT").Name() {
	case "Btn":
		const push = 1 << 16
		if inherited(field, "Ff").Int64()&push != 0 {
			return textOf(field.Key("MK").Key("CA"))
		}
		state := field.Key("AS").Name()
		if state == "" {
			state = value.Name()
		}
		if state == "" || state == "Off" {
			return "☐"
		}
		return "☑"
	case "Tx":
		const password = 1 << 13
		if inherited(field, "Ff").Int64()&password != 0 {
			return ""
		}
		return textOf(value)
	case "Ch":
		if value.Kind() != pdf.Array {
			return choice(field, value)
		}
		var all []string
		for i := range min(value.Len(), maxFields) {
			all = append(all, choice(field, value.Index(i)))
		}
		return strings.Join(all, ", ")
	}
	return ""
}

// choice returns the text of a value in its list.
func choice(field, value pdf.Value) string {
	options := inherited(field, "Opt")
	for i := range min(options.Len(), maxFields) {
		if o := options.Index(i); o.Kind() == pdf.Array && o.Index(0).RawString() == value.RawString() {
			return textOf(o.Index(1))
		}
	}
	return textOf(value)
}

// inherited returns an entry of a field or of the fields above it.
func inherited(field pdf.Value, key string) pdf.Value {
	for range maxParents {
		if v := field.Key(key); !v.IsNull() || field.IsNull() {
			return v
		}
		field = field.Key("Parent")
	}
	return pdf.Value{}
}

// textOf decodes a text outside of content streams: UTF-16 or UTF-8 with a mark, or
// PDFDocEncoding.
func textOf(v pdf.Value) string {
	raw := v.RawString()
	switch {
	case v.Kind() == pdf.Name:
		return v.Name()
	case strings.HasPrefix(raw, "\xfe\xff"):
		return decodeUTF16(raw[2:])
	case strings.HasPrefix(raw, "\xff\xfe"):
		units := make([]uint16, len(raw)/2-1)
		for i := range units {
			units[i] = uint16(raw[2*i+2]) | uint16(raw[2*i+3])<<8
		}
		return string(utf16.Decode(units))
	case strings.HasPrefix(raw, "\xef\xbb\xbf"):
		return asUTF8(raw[3:])
	}
	return byteDecoder(standard)(raw)
}
