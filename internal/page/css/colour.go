package css

import (
	"math"
	"slices"
	"strconv"
	"strings"
)

// colour is an sRGB colour. Its components and the alpha value are from 0 to 1.
type colour struct{ r, g, b, alpha float64 }

var (
	white = colour{1, 1, 1, 1}
	black = colour{0, 0, 0, 1}
)

// sameContrast is the contrast ratio (WCAG 2) below which a text cannot be told
// from its background. Pale grey (#f4f4f4) on white has 1.1.
const sameContrast = 1.1

// contrast returns the contrast ratio of two colours, from 1 to 21.
func (c colour) contrast(o colour) float64 {
	a, b := c.luminance()+0.05, o.luminance()+0.05
	return max(a, b) / min(a, b)
}

func (c colour) luminance() float64 {
	linear := func(v float64) float64 {
		if v <= 0.04045 {
			return v / 12.92
		}
		return math.Pow((v+0.055)/1.055, 2.4)
	}
	return 0.2126*linear(c.r) + 0.7152*linear(c.g) + 0.0722*linear(c.b)
}

// like reports whether a text in this colour cannot be seen on a background.
func (c colour) like(background colour) bool {
	return c.alpha <= maxFaint ||
		math.Abs(c.r-background.r)+math.Abs(c.g-background.g)+math.Abs(c.b-background.b) < 0.15 &&
			c.contrast(background) < sameContrast
}

// maxFaint is the largest opacity at which text cannot be read.
const maxFaint = 0.1

// parseColour parses a colour in lower case.
func parseColour(text string) (c colour, ok bool) {
	text = strings.TrimSpace(text)
	switch {
	case strings.HasPrefix(text, "#"):
		return parseHex(text[1:])
	case strings.HasPrefix(text, "rgb"), strings.HasPrefix(text, "hsl"):
		return parseFunction(text)
	}
	for _, one := range colours {
		if one.name == text {
			return parseHex(one.digits)
		}
	}
	return c, false
}

func parseHex(digits string) (c colour, ok bool) {
	if len(digits) == 3 || len(digits) == 4 {
		var b strings.Builder
		for i := range len(digits) {
			b.WriteString(digits[i:i+1] + digits[i:i+1])
		}
		digits = b.String()
	}
	if len(digits) == 6 {
		digits += "ff"
	}
	n, err := strconv.ParseUint(digits, 16, 32)
	if err != nil || len(digits) != 8 {
		return c, false
	}
	part := func(shift int) float64 { return float64(n>>shift&255) / 255 }
	return colour{part(24), part(16), part(8), part(0)}, true
}

// parseFunction parses rgb(), rgba(), hsl() and hsla() in all notations.
func parseFunction(text string) (c colour, ok bool) {
	name, arguments, found := strings.Cut(text, "(")
	arguments, _, closed := strings.Cut(arguments, ")")
	if !found || !closed {
		return c, false
	}
	fields := strings.FieldsFunc(arguments, func(r rune) bool { return r == ',' || r == ' ' || r == '/' })
	if len(fields) < 3 || len(fields) > 4 {
		return c, false
	}
	var n [4]float64
	n[3] = 1
	for i, field := range fields {
		number, percent := strings.CutSuffix(strings.TrimSuffix(field, "deg"), "%")
		v, err := strconv.ParseFloat(number, 64)
		if err != nil {
			return c, false
		}
		switch {
		case percent:
			v /= 100
		case i < 3 && strings.HasPrefix(name, "rgb"):
			v /= 255
		}
		n[i] = min(max(v, 0), 1)
		if i == 0 && strings.HasPrefix(name, "hsl") {
			n[i] = v
		}
	}
	if strings.HasPrefix(name, "rgb") {
		return colour{n[0], n[1], n[2], n[3]}, true
	}
	part := func(k float64) float64 {
		k = math.Mod(k+math.Mod(n[0], 360)/30+12, 12)
		return n[2] - n[1]*min(n[2], 1-n[2])*max(-1, min(k-3, 9-k, 1))
	}
	return colour{part(0), part(8), part(4), n[3]}, true
}

var colours = [...]struct{ name, digits string }{
	{"white", "ffffff"}, {"black", "000000"}, {"transparent", "00000000"}, {"snow", "fffafa"},
	{"ivory", "fffff0"}, {"ghostwhite", "f8f8ff"}, {"whitesmoke", "f5f5f5"}, {"floralwhite", "fffaf0"},
	{"mintcream", "f5fffa"}, {"azure", "f0ffff"}, {"red", "ff0000"}, {"green", "008000"}, {"blue", "0000ff"},
	{"yellow", "ffff00"}, {"navy", "000080"}, {"gray", "808080"}, {"grey", "808080"}, {"silver", "c0c0c0"},
	{"lightgray", "d3d3d3"}, {"lightgrey", "d3d3d3"},
}

// palette has the different colours of texts and backgrounds that a page declares.
type palette struct{ inks, hues []colour }

func (p *palette) noteAll(d *declarations) {
	for _, one := range d.all {
		switch {
		case one.value.kind != coloured:
		case one.property == cssBackground:
			p.noteHue(one.value.colour)
		case one.property == cssTextColour && len(p.inks) < maxHues && !slices.Contains(p.inks, one.value.colour):
			p.inks = append(p.inks, one.value.colour)
		}
	}
}

func (p *palette) noteHue(c colour) {
	if c.alpha > maxFaint && len(p.hues) < maxHues && !slices.Contains(p.hues, c) {
		p.hues = append(p.hues, c)
	}
}

// camouflaged reports whether a declared text colour is the colour of some
// background, or a background the colour of some text.
func (p *palette) camouflaged(d *declarations) bool {
	for _, one := range d.all {
		against := p.hues
		switch {
		case one.value.kind != coloured:
			continue
		case one.property == cssBackground && one.value.colour.alpha > maxFaint:
			against = p.inks
		case one.property != cssTextColour:
			continue
		}
		for _, other := range against {
			if one.value.colour.like(other) {
				return true
			}
		}
	}
	return false
}
