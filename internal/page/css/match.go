package css

import (
	"strconv"
	"strings"

	"golang.org/x/net/html"

	"techo/internal/page/dom"
)

// matcher compares elements with selectors, in a bounded number of steps. When they
// are used up nothing matches any more.
type matcher struct {
	left  int // remaining steps
	spent bool

	places map[siblings]place
}

func (m *matcher) step() bool {
	if m.left <= 0 {
		m.spent = true
		return false
	}
	m.left--
	return true
}

func (m *matcher) any(s Selector, n *html.Node) bool {
	for i := range s {
		if m.complex(s[i].parts, n) {
			return true
		}
	}
	return false
}

// complex reports whether an element matches the first part, and its surroundings
// the others.
func (m *matcher) complex(parts []compound, n *html.Node) bool {
	if !m.step() || !m.compound(&parts[0], n) {
		return false
	}
	if len(parts) == 1 {
		return true
	}
	switch rest := parts[1:]; parts[0].combined {
	case '>':
		return n.Parent != nil && n.Parent.Type == html.ElementNode && m.complex(rest, n.Parent)
	case '+':
		before := dom.ElementBefore(n)
		return before != nil && m.complex(rest, before)
	case '~':
		for before := dom.ElementBefore(n); before != nil && !m.spent; before = dom.ElementBefore(before) {
			if m.complex(rest, before) {
				return true
			}
		}
	default:
		for up := n.Parent; up != nil && up.Type == html.ElementNode && !m.spent; up = up.Parent {
			if m.complex(rest, up) {
				return true
			}
		}
	}
	return false
}

func (m *matcher) compound(c *compound, n *html.Node) bool {
	if c.tag != "" && !strings.EqualFold(c.tag, n.Data) {
		return false
	}
	if c.id != "" && dom.Attr(n, "id") != c.id {
		return false
	}
	if len(c.classes) > 0 {
		have := dom.Attr(n, "class")
		if len(have) < len(c.classes[0]) {
			return false
		}
		for _, class := range c.classes {
			if !dom.HasWord(have, class) {
				return false
			}
		}
	}
	for i := range c.attrs {
		if !c.attrs[i].matches(n) {
			return false
		}
	}
	for i := range c.pseudos {
		if !m.pseudo(&c.pseudos[i], n) {
			return false
		}
	}
	return true
}

func (a *attrTest) matches(n *html.Node) bool {
	for _, have := range n.Attr {
		if have.Key != a.name {
			continue
		}
		value, want := have.Val, a.value
		if a.fold {
			value, want = strings.ToLower(value), strings.ToLower(want)
		}
		switch a.operator {
		case '=':
			return value == want
		case '~':
			return want != "" && dom.HasWord(value, want)
		case '|':
			return value == want || strings.HasPrefix(value, want+"-")
		case '^':
			return want != "" && strings.HasPrefix(value, want)
		case '$':
			return want != "" && strings.HasSuffix(value, want)
		case '*':
			return want != "" && strings.Contains(value, want)
		}
		return true
	}
	return false
}

func (m *matcher) pseudo(p *pseudo, n *html.Node) bool {
	switch p.name {
	case "first-child":
		return dom.ElementBefore(n) == nil
	case "last-child":
		return dom.ElementAfter(n) == nil
	case "only-child":
		return dom.ElementBefore(n) == nil && dom.ElementAfter(n) == nil
	case "root":
		return n.Parent == nil || n.Parent.Type == html.DocumentNode
	case "link", "any-link":
		return n.Data == "a" && dom.Attr(n, "href") != ""
	case "empty":
		return n.FirstChild == nil
	case "not":
		return !m.any(p.of, n) && !m.spent
	case "is", "where", "matches":
		return m.any(p.of, n)
	}
	return m.nth(p, n)
}

// nth reports whether the position of an element among its siblings is a*n+b for
// some n from 0 on.
func (m *matcher) nth(p *pseudo, n *html.Node) bool {
	among := siblings{parent: n.Parent}
	if p.name != "nth-child" {
		among.name = n.Data
	}
	last := m.places[among]
	position := 0
	for one := n; one != nil; one = dom.ElementBefore(one) {
		if one == last.node {
			position += last.position
			break
		}
		if !m.step() {
			return false
		}
		if among.name == "" || one.Data == among.name {
			position++
		}
	}
	if m.places == nil {
		m.places = map[siblings]place{}
	}
	m.places[among] = place{n, position}
	if p.a == 0 {
		return position == p.b
	}
	return (position-p.b)%p.a == 0 && (position-p.b)/p.a >= 0
}

// siblings are the elements in an element, or those with a name.
type siblings struct {
	parent *html.Node
	name   string
}

// place is the last position that was found among siblings. The elements are compared
// in order, so the next position is found from it.
type place struct {
	node     *html.Node
	position int
}

// parseNth parses "odd", "even", "3", "2n+1" and the like.
func parseNth(text string) (a, b int, err error) {
	text = strings.ToLower(strings.ReplaceAll(text, " ", ""))
	switch text {
	case "odd":
		return 2, 1, nil
	case "even":
		return 2, 0, nil
	}
	step, rest, found := strings.Cut(text, "n")
	if !found {
		b, err = strconv.Atoi(text)
		return 0, b, err
	}
	switch step {
	case "", "+":
		a = 1
	case "-":
		a = -1
	default:
		if a, err = strconv.Atoi(step); err != nil {
			return 0, 0, err
		}
	}
	if rest != "" {
		b, err = strconv.Atoi(rest)
	}
	return a, b, err
}
