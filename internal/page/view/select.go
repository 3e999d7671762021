package view

import (
	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"techo/internal/page/css"
)

// Exclude removes the elements that match. Plain is not affected.
func (p *Page) Exclude(s css.Selector) error {
	all, err := s.Find(p.root, p.hidden)
	for _, n := range all {
		if n != p.body && n.Parent != nil {
			n.Parent.RemoveChild(n)
		}
	}
	return err
}

// Select restricts the page to the elements that match, and returns their number. Plain
// is not affected.
func (p *Page) Select(s css.Selector) (int, error) {
	all, err := s.Find(p.root, p.hidden)
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
