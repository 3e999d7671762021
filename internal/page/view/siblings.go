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

// templatesIn counts the children of a node by their templates.
func templatesIn(n *html.Node) map[template]int {
	all := map[template]int{}
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		if c.Type == html.ElementNode {
			all[templateOf(c)]++
		}
	}
	return all
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
