package content

import (
	"net/url"
	"strings"

	"techo/internal/page/dom"
	"techo/internal/page/runes"
	"techo/internal/page/traits"
	"techo/internal/page/view"
)

// Related returns the links to other articles outside of the content: in parts that are
// named so, or below a heading that announces them.
func (c *Content) Related(from *url.URL) []Link {
	o := c.Outline
	all := []Link{}
	at := map[string]int{}
	for _, r := range c.Links(from) { // links of the content
		at[r.URL] = -1
	}
	base := o.Page.Base(from)
	if own := o.Page.Canonical(base); own != "" {
		at[own] = -1
	}
	announced := false
	for i := range o.Blocks {
		announced = c.announces(i, announced)
		own := o.Elems[o.Blocks[i].Elem].Traits
		if c.Keep[i] || !announced && own&traits.NamedRelated == 0 || own&furniture != 0 {
			continue
		}
		for _, link := range linksOf(&o.Blocks[i], base) {
			k, known := at[link.URL]
			switch {
			case !known && runes.CountWords(link.Text) >= minTitle && !isDate(link.Text) && !isIndex(link.URL):
				at[link.URL] = len(all)
				all = append(all, link)
			case known && k >= 0 && c.level(i) > 0:
				all[k].Text = link.Text // a heading rather than a teaser
			}
		}
	}
	return all
}

const (
	// minTitle is the least number of words in the title of an article. A shorter link
	// text names a control, a person or a topic.
	minTitle = 3

	// furniture are the traits of parts whose links lead to no articles.
	furniture = traits.InNav | traits.InFooter | traits.InForm | traits.NamedMenu | traits.NamedShare |
		traits.NamedComment | traits.NamedAd | traits.NamedCookie | traits.NamedTags |
		traits.NamedAuthor | traits.NamedSignup | traits.NamedDialog
)

// isIndex reports whether an address lists the articles of a person or a topic, by the
// names that publishing programs use.
func isIndex(address string) bool {
	for part := range strings.SplitSeq(address, "/") {
		switch part {
		case "author", "authors", "category", "categories", "tag", "tags":
			return true
		}
	}
	return false
}

// announces reports whether a block is below a heading that announces other content,
// if the block before is or is not.
func (c *Content) announces(i int, before bool) bool {
	o := c.Outline
	b := &o.Blocks[i]
	switch {
	case c.Keep[i]:
		return false
	case phrasesOf(b)&phraseOther != 0 && b.Link == 0:
		return true
	case c.level(i) > 0 && b.Link == 0:
		return false
	}
	return before
}

// linksOf returns the links of a block with their whole texts.
func linksOf(b *view.Block, base *url.URL) (all []Link) {
	last := ""
	for _, r := range b.Runs {
		address := dom.Absolute(base, r.Href)
		if r.Image != "" || !strings.HasPrefix(address, "http") {
			last = ""
			continue
		}
		if address != last {
			all = append(all, Link{URL: address})
		}
		last = address
		all[len(all)-1].Text += r.Text
	}
	for i := range all {
		all[i].Text = strings.Join(strings.Fields(all[i].Text), " ")
	}
	return all
}
