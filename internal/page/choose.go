package page

import (
	"errors"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// ErrSteps means that a selector takes too many steps on a page.
var ErrSteps = errors.New("the selector takes too many steps on this page")

// maxSteps limits the comparisons of a selector with the elements of a page.
const maxSteps = 20_000_000

// matches returns the outermost elements of a page that match, except hidden ones.
func (s Selector) matches(p *Page) (all []*html.Node, err error) {
	m := matcher{left: maxSteps}
	var walk func(n *html.Node)
	walk = func(n *html.Node) {
		for c := n.FirstChild; c != nil && !m.spent; c = c.NextSibling {
			if c.Type != html.ElementNode || p.hidden[c] {
				continue
			}
			if m.any(s, c) {
				all = append(all, c)
				continue
			}
			walk(c)
		}
	}
	walk(p.root)
	if m.spent {
		return nil, ErrSteps
	}
	return all, nil
}

// Exclude removes the matching elements from the page. Plain is not affected.
func (s Selector) Exclude(p *Page) error {
	all, err := s.matches(p)
	for _, n := range all {
		if n != p.body && n.Parent != nil {
			n.Parent.RemoveChild(n)
		}
	}
	return err
}

// Select restricts the page to the matching elements, and returns their number.
// Plain is not affected.
func (s Selector) Select(p *Page) (int, error) {
	all, err := s.matches(p)
	if err != nil {
		return 0, err
	}
	body := &html.Node{Type: html.ElementNode, Data: "body", DataAtom: atom.Body}
	for _, n := range all {
		part := &html.Node{Type: html.ElementNode, Data: "div", DataAtom: atom.Div}
		body.AppendChild(part)
		if n == p.root {
			continue
		}
		n.Parent.RemoveChild(n)
		part.AppendChild(n)
	}
	p.body = body
	return len(all), nil
}
