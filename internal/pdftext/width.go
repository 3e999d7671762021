package pdftext

import (
	"strings"
	"unicode/utf8"

	"github.com/ledongthuc/pdf"
)

// font turns codes into characters.
type font struct {
	decode   decoder
	step     func(codes string) int            // the number of bytes of the first code
	width    func(code string) (float64, bool) // in sizes of the font
	vertical bool
	guessed  bool // the widths are guessed
	glyphs   map[string]glyph
}

// glyph is the text of a code and its width in sizes of the font.
type glyph struct {
	text  string
	width float64
}

// readFont reads a font dictionary.
func readFont(dictionary pdf.Value) *font {
	f := &font{glyphs: map[string]glyph{}}
	f.decode, f.step = fontDecoder(dictionary)
	if name := dictionary.Key("Encoding").Name(); name == "V" || strings.HasSuffix(name, "-V") {
		f.vertical = true
		f.width = func(string) (float64, bool) { return 1, true }
		return f
	}
	if dictionary.Key("Subtype").Name() == "Type0" {
		f.width = compositeWidths(dictionary)
	} else {
		f.width = simpleWidths(dictionary)
	}
	f.guessed = f.width == nil
	return f
}

// glyph returns the glyph of a code.
func (f *font) glyph(code string) glyph {
	g, known := f.glyphs[code]
	if known {
		return g
	}
	g.text = f.decode(code)
	ok := false
	if f.width != nil {
		g.width, ok = f.width(code)
	}
	if !ok {
		for _, r := range g.text {
			g.width += widthOf(r)
		}
	}
	if f.glyphs == nil {
		f.glyphs = map[string]glyph{}
	}
	f.glyphs[strings.Clone(code)] = g
	return g
}

const firstWide = '\u2e80' // the first of the characters as wide as the font's size

// widthOf guesses the width of a character.
func widthOf(r rune) float64 {
	switch {
	case r >= 0xff61 && r <= 0xff9f, r < firstWide: // half-width forms and letters
		return 0.5
	}
	return 1
}

func isWide(r rune) bool { return r >= firstWide && widthOf(r) == 1 && r != utf8.RuneError }

// simpleWidths returns the widths of a font with codes of one byte, nil if they are unknown.
func simpleWidths(dictionary pdf.Value) func(string) (float64, bool) {
	list := dictionary.Key("Widths")
	first := int(dictionary.Key("FirstChar").Int64())
	unit := 1.0 / 1000
	if m := dictionary.Key("FontMatrix"); m.Len() == 6 { // of Type 3
		unit = number(m.Index(0))
	}
	if list.Len() == 0 {
		return standardWidths(dictionary.Key("BaseFont").Name())
	}
	widths := numbers(list)
	missing := number(dictionary.Key("FontDescriptor").Key("MissingWidth"))
	return func(code string) (float64, bool) {
		if i := int(code[0]) - first; i >= 0 && i < len(widths) {
			return widths[i] * unit, true
		}
		return missing * unit, missing > 0
	}
}

// Limits of the widths of a font.
const (
	maxCode   = 1 << 16
	maxWidths = 1 << 18
)

// compositeWidths returns the widths of a font with longer codes whose numbers are its
// glyphs, nil if they are others.
func compositeWidths(dictionary pdf.Value) func(string) (float64, bool) {
	if !strings.HasPrefix(dictionary.Key("Encoding").Name(), "Identity") {
		return func(string) (float64, bool) { return 0, false } // nearly all characters are wide
	}
	descendant := dictionary.Key("DescendantFonts").Index(0)
	usual := 1000.0
	if v := descendant.Key("DW"); !v.IsNull() {
		usual = number(v)
	}
	widths := map[int]float64{}
	list, total := descendant.Key("W"), 0
	for i := 0; i+1 < list.Len() && total < maxWidths; {
		first, next := int(number(list.Index(i))), list.Index(i+1)
		if next.Kind() == pdf.Array { // a list of widths
			for n, w := range numbers(next) {
				widths[first+n] = w
				total++
			}
			i += 2
			continue
		}
		for code := first; code <= int(number(next)) && code < maxCode && total < maxWidths; code++ {
			widths[code] = number(list.Index(i + 2)) // one width for a range
			total++
		}
		i += 3
	}
	return func(code string) (float64, bool) {
		if len(code) != 2 {
			return 0, false
		}
		if w, ok := widths[int(code[0])<<8|int(code[1])]; ok {
			return w / 1000, true
		}
		return usual / 1000, true
	}
}

// standardWidths returns the widths of a font that readers have, nil for others.
func standardWidths(name string) func(string) (float64, bool) {
	var table *[95]uint16
	switch {
	case strings.HasPrefix(name, "Courier"):
		return func(string) (float64, bool) { return 0.6, true }
	case strings.HasPrefix(name, "Helvetica"), strings.HasPrefix(name, "Arial"):
		table = &helvetica
	case strings.HasPrefix(name, "Times"):
		table = &times
	default:
		return nil
	}
	scale := 1.0 / 1000
	if strings.Contains(name, "Bold") {
		scale *= 1.05
	}
	return func(code string) (float64, bool) {
		if i := int(code[0]) - ' '; i >= 0 && i < len(table) {
			return float64(table[i]) * scale, true
		}
		return 0, false
	}
}

// The widths of the characters from the blank on, in thousandths of the size.
var (
	helvetica = [95]uint16{278, 278, 355, 556, 556, 889, 667, 191, 333, 333, 389, 584, 278, 333, 278, 278, 556, 556,
		556, 556, 556, 556, 556, 556, 556, 556, 278, 278, 584, 584, 584, 556, 1015, 667, 667, 722, 722, 667, 611,
		778, 722, 278, 500, 667, 556, 833, 722, 778, 667, 778, 722, 667, 611, 722, 667, 944, 667, 667, 611, 278,
		278, 278, 469, 556, 333, 556, 556, 500, 556, 556, 278, 556, 556, 222, 222, 500, 222, 833, 556, 556, 556,
		556, 333, 500, 278, 556, 500, 722, 500, 500, 500, 334, 260, 334, 584}
	times = [95]uint16{250, 333, 408, 500, 500, 833, 778, 180, 333, 333, 500, 564, 250, 333, 250, 278, 500, 500,
		500, 500, 500, 500, 500, 500, 500, 500, 278, 278, 564, 564, 564, 444, 921, 722, 667, 667, 722, 611, 556,
		722, 722, 333, 389, 722, 611, 889, 722, 722, 556, 722, 667, 556, 611, 722, 722, 944, 722, 722, 611, 333,
		278, 333, 469, 500, 333, 444, 500, 444, 500, 444, 333, 500, 500, 278, 278, 500, 278, 778, 500, 500, 500,
		500, 333, 389, 278, 500, 500, 722, 500, 500, 444, 480, 200, 480, 541}
)
