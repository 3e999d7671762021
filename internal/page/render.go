package page

import (
	"net/url"
	"strings"

	"golang.org/x/net/html/atom"
)

// Heading is a heading of a page.
type Heading struct {
	Level int    `json:"level"` // 1 to 6
	Text  string `json:"text"`
}

// Link is a link of a page.
type Link struct {
	Text string `json:"text"`
	URL  string `json:"url"`
}

// Whole returns everything that a page shows.
func (p *Page) Whole() *Content {
	o := p.outline()
	c := &Content{Quality: 1, outliner: o, keep: make([]bool, len(o.blocks))}
	for i := range c.keep {
		c.keep[i] = true
	}
	return c
}

// Text returns the content as plain text: blocks are separated by blank lines,
// list items and table cells are not.
func (c *Content) Text() string {
	var b strings.Builder
	last := -1
	for i, k := range c.keep {
		if !k {
			continue
		}
		if last >= 0 {
			b.WriteString(c.outliner.between(last, i))
		}
		b.WriteString(c.outliner.blocks[i].text)
		last = i
	}
	for _, text := range c.descriptions {
		if b.Len() > 0 {
			b.WriteString("\n\n")
		}
		b.WriteString(text)
	}
	return b.String()
}

// between returns the separator of two blocks.
func (o *outliner) between(a, b int) string {
	if row := o.above(b, atom.Tr); row >= 0 && row == o.above(a, atom.Tr) {
		return "\t"
	}
	x, y := &o.elems[o.blocks[a].elem], &o.elems[o.blocks[b].elem]
	for _, kind := range []atom.Atom{atom.Li, atom.Td, atom.Th, atom.Dt, atom.Dd} {
		if y.node.DataAtom == kind && x.traits&(inList|inTable) != 0 &&
			x.traits&(inList|inTable) == y.traits&(inList|inTable) {
			return "\n"
		}
	}
	return "\n\n"
}

// above returns the nearest enclosing element of one of the kinds, or -1.
func (o *outliner) above(block int, kinds ...atom.Atom) int {
	for e := o.blocks[block].elem; e >= 0; e = o.elems[e].parent {
		o.page.work++
		for _, kind := range kinds {
			if o.elems[e].node.DataAtom == kind {
				return e
			}
		}
	}
	return -1
}

// Headings returns the headings of the content, in order.
func (c *Content) Headings() []Heading {
	all := []Heading{}
	for i, k := range c.keep {
		if level := c.level(i); k && level > 0 {
			all = append(all, Heading{level, strings.Join(strings.Fields(c.outliner.blocks[i].text), " ")})
		}
	}
	return all
}

// level returns the heading level of a block, 0 if it is not a heading.
func (c *Content) level(i int) int {
	o := c.outliner
	for e := o.blocks[i].elem; e >= 0; e = o.elems[e].parent {
		o.page.work++
		if level := headingLevel(o.elems[e].node.DataAtom); level > 0 {
			return level
		}
		if o.elems[e].traits&inHeading == 0 {
			return 0
		}
	}
	return 0
}

// Links returns the links of the content with absolute addresses, without
// duplicates.
func (c *Content) Links(from *url.URL) []Link {
	all := []Link{}
	at := map[string]int{}
	base := c.base(from)
	for i, k := range c.keep {
		if !k {
			continue
		}
		for _, r := range c.outliner.blocks[i].runs {
			address := absolute(base, r.href)
			if address == "" || r.style&lineBreak != 0 {
				continue
			}
			text := strings.TrimSpace(r.text)
			if n, ok := at[address]; ok {
				if all[n].Text == "" {
					all[n].Text = text
				}
				continue
			}
			at[address] = len(all)
			all = append(all, Link{text, address})
		}
	}
	return all
}

// base returns the base of relative links.
func (c *Content) base(from *url.URL) *url.URL {
	if declared := c.outliner.page.base; declared != "" {
		if base, err := from.Parse(declared); err == nil {
			return base
		}
	}
	if from.Host == "" { // a file: the page may name its address
		own, err := url.Parse(strings.TrimSpace(c.outliner.page.facts.canonical.text))
		if err == nil && own.Host != "" {
			return own
		}
	}
	return from
}

// absolute resolves an address. It returns "" if the result cannot be fetched.
func absolute(base *url.URL, href string) string {
	href = strings.TrimSpace(href)
	if href == "" || href[0] == '#' {
		return ""
	}
	u, err := base.Parse(href)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" && u.Scheme != "mailto" {
		return ""
	}
	return u.String()
}
