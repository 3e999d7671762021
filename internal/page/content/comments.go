package content

import (
	"slices"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"techo/internal/page/dom"
	"techo/internal/page/meta"
	"techo/internal/page/runes"
	"techo/internal/page/traits"
	"techo/internal/page/view"
)

// Comment is a comment of a reader.
type Comment struct {
	Author string `json:"author,omitempty"`
	Date   string `json:"date,omitempty"`  // as written on the page
	Depth  int    `json:"depth,omitempty"` // comments around it that it replies to
	Text   string `json:"text"`
}

// Comments returns the comments of the page outside of the content.
func (c *Content) Comments() []Comment {
	o := c.Outline
	owner, depth := owners(o)
	all := []Comment{}
	at := map[int]int{}
	comments, bylines := map[*html.Node]bool{}, map[int]*html.Node{}
	for e := range o.Elems {
		if owner[e] == e {
			comments[o.Elems[e].Node] = true
		}
	}
	for i := range o.Blocks {
		b := &o.Blocks[i]
		e := owner[b.Elem]
		if e < 0 || c.Keep[i] || isNotice(b.Text) || phrasesOf(b)&(phraseControl|phraseDate) != 0 {
			continue
		}
		k, ok := at[e]
		if !ok {
			k = len(all)
			at[e] = k
			by, date := signatureOf(o.Elems[e].Node, comments)
			bylines[e] = by
			all = append(all, Comment{Date: o.Page.Tidy(date), Depth: depth[e]})
			if by != nil {
				all[k].Author = o.Page.Tidy(meta.NameIn(by))
			}
		}
		one := &all[k]
		if one.Text == "" && isByline(b.Text, one.Author, o.Elems[b.Elem].Node, bylines[e]) {
			continue
		}
		if one.Text != "" {
			one.Text += "\n"
		}
		one.Text += b.Text
	}
	return slices.DeleteFunc(all, func(one Comment) bool { return runes.CountWords(one.Text) < 1 })
}

// maxByline is the length in bytes of what a byline has beside the name.
const maxByline = 20

// isByline reports whether a text at the begin of a comment is its byline: the name of the
// author, with little or a date after it in the same element.
func isByline(text, author string, n, by *html.Node) bool {
	if author == "" || !strings.HasPrefix(text, author) {
		return false
	}
	rest := strings.TrimSpace(text[len(author):])
	_, after, _ := strings.Cut(rest, " ") // behind a word such as "commented"
	return rest == "" || (within(n, by) || within(by, n)) && (len(rest) < maxByline || isDate(rest) || isDate(after))
}

// within reports whether a node is another one or inside it.
func within(n, other *html.Node) bool {
	for n != nil && n != other {
		n = n.Parent
	}
	return n != nil
}

// isNotice reports whether a text in a comment comes from the page.
func isNotice(text string) bool {
	switch strings.Trim(text, ".… ") {
	case "at", "Loading", "Like Like", "LikeLike", "says:":
		return true
	}
	return false
}

// signatureOf returns the author and the date of a comment, but of none of its replies.
func signatureOf(n *html.Node, comments map[*html.Node]bool) (by *html.Node, date string) {
	isOwn := func(c *html.Node) bool {
		for c != n && !comments[c] {
			c = c.Parent
		}
		return c == n
	}
	if by = meta.AuthorIn(n); by != nil && !isOwn(by) {
		by = nil
	}
	if dated := meta.FirstDated(n); dated != nil && isOwn(dated) {
		date = meta.DateText(dated)
	}
	return by, date
}

// kindOfPart is a kind of parts within a comment.
type kindOfPart struct {
	comment int
	name    uint64
}

// owners returns the comment that each element belongs to, or -1, and the number of
// comments around each comment. Parts of a comment may be marked like a comment. Several
// alike within one are comments of their own.
func owners(o *view.Outline) (owner, depth []int) {
	alike := map[kindOfPart]int{}
	owner, depth = make([]int, len(o.Elems)), make([]int, len(o.Elems))
	for _, final := range [...]bool{false, true} {
		for e := range o.Elems {
			owner[e] = -1
			if up := o.Elems[e].Parent; up >= 0 {
				owner[e] = owner[up]
			}
			if !isComment(&o.Elems[e]) {
				continue
			}
			above := owner[e]
			if above < 0 {
				owner[e], depth[e] = e, 0
				continue
			}
			kind := kindOfPart{above, o.Elems[e].Name}
			switch {
			case isReply(o, e, above):
				owner[e], depth[e] = e, depth[above]+1
			case !final:
				alike[kind]++
			case alike[kind] > 1:
				owner[e], depth[e] = e, depth[above]
			}
		}
	}
	return owner, depth
}

// isReply reports whether a comment within another is a reply: a list of replies is
// between them, or both are items or articles.
func isReply(o *view.Outline, e, above int) bool {
	kind := o.Elems[e].Node.DataAtom
	if (kind == atom.Li || kind == atom.Article) && kind == o.Elems[above].Node.DataAtom {
		return true
	}
	for up := o.Elems[e].Parent; up != above; up = o.Elems[up].Parent {
		o.Page.Work++
		if n := o.Elems[up].Node; n.DataAtom == atom.Ul || n.DataAtom == atom.Ol ||
			dom.HasPart(dom.Attr(n, "class"), "repl", "children", "thread") {
			return true
		}
	}
	return false
}

// isComment reports whether an element is one comment, not a list of them.
func isComment(e *view.Element) bool {
	if e.Own&(traits.InHeading|traits.InForm) != 0 {
		return false
	}
	single := false
	for class := range strings.FieldsSeq(strings.ToLower(dom.Attr(e.Node, "class") + " " + dom.Attr(e.Node, "id"))) {
		switch {
		case class == "comment", class == "comment-body", class == "comment-item", class == "comment-content",
			class == "kommentar", class == "reply":
			single = true
		case strings.HasPrefix(class, "comment-") && strings.Trim(class[8:], "0123456789") == "":
			single = true
		}
	}
	return single || e.Own&traits.IsEntry != 0 && e.Traits&(traits.NamedComment|traits.NamedReview) != 0
}
