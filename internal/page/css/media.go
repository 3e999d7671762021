package css

import "strings"

// applies reports whether the rules in an at-rule apply on a screen of usual size.
func applies(head string) bool {
	name, condition, _ := strings.Cut(head, " ")
	name, more, _ := strings.Cut(name, "(")
	switch strings.ToLower(name) {
	case "@layer":
		return true
	case "@supports":
		return !strings.Contains(condition, "not")
	case "@media":
		return AppliesMedia(strings.ToLower(more + " " + condition))
	}
	return false
}

// AppliesMedia reports whether one of several media queries is true on a screen
// that is 1280 pixels wide and 800 high.
func AppliesMedia(queries string) bool {
	for query := range strings.SplitSeq(queries, ",") {
		ok := true
		for _, part := range strings.FieldsFunc(query, func(r rune) bool {
			return r == ' ' || r == '(' || r == ')'
		}) {
			switch part {
			case "not", "print", "speech", "dark", "reduce", "none", "portrait", "forced-colors", "active":
				ok = false
			}
		}
		if ok && inRange(query, "min-width:", func(px float64) bool { return px <= 1280 }) &&
			inRange(query, "max-width:", func(px float64) bool { return px >= 1280 }) &&
			inRange(query, "min-height:", func(px float64) bool { return px <= 800 }) &&
			inRange(query, "max-height:", func(px float64) bool { return px >= 800 }) {
			return true
		}
	}
	return false
}

// inRange checks the limit that a media query sets, if it sets one.
func inRange(query, name string, check func(px float64) bool) bool {
	query = strings.ReplaceAll(query, " ", "")
	for {
		_, rest, found := strings.Cut(query, name)
		if !found {
			return true
		}
		value, _, _ := strings.Cut(rest, ")")
		if px, ok := pixels(value, 16); ok && !check(px) {
			return false
		}
		query = rest
	}
}
