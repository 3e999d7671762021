package css

import (
	"errors"
	"slices"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"techo/internal/page/dom"
)

// cascade has the winning declarations of one element.
type cascade struct {
	won    [propertyCount]*declaration // nil without a declaration
	weight [propertyCount]int
}

// Weights of declarations, above all selectors.
const (
	weightAttribute = 1 << 30 // of a style attribute
	weightImportant = 1 << 40
)

// add applies declarations. Later ones win over earlier ones of the same weight.
func (c *cascade) add(d *declarations, weight int) {
	for i := range d.all {
		one, w := &d.all[i], weight+1
		if one.important {
			w += weightImportant
		}
		if w >= c.weight[one.property] {
			c.won[one.property], c.weight[one.property] = one, w
		}
	}
}

var undeclared declaration

func (c *cascade) value(p property) *value {
	if c.won[p] == nil {
		return &undeclared.value
	}
	return &c.won[p].value
}

func (c *cascade) declares(p property) bool { return c.won[p] != nil }

func (c *cascade) has(p property) bool { return c.won[p] != nil && c.won[p].value.kind == hides }

// Look is what an element inherits that decides whether its text can be seen.
type Look struct {
	Silent  bool    // the text of the element cannot be seen, although elements in it may be seen
	suspect bool    // a property with a suspicious value applies, so the elements within are examined
	Unseen  bool    // visibility
	font    float64 // size in pixels if suspicious, otherwise 0
	sized   bool    // font has a value
	colour  colour
	hued    bool // colour has a value
}

// examine computes the look of an element from its parent's, and reports
// whether style sheets or its style attribute hide it with everything in it.
func (s *Sheet) examine(n *html.Node, up Look) (own Look, hidden bool) {
	inline := s.inline(n)
	if inline != nil {
		s.colours.noteAll(inline)
	}
	if ground := dom.Attr(n, "bgcolor"); ground != "" {
		if hue, ok := parseColour(ground); ok {
			s.colours.noteHue(hue)
		}
	}
	suspect := up.suspect || inline != nil && (inline.suspect || s.colours.camouflaged(inline)) ||
		n.DataAtom == atom.Font && dom.Attr(n, "color") != ""
	if !suspect {
		s.eachMatch(&s.suspects, n, func(int32) bool { suspect = true; return false })
	}
	if !suspect {
		return up, false
	}
	var c cascade
	s.apply(&c, n, inline)
	if c.hidesAll() {
		return up, true
	}
	return s.inherit(n, up, &c), false
}

// inline returns the declarations of a style attribute, nil without one.
func (s *Sheet) inline(n *html.Node) *declarations {
	if style := dom.Attr(n, "style"); style != "" {
		return declare(style, s.known)
	}
	return nil
}

func (s *Sheet) apply(c *cascade, n *html.Node, inline *declarations) {
	if n.DataAtom == atom.Font {
		c.attribute(cssTextColour, dom.Attr(n, "color"))
	}
	c.attribute(cssBackground, dom.Attr(n, "bgcolor"))
	matches := s.matches[:0]
	s.eachMatch(&s.every, n, func(at int32) bool { matches = append(matches, at); return true })
	s.matches = matches
	slices.Sort(matches)
	for _, at := range matches {
		c.add(s.rules[at].declared, s.rules[at].specificity)
	}
	if inline != nil {
		c.add(inline, weightAttribute)
	}
}

// attribute applies a colour in an attribute of old HTML.
func (c *cascade) attribute(p property, text string) {
	if text == "" {
		return
	}
	if hue, ok := parseColour(text); ok {
		c.add(&declarations{all: []declaration{{property: p, value: value{kind: coloured, colour: hue}}}}, 0)
	}
}

// hidesAll reports whether an element is hidden with everything in it.
func (c *cascade) hidesAll() bool {
	placed := c.has(cssPosition)
	moved := placed || c.value(cssPosition).kind == pixelLength
	switch {
	case c.has(cssDisplay), c.has(cssContentVisibility), c.has(cssClipPath), c.has(cssTransform), c.has(cssFilter),
		c.has(cssZoom), placed && c.has(cssClip):
		return true
	case c.value(cssTextIndent).away(), c.value(cssMargin).away():
		return true
	case moved && (c.value(cssLeft).away() || c.value(cssTop).away() || c.value(cssRight).away() ||
		c.value(cssBottom).away()):
		return true
	case c.has(cssOverflow) && !c.has(cssFlex) && (c.small(cssHeight) || c.small(cssMaxHeight) || c.small(cssWidth) ||
		c.small(cssMaxWidth)):
		return true
	}
	moving := c.value(cssTransform).kind != plain || c.has(cssMotion) // a transition will show it
	return c.value(cssOpacity).faint() && !moving
}

// IsSpoken reports whether an element is placed without a size, as texts for screen
// readers are. No control shows them.
func (s *Sheet) IsSpoken(n *html.Node) bool {
	var c cascade
	s.apply(&c, n, s.inline(n))
	return c.has(cssPosition) && (c.has(cssClip) || c.small(cssWidth) && c.small(cssHeight))
}

// small reports whether a size leaves no room for text.
func (c *cascade) small(p property) bool {
	v := c.value(p)
	return v.kind == pixelLength && v.number <= tinySize && v.number >= 0 || v.kind == relativeLength && v.number == 0
}

// inherit computes what an element passes on to those in it.
func (s *Sheet) inherit(n *html.Node, up Look, c *cascade) Look {
	own := up
	if c.declares(cssVisibility) && c.value(cssVisibility).kind != inherits {
		own.Unseen = c.has(cssVisibility) && !s.visible
	}
	switch v := c.value(cssFontSize); {
	case !c.declares(cssFontSize) || v.kind == inherits:
	case v.kind == pixelLength:
		own.font, own.sized = v.number, true
	case v.kind == relativeLength && up.sized:
		own.font *= v.number
	case v.kind == relativeLength:
		own.font, own.sized = 16*v.number, true
	default:
		own.sized = false
	}
	hue := c.value(cssTextColour)
	if c.declares(cssTextFill) && c.value(cssBackground).kind != pictured {
		hue = c.value(cssTextFill)
	}
	switch {
	case !c.declares(cssTextColour) && !c.declares(cssTextFill) || hue.kind == inherits:
	case hue.kind == coloured:
		own.colour, own.hued = hue.colour, true
	default:
		own.hued = false
	}
	if !c.declares(cssTextColour) && !c.declares(cssTextFill) && c.value(cssBackground).kind == coloured {
		own.colour, own.hued = s.inkAbove(n) // an element between may have set another colour
	}
	camouflaged := own.hued && s.blends(n, own.colour, c) || !own.hued && c.covers(s.foreign)
	own.Silent = own.Unseen || own.sized && own.font <= tinyFont || camouflaged
	own.suspect = own.Silent
	return own
}

// covers reports whether an element has the background colour of usual text,
// without a colour for its text. The rules of foreign style sheets are unknown.
func (c *cascade) covers(foreign bool) bool {
	ground := c.value(cssBackground)
	return !foreign && ground.kind == coloured && ground.colour.alpha > maxFaint && black.like(ground.colour)
}

// ground is what lies behind the text of an element.
type ground struct {
	value value // of the background
	ink   value // the colour of the text
	inked bool  // the element declares it
	apart bool  // the element is placed on its own, perhaps over something else
}

func (c *cascade) ground() ground {
	g := ground{value: *c.value(cssBackground), apart: c.has(cssPosition)}
	g.ink, g.inked = *c.value(cssTextColour), c.declares(cssTextColour)
	return g
}

// blends reports whether a text colour is the colour of the background.
func (s *Sheet) blends(n *html.Node, text colour, c *cascade) bool {
	behind := c.ground()
	if text.alpha <= maxFaint {
		return behind.value.kind != pictured // a picture may shine through letters
	}
	for {
		switch v := behind.value; {
		case v.kind == pictured:
			return false
		case v.kind == coloured && v.colour.alpha > 0.5:
			return text.like(v.colour)
		case behind.apart || !s.matcher.step():
			return false
		}
		if s.foreign && (dom.Attr(n, "class") != "" || dom.Attr(n, "id") != "") {
			return false // an external style sheet may give it a background
		}
		if n = n.Parent; n == nil || n.Type != html.ElementNode {
			return !s.foreign && text.like(white)
		}
		behind = s.groundOf(n)
	}
}

// inkAbove returns the text colour that an element inherits.
func (s *Sheet) inkAbove(n *html.Node) (c colour, ok bool) {
	for up := n.Parent; up != nil && up.Type == html.ElementNode && s.matcher.step(); up = up.Parent {
		if g := s.groundOf(up); g.inked && g.ink.kind != inherits {
			return g.ink.colour, g.ink.kind == coloured
		}
	}
	return c, false
}

// groundOf returns what lies behind the text of an element around a suspicious one.
func (s *Sheet) groundOf(n *html.Node) ground {
	if g, ok := s.grounds[n]; ok {
		return g
	}
	var c cascade
	s.apply(&c, n, s.inline(n))
	g := c.ground()
	if s.grounds == nil {
		s.grounds = map[*html.Node]ground{}
	}
	s.grounds[n] = g
	return g
}

// ErrSteps means that a selector takes too many steps on a page.
var ErrSteps = errors.New("the selector takes too many steps on this page")

// maxSteps limits the comparisons of a selector with the elements of a page.
const maxSteps = 20_000_000

// Find returns the outermost elements in a tree that match, without those that are
// skipped.
func (s Selector) Find(root *html.Node, skip map[*html.Node]bool) (all []*html.Node, err error) {
	m := matcher{left: maxSteps}
	var walk func(n *html.Node)
	walk = func(n *html.Node) {
		for c := n.FirstChild; c != nil && !m.spent; c = c.NextSibling {
			if c.Type != html.ElementNode || skip[c] {
				continue
			}
			if m.any(s, c) {
				all = append(all, c)
				continue
			}
			walk(c)
		}
	}
	walk(root)
	if m.spent {
		return nil, ErrSteps
	}
	return all, nil
}
