package content

import (
	"techo/internal/page/traits"
	"techo/internal/page/view"
)

// dropAppeals drops short links to other articles that stand between the paragraphs
// of an article.
func dropAppeals(s *surroundings, odds []float64) {
	if s.kind != articlePage && s.kind != plainPage {
		return
	}
	for i := range s.Blocks {
		if b := &s.Blocks[i]; s.phrases[i]&phraseAppeal != 0 && b.Words <= 30 && b.Link > 0.4*b.Words {
			odds[i] = min(odds[i], -1)
		}
	}
}

// dropSmallMenu lowers the odds of a list of links before the text of a small page, which
// gives the model too little to compare it with.
func dropSmallMenu(s *surroundings, odds []float64) {
	if s.words >= smallPage {
		return
	}
	for i := range firstText(s) {
		if isEntryOfMenu(s, i) {
			odds[i]--
		}
	}
}

// dropParts drops the parts that are content only on pages of other kinds, such as the
// comments and the footer of an article. (Posts of a forum are often in forms, and a
// manual describes buttons.) On a page with little else, they are the content.
func dropParts(s *surroundings, odds []float64) {
	rest := 0.0 // expected words of the content without them
	for i, o := range odds {
		if !s.excludes(i) {
			rest += sigmoid(o) * s.Blocks[i].Words
		}
	}
	if rest < minRest {
		return
	}
	for i := range odds {
		if s.excludes(i) {
			odds[i] = min(odds[i], -certain)
		}
	}
}

// excludes reports whether a block is in a part that is content only on pages of other kinds.
func (s *surroundings) excludes(i int) bool {
	e := &s.Elems[s.Blocks[i].Elem]
	return !(s.thread && e.InComment && !e.InSmallForm) && s.kind.excludes(e)
}

// minRest is the number of words of other content from which those parts are dropped.
const minRest = 30

// excludes reports whether an element is in a part that is content only on pages of other
// kinds.
func (k kind) excludes(e *view.Element) bool {
	switch k {
	case plainPage, articlePage:
		return e.InComment || e.InSmallForm || e.Traits&(traits.InFooter|traits.NamedFooter) != 0
	case listingPage:
		return e.InComment || e.InSmallForm || e.Traits&traits.InButton != 0
	case productPage:
		return e.InSmallForm || e.Traits&traits.InButton != 0
	}
	return false
}
