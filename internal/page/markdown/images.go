package markdown

import (
	"net/url"

	"techo/internal/page/content"
	"techo/internal/page/dom"
	"techo/internal/page/view"
)

// Image is an image of a page.
type Image struct {
	Alt string `json:"alt"`
	URL string `json:"url"`
}

// Images returns the images of a part of a page with absolute addresses, without
// duplicates.
func Images(c *content.Content, from *url.URL) []Image {
	all, seen := []Image{}, map[string]bool{}
	m := newWriter(c, from)
	add := func(r view.Run) {
		if address := dom.Absolute(m.inline.from, r.Image); address != "" && !seen[address] {
			seen[address] = true
			all = append(all, Image{r.Text, address})
		}
	}
	next := 0
	groups := c.Outline.Pictures
	for i := range len(c.Keep) + 1 {
		for ; next < len(groups) && groups[next].Block <= i; next++ {
			if m.part.amongContent(groups[next].Elem, 0) {
				for _, r := range groups[next].Runs {
					if !m.inline.isLogo(r) || m.inFigure(groups[next].Elem) {
						add(r)
					}
				}
			}
		}
		if i < len(c.Keep) && m.part.keep[i] {
			for _, r := range c.Outline.Blocks[i].Runs {
				if r.Image != "" {
					add(r)
				}
			}
		}
	}
	return all
}
