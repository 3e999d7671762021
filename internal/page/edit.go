package page

import (
	"net/url"
	"slices"
	"strings"

	"golang.org/x/net/html/atom"
)

// Edited returns the content as a document: with the heading that has the title of the
// page, and without headings at the end whose text was dropped.
func (c *Content) Edited() *Content {
	if !keepsAny(c.keep) {
		return c
	}
	edited := *c
	edited.keep = slices.Clone(c.keep)
	edited.cutHeadings()
	edited.addTitle()
	return &edited
}

// cutHeadings drops headings at the end of the content that announce dropped text.
func (c *Content) cutHeadings() {
	o := c.outliner
	dropped := false
	for i := len(c.keep) - 1; i >= 0; i-- {
		switch {
		case !c.keep[i]:
			dropped = dropped || o.elems[o.blocks[i].elem].traits&(inFooter|inNav) == 0
		case c.level(i) > 0 && dropped:
			c.keep[i] = false
		default:
			return
		}
	}
}

// addTitle keeps the first heading of level 1 if it is the title and the content
// below has none.
func (c *Content) addTitle() {
	o := c.outliner
	first := slices.Index(c.keep, true)
	if first < 0 {
		return
	}
	title := -1
	for e := range o.elems {
		if o.elems[e].node.DataAtom != atom.H1 || o.elems[e].first == o.elems[e].last {
			continue
		}
		if slices.Contains(c.keep[o.elems[e].first:o.elems[e].last], true) {
			return
		}
		if title < 0 && !c.isSiteName(e) {
			title = e
		}
	}
	if title < 0 || o.elems[title].first > first || o.elems[title].words > maxTitle {
		return
	}
	h := &o.elems[title]
	var parts []string
	for i := h.first; i < h.last; i++ {
		parts = append(parts, o.blocks[i].text)
	}
	text, own := letters(strings.Join(parts, "")), letters(o.page.Title)
	if text == "" || !strings.Contains(own, text) && (own == "" || !strings.Contains(text, own)) {
		return
	}
	if k := c.sameHeading(first, text); k >= 0 {
		return
	}
	for i := h.first; i < h.last; i++ {
		c.keep[i] = true
	}
}

// isSiteName reports whether a heading links to the start page.
func (c *Content) isSiteName(at int) bool {
	o := c.outliner
	for i := o.elems[at].first; i < o.elems[at].last; i++ {
		for _, r := range o.blocks[i].runs {
			if isStart(&url.URL{}, r.href) {
				return true
			}
		}
	}
	return false
}

// maxTitle is the number of words of a title.
const maxTitle = 40

// sameHeading returns the kept heading with the same letters as a title, or -1.
func (c *Content) sameHeading(from int, title string) int {
	for i := from; i < len(c.keep); i++ {
		if c.keep[i] && c.level(i) > 0 && letters(c.outliner.blocks[i].text) == title {
			return i
		}
	}
	return -1
}

// letters returns the letters and digits of a text in lower case.
func letters(text string) string {
	return strings.Map(func(r rune) rune {
		if isWordRune(r) {
			return r
		}
		return -1
	}, strings.ToLower(text))
}
