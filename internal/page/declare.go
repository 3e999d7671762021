package page

import (
	"strconv"
	"strings"
)

// property is a CSS property that can hide text.
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

// declaration is a property with its value.
type declaration struct {
	property  property
	important bool
	value     value
}

// declarations are those declarations of a rule or a style attribute that matter.
type declarations struct {
	all     []declaration
	suspect bool // one of them can hide text

	text, ground value // the last colours
	known        variables
}

// declare parses the declarations of a rule or a style attribute.
func declare(body string, known variables) *declarations {
	d := &declarations{known: known}
	if body = withoutComments(body); strings.Contains(body, "var(") {
		d.known = known.with(body)
	}
	for body != "" {
		var one string
		one, body, _ = strings.Cut(body, ";")
		if name, text, ok := strings.Cut(one, ":"); ok {
			d.property(strings.TrimSpace(name), text)
		}
	}
	return d
}

// property adds a declaration if it matters.
func (d *declarations) property(name, text string) {
	if name == "" || len(text) > 1000 || name[0] == '-' && !strings.HasPrefix(name, "-webkit") {
		return
	}
	read := readerOf(strings.ToLower(name))
	if read.parse == nil {
		return
	}
	if strings.Contains(text, "var(") {
		text = d.known.resolve(text)
	}
	text = strings.ToLower(text)
	text, rest, _ := strings.Cut(text, "!")
	one := declaration{property: read.property, important: strings.TrimSpace(rest) == "important"}
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

// readerOf returns the reader of a property, or an empty one.
func readerOf(name string) reader {
	switch name {
	case "display":
		return reader{cssDisplay, keyword("none")}
	case "visibility":
		return reader{cssVisibility, keyword("hidden", "collapse")}
	case "content-visibility":
		return reader{cssContentVisibility, keyword("hidden")}
	case "overflow", "overflow-y", "overflow-x":
		return reader{cssOverflow, keyword("hidden", "clip", "hidden hidden")}
	case "position":
		return reader{cssPosition, positionValue}
	case "opacity":
		return reader{cssOpacity, length}
	case "font-size":
		return reader{cssFontSize, length}
	case "font":
		return reader{cssFontSize, fontLength}
	case "color":
		return reader{cssTextColour, colourValue}
	case "-webkit-text-fill-color":
		return reader{cssTextFill, colourValue}
	case "background", "background-color", "background-image":
		return reader{cssBackground, backgroundValue}
	case "text-indent":
		return reader{cssTextIndent, length}
	case "margin-left", "margin-top", "margin":
		return reader{cssMargin, length}
	case "clip":
		return reader{cssClip, clipValue}
	case "clip-path", "-webkit-clip-path":
		return reader{cssClipPath, clipPathValue}
	case "filter":
		return reader{cssFilter, filterValue}
	case "transform", "-webkit-transform", "translate", "scale":
		return reader{cssTransform, func(text string) value { return transformValue(name, text) }}
	case "transition", "animation", "animation-name", "animation-duration", "transition-property", "will-change",
		"-webkit-animation", "-webkit-transition":
		return reader{cssMotion, func(text string) value {
			if text == "none" || text == "auto" || text == "0s" {
				return value{}
			}
			return value{kind: hides}
		}}
	}
	return boxReader(name)
}

// keyword returns a parser for a property that hides if it has one of some values.
func keyword(words ...string) func(string) value {
	return func(text string) value {
		for _, one := range words {
			if text == one {
				return value{kind: hides}
			}
		}
		return value{}
	}
}

// positionValue hides together with a place off the screen. A relative position is
// a length of no meaning, which can do so as well.
func positionValue(text string) value {
	switch text {
	case "absolute", "fixed":
		return value{kind: hides}
	case "relative", "sticky":
		return value{kind: pixelLength}
	}
	return value{}
}

// length parses a length, a percentage or a number.
func length(text string) value {
	if inner, ok := strings.CutPrefix(text, "calc("); ok { // of one number
		text = strings.TrimSuffix(inner, ")")
	}
	if px, ok := pixels(text, 0); ok {
		return value{kind: pixelLength, number: px}
	}
	number := strings.TrimRight(text, "%abcdefghijklmnopqrstuvwxyz")
	n, err := strconv.ParseFloat(number, 64)
	if err != nil {
		return value{}
	}
	switch text[len(number):] {
	case "%":
		return value{kind: relativeLength, number: n / 100}
	case "em", "ex", "ch":
		return value{kind: relativeLength, number: n}
	}
	return value{kind: pixelLength, number: n * 8} // vw, vh and the like: a hundredth of some 800 pixels
}

// pixels parses an absolute length, or one in em if their size is given.
func pixels(text string, em float64) (px float64, ok bool) {
	text = strings.TrimSpace(text)
	number := strings.TrimRight(text, "%abcdefghijklmnopqrstuvwxyz")
	n, err := strconv.ParseFloat(number, 64)
	if err != nil {
		return 0, false
	}
	switch text[len(number):] {
	case "", "px":
		return n, true
	case "pt":
		return n * 4 / 3, true
	case "rem":
		return n * 16, true
	case "em":
		return n * em, em > 0
	case "cm", "in", "mm", "pc":
		return n * 16, true
	}
	return 0, n == 0
}

// fontLength finds the size in a font shorthand: the first length, before a slash.
func fontLength(text string) value {
	for word := range strings.FieldsSeq(text) {
		size, _, _ := strings.Cut(word, "/")
		if size == "" || size[0] != '.' && (size[0] < '0' || size[0] > '9') || isWeight(word) {
			continue
		}
		return length(size)
	}
	return value{}
}

// isWeight reports whether a word of a font shorthand is a weight: 100 to 900.
func isWeight(word string) bool { return len(word) == 3 && strings.HasSuffix(word, "00") }

func colourValue(text string) value {
	if c, ok := parseColour(text); ok {
		return value{kind: coloured, colour: c}
	}
	return value{}
}

// backgroundValue parses a background. One with an image has no known colour.
func backgroundValue(text string) value {
	if text == "none" || text == "initial" {
		return value{kind: coloured}
	}
	if strings.Contains(text, "url(") || strings.Contains(text, "gradient") || strings.Contains(text, "var(") ||
		strings.Contains(text, "image") {
		return value{kind: pictured}
	}
	if c, ok := parseColour(text); ok {
		return value{kind: coloured, colour: c}
	}
	for word := range strings.FieldsSeq(text) {
		if c, ok := parseColour(word); ok {
			return value{kind: coloured, colour: c}
		}
	}
	return value{kind: pictured}
}

// clipValue parses the deprecated clip: rect(0,0,0,0), rect(1px 1px 1px 1px).
func clipValue(text string) value {
	text = strings.ReplaceAll(text, " ", "")
	if strings.HasPrefix(text, "rect(0") || strings.HasPrefix(text, "rect(1px") {
		return value{kind: hides}
	}
	return value{}
}

// clipPathValue finds shapes without an area.
func clipPathValue(text string) value {
	name, arguments, _ := strings.Cut(text, "(")
	arguments, _, _ = strings.Cut(arguments, ")")
	first, _, _ := strings.Cut(arguments, " ")
	n, err := strconv.ParseFloat(strings.TrimRight(first, "%px,"), 64)
	switch {
	case name == "inset" && err == nil && n >= 50 && strings.Contains(first, "%"),
		(name == "circle" || name == "ellipse") && err == nil && n == 0,
		name == "polygon" && strings.Trim(arguments, "0px%, ") == "" && arguments != "":
		return value{kind: hides}
	}
	return value{}
}

// filterValue finds filters that make an element transparent.
func filterValue(text string) value {
	_, amount, ok := strings.Cut(text, "opacity(")
	amount, _, _ = strings.Cut(amount, ")")
	v := length(strings.TrimSpace(amount))
	if ok && (v.kind == pixelLength || v.kind == relativeLength) && v.number <= maxFaint {
		return value{kind: hides}
	}
	return value{}
}

// transformValue finds scales of zero and places off the screen.
func transformValue(name, text string) value {
	compact := strings.ReplaceAll(text, " ", "")
	if name == "scale" || name == "translate" {
		compact = name + "(" + strings.Join(strings.Fields(text), ",") + ")"
	}
	for one := range strings.SplitSeq(compact, ")") {
		function, arguments, _ := strings.Cut(one, "(")
		if function == "matrix" && strings.HasPrefix(arguments, "0,0,0,0,") {
			return value{kind: hides}
		}
		for argument := range strings.SplitSeq(arguments, ",") {
			v := length(argument)
			switch {
			case strings.HasPrefix(function, "scale") && v.kind == pixelLength && v.number >= 0 && v.number <= maxFaint,
				strings.HasPrefix(function, "translate") && v.kind == pixelLength && v.number <= -farAway:
				return value{kind: hides}
			}
		}
	}
	if text == "none" {
		return value{}
	}
	return value{kind: pixelLength}
}

const (
	farAway  = 999 // pixels
	tinyFont = 2   // pixels
	tinySize = 1   // pixels
)

// suspect reports whether a declaration can hide text, alone or with others.
func (d *declaration) suspect() bool {
	v := d.value
	switch d.property {
	case cssDisplay, cssVisibility, cssContentVisibility, cssClip, cssClipPath, cssTransform, cssFilter:
		return v.kind == hides
	case cssOpacity:
		return v.kind == pixelLength && v.number <= maxFaint || v.kind == relativeLength && v.number <= maxFaint
	case cssFontSize:
		return v.kind == pixelLength && v.number <= tinyFont || v.kind == relativeLength && v.number <= maxFaint
	case cssTextColour, cssTextFill:
		return v.kind == coloured && (v.colour.like(white))
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

// away reports whether a distance is off the screen.
func (v value) away() bool {
	return v.kind == pixelLength && v.number <= -farAway || v.kind == relativeLength && v.number <= -farAway/16
}
