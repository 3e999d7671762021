package page

import "slices"

// Content is the main content of a page.
type Content struct {
	// Quality is the F1 that is expected of it, from 0 to 1: how sure it is
	// that this, and no more, is the content.
	Quality float64

	outliner *outliner
	keep     []bool
	told     []string // what the page says of itself, when it shows nothing
}

// Content finds the main content. Each block gets a probability from what
// surrounds it; then those blocks are kept that make the expected F1, by
// words, greatest.
func (p *Page) Content() *Content {
	o := p.outline()
	c := &Content{outliner: o, keep: make([]bool, len(o.blocks))}
	if len(o.blocks) == 0 {
		c.told = p.told
		c.stand(&surroundings{outliner: o})
		return c
	}
	s := o.survey()
	m := readModel(table)
	odds := slices.Clone(s.prior)
	var v vector
	for i := range o.blocks {
		s.describe(&v, i)
		odds[i] += m.odds(&v)
	}
	c.keep, c.Quality = s.decide(odds)
	c.stand(s)
	return c
}

// stand takes what the page tells machines, or has for its scripts, when it
// shows none of it, and less of anything else.
func (c *Content) stand(s *surroundings) {
	p := s.page
	prose := 0.0
	for i, k := range c.keep {
		if b := &s.blocks[i]; k && isProse(b) {
			prose += b.words
		}
	}
	if p.said != "" && prose < countWords(p.said) && !s.shows(p.said) {
		c.told = []string{p.said}
		return
	}
	if s.prose > bareProse {
		return
	}
	if p.Shell {
		c.told = p.told
	}
	if texts := p.sentences(); len(texts) > 1 {
		c.told = texts
	}
}

// shows reports whether a page shows most of a text.
func (s *surroundings) shows(text string) bool {
	told := shinglesOf(text)
	seen := make(shingles, len(told))
	for i := range s.blocks {
		eachShingle(s.blocks[i].text, func(h uint64) {
			if told[h] {
				seen[h] = true
			}
		})
	}
	return len(seen)*3 > len(told)
}

// decide chooses what to keep by the odds of the blocks to be content.
func (s *surroundings) decide(odds []float64) (keep []bool, quality float64) {
	if s.kind == articlePage || s.kind == forumPage {
		for i := range odds {
			odds[i] -= reserve
		}
	}
	s.conform(odds)
	chances := make([]float64, len(odds))
	for i, o := range odds {
		chances[i] = sigmoid(o)
	}
	keep = make([]bool, len(s.blocks))
	quality = choose(s.blocks, chances, keep)
	switch {
	case s.words < smallPage && quality < sureQuality:
		s.keepPlain(keep)
	case quality < leastQuality:
		clear(keep)
	}
	return keep, quality
}

const (
	// reserve is what blocks of articles and threads need above even odds: what
	// stands around these reads like them.
	reserve = 0.3

	// bareProse is how many words of sentences a page shows at most that has
	// them for its scripts instead.
	bareProse = 12

	// leastQuality is under what nothing is kept of a page: what is there
	// stands around a content that is not.
	leastQuality = 0.25

	// sureQuality is from what on a small page is not doubted.
	sureQuality = 0.7

	// smallPage is how many words a page has that is too small to tell by what
	// is around what. All of it is content, but for what says that it is not.
	smallPage = 150
)

// keepPlain keeps what is not marked as something else than content.
func (s *surroundings) keepPlain(keep []bool) {
	const around = inNav | inFooter | inAside | inButton | namedDialog | namedCookie | namedAd | namedShare | namedMenu | namedCrumb
	for i := range s.blocks {
		b := &s.blocks[i]
		keep[i] = s.elems[b.elem].traits&around == 0 && b.link <= 0.7*b.words
	}
}

// choose keeps the blocks that make the expected F1 greatest, and returns it.
// The best choice is always all blocks above some probability.
func choose(blocks []block, chances []float64, keep []bool) float64 {
	order := make([]int, len(blocks))
	want := 0.0
	for i := range blocks {
		order[i] = i
		want += chances[i] * blocks[i].words
	}
	slices.SortStableFunc(order, func(a, b int) int {
		switch {
		case chances[a] > chances[b]:
			return -1
		case chances[a] < chances[b]:
			return 1
		}
		return 0
	})
	best, upTo := 0.0, 0
	hit, got := 0.0, 0.0
	for n, i := range order {
		hit += chances[i] * blocks[i].words
		got += blocks[i].words
		if f := 2 * hit / max(got+want, 1e-9); f > best {
			best, upTo = f, n+1
		}
	}
	for _, i := range order[:upTo] {
		keep[i] = true
	}
	return min(best, 1)
}
