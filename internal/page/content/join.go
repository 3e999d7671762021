package content

import (
	"net/url"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"techo/internal/page/dom"
	"techo/internal/page/meta"
	"techo/internal/page/traits"
)

// joinBoxes raises the odds of boxes that warn or explain, and of questions in buttons, to those
// of the text around them. A notice about cookies is none.
func (s *surroundings) joinBoxes(odds []float64) {
	for at := range s.Elems {
		e := &s.Elems[at]
		if e.First == e.Last || e.Traits&(traits.NamedCookie|traits.InNav|traits.InFooter) != 0 || !isAside(e.Node) {
			continue
		}
		consent := false
		for i := e.First; i < e.Last; i++ {
			consent = consent || s.phrases[i]&(phraseConsent|phraseAppeal) != 0 ||
				s.Blocks[i].Link > 0.8*s.Blocks[i].Words && s.Blocks[i].Words > 1 // a call to action
		}
		mean := s.around(structure{first: e.First, last: e.Last}, odds)
		if traits.AreNotes(e.Node) {
			mean = max(mean, 1) // at the end, wherever that is
		}
		if mean > 0 && !consent {
			for i := e.First; i < e.Last; i++ {
				odds[i] = max(odds[i], mean/2)
			}
		}
	}
	for i := 0; i+1 < len(odds); i++ {
		b := &s.Blocks[i]
		if strings.HasPrefix(b.Text, "$$") && strings.HasSuffix(b.Text, "$$") && i > 0 { // a formula of its own
			odds[i] = max(odds[i], min(odds[i-1], odds[i+1])/2, odds[i-1]/4)
			if isNumber(s.Blocks[i+1].Text) {
				odds[i+1] = max(odds[i+1], odds[i])
			}
		}
		if s.isQuestion(i) && odds[i+1] > 0 && s.Blocks[i+1].IsProse() {
			odds[i] = max(odds[i], odds[i+1]/2)
		}
	}
	s.joinBetween(odds)
}

// isQuestion reports whether a block is a question in a button that shows its answer.
func (s *surroundings) isQuestion(i int) bool {
	b := &s.Blocks[i]
	return s.Elems[b.Elem].Traits&traits.InButton != 0 && b.Words >= 2 &&
		(strings.HasSuffix(b.Text, "?") || strings.HasSuffix(b.Text, "？"))
}

// Limits of what joinBetween keeps.
const (
	maxGapBlocks = 12
	maxGapWords  = 60
)

// joinBetween keeps the few short texts between two paragraphs of an article, whatever their
// classes: boxes, answers, definitions. Links, controls and what is marked as something else
// stay out.
func (s *surroundings) joinBetween(odds []float64) {
	if s.kind == listingPage || s.kind == productPage {
		return
	}
	before := -1 // the last sure paragraph
	for i := range odds {
		if odds[i] <= 0 || !s.Blocks[i].IsProse() {
			continue
		}
		if gap := i - before - 1; before >= 0 && gap > 0 && gap <= maxGapBlocks &&
			s.oneText(before, i) {
			words, fits := 0.0, true
			for k := before + 1; k < i; k++ {
				words += s.Blocks[k].Words
				fits = fits && (odds[k] > 0 || s.isPlain(k))
			}
			if fits && words <= maxGapWords {
				for k := before + 1; k < i; k++ {
					odds[k] = max(odds[k], min(odds[before], odds[i])/2)
				}
			}
		}
		before = i
	}
}

// oneText reports whether two paragraphs belong to the same text: what one of them lies in has the
// other, too.
func (s *surroundings) oneText(i, k int) bool {
	in := func(up, i int) bool { return up > 0 && s.Elems[up].First <= i && i < s.Elems[up].Last }
	return in(s.Elems[s.Blocks[i].Elem].Parent, k) || in(s.Elems[s.Blocks[k].Elem].Parent, i)
}

// isPlain reports whether nothing marks a block as something beside the text.
func (s *surroundings) isPlain(i int) bool {
	const beside = traits.InNav | traits.InFooter | traits.InAside | traits.InForm | traits.InFigure | traits.InCaption |
		traits.NamedCard | traits.NamedSidebar | traits.NamedMenu | traits.NamedCrumb | traits.NamedComment |
		traits.NamedShare | traits.NamedRelated | traits.NamedMeta | traits.NamedTags | traits.NamedAuthor |
		traits.NamedDialog | traits.NamedCookie | traits.NamedSignup | traits.NamedAd | traits.NamedFooter |
		traits.NamedHidden | traits.NamedButton | traits.NamedCaption | traits.NamedCart | traits.NamedPrice |
		traits.NamedPoster | traits.NamedSlide | traits.NamedFilter
	b := &s.Blocks[i]
	own := s.Elems[b.Elem].Traits
	if s.isQuestion(i) {
		own &^= traits.InButton | traits.NamedButton
	}
	if own&traits.NamedPanel != 0 {
		own &^= traits.NamedCard // an item of an accordion
	}
	return own&(beside|traits.InButton) == 0 && b.Link <= 0.3*b.Words && s.phrases[i]&^phraseDate == 0
}

// isNumber reports whether a text is the number of a formula, as in (7) and (A.12).
func isNumber(text string) bool {
	inner, ok := strings.CutPrefix(text, "(")
	inner, end := strings.CutSuffix(inner, ")")
	return ok && end && strings.ContainsAny(inner, "0123456789") && len(inner) < 8 && !strings.ContainsAny(inner, " ()")
}

// isAside reports whether an element is a box, or has footnotes.
func isAside(n *html.Node) bool {
	return traits.IsBox(n) || traits.AreNotes(n) || n.DataAtom == atom.Footer && n.Parent != nil &&
		n.Parent.DataAtom == atom.Blockquote
}

// findThread finds out whether comments are the page: on forums, issue trackers and sites of
// links, whose programs mark them as such.
func (s *surroundings) findThread() {
	comments, others, marked, issue := 0.0, 0.0, 0, false
	for i := range s.Blocks {
		switch b := &s.Blocks[i]; {
		case s.Elems[b.Elem].InComment:
			comments += b.Words
		case b.IsProse():
			others += b.Words
		}
	}
	for at := range s.Elems {
		n := s.Elems[at].Node
		if dom.HasPart(strings.ToLower(dom.Attr(n, "class")+" "+dom.Attr(n, "data-testid")), "issue-comment", "timeline-comment",
			"issue-body", "comment-tree", "comtr", "bz_comment", "usertext-body", "comment_bug", "ticket-comment",
			"issue_comment", "note-body", "commenttext") {
			marked++
			issue = issue || dom.HasPart(dom.Attr(n, "class")+dom.Attr(n, "data-testid"), "issue-body")
		}
	}
	article := s.Page.Claims&(meta.ClaimArticle|meta.AtArticle) != 0 || s.articles == 1
	if s.kind == listingPage || s.kind == productPage || s.posts && !issue {
		return
	}
	s.thread = comments >= minRest && (issue || marked >= 2 && 2*comments > others || marked == 1 && comments > others || !article && comments > 3*others)
}

// joinThread keeps the comments of a page that consists of them.
func (s *surroundings) joinThread(odds []float64) {
	if !s.thread {
		return
	}
	for i := range odds {
		b, e := &s.Blocks[i], &s.Elems[s.Blocks[i].Elem]
		byline := b.Words < 20 && (strings.Contains(b.Text, " ago") || strings.Contains(b.Text, " points"))
		if e.InComment && b.Words >= 3 && !byline && b.Link < 0.5*b.Words && !e.InSmallForm &&
			e.Traits&(traits.InButton|traits.NamedMenu|traits.InNav|traits.NamedButton) == 0 &&
			s.phrases[i]&(phraseControl|phraseDate|phraseAppeal) == 0 {
			odds[i] = max(odds[i], 1)
		}
	}
}

// headsPost reports whether a heading stands in the header of a post, by its class.
func (c *Content) headsPost(at int) bool {
	for up := c.Outline.Elems[at].Parent; up >= 0; up = c.Outline.Elems[up].Parent {
		if dom.HasPart(strings.ToLower(dom.Attr(c.Outline.Elems[up].Node, "class")), "post-", "entry-", "article-", "story-") {
			return true
		}
	}
	return false
}

// isOnlyHeadline reports whether a heading of level 1 is the only one of its page.
func (c *Content) isOnlyHeadline(at int) bool {
	for e := range c.Outline.Elems {
		if n := &c.Outline.Elems[e]; e != at && n.Node.DataAtom == atom.H1 && n.First < n.Last && !c.isSiteName(e) {
			return false
		}
	}
	return true
}

// isHeadline reports whether a heading of level 1 is the headline of a content, though the title
// of the page has other words: it stands in the same article, and is not the site's name. text has
// its letters.
func (c *Content) isHeadline(at, first int, text string) bool {
	o := c.Outline
	h := &o.Elems[at]
	if h.Words < 2 || first-h.Last > 12 || h.Traits&(traits.InNav|traits.InFooter|traits.NamedCookie|traits.NamedDialog) != 0 {
		return false
	}
	name := letters(o.Page.About(&url.URL{}).Site)
	if name != "" && (text == name || strings.Contains(name, text)) {
		return false
	}
	for up := h.Parent; up >= 0; up = o.Elems[up].Parent {
		e := &o.Elems[up]
		if first >= e.First && first < e.Last {
			if up == 0 && h.Traits&traits.InHeader == 0 && c.isOnlyHeadline(at) {
				return true
			}
			return e.Own&(traits.InArticle|traits.InMain|traits.IsArticleBody|traits.NamedContent) != 0 || up == h.Parent && up > 0 ||
				h.Traits&(traits.InHeader|traits.NamedHeader) == 0 && up > 0 || c.headsPost(at)
		}
	}
	return false
}
