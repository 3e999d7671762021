package content

import (
	"golang.org/x/net/html/atom"

	"techo/internal/page/dom"
	"techo/internal/page/traits"
)

// rule is the effect of traits of an element, or of its ancestors, on a block.
type rule struct {
	any  traits.Set
	odds float64
}

// chrome are the rules for page furniture, for all kinds of pages.
var chrome = [...]rule{
	{traits.NamedCookie, -3},
	{traits.InFooter | traits.NamedFooter, -2.6},
	{traits.InNav, -2.2},
	{traits.NamedDialog, -2},
	{traits.NamedSignup, -2.8},
	{traits.NamedShare, -2},
	{traits.NamedAd, -1.2},
	{traits.InButton | traits.NamedButton, -1},
	{traits.NamedMenu | traits.NamedCrumb, -1},
	{traits.InAside | traits.NamedSidebar, -0.9},
	{traits.NamedFilter, -0.9},
	{traits.NamedCart, -0.7},
	{traits.NamedHidden, -1.5},
	{traits.NamedTags, -0.4},
	{traits.NamedMeta, -0.4},
	{traits.InMain | traits.InArticle, 0.5},
	{traits.IsArticleBody, 0.8},
	{traits.NamedContent, 0.3},
	{traits.InPre | traits.InQuote, 0.4},
}

// rulesOf are the additional rules of kinds of pages.
var rulesOf = [kindCount][]rule{
	articlePage: articleRules, plainPage: articleRules, documentPage: documentRules, forumPage: forumRules,
	productPage: productRules, listingPage: listingRules,
}

var (
	articleRules = []rule{
		{traits.NamedComment, -3.4}, {traits.NamedPost | traits.IsEntry, -0.3}, {traits.NamedAuthor, -1.8},
		{traits.InCaption | traits.NamedCaption, -2.6}, {traits.NamedRelated, -2.8},
		{traits.NamedPoster, -0.8}, {traits.NamedPanel, -0.7},
	}
	documentRules = []rule{
		{traits.NamedComment, -3}, {traits.NamedAuthor, -0.8}, {traits.NamedRelated, -0.8},
	}
	forumRules = []rule{
		{traits.NamedPost | traits.IsEntry, 0.6}, {traits.NamedPoster | traits.NamedAuthor, -1.2},
		{traits.NamedRelated, -2},
	}
	productRules = []rule{
		{traits.NamedReview, -2.4}, {traits.NamedComment, -2.8}, {traits.NamedRelated, -2},
		{traits.NamedSlide, -0.6}, {traits.NamedDetail, 0.3}, {traits.NamedPost, -0.5},
		{traits.NamedCard, -0.4}, {traits.NamedCart, -0.5}, {traits.NamedAuthor, -0.5},
	}
	listingRules = []rule{
		{traits.NamedReview, -1}, {traits.NamedComment, -1.5}, {traits.NamedCard, 0.3},
		{traits.NamedPrice, 0.2}, {traits.NamedRelated, -0.4},
	}
)

// priors returns the log-odds of the blocks according to hand-written rules. The
// trees correct them; cases that were rare in training keep the prior.
func (s *surroundings) priors() []float64 {
	all := make([]float64, len(s.Blocks))
	last, begin := s.lastOfCore(), s.firstText()
	for i := range all {
		all[i] = s.namePrior(i) + s.textPrior(i)
		if i < begin && s.isEntryOfMenu(i) {
			all[i] -= 0.8
		}
		if i > last && (s.kind == articlePage || s.kind == documentPage) {
			all[i] -= 0.5
		}
	}
	s.lead(all)
	return all
}

// namePrior returns the effect of the names of the enclosing elements.
func (s *surroundings) namePrior(i int) (odds float64) {
	t := s.Elems[s.Blocks[i].Elem].Traits
	for _, r := range chrome {
		if t&r.any != 0 {
			odds += r.odds
		}
	}
	for _, r := range rulesOf[s.kind] {
		if t&r.any != 0 {
			odds += r.odds
		}
	}
	if s.Elems[s.Blocks[i].Elem].InSmallForm {
		odds -= 0.8
	}
	if t&(traits.InHeader|traits.NamedHeader) != 0 {
		if odds -= 0.4; t&(traits.InMain|traits.InArticle) == 0 {
			odds -= 0.6
		}
	}
	if s.kind == forumPage && s.posts && s.Elems[s.Blocks[i].Elem].InComment {
		odds -= 3
	}
	return odds
}

// textPrior returns the effect of the text of a block and its position.
func (s *surroundings) textPrior(i int) float64 {
	b := &s.Blocks[i]
	odds := -0.5
	text := s.kind != listingPage && s.kind != productPage
	switch {
	case b.IsProse() && text:
		odds += 1.1
	case b.IsProse():
		odds += 0.6
	case b.Words > 0 && b.Link/b.Words > 0.7 && text:
		odds -= 1
	case b.Words > 0 && b.Link/b.Words > 0.7:
		odds -= 0.3
	}
	if s.holds(s.core[1], i) {
		if odds += 0.4; text {
			odds += 0.4
		}
	}
	if s.inBody != nil && b.Words >= 6 {
		odds += 3*s.inBody[i] - 1.2
	}
	if s.underOther[i] {
		odds -= 0.8
	}
	if s.repeated[i] && b.Words > 3 {
		odds -= 0.5
	}
	if s.phrases[i]&phraseControl != 0 {
		odds--
	}
	if s.phrases[i]&phraseAppeal != 0 {
		if odds -= 1.2; b.Link > 0.3*b.Words || b.Words <= 20 {
			odds -= 1.5
		}
	}
	if s.phrases[i]&(phraseConsent|phraseRights) != 0 {
		odds -= 1.5
	}
	if s.phrases[i]&phraseDate != 0 && text {
		odds--
	}
	if s.words > 0 && s.prose < 40 {
		odds -= 0.5
	}
	return odds
}

// lead moves headings and other short blocks towards the block they precede.
func (s *surroundings) lead(all []float64) {
	for i := len(all) - 2; i >= 0; i-- {
		b := &s.Blocks[i]
		if dom.HeadingLevel(b.Tag) > 0 && b.Tag != atom.H1 {
			all[i] = 0.4*all[i] + 0.6*all[i+1]
		}
	}
}

// firstText returns the first heading of level 1 or block of sentences.
func (s *surroundings) firstText() int {
	for i := range s.Blocks {
		if i == s.h1 || s.Blocks[i].IsProse() {
			return i
		}
	}
	return 0
}

// isEntryOfMenu reports whether a block is a short link in a list.
func (s *surroundings) isEntryOfMenu(i int) bool {
	b := &s.Blocks[i]
	return b.Words <= 4 && b.Link > 0.9*b.Words && s.Elems[b.Elem].Traits&traits.InList != 0
}

// lastOfCore returns the last block of sentences in the element that has the most.
func (s *surroundings) lastOfCore() int {
	core := &s.Elems[s.core[1]]
	for i := core.Last - 1; i >= core.First; i-- {
		if s.Blocks[i].IsProse() {
			return i
		}
	}
	return len(s.Blocks)
}
