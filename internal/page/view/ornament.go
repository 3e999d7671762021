package view

import (
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"techo/internal/page/dom"
)

// isPermalink reports whether an inline element is the mark beside a heading that
// links to it or edits it.
func isPermalink(n *html.Node) bool {
	if n.DataAtom != atom.A && n.DataAtom != atom.Span {
		return false
	}
	if n.DataAtom == atom.Span {
		return dom.HasWord(dom.Attr(n, "class"), "mw-editsection")
	}
	if href := dom.Attr(n, "href"); !strings.Contains(href, "#") {
		return false
	}
	switch strings.TrimSpace(dom.Text(n)) {
	case "¶", "#", "§", "🔗", "⚓", "Permalink", "permalink", "Link to this heading", "Permalink to this headline",
		"Permalink to this heading", "Anchor link", "Direct link to heading":
		return headingAround(n)
	case "\u200b": // Docusaurus
		return true
	}
	class := dom.Attr(n, "class")
	return headingAround(n) && (dom.HasWord(class, "headerlink") || dom.HasWord(class, "hash-link") ||
		dom.HasWord(class, "header-anchor") || dom.HasWord(class, "heading-anchor") || dom.HasWord(class,
		"anchorjs-link"))
}

// headingAround reports whether an element is in a heading, or in the title of a
// definition.
func headingAround(n *html.Node) bool {
	for up, steps := n.Parent, 0; up != nil && steps < 4; up, steps = up.Parent, steps+1 {
		if dom.HeadingLevel(up.DataAtom) > 0 || up.DataAtom == atom.Dt {
			return true
		}
	}
	return false
}

// isGutter reports whether a cell has the numbers of the lines of code beside it.
func isGutter(n *html.Node) bool {
	class := dom.Attr(n, "class")
	return class != "" && (dom.HasWord(class, "gutter") || dom.HasWord(class, "linenos") || dom.HasWord(class,
		"rouge-gutter") ||
		dom.HasWord(class, "line-numbers") || dom.HasWord(class, "blob-num") || dom.HasWord(class, "hljs-ln-numbers"))
}

// imageSource returns the address of an image. One that scripts load later comes
// before what stands in its place until then.
func imageSource(n *html.Node) string {
	for _, key := range [...]string{"data-src", "data-original", "data-lazy-src"} {
		if late := dom.Attr(n, key); late != "" && !strings.HasPrefix(late, "data:") {
			return late
		}
	}
	src := dom.Attr(n, "src")
	if src != "" && !strings.HasPrefix(src, "data:") && !strings.Contains(src, "placeholder") {
		return src
	}
	for _, key := range [...]string{"data-srcset", "srcset"} {
		if first, _, _ := strings.Cut(strings.TrimSpace(dom.Attr(n, key)), " "); first != "" {
			return strings.TrimSuffix(first, ",")
		}
	}
	return src
}
