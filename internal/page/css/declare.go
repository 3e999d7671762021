package css

import (
	"strings"
	"sync"
)

type property uint8

const (
	cssDisplay property = iota
	cssVisibility
	cssOpacity
	cssFontSize
	cssTextColour
	cssTextFill
	cssBackground
	cssPosition
	cssLeft
	cssTop
	cssRight
	cssBottom
	cssTextIndent
	cssMargin
	cssClip
	cssFilter
	cssClipPath
	cssTransform
	cssMotion // transition, animation or will-change
	cssOverflow
	cssHeight
	cssMaxHeight
	cssWidth
	cssMaxWidth
	cssContentVisibility
	cssFlex // grows beyond its width or height
	cssZoom

	propertyCount
)

// value is the meaning of a value for the question whether text can be seen.
type value struct {
	kind   valueKind
	number float64 // pixels, a ratio, or an opacity
	colour colour
}

type valueKind uint8

const (
	plain          valueKind = iota // nothing that hides
	hides                           // hides on its own
	inherits                        // the value of the parent
	pixelLength                     // a length in pixels, or a number
	relativeLength                  // a multiple of the parent's value
	coloured
	pictured // a background whose colour is not known
)

type declaration struct {
	property  property
	important bool
	value     value
}

// declarations are those declarations of a rule or a style attribute that matter.
type declarations struct {
	all     []declaration
	suspect bool // one of them can hide text
}

type declarer struct {
	declarations
	text, ground value // the last colours
	page         variables
	body         string // whose variables known has
	known        scope
}

// declare parses the declarations of a rule or a style attribute.
func declare(body string, known variables) *declarations {
	body = withoutComments(body)
	d := declarer{page: known, body: body}
	for body != "" {
		one := body
		if end := strings.IndexByte(body, ';'); end >= 0 {
			one, body = body[:end], body[end+1:]
		} else {
			body = ""
		}
		if end := strings.IndexByte(one, ':'); end > 0 {
			d.property(strings.TrimSpace(one[:end]), one[end+1:])
		}
	}
	return &declarations{all: d.all, suspect: d.suspect}
}

// property adds a declaration if it matters.
func (d *declarer) property(name, text string) {
	if name == "" || len(text) > 1000 || name[0] == '-' && !strings.HasPrefix(name, "-webkit") {
		return
	}
	read := readers()[strings.ToLower(name)]
	if read.parse == nil {
		return
	}
	if strings.Contains(text, "var(") {
		if d.body != "" {
			d.known, d.body = d.page.with(d.body), ""
		}
		text = d.known.resolve(text)
	}
	text, rest, _ := strings.Cut(strings.ToLower(text), "!")
	one := declaration{property: read.property, important: rest != "" && strings.TrimSpace(rest) == "important"}
	text = strings.TrimSpace(text)
	switch text {
	case "":
		return
	case "inherit", "unset":
		one.value.kind = inherits
	default:
		one.value = read.parse(text)
	}
	if name == "background-image" && one.value.kind != pictured {
		return // the colour stays
	}
	d.suspect = d.suspect || one.suspect()
	switch one.property {
	case cssTextColour:
		d.text = one.value
	case cssBackground:
		d.ground = one.value
	}
	d.suspect = d.suspect || sameColours(d.text, d.ground)
	d.all = append(d.all, one)
}

// reader parses the values of a property.
type reader struct {
	property property
	parse    func(text string) value
}

// readers has the readers of properties by their names.
var readers = sync.OnceValue(func() map[string]reader {
	all := map[string]reader{}
	for _, one := range [...]struct {
		names    string
		property property
		parse    func(text string) value
	}{
		{"display", cssDisplay, displayValue},
		{"visibility", cssVisibility, visibilityValue},
		{"content-visibility", cssContentVisibility, contentVisibilityValue},
		{"overflow overflow-y overflow-x", cssOverflow, overflowValue},
		{"position", cssPosition, positionValue},
		{"opacity", cssOpacity, length},
		{"font-size", cssFontSize, length},
		{"font", cssFontSize, fontLength},
		{"color", cssTextColour, colourValue},
		{"-webkit-text-fill-color", cssTextFill, colourValue},
		{"background background-color background-image", cssBackground, backgroundValue},
		{"text-indent", cssTextIndent, length},
		{"margin-left margin-top margin", cssMargin, length},
		{"clip", cssClip, clipValue},
		{"clip-path -webkit-clip-path", cssClipPath, clipPathValue},
		{"filter", cssFilter, filterValue},
		{"zoom", cssZoom, zoomValue},
		{"transform -webkit-transform", cssTransform, transformValue},
		{"translate", cssTransform, translateValue},
		{"scale", cssTransform, scaleValue},
		{"transition transition-property -webkit-transition", cssMotion, motionValue},
		{"animation animation-name animation-duration -webkit-animation will-change", cssMotion, motionValue},
		{"left", cssLeft, length},
		{"top", cssTop, length},
		{"right", cssRight, length},
		{"bottom", cssBottom, length},
		{"height block-size", cssHeight, length},
		{"max-height max-block-size", cssMaxHeight, length},
		{"flex flex-grow", cssFlex, flexValue},
		{"width inline-size", cssWidth, length},
		{"max-width max-inline-size", cssMaxWidth, length},
	} {
		for name := range strings.FieldsSeq(one.names) {
			all[name] = reader{one.property, one.parse}
		}
	}
	return all
})

const (
	farAway  = 999 // pixels
	tinyFont = 2   // pixels
	tinySize = 1   // pixels
)

// suspect reports whether a declaration can hide text, alone or with others.
func (d *declaration) suspect() bool {
	v := d.value
	switch d.property {
	case cssDisplay, cssVisibility, cssContentVisibility, cssClip, cssClipPath, cssTransform, cssFilter, cssZoom:
		return v.kind == hides
	case cssOpacity:
		return v.faint()
	case cssFontSize:
		return v.kind == pixelLength && v.number <= tinyFont || v.kind == relativeLength && v.number <= maxFaint
	case cssTextColour, cssTextFill:
		return v.kind == coloured && v.colour.like(white)
	case cssBackground:
		return v.kind == coloured && v.colour.alpha > maxFaint && v.colour.like(black)
	case cssLeft, cssTop, cssRight, cssBottom, cssTextIndent, cssMargin:
		return v.away()
	case cssHeight, cssMaxHeight, cssWidth, cssMaxWidth:
		return v.kind == pixelLength && v.number <= tinySize || v.kind == relativeLength && v.number == 0
	}
	return false
}

// sameColours reports whether a text in one colour cannot be seen on the other.
func sameColours(text, ground value) bool {
	return text.kind == coloured && ground.kind == coloured && ground.colour.alpha > maxFaint &&
		text.colour.like(ground.colour)
}

// faint reports whether a value, as an opacity or a scale, leaves nothing that can be read.
func (v value) faint() bool {
	return (v.kind == pixelLength || v.kind == relativeLength) && v.number <= maxFaint
}

// away reports whether a distance is off the screen.
func (v value) away() bool {
	return v.kind == pixelLength && v.number <= -farAway || v.kind == relativeLength && v.number <= -farAway/16
}
