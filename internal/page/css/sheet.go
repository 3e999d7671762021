// Package css finds the elements that a page's own style sheets and attributes hide: it
// parses rules and selectors, matches them and cascades the few properties that can hide
// text. It owns the limits of that work. It knows nothing of how a page is read or of what
// its text means.
package css

import (
	"strings"

	"golang.org/x/net/html"
)

// Limits of the style sheets of a page. The page counts as cut if they exceed them.
const (
	maxSheet    = 4 << 20 // bytes
	maxRules    = 20_000  // selectors with a property that can hide
	maxNestedAt = 8       // levels of @media and the like
	maxHues     = 64      // different background colours
)

// Sheet has the rules of a page's own style sheets that can hide text. External
// style sheets are not fetched.
type Sheet struct {
	rules    []styleRule
	every    index           // all rules
	suspects index           // rules that can hide text
	attrs    map[string]bool // names of attributes in selectors
	siblings bool            // selectors depend on siblings
	colours  palette
	known    variables

	foreign bool                  // the page has external style sheets, whose rules are unknown
	grounds map[*html.Node]ground // of the elements around suspicious text
	steps   int
	late    map[string]bool // signatures of hidden elements that scripts show
	visible bool            // the visibility has no effect, for scripts change it
	cut     bool            // the sheets exceed the limits
	matcher matcher
	matches []int32 // a buffer
}

// index finds rules by a name that every matching element has.
type index struct {
	byID, byClass, byTag map[string][]int32
	other                []int32 // rules without any of these
}

// styleRule is one selector of a style rule, with its declarations.
type styleRule struct {
	selector    *complexSelector
	declared    *declarations
	specificity int
	simple      bool // the selector is one tag, id or class
}

// note prepares the names in a selector for the comparison.
func (s *Sheet) note(c *complexSelector) {
	for i := range c.parts {
		s.siblings = s.siblings || c.parts[i].combined == '+' || c.parts[i].combined == '~'
		s.noteAttributes(&c.parts[i])
	}
}

// isSimple reports whether the name under which the index has a selector is all of
// it.
func (c *complexSelector) isSimple() bool {
	last := &c.parts[0]
	names := len(last.classes)
	if last.tag != "" {
		names++
	}
	if last.id != "" {
		names++
	}
	return len(c.parts) == 1 && names == 1 && len(last.attrs) == 0 && len(last.pseudos) == 0
}

// put adds a rule to the index.
func (x *index) put(at int32, last *compound) {
	add := func(m *map[string][]int32, key string) {
		if *m == nil {
			*m = map[string][]int32{}
		}
		(*m)[key] = append((*m)[key], at)
	}
	switch {
	case last.id != "":
		add(&x.byID, last.id)
	case len(last.classes) > 0:
		add(&x.byClass, last.classes[0])
	case last.tag != "":
		add(&x.byTag, last.tag)
	default:
		x.other = append(x.other, at)
	}
}

func (s *Sheet) noteAttributes(c *compound) {
	note := func(name string) {
		if s.attrs == nil {
			s.attrs = map[string]bool{}
		}
		s.attrs[name] = true
	}
	for _, a := range c.attrs {
		note(a.name)
	}
	for _, p := range c.pseudos {
		if p.name == "link" || p.name == "any-link" {
			note("href")
		}
		s.siblings = s.siblings || p.name == "first-child" || p.name == "nth-child" || p.name == "nth-of-type"
		for i := range p.of {
			for k := range p.of[i].parts {
				s.noteAttributes(&p.of[i].parts[k])
			}
		}
	}
}

// Restart allows as many comparisons as for a new page.
func (s *Sheet) Restart() { s.matcher = matcher{left: s.steps} }

// Taken returns the number of comparisons since the last restart.
func (s *Sheet) Taken() int { return s.steps - s.matcher.left }

// IsCut reports whether the sheets exceed the limits, or took all comparisons.
func (s *Sheet) IsCut() bool { return s.cut || s.matcher.spent }

// ComparesSiblings reports whether a rule depends on the siblings of elements.
func (s *Sheet) ComparesSiblings() bool { return s.siblings }

// eachMatch calls do with the rules of an index that match an element, until do
// returns false.
func (s *Sheet) eachMatch(x *index, n *html.Node, do func(at int32) bool) {
	if len(s.rules) == 0 {
		return
	}
	compare := func(candidates []int32) bool {
		for _, at := range candidates {
			r := &s.rules[at]
			if (r.simple && s.matcher.step() || s.matcher.complex(r.selector.parts, n)) && !do(at) {
				return false
			}
		}
		return true
	}
	if !compare(x.byTag[n.Data]) || !compare(x.other) {
		return
	}
	for _, a := range n.Attr {
		switch a.Key {
		case "id":
			if !compare(x.byID[a.Val]) {
				return
			}
		case "class":
			if x.byClass == nil {
				continue
			}
			for class := range strings.FieldsSeq(a.Val) {
				if !s.matcher.step() || !compare(x.byClass[class]) {
					return
				}
			}
		}
	}
}

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
