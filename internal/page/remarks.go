package page

import (
	"net/url"
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
			if m.amongContent(groups[next].elem) {
				for _, r := range groups[next].runs {
					add(r)
				}
			}
		}
		if i < len(c.keep) && m.keep[i] {
			for _, r := range c.outliner.blocks[i].runs {
				if r.image != "" {
					add(r)
				}
			}
		}
	}
	return all
}

// Comment is a comment of a reader.
type Comment struct {
	Author string `json:"author,omitempty"`
	Date   string `json:"date,omitempty"` // as written on the page
	Text   string `json:"text"`
}

// Comments returns the comments of the page outside of the content.
func (c *Content) Comments() []Comment {
	o := c.outliner
	owner := make([]int, len(o.elems)) // the nearest comment around each element, or -1
	for e := range o.elems {
		owner[e] = -1
		if up := o.elems[e].parent; up >= 0 {
			owner[e] = owner[up]
		}
		if isComment(&o.elems[e]) {
			owner[e] = e
		}
	}
	all := []Comment{}
	at := map[int]int{}
	for i := range o.blocks {
		e := owner[o.blocks[i].elem]
		if e < 0 || c.keep[i] || phrasesOf(&o.blocks[i])&(phraseControl|phraseDate) != 0 {
			continue
		}
		k, ok := at[e]
		if !ok {
			n := o.elems[e].node
			k = len(all)
			at[e] = k
			all = append(all, Comment{Author: o.page.tidy(authorOf(n, 0)), Date: o.page.tidy(dateOf(n, 0))})
		}
		text := o.blocks[i].text
		if all[k].Text == "" && strings.HasPrefix(text, all[k].Author) && len(text) < len(all[k].Author)+20 {
			continue // the byline
		}
		if all[k].Text != "" {
			all[k].Text += "\n"
		}
		all[k].Text += text
	}
	kept := all[:0]
	for _, one := range all {
		if countWords(one.Text) >= 1 {
			kept = append(kept, one)
		}
	}
	return kept
}

// isComment reports whether an element is one comment, not a list of them.
func isComment(e *element) bool {
	if e.own&inHeading != 0 || e.own&inForm != 0 {
		return false
	}
	single := false
	for class := range strings.FieldsSeq(strings.ToLower(attr(e.node, "class") + " " + attr(e.node, "id"))) {
		switch {
		case class == "comment", class == "comment-body", class == "comment-item", class == "comment-content",
			class == "kommentar", class == "reply":
			single = true
		case strings.HasPrefix(class, "comment-") && strings.Trim(class[8:], "0123456789") == "":
			single = true
		}
	}
	return single || e.own&isEntry != 0 && e.traits&(namedComment|namedReview) != 0
}
