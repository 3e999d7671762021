package content

import (
	"strings"

	"golang.org/x/net/html/atom"

	"techo/internal/page/dom"
	"techo/internal/page/traits"
)

// dropTeasers drops the teasers of other stories on the page of an article, and its appeals to read them.
func (s *surroundings) dropTeasers(odds []float64) {
	if s.kind != articlePage && s.kind != plainPage {
		return
	}
	if article := s.ownArticle(); article >= 0 {
		after := s.Elems[article].Last
		drop(odds, s.alike(func(at int) bool { return s.Elems[at].First >= after && s.isTeaser(at) }))
	}
	if s.kind != articlePage {
		return
	}
	s.dropAsides(odds)
	s.dropAnnounced(odds)
	s.dropCutTeasers(odds)
}

// ownArticle returns the article that the page is about: the only one, with the headline in it, or one beside which
// all others are short; else -1.
func (s *surroundings) ownArticle() int {
	own := -1
	for at := range s.Elems {
		if e := &s.Elems[at]; e.Own&traits.InArticle != 0 && (own < 0 || e.Prose > s.Elems[own].Prose) {
			own = at
		}
	}
	if own < 0 || s.Elems[own].Prose == 0 {
		return -1
	}
	a := &s.Elems[own]
	if s.articles == 1 {
		if s.h1 < a.First || s.h1 >= a.Last {
			return -1
		}
		return own
	}
	const short = 4
	for at := range s.Elems {
		e := &s.Elems[at]
		if e.Own&traits.InArticle != 0 && (e.First >= a.Last || e.Last <= a.First) && short*e.Prose > a.Prose {
			return -1
		}
	}
	return own
}

// dropAsides drops what stands beside the text behind the only part of a page that is marked as the text of an article.
func (s *surroundings) dropAsides(odds []float64) {
	body := -1
	for at := range s.Elems {
		if s.Elems[at].Own&traits.IsArticleBody == 0 {
			continue
		}
		if body >= 0 {
			return
		}
		body = at
	}
	if body < 0 || s.Elems[body].Prose == 0 {
		return
	}
	for i := s.Elems[body].Last; i < len(odds); i++ {
		if s.Elems[s.Blocks[i].Elem].Traits&(traits.InAside|traits.NamedSidebar) != 0 {
			odds[i] = min(odds[i], -certain)
		}
	}
}

// dropAnnounced drops other stories at the end of an article, with the heading that announces them: three or more
// links, or the part that begins with the heading, if its class says that it is related.
func (s *surroundings) dropAnnounced(odds []float64) {
	const least = 3
	in, first, last := make([]bool, len(odds)), len(odds), -1 // paragraphs of the content, the last one without links
	for i := range s.Blocks {
		if b := &s.Blocks[i]; odds[i] > 0 && b.IsProse() {
			if first = min(first, i); b.Link == 0 {
				last = i
			}
		}
	}
	for i := range s.Blocks {
		b := &s.Blocks[i]
		if b.Link > 0 || b.Words == 0 {
			continue
		}
		end := i + 1
		if s.phrases[i]&phraseOther != 0 && i > last {
			for end < len(s.Blocks) && s.isStoryLink(end) {
				end++
			}
		}
		if end-i <= least {
			end = i
		}
		if own := s.Elems[b.Elem]; own.Own&traits.NamedRelated != 0 && dom.HeadingLevel(b.Tag) > 0 && own.Parent > 0 &&
			s.Elems[own.Parent].First == i && i > first {
			end = max(end, s.Elems[own.Parent].Last)
		}
		for k := i; k < end; k++ {
			in[k] = true
		}
	}
	drop(odds, in)
}

// isStoryLink reports whether a block is a link to a story, perhaps with a remark.
func (s *surroundings) isStoryLink(i int) bool {
	b := &s.Blocks[i]
	share := 0.7
	if b.Tag == atom.Li {
		share = 0.3
	}
	return b.Link >= minTitle && b.Link >= share*b.Words
}

// alike reports for each block whether it lies in one of three or more alike elements that are of a kind.
func (s *surroundings) alike(is func(at int) bool) (in []bool) {
	const least = 3
	groups := map[uint64][]int{}
	for at := range s.Elems {
		if e := &s.Elems[at]; e.Like >= least && is(at) {
			groups[e.Name] = append(groups[e.Name], at)
		}
	}
	in = make([]bool, len(s.Blocks))
	for _, group := range groups {
		if len(group) < least {
			continue
		}
		for _, at := range group {
			for i := s.Elems[at].First; i < s.Elems[at].Last; i++ {
				in[i] = true
			}
		}
	}
	return in
}

// drop lowers the odds of blocks as far as if they were certainly no content.
func drop(odds []float64, which []bool) {
	for i := range odds {
		if which[i] {
			odds[i] = min(odds[i], -certain)
		}
	}
}

// isTeaser reports whether an element is short and begins with a heading that is a link.
func (s *surroundings) isTeaser(at int) bool {
	e := &s.Elems[at]
	for i := e.First; i < min(e.Last, e.First+4); i++ {
		b := &s.Blocks[i]
		if dom.HeadingLevel(b.Tag) > 0 && b.Words > 0 && b.Link > 0.8*b.Words {
			return e.Words <= 80
		}
	}
	return false
}

// dropCutTeasers drops teasers of other stories by their form alone, wherever they stand: three or more alike that are
// no more than a link with a date or a byline, or with a text that is cut. A page without another text is a list of
// them, and keeps them.
func (s *surroundings) dropCutTeasers(odds []float64) {
	in := s.alike(s.isCutTeaser)
	words := 0.0
	for i := range odds {
		if b := &s.Blocks[i]; !in[i] && odds[i] > 0 && b.IsProse() {
			words += b.Words
		}
	}
	const ownText = 40
	if words >= ownText {
		drop(odds, in)
	}
}

// isCutTeaser reports whether an element is a link with a date or byline, or with a text that is cut.
func (s *surroundings) isCutTeaser(at int) bool {
	e := &s.Elems[at]
	if e.Words < 6 || e.Words > 120 || e.Last-e.First > 8 {
		return false
	}
	link, other, dated, cut := 0.0, 0.0, false, false
	for i := e.First; i < e.Last; i++ {
		b := &s.Blocks[i]
		text := strings.TrimRight(b.Text, " ]")
		cut = cut || b.Words > 5 && (strings.HasSuffix(text, "…") || strings.HasSuffix(text, "..."))
		link += b.Link
		switch {
		case s.phrases[i]&phraseDate != 0 && b.Words < 12:
			dated = true
		case b.Link < 0.8*b.Words:
			other += b.Words
		}
	}
	return link > 0 && cut || link >= 4 && dated && other <= 6
}
