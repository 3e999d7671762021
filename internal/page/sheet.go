package page

import (
	"slices"
	"strings"

	"golang.org/x/net/html"
)

// Limits of the style sheets of a page. The page counts as cut if they exceed them.
const (
	maxSheet    = 4 << 20 // bytes
	maxRules    = 20_000  // selectors with a property that can hide
	maxNestedAt = 8       // levels of @media and the like
	maxHues     = 64      // different background colours
	maxMedia    = 100     // different at-rules whose meaning is kept
)

// sheet has the rules of a page's own style sheets that can hide text. External
// style sheets are not fetched.
type sheet struct {
	rules    []styleRule
	every    index           // all rules
	suspects index           // rules that can hide text
	inks     []colour        // text colours
	hues     []colour        // background colours
	attrs    map[string]bool // names of attributes in selectors
	siblings bool            // selectors depend on siblings
	known    variables

	foreign bool                  // the page has external style sheets, whose rules are unknown
	grounds map[*html.Node]ground // of the elements around suspicious text
	steps   int
	late    map[string]bool // signatures of hidden elements that scripts show
	visible bool            // the visibility has no effect, for scripts change it
	cut     bool            // the sheets exceed the limits
	matcher matcher
	matches []int32 // a buffer
	paths   paths
	used    *used           // names in the page, nil if they are not known
	media   map[string]bool // whether the rules in an at-rule apply
	chosen  []string        // a buffer
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

	names, around names // that the element must have, and those around it
}

// add reads the style sheets of a page.
func (s *sheet) add(sheets []string) {
	all := make([]string, len(sheets))
	for i, css := range sheets {
		s.cut = s.cut || len(css) > maxSheet
		all[i] = withoutComments(css[:min(len(css), maxSheet)])
	}
	if slices.ContainsFunc(all, func(css string) bool { return strings.Contains(css, "var(") }) {
		s.known = variables{}
		for _, css := range all {
			s.known.collect(css)
		}
	}
	for _, css := range all {
		s.read(css, 0)
	}
}

// read reads rules up to the end of the text.
func (s *sheet) read(css string, depth int) {
	for open, from := -1, 0; from < len(css); {
		if open < from {
			n := strings.IndexByte(css[from:], '{')
			if n < 0 {
				n = len(css) - from
			}
			open = from + n
		}
		head := css[from:open]
		if end := strings.IndexByte(head, ';'); end >= 0 {
			if strings.HasPrefix(strings.TrimSpace(head[:end]), "@import") {
				s.foreign = true
			}
			from += end + 1
			continue
		}
		if open == len(css) {
			return
		}
		head = strings.TrimSpace(head)
		body := css[open+1:]
		body = body[:blockEnd(body)]
		from = open + 1 + len(body) + 1
		switch {
		case !strings.HasPrefix(head, "@"):
			s.addRules(head, body, depth)
		case depth == maxNestedAt:
			s.cut = true
		case recallApplies(s, head):
			s.read(body, depth+1)
		}
	}
}

// withoutComments removes the comments of a style sheet.
func withoutComments(css string) string {
	if !strings.Contains(css, "/*") {
		return css
	}
	var b strings.Builder
	from := 0
	for i := 0; i < len(css); i++ {
		switch c := css[i]; c {
		case '"', '\'':
			if end := strings.IndexByte(css[i+1:], c); end >= 0 {
				i += end + 1
			}
		case '/':
			if i+1 == len(css) || css[i+1] != '*' {
				continue
			}
			b.WriteString(css[from:i])
			end := strings.Index(css[i+2:], "*/")
			if end < 0 {
				return b.String()
			}
			i += end + 3
			from = i + 1
		}
	}
	b.WriteString(css[from:])
	return b.String()
}

// blockEnd returns the position of the brace that ends a block, or the length of
// the text.
func blockEnd(text string) int {
	end := strings.IndexByte(text, '}')
	if end >= 0 && strings.IndexByte(text[:end], '{') < 0 && strings.IndexByte(text[:end], '"') < 0 &&
		strings.IndexByte(text[:end], '\'') < 0 {
		return end
	}
	depth := 0
	for i := 0; i < len(text); {
		switch text[i] {
		case '{':
			depth++
		case '}':
			if depth == 0 {
				return i
			}
			depth--
		case '"', '\'':
			if end := strings.IndexByte(text[i+1:], text[i]); end >= 0 && end < 10_000 {
				i += end + 1
			}
		}
		i++
	}
	return len(text)
}

// noteHues collects the different background colours.
func (s *sheet) noteHues(d *declarations) {
	for _, one := range d.all {
		switch {
		case one.value.kind != coloured:
		case one.property == cssBackground:
			s.noteHue(one.value.colour)
		case one.property == cssTextColour && len(s.inks) < maxHues && !slices.Contains(s.inks, one.value.colour):
			s.inks = append(s.inks, one.value.colour)
		}
	}
}

func (s *sheet) noteHue(c colour) {
	if c.alpha > maxFaint && len(s.hues) < maxHues && !slices.Contains(s.hues, c) {
		s.hues = append(s.hues, c)
	}
}

// note prepares the names in a selector for the comparison.
func (s *sheet) note(c *complexSelector) {
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

func (s *sheet) noteAttributes(c *compound) {
	note := func(name string) {
		if s.attrs == nil {
			s.attrs = map[string]bool{}
		}
		s.attrs[name] = true
	}
	for _, class := range c.classes {
		s.paths.name(&s.paths.classes, class)
	}
	if c.id != "" {
		s.paths.name(&s.paths.ids, c.id)
	}
	for _, a := range c.attrs {
		note(a.name)
		if a.operator != 0 {
			if s.paths.valued == nil {
				s.paths.valued = map[string]bool{}
			}
			s.paths.valued[a.name] = true
		}
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

// finish completes the indexes when all rules are known, and sets the number of
// comparisons with the elements of the page.
func (s *sheet) finish(elements int) {
	s.steps = 200_000 + 40*elements
	s.matcher = matcher{left: s.steps}
	for i := range s.rules {
		r := &s.rules[i]
		s.every.put(int32(i), &r.selector.parts[0])
		if r.declared.suspect || s.camouflaged(r.declared) {
			s.suspects.put(int32(i), &r.selector.parts[0])
		}
	}
}

// camouflaged reports whether a declared text colour is the colour of some
// background, or a background the colour of some text.
func (s *sheet) camouflaged(d *declarations) bool {
	for _, one := range d.all {
		against := s.hues
		switch {
		case one.value.kind != coloured:
			continue
		case one.property == cssBackground && one.value.colour.alpha > maxFaint:
			against = s.inks
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

// eachMatch calls do with the rules of an index that match an element, until do
// returns false.
func (s *sheet) eachMatch(x *index, n *html.Node, do func(at int32) bool) {
	if len(s.rules) == 0 {
		return
	}
	compare := func(candidates []int32) bool {
		for _, at := range candidates {
			r := &s.rules[at]
			if !r.simple && (!s.matcher.around.hasAll(&r.around) || !s.matcher.names.hasAll(&r.names)) {
				continue
			}
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
