package page

import (
	"net/url"
	"slices"
	"strings"
)

// Image is an image of a page.
type Image struct {
	Alt string `json:"alt"`
	URL string `json:"url"`
}

// Images returns the images of the content with absolute addresses, without
// duplicates.
func (c *Content) Images(from *url.URL) []Image {
	all, seen := []Image{}, map[string]bool{}
	m := newMarkdown(c, from)
	add := func(r run) {
		if address := absolute(m.inline.from, r.image); address != "" && !seen[address] {
			seen[address] = true
			all = append(all, Image{r.text, address})
		}
	}
	next := 0
	groups := c.outliner.pictures
	for i := range len(c.keep) + 1 {
		for ; next < len(groups) && groups[next].block <= i; next++ {
			if m.part.amongContent(groups[next].elem, 0) {
				for _, r := range groups[next].runs {
					if !m.inline.isLogo(r) || m.inFigure(groups[next].elem) {
						add(r)
					}
				}
			}
		}
		if i < len(c.keep) && m.part.keep[i] {
			for _, r := range c.outliner.blocks[i].runs {
				if r.image != "" {
					add(r)
				}
			}
		}
	}
	return all
}

// hasPart reports whether a class has one of several parts.
func hasPart(class string, parts ...string) bool {
	return slices.ContainsFunc(parts, func(part string) bool { return strings.Contains(class, part) })
}
