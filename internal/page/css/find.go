package css

import (
	"errors"

	"golang.org/x/net/html"
)

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
