package page

import (
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// Plain returns every piece of text on a line of its own, the title first,
// without scripts, styles, navigation and footers, as
//
//	soup.get_text(separator="\n", strip=True)
//
// does in Python. What a browser would hide is left out too.
func (p *Page) Plain() string {
	var b strings.Builder
	var walk func(n *html.Node)
	walk = func(n *html.Node) {
		for c := n.FirstChild; c != nil; c = c.NextSibling {
			switch {
			case c.Type == html.TextNode:
				if text := strings.TrimSpace(p.clean(c.Data)); text != "" {
					if b.Len() > 0 {
						b.WriteByte('\n')
					}
					b.WriteString(text)
				}
			case c.Type != html.ElementNode || p.hidden[c]:
			case c.DataAtom == atom.Script, c.DataAtom == atom.Style, c.DataAtom == atom.Nav, c.DataAtom == atom.Footer:
			default:
				walk(c)
			}
		}
	}
	walk(p.root)
	return b.String()
}
