// Package content chooses the main content of a page among the blocks that it shows: rules,
// then two stages of decision trees, then the set of blocks with the greatest expected F1.
// It also finds comments and links to related pages beside it. It knows nothing of
// Markdown.
package content

import (
	"cmp"
	"slices"
	"strings"

	"golang.org/x/net/html/atom"

	"techo/internal/page/meta"
	"techo/internal/page/runes"
	"techo/internal/page/traits"
	"techo/internal/page/view"
)

// Content is a part of a page: its main content, or all of it.
type Content struct {
	// Quality is the expected F1 score of the extraction, from 0 to 1, measured in
	// words.
	Quality float64

	Outline      *view.Outline
	Keep         []bool
	Descriptions []string // metadata, used if the page shows no text
	Source       Source   // what the text came from
}

// Source is the part of a page that a text came from.
type Source string

// The sources of a text.
const (
	FromHTML Source = "html"    // the elements that the page shows, or its description
	FromLD   Source = "json-ld" // structured data
	FromData Source = "data"    // data for the scripts of the page
)

// Main extracts the main content. Each block gets a probability from its
// features, which a second stage corrects; then the set of blocks with the greatest
// expected F1, in words, is kept.
func Main(p *view.Page) *Content {
	o := p.Outline()
	c := &Content{Outline: o, Keep: make([]bool, len(o.Blocks)), Source: FromHTML}
	if len(o.Blocks) == 0 {
		c.Descriptions = p.Texts.Descriptions()
		c.useMetadata(&surroundings{Outline: o, dataBody: dataBodyOf(p)})
		return c
	}
	s := survey(o)
	m := trained()
	odds := make([]float64, len(o.Blocks))
	var v vector
	for i := range o.Blocks {
		s.describe(&v, i)
		odds[i] = m.odds(&v, s.prior[i])
	}
	s.reconsider(odds)
	c.Keep, c.Quality = s.decide(odds)
	c.useMetadata(s)
	return c
}

// useMetadata uses the metadata or the embedded data of a page if it shows none of
// that text, and little else.
func (c *Content) useMetadata(s *surroundings) {
	p := s.Page
	prose := 0.0
	for i, k := range c.Keep {
		if b := &s.Blocks[i]; k && b.IsProse() {
			prose += b.Words
		}
	}
	if body := s.dataBody; body != "" && prose < runes.CountWords(body) && !s.shows(body) {
		c.Descriptions, c.Source = []string{body}, FromLD
		return
	}
	if s.prose > bareProse {
		return
	}
	if p.Shell {
		c.Descriptions = p.Texts.Descriptions()
	}
	if texts := sentencesIn(p, s.words < minOnly); len(texts) > 1 || len(texts) == 1 && runes.CountWords(texts[0]) >= minOnly &&
		s.words < minOnly {
		c.Descriptions, c.Source = texts, FromData
	}
}

// shows reports whether most of a text is visible on the page.
func (s *surroundings) shows(text string) bool {
	body := shinglesOf(text)
	seen := make(map[uint64]bool, len(body))
	for i := range s.Blocks {
		eachShingle(s.Blocks[i].Text, func(h uint64) {
			if body[h] {
				seen[h] = true
			}
		})
	}
	return len(seen)*3 > len(body)
}

// joinCode raises the odds of code after a more probable text in the same element. Code
// belongs to that text although it reads differently.
func (s *surroundings) joinCode(odds []float64) {
	for i := 1; i < len(odds); i++ {
		e, before := &s.Elems[s.Blocks[i].Elem], &s.Elems[s.Blocks[i-1].Elem]
		if s.Blocks[i].Tag == atom.Pre && s.Blocks[i-1].IsProse() && (before.Parent == e.Parent ||
			s.kind == articlePage && before.Parent == s.wrapped(e).Parent) {
			odds[i] = max(odds[i], (odds[i]+odds[i-1])/2)
		}
	}
}

// wrapped returns the outermost element around another that contains nothing else.
func (s *surroundings) wrapped(e *view.Element) *view.Element {
	for e.Parent > 0 && s.Elems[e.Parent].First == e.First && s.Elems[e.Parent].Last == e.Last {
		e = &s.Elems[e.Parent]
	}
	return e
}

// decide chooses the blocks to keep from their log-odds.
func (s *surroundings) decide(odds []float64) (keep []bool, quality float64) {
	if s.kind == articlePage || s.kind == forumPage {
		for i := range odds {
			odds[i] -= reserve
		}
	}
	s.dropSmallMenu(odds)
	s.conform(odds)
	all := structures(s.Outline.Layout())
	s.unify(all, odds)
	s.joinCode(odds)
	s.dropAppeals(odds)
	s.dropParts(odds)
	s.dropTeasers(odds)
	s.joinBoxes(odds)
	s.joinThread(odds)
	chances := make([]float64, len(odds))
	for i, o := range odds {
		chances[i] = sigmoid(o)
	}
	keep = make([]bool, len(s.Blocks))
	quality = choose(s.Blocks, chances, keep)
	switch {
	case s.words < smallPage && quality < sureQuality:
		s.keepPlain(keep)
	case quality < minQuality && s.prose < clearProse, quality < leastQuality:
		clear(keep)
	}
	s.dropCopies(keep)
	s.whole(all, keep)
	return keep, quality
}

// dropCopies drops blocks whose text was kept before: pages repeat parts of their
// content for other screens, and replies quote the posts above them. A text that
// occurs often is a refrain.
func (s *surroundings) dropCopies(keep []bool) {
	seen := make(map[string]bool, len(keep)/4)
	for i := range keep {
		b := &s.Blocks[i]
		if !keep[i] || b.Words < minCopy || s.same[b.Text] > maxCopies {
			continue
		}
		keep[i] = !seen[b.Text]
		seen[b.Text] = true
	}
}

const (
	// minCopy is the number of words from which a block that repeats another is a
	// copy. Content also repeats short texts.
	minCopy = 8

	// maxCopies is the number of times that a copied text occurs at most.
	maxCopies = 3

	// reserve is the margin, in log-odds, that blocks of articles and threads need
	// above zero. The text around such content reads much like it.
	reserve = 0.4

	// bareProse is the largest number of words in sentences on a page whose content is
	// taken from its embedded data.
	bareProse = 12

	// minOnly is the number of words of a text that is the only one in embedded data.
	minOnly = 25

	// minQuality is the quality below which the extraction of a page with few sentences
	// is empty: the page then shows only what surrounds a missing content.
	minQuality = 0.25

	// leastQuality is the quality below which every extraction is empty.
	leastQuality = 0.15

	// clearProse is the number of words in sentences from which a page probably has
	// content, even if it is not clear where.
	clearProse = 100

	// sureQuality is the quality above which the model is trusted on a small page.
	sureQuality = 0.7

	// smallPage is the number of words below which a page gives the model too little
	// context. Such a page is kept except for blocks with a clear mark.
	smallPage = 150
)

// keepPlain keeps every block that is not marked as something other than content.
func (s *surroundings) keepPlain(keep []bool) {
	const around = traits.InNav | traits.InFooter | traits.InAside | traits.InButton | traits.NamedDialog |
		traits.NamedCookie | traits.NamedAd | traits.NamedShare |
		traits.NamedMenu | traits.NamedCrumb
	for i := range s.Blocks {
		b := &s.Blocks[i]
		e := &s.Elems[b.Elem]
		keep[i] = e.Traits&around == 0 && b.Link <= 0.7*b.Words && !(e.InComment && s.kind != forumPage)
	}
}

// choose keeps the blocks that maximize the expected F1, and returns it. The
// optimum is always the set of blocks above some probability.
func choose(blocks []view.Block, chances []float64, keep []bool) float64 {
	order := make([]int, len(blocks))
	want := 0.0
	for i := range blocks {
		order[i] = i
		want += chances[i] * blocks[i].Words
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(chances[b], chances[a]) })
	best, upTo := 0.0, 0
	hit, got := 0.0, 0.0
	for n, i := range order {
		hit += chances[i] * blocks[i].Words
		got += blocks[i].Words
		if f := 2 * hit / max(got+want, 1e-9); f > best {
			best, upTo = f, n+1
		}
	}
	for _, i := range order[:upTo] {
		keep[i] = true
	}
	return min(best, 1)
}

// dropAppeals drops short links to other articles that stand between the paragraphs
// of an article.
func (s *surroundings) dropAppeals(odds []float64) {
	if s.kind != articlePage && s.kind != plainPage {
		return
	}
	for i := range s.Blocks {
		b := &s.Blocks[i]
		if b.Words <= 30 && (s.phrases[i]&phraseAppeal != 0 && b.Link > 0.4*b.Words || s.isShouted(i)) {
			odds[i] = min(odds[i], -1)
		}
	}
}

// isShouted reports whether a block between two paragraphs of an article is a link in capitals.
func (s *surroundings) isShouted(i int) bool {
	b := &s.Blocks[i]
	return s.kind == articlePage && b.Words > minTitle && b.Link > 0.9*b.Words && b.Text == strings.ToUpper(b.Text) &&
		b.Text != strings.ToLower(b.Text) && i > 0 && s.Blocks[i-1].IsProse() && i+1 < len(s.Blocks) && s.Blocks[i+1].IsProse()
}

// dropSmallMenu lowers the odds of a list of links before the text of a small page, which
// gives the model too little to compare it with.
func (s *surroundings) dropSmallMenu(odds []float64) {
	if s.words >= smallPage {
		return
	}
	for i := range s.firstText() {
		if s.isEntryOfMenu(i) {
			odds[i]--
		}
	}
}

// dropParts drops the parts that are content only on pages of other kinds, such as the
// comments and the footer of an article. (Posts of a forum are often in forms, and a
// manual describes buttons.) On a page with little else, they are the content.
func (s *surroundings) dropParts(odds []float64) {
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

// kind is the type of a page.
type kind uint8

const (
	plainPage kind = iota
	articlePage
	documentPage
	forumPage
	productPage
	listingPage

	kindCount = iota
)

// evidence is the weight of each claim. Programs are more reliable than addresses,
// and addresses more than types: a page may claim several types, such as an
// article with products beside it.
var evidence = [...]struct {
	any    meta.Claims
	kind   kind
	weight float64
}{
	{meta.ClaimArticle, articlePage, 2}, {meta.AtArticle, articlePage, 1.5},
	{meta.ClaimDocument | meta.MadeByDocumenter, documentPage, 2.5}, {meta.AtDocument, documentPage, 1.5},
	{meta.ClaimForum, forumPage, 2.5}, {meta.ClaimQuestion | meta.MadeByForum, forumPage, 3}, {meta.AtForum,
		forumPage, 2},
	{meta.ClaimProduct, productPage, 2}, {meta.AtProduct, productPage, 2},
	{meta.ClaimListing, listingPage, 2}, {meta.AtListing, listingPage, 2},
	{meta.AtHome, plainPage, 3},
}

// kindOf derives the type of a page from its claims and its contents.
func (s *surroundings) kindOf() kind {
	var weight [kindCount]float64
	for _, e := range evidence {
		if s.Page.Claims&e.any != 0 {
			weight[e.kind] += e.weight
		}
	}
	if s.Page.Products > 2 {
		weight[productPage], weight[listingPage] = weight[productPage]-1.5, weight[listingPage]+1.5
	}
	posts, whole := s.parts()
	if s.posts = posts >= 2; posts >= 4 {
		weight[forumPage] += 1.9
	}
	if whole {
		weight[articlePage]++
	}
	best := plainPage
	for k := range kind(kindCount) {
		if weight[k] > weight[best] {
			best = k
		}
	}
	return best
}

// parts counts the posts of a page and reports whether one article contains most
// of it.
func (s *surroundings) parts() (posts int, whole bool) {
	for i := range s.Elems {
		e := &s.Elems[i]
		if e.Own&(traits.NamedPost|traits.IsEntry) != 0 && e.Like >= 2 && e.Prose >= 12 {
			posts++
		}
		if e.Own&traits.IsArticleBody != 0 || e.Own&traits.InArticle != 0 && s.articles == 1 {
			whole = whole || s.prose > 100 && e.Prose > 0.6*s.prose
		}
	}
	return posts, whole
}
