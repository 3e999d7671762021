package view

import (
	"strings"

	"golang.org/x/net/html"

	"techo/internal/page/dom"
)

// template is the tag and the first class of an element.
type template struct{ tag, class string }

func templateOf(n *html.Node) template {
	class, _, _ := strings.Cut(strings.TrimSpace(dom.Attr(n, "class")), " ")
	return template{n.Data, class}
}

// templates has the templates of the children of an element: a list of few, or the
// counts of many.
type templates struct {
	few  []template
	many map[template]int
}

// maxFew is the number of templates that are compared one by one.
const maxFew = 6

// templatesIn returns the templates of the children of a node. A list of few is on top
// of o.siblings.
func (o *outliner) templatesIn(n *html.Node) (s templates) {
	from := len(o.siblings)
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		if c.Type != html.ElementNode {
			continue
		}
		t := templateOf(c)
		switch {
		case s.many != nil:
			s.many[t]++
		case len(o.siblings) < from+maxFew:
			o.siblings = append(o.siblings, t)
		default:
			s.many = map[template]int{t: 1}
			for _, one := range o.siblings[from:] {
				s.many[one]++
			}
		}
	}
	s.few = o.siblings[from:]
	return s
}

// count returns the number of children like an element.
func (s templates) count(n *html.Node) (count int) {
	t := templateOf(n)
	if s.many != nil {
		return s.many[t]
	}
	for _, one := range s.few {
		if one == t {
			count++
		}
	}
	return count
}

// nameOf returns a hash of the tag and the first two classes of an element,
// without digits. Elements of the same template share it.
func nameOf(n *html.Node) uint64 {
	const prime = 1099511628211
	h := uint64(14695981039346656037)
	for i := 0; i < len(n.Data); i++ {
		h = (h ^ uint64(n.Data[i])) * prime
	}
	class, words := strings.TrimLeft(dom.Attr(n, "class"), " \n\t"), 0
	for i := 0; i < len(class) && words < 2; i++ {
		c := class[i]
		if c >= '0' && c <= '9' {
			continue
		}
		if c == ' ' || c == '\n' || c == '\t' {
			words++
			c = ' '
		}
		h = (h ^ uint64(c)) * prime
	}
	return h
}
