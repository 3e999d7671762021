package css

import (
	"strconv"
	"strings"
)

func hidesIf(condition bool) value {
	if condition {
		return value{kind: hides}
	}
	return value{}
}

func displayValue(text string) value { return hidesIf(text == "none") }

func visibilityValue(text string) value { return hidesIf(text == "hidden" || text == "collapse") }

func contentVisibilityValue(text string) value { return hidesIf(text == "hidden") }

func overflowValue(text string) value {
	return hidesIf(text == "hidden" || text == "clip" || text == "hidden hidden")
}

// flexValue hides if an element grows beyond its width or height.
func flexValue(text string) value { return hidesIf(text != "none" && text[0] != '0') }

// motionValue hides if an element moves, for then it may be shown later.
func motionValue(text string) value { return hidesIf(text != "none" && text != "auto" && text != "0s") }

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
	n, err := parseNumber(number)
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

// parseNumber is strconv.ParseFloat, but fast if a text is no number at all.
func parseNumber(text string) (float64, error) {
	if text == "" || text[0] > '9' {
		return 0, strconv.ErrSyntax
	}
	return strconv.ParseFloat(text, 64)
}

// pixels parses an absolute length, or one in em if their size is given.
func pixels(text string, em float64) (px float64, ok bool) {
	text = strings.TrimSpace(text)
	number := strings.TrimRight(text, "%abcdefghijklmnopqrstuvwxyz")
	n, err := parseNumber(number)
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
	if v := colourValue(text); v.kind == coloured {
		return v
	}
	for word := range strings.FieldsSeq(text) {
		if v := colourValue(word); v.kind == coloured {
			return v
		}
	}
	return value{kind: pictured}
}

// clipValue parses the deprecated clip: rect(0,0,0,0), rect(1px 1px 1px 1px).
func clipValue(text string) value {
	text = strings.ReplaceAll(text, " ", "")
	return hidesIf(strings.HasPrefix(text, "rect(0") || strings.HasPrefix(text, "rect(1px"))
}

// clipPathValue finds shapes without an area.
func clipPathValue(text string) value {
	name, arguments, _ := strings.Cut(text, "(")
	arguments, _, _ = strings.Cut(arguments, ")")
	first, _, _ := strings.Cut(arguments, " ")
	n, err := strconv.ParseFloat(strings.TrimRight(first, "%px,"), 64)
	return hidesIf(name == "inset" && err == nil && n >= 50 && strings.Contains(first, "%") ||
		(name == "circle" || name == "ellipse") && err == nil && n == 0 ||
		name == "polygon" && strings.Trim(arguments, "0px%, ") == "" && arguments != "")
}

// filterValue finds filters that make an element transparent.
func filterValue(text string) value {
	_, amount, ok := strings.Cut(text, "opacity(")
	amount, _, _ = strings.Cut(amount, ")")
	return hidesIf(ok && length(strings.TrimSpace(amount)).faint())
}

// zoomValue finds a size at which text cannot be read. Browsers ignore zero.
func zoomValue(text string) value {
	v := length(text)
	return hidesIf(v.faint() && v.number > 0)
}

// transformValue finds scales of zero and places off the screen.
func transformValue(text string) value {
	return transform(text, strings.ReplaceAll(text, " ", ""))
}

func translateValue(text string) value {
	return transform(text, "translate("+strings.Join(strings.Fields(text), ",")+")")
}

func scaleValue(text string) value {
	return transform(text, "scale("+strings.Join(strings.Fields(text), ",")+")")
}

// transform evaluates the functions of a transform, which are given without blanks.
func transform(text, compact string) value {
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
