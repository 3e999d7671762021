package page

import "golang.org/x/net/html/atom"

// rule is the effect of traits of an element, or of its ancestors, on a block.
type rule struct {
	any  traits
	odds float64
}

// chrome are the rules for page furniture, for all kinds of pages.
var chrome = [...]rule{
	{namedCookie, -3}, {inFooter | namedFooter, -2.6}, {inNav, -2.2}, {namedDialog, -2}, {namedSignup, -2.8},
	{namedShare, -2}, {namedAd, -1.2},
	{inButton | namedButton, -1}, {namedMenu | namedCrumb, -1}, {inAside | namedSidebar, -0.9}, {namedFilter, -0.9},
	{namedCart, -0.7}, {namedHidden, -1.5}, {namedTags, -0.4}, {namedMeta, -0.4},
	{inMain | inArticle, 0.5}, {isArticleBody, 0.8}, {namedContent, 0.3}, {inPre | inQuote, 0.4},
}

// rules returns the additional rules of a kind of page.
func (k kind) rules() []rule {
	switch k {
	case articlePage, plainPage:
		return articleRules[:]
	case documentPage:
		return documentRules[:]
	case forumPage:
		return forumRules[:]
	case productPage:
		return productRules[:]
	}
	return listingRules[:]
}

var (
	articleRules = [...]rule{{namedComment, -3.4}, {namedPost | isEntry, -0.3}, {namedAuthor, -1.8},
		{inCaption | namedCaption, -2.6}, {namedRelated, -2.8}, {namedPoster, -0.8}, {namedPanel, -0.7}}
	documentRules = [...]rule{{namedComment, -3}, {namedAuthor, -0.8}, {namedRelated, -0.8}}
	forumRules    = [...]rule{{namedPost | isEntry, 0.6}, {namedPoster | namedAuthor, -1.2}, {namedRelated, -2}}
	productRules  = [...]rule{{namedReview, -2.4}, {namedComment, -2.8}, {namedRelated, -2}, {namedSlide, -0.6},
		{namedDetail, 0.3}, {namedPost, -0.5}, {namedCard, -0.4}, {namedCart, -0.5}, {namedAuthor, -0.5}}
	listingRules = [...]rule{{namedReview, -1}, {namedComment, -1.5}, {namedCard, 0.3}, {namedPrice, 0.2},
		{namedRelated, -0.4}}
)

// priors returns the log-odds of the blocks according to hand-written rules. The
// trees correct them; cases that were rare in training keep the prior.
func (s *surroundings) priors() []float64 {
	all := make([]float64, len(s.blocks))
	last, begin := lastOfCore(s), firstText(s)
	for i := range all {
		all[i] = s.namePrior(i) + s.textPrior(i)
		if i < begin && isEntryOfMenu(s, i) {
			all[i] -= 0.8
		}
		if i > last && (s.kind == articlePage || s.kind == documentPage) {
			all[i] -= 0.5
		}
	}
	lead(s, all)
	return all
}

// namePrior returns the effect of the names of the enclosing elements.
func (s *surroundings) namePrior(i int) (odds float64) {
	t := s.elems[s.blocks[i].elem].traits
	for _, r := range chrome {
		if t&r.any != 0 {
			odds += r.odds
		}
	}
	for _, r := range s.kind.rules() {
		if t&r.any != 0 {
			odds += r.odds
		}
	}
	if s.elems[s.blocks[i].elem].inSmallForm {
		odds -= 0.8
	}
	if t&(inHeader|namedHeader) != 0 {
		if odds -= 0.4; t&(inMain|inArticle) == 0 {
			odds -= 0.6
		}
	}
	if s.kind == forumPage && s.posts && s.elems[s.blocks[i].elem].inComment {
		odds -= 3
	}
	return odds
}

// textPrior returns the effect of the text of a block and its position.
func (s *surroundings) textPrior(i int) float64 {
	b := &s.blocks[i]
	odds := -0.5
	text := s.kind != listingPage && s.kind != productPage
	switch {
	case isProse(b) && text:
		odds += 1.1
	case isProse(b):
		odds += 0.6
	case b.words > 0 && b.link/b.words > 0.7 && text:
		odds -= 1
	case b.words > 0 && b.link/b.words > 0.7:
		odds -= 0.3
	}
	if s.holds(s.core[1], i) {
		if odds += 0.4; text {
			odds += 0.4
		}
	}
	if s.inBody != nil && b.words >= 6 {
		odds += 3*s.inBody[i] - 1.2
	}
	if s.underOther[i] {
		odds -= 0.8
	}
	if s.repeated[i] && b.words > 3 {
		odds -= 0.5
	}
	if s.phrases[i]&phraseControl != 0 {
		odds--
	}
	if s.phrases[i]&phraseAppeal != 0 {
		if odds -= 1.2; b.link > 0.3*b.words || b.words <= 20 {
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
func lead(s *surroundings, all []float64) {
	for i := len(all) - 2; i >= 0; i-- {
		b := &s.blocks[i]
		if headingLevel(b.tag) > 0 && b.tag != atom.H1 {
			all[i] = 0.4*all[i] + 0.6*all[i+1]
		}
	}
}

// firstText returns the first heading of level 1 or block of sentences.
func firstText(s *surroundings) int {
	for i := range s.blocks {
		if i == s.h1 || isProse(&s.blocks[i]) {
			return i
		}
	}
	return 0
}

// isEntryOfMenu reports whether a block is a short link in a list.
func isEntryOfMenu(s *surroundings, i int) bool {
	b := &s.blocks[i]
	return b.words <= 4 && b.link > 0.9*b.words && s.elems[b.elem].traits&inList != 0
}

// lastOfCore returns the last block of sentences in the element that has the most.
func lastOfCore(s *surroundings) int {
	core := &s.elems[s.core[1]]
	for i := core.last - 1; i >= core.first; i-- {
		if isProse(&s.blocks[i]) {
			return i
		}
	}
	return len(s.blocks)
}
