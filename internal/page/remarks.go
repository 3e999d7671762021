package page

import (
	"net/url"
	"slices"
	"strings"

	"golang.org/x/net/html/atom"
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

// Comment is a comment of a reader.
type Comment struct {
	Author string `json:"author,omitempty"`
	Date   string `json:"date,omitempty"`  // as written on the page
	Depth  int    `json:"depth,omitempty"` // comments around it that it replies to
	Text   string `json:"text"`
}

// Comments returns the comments of the page outside of the content.
func (c *Content) Comments() []Comment {
	o := c.outliner
	owner, depth := owners(o)
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
			all = append(all, Comment{Author: o.page.tidy(authorOf(n)), Date: o.page.tidy(dateOf(n, 0)),
				Depth: depth[e]})
		}
		text := o.blocks[i].text
		author := all[k].Author
		if all[k].Text == "" && author != "" && strings.HasPrefix(text, author) && len(text) < len(author)+20 {
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

// owners returns the nearest comment around each element, or -1, and the number of
// comments around each comment. The parts of a comment may be marked like it; a
// reply is next to them.
func owners(o *outliner) (owner, depth []int) {
	owner, depth = make([]int, len(o.elems)), make([]int, len(o.elems))
	for e := range o.elems {
		owner[e] = -1
		if up := o.elems[e].parent; up >= 0 {
			owner[e] = owner[up]
		}
		if !isComment(&o.elems[e]) {
			continue
		}
		if above := owner[e]; above >= 0 {
			if depth[e] = depth[above]; isReply(o, e, above) {
				depth[e]++
			}
		}
		owner[e] = e
	}
	return owner, depth
}

// isReply reports whether a comment within another is a reply: a list of replies is
// between them.
func isReply(o *outliner, e, above int) bool {
	for up := e; up != above; up = o.elems[up].parent {
		if n := o.elems[up].node; up != e && (n.DataAtom == atom.Ul || n.DataAtom == atom.Ol ||
			hasPart(attr(n, "class"), "repl", "children", "thread")) ||
			up == e && (n.DataAtom == atom.Li || n.DataAtom == atom.Article) {
			return true
		}
	}
	return false
}

// hasPart reports whether a class has one of several parts.
func hasPart(class string, parts ...string) bool {
	return slices.ContainsFunc(parts, func(part string) bool { return strings.Contains(class, part) })
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
