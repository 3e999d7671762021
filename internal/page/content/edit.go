package content

import (
	"net/url"
	"slices"
	"strings"

	"golang.org/x/net/html/atom"

	"techo/internal/page/dom"
	"techo/internal/page/runes"
	"techo/internal/page/traits"
)

// Edited returns the content as a document: with the heading that has the title of the
// page, and without headings at the end whose text was dropped.
func (c *Content) Edited() *Content {
	if !slices.Contains(c.Keep, true) {
		return c
	}
	edited := *c
	edited.Keep = slices.Clone(c.Keep)
	edited.cutHeadings()
	edited.addTitle()
	return &edited
}

// cutHeadings drops headings at the end of the content that announce dropped text.
func (c *Content) cutHeadings() {
	o := c.Outline
	dropped := false
	for i := len(c.Keep) - 1; i >= 0; i-- {
		switch {
		case !c.Keep[i]:
			dropped = dropped || o.Elems[o.Blocks[i].Elem].Traits&(traits.InFooter|traits.InNav) == 0
		case c.level(i) > 0 && dropped:
			c.Keep[i] = false
		default:
			return
		}
	}
}

// addTitle keeps the first heading of level 1 if it is the title and the content
// below has none.
func (c *Content) addTitle() {
	o := c.Outline
	first := slices.Index(c.Keep, true)
	if first < 0 {
		return
	}
	title := -1
	for e := range o.Elems {
		if o.Elems[e].Node.DataAtom != atom.H1 || o.Elems[e].First == o.Elems[e].Last {
			continue
		}
		if slices.Contains(c.Keep[o.Elems[e].First:o.Elems[e].Last], true) {
			return
		}
		if title < 0 && !c.isSiteName(e) {
			title = e
		}
	}
	if title < 0 || o.Elems[title].First > first || o.Elems[title].Words > maxTitle {
		return
	}
	h := &o.Elems[title]
	var parts []string
	for i := h.First; i < h.Last; i++ {
		parts = append(parts, o.Blocks[i].Text)
	}
	text, own := letters(strings.Join(parts, "")), letters(o.Page.Title)
	if text == "" || !strings.Contains(own, text) && (own == "" || !strings.Contains(text, own)) &&
		!c.isHeadline(title, first, text) || c.hasHeading(first, text) {
		return
	}
	for i := h.First; i < h.Last; i++ {
		c.Keep[i] = true
	}
	c.addStandfirst(h.Last, first)
}

// addStandfirst keeps the lines between the title and the text that say what the text is about.
func (c *Content) addStandfirst(from, to int) {
	const least, most = 4, 60 // words
	o := c.Outline
	for i := from; i < to; i++ {
		b, own := &o.Blocks[i], o.Elems[o.Blocks[i].Elem].Own
		if own&traits.NamedTitle != 0 && own&(traits.NamedMeta|traits.NamedAuthor|traits.NamedRelated|traits.NamedCaption) == 0 &&
			o.Elems[b.Elem].Traits&(traits.InNav|traits.InButton|traits.InFigure|traits.NamedMenu) == 0 &&
			b.Words >= least && b.Words <= most && b.Link == 0 && phrasesOf(b) == 0 {
			c.Keep[i] = true
		}
	}
}

// isSiteName reports whether a heading links to the start page.
func (c *Content) isSiteName(at int) bool {
	o := c.Outline
	for i := o.Elems[at].First; i < o.Elems[at].Last; i++ {
		for _, r := range o.Blocks[i].Runs {
			if dom.IsStart(&url.URL{}, r.Href) {
				return true
			}
		}
	}
	return false
}

// maxTitle is the number of words of a title.
const maxTitle = 40

// hasHeading reports whether a kept heading has the letters of a title.
func (c *Content) hasHeading(from int, title string) bool {
	for i := from; i < len(c.Keep); i++ {
		if c.Keep[i] && c.level(i) > 0 && letters(c.Outline.Blocks[i].Text) == title {
			return true
		}
	}
	return false
}

// letters returns the letters and digits of a text in lower case.
func letters(text string) string {
	return strings.Map(func(r rune) rune {
		if runes.IsWordRune(r) {
			return r
		}
		return -1
	}, strings.ToLower(text))
}
