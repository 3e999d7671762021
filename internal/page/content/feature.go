package content

import (
	"math"
	"unicode"
	"unicode/utf8"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"techo/internal/page/dom"
	"techo/internal/page/meta"
	"techo/internal/page/runes"
	"techo/internal/page/traits"
	"techo/internal/page/view"
)

const features = 172

// vector holds the features of a block in the order in which describe adds them.
type vector struct {
	at [features]float32
	n  int
}

func (v *vector) add(values ...float32) {
	v.n += copy(v.at[v.n:], values)
}

func (v *vector) flag(is bool) {
	if is {
		v.at[v.n] = 1
	}
	v.n++
}

// surroundings holds the properties of a page that the features of its blocks
// depend on.
type surroundings struct {
	*view.Outline
	words, link, prose float64
	before             []float64 // words before each block
	proseBefore        []float64 // words in sentences before each block
	core               [4]int    // the smallest elements with 50, 70, 85 and 95 % of the words in sentences
	path               map[int]bool
	h1                 int // block of the first h1, or -1
	same               map[string]int
	underOther         []bool // the heading above introduces other content
	articles           int
	repeated           []bool // the text occurred before
	phrases            []phrases
	kind               kind
	prior              []float64 // prior log-odds of each block
	priorBefore        []float64 // cumulative sum of prior times words
	thread             bool      // comments are the page
	posts              bool      // the markup of a forum marks its posts
	dataBody           string    // the main content in the structured data
	inBody             []float64 // share of each block that occurs in the metadata; nil without metadata
	clusters           []cluster
	clusterOf          []int // cluster index of each block
}

// survey computes the properties of a page.
func survey(o *view.Outline) *surroundings {
	s := &surroundings{Outline: o, h1: -1, same: map[string]int{}, path: map[int]bool{}}
	s.before, s.proseBefore = make([]float64, len(o.Blocks)+1), make([]float64, len(o.Blocks)+1)
	s.underOther, s.phrases = make([]bool, len(o.Blocks)), make([]phrases, len(o.Blocks))
	heading, other := -1, false // the last heading, and whether it introduces other content
	for i := range o.Blocks {
		b := &o.Blocks[i]
		s.before[i+1], s.proseBefore[i+1] = s.before[i]+b.Words, s.proseBefore[i]
		if b.IsProse() {
			s.proseBefore[i+1] += b.Words
		}
		s.link += b.Link
		s.phrases[i] = phrasesOf(b)
		s.repeated = append(s.repeated, s.same[b.Text] > 0)
		s.same[b.Text]++
		if b.Tag == atom.H1 && s.h1 < 0 {
			s.h1 = i
		}
		if isHeading(o, i) {
			heading, other = i, announcesOther(b.Text)
		}
		s.underOther[i] = other && i-heading < 40
	}
	s.words, s.prose = s.before[len(o.Blocks)], s.proseBefore[len(o.Blocks)]
	s.amend()
	s.findCore()
	s.gather()
	s.kind = s.kindOf()
	s.findThread()
	s.compareDataBody()
	s.prior = s.priors()
	s.priorBefore = make([]float64, len(o.Blocks)+1)
	for i, odds := range s.prior {
		s.priorBefore[i+1] = s.priorBefore[i] + odds*o.Blocks[i].Words
		s.clusters[s.clusterOf[i]].prior += odds * o.Blocks[i].Words
	}
	return s
}

// amend corrects traits that were derived from names alone, using the contents of
// the elements.
func (s *surroundings) amend() {
	for i := range s.Elems {
		e := &s.Elems[i]
		if s.prose >= 60 && e.Prose >= 0.6*s.prose {
			if e.Own &^= traits.Partial; e.Prose >= 0.9*s.prose {
				e.Own &^= traits.InNav | traits.InHeader | traits.InFooter | traits.NamedComment | traits.NamedReview
			}
		}
		if e.Traits = e.Own; e.Parent >= 0 {
			e.Traits |= s.Elems[e.Parent].Traits
		}
		if e.Own&traits.InArticle != 0 {
			s.articles++
		}
		e.InComment = e.Own&(traits.NamedComment|traits.NamedPost) == traits.NamedComment ||
			e.Own&(traits.NamedPost|traits.IsEntry) == 0 && e.Parent >= 0 && s.Elems[e.Parent].InComment
		e.InSmallForm = e.Own&traits.InForm != 0 && !s.isPostForm(e) && !hasTable(e) && e.Words < 0.6*s.words || e.Parent >= 0 &&
			s.Elems[e.Parent].InSmallForm
	}
}

// hasTable reports whether a form is around a table of data, whose rows it lets a person choose.
func hasTable(e *view.Element) bool {
	return dom.First(e.Node, func(n *html.Node) bool {
		return n.DataAtom == atom.Thead && dom.First(n, func(c *html.Node) bool { return c.DataAtom == atom.Th }) != nil
	}) != nil
}

// isPostForm reports whether a form has a post of a thread, which its author can edit.
func (s *surroundings) isPostForm(e *view.Element) bool {
	return e.Own&traits.NamedPost != 0 && e.Parent >= 0 &&
		s.Elems[e.Parent].Traits&(traits.NamedContent|traits.NamedPost|traits.NamedComment|traits.IsEntry) != 0
}

// compareDataBody compares the blocks with the content in the metadata, if that is
// about as long as the visible sentences.
func (s *surroundings) compareDataBody() {
	s.dataBody = dataBodyOf(s.Page)
	text := s.dataBody
	if text == "" || s.kind == productPage || runes.CountWords(text) < 0.4*s.prose {
		return
	}
	body := shinglesOf(text)
	s.inBody = make([]float64, len(s.Blocks))
	found := 0
	for i := range s.Blocks {
		var n int
		s.inBody[i], n = body.holds(s.Blocks[i].Text)
		found += int(s.inBody[i] * float64(n))
	}
	if found < len(body)/2 {
		s.inBody = nil
	}
}

// findCore finds the smallest elements that contain most of the sentences.
func (s *surroundings) findCore() {
	for k, share := range []float64{0.5, 0.7, 0.85, 0.95} {
		best := 0
		for i := range s.Elems {
			e := &s.Elems[i]
			if e.Prose >= share*s.prose && e.Words <= s.Elems[best].Words {
				best = i
			}
		}
		s.core[k] = best
	}
	for e := s.core[0]; e >= 0; e = s.Elems[e].Parent {
		s.path[e] = true
	}
}

func (s *surroundings) holds(elem, block int) bool {
	return block >= s.Elems[elem].First && block < s.Elems[elem].Last
}

// describe computes the features of a block.
func (s *surroundings) describe(v *vector, i int) {
	v.at, v.n = [features]float32{}, 0
	b := &s.Blocks[i]
	e := &s.Elems[b.Elem]
	s.textFeatures(v, b, e, s.phrases[i])
	s.positionFeatures(v, i)
	for bit := range traits.TraitCount {
		v.flag(e.Traits&(1<<bit) != 0)
	}
	s.containerFeatures(v, b.Elem)
	k := &s.clusters[s.clusterOf[i]]
	v.add(logOf(float64(k.blocks)), float32(k.words/max(s.words, 1)), float32(k.link/max(k.words, 1)),
		float32(k.prose/max(k.words, 1)))
	v.add(float32(s.prior[i]), float32(k.prior/max(k.words, 1)))
	s.neighbourFeatures(v, i)
	s.pageFeatures(v)
}

func (s *surroundings) textFeatures(v *vector, b *view.Block, e *view.Element, p phrases) {
	c := countKinds(b.Text)
	words := float32(max(b.Words, 1))
	v.add(logOf(b.Words), float32(b.Link/max(b.Words, 1)), min(float32(c.letters)/words, 20))
	v.flag(runes.EndsSentence(b.Text))
	v.add(float32(c.commas)/words, float32(c.stops)/words, float32(c.upper)/words,
		float32(c.digits)/float32(max(c.letters+c.digits, 1)))
	v.add(float32(dom.HeadingLevel(b.Tag)), tagClass(b.Tag))
	v.flag(b.Tag == atom.P)
	for phrase := phraseControl; phrase <= phraseDate; phrase <<= 1 {
		v.flag(p&phrase != 0)
	}
	v.add(float32(min(s.same[b.Text], 8)), float32(len(b.Runs)), float32(min(e.Depth, 40)))
}

func (s *surroundings) positionFeatures(v *vector, i int) {
	n := float32(len(s.Blocks))
	v.add(float32(i)/n, float32(s.before[i]/max(s.words, 1)), float32(s.proseBefore[i]/max(s.prose, 1)),
		logOf(float64(i)), logOf(float64(len(s.Blocks)-i)))
	distance := float32(0)
	if s.h1 >= 0 {
		if distance = logOf(float64(max(i-s.h1, 0))); i < s.h1 {
			distance = -logOf(float64(s.h1 - i))
		}
	}
	v.add(distance)
	v.flag(s.h1 >= 0)
	v.flag(s.underOther[i])
	v.flag(s.repeated[i])
	for _, core := range s.core {
		v.flag(s.holds(core, i))
	}
	shared := s.Blocks[i].Elem
	steps := 0
	for !s.path[shared] {
		s.Page.Work++
		shared = s.Elems[shared].Parent
		steps++
	}
	v.add(float32(min(steps, 15)), float32(s.Elems[s.core[0]].Depth-s.Elems[shared].Depth))
}

// containerFeatures adds the features of the enclosing elements, each much larger
// than the previous one.
func (s *surroundings) containerFeatures(v *vector, at int) {
	like := 1
	for up, n := at, 0; up >= 0 && n < 5; up, n = s.Elems[up].Parent, n+1 {
		like = max(like, s.Elems[up].Like)
	}
	v.add(logOf(float64(like)))
	for level := range 4 {
		e := &s.Elems[at]
		blocks := float64(max(e.Last-e.First, 1))
		v.add(logOf(e.Words), float32(e.Link/max(e.Words, 1)), float32(e.Prose/max(e.Words, 1)),
			float32(e.Words/max(s.words, 1)),
			float32(e.Words/blocks), logOf(float64(e.Like)), float32(e.Prose/max(s.prose, 1)),
			s.meanPrior(e.First, e.Last))
		if level == 3 {
			break
		}
		at = s.larger(at)
	}
}

// larger returns the next enclosing element with half as many words again, or the
// outermost one.
func (s *surroundings) larger(at int) int {
	words := s.Elems[at].Words
	for at > 0 && s.Elems[s.Elems[at].Parent].Words < 1.5*words {
		s.Page.Work++
		at = s.Elems[at].Parent
	}
	return max(s.Elems[at].Parent, 0)
}

// neighbourFeatures adds the features of the previous and the following blocks.
func (s *surroundings) neighbourFeatures(v *vector, i int) {
	for _, step := range []int{-2, -1, 1, 2} {
		if j := i + step; j >= 0 && j < len(s.Blocks) {
			b := &s.Blocks[j]
			v.add(logOf(b.Words), float32(b.Link/max(b.Words, 1)))
			v.flag(b.Tag == s.Blocks[i].Tag)
		} else {
			v.add(-1, -1, 0)
		}
	}
	for _, reach := range []int{3, 8} {
		low, high := max(i-reach, 0), min(i+reach+1, len(s.Blocks))
		v.add(float32((s.proseBefore[high]-s.proseBefore[low])/max(s.before[high]-s.before[low], 1)),
			logOf(s.proseBefore[i]-s.proseBefore[low]), logOf(s.proseBefore[high]-s.proseBefore[min(i+1, high)]),
			s.meanPrior(low, high))
	}
}

// meanPrior returns the mean prior of a range of blocks, weighted by words.
func (s *surroundings) meanPrior(first, last int) float32 {
	return float32((s.priorBefore[last] - s.priorBefore[first]) / max(s.before[last]-s.before[first], 1))
}

func (s *surroundings) pageFeatures(v *vector) {
	v.add(logOf(s.words), float32(s.link/max(s.words, 1)), float32(s.prose/max(s.words, 1)),
		logOf(float64(len(s.Blocks))), logOf(float64(s.articles)))
	core := &s.Elems[s.core[1]]
	v.add(float32(core.Words/max(s.words, 1)), float32(core.Link/max(core.Words, 1)))
	for k := range kind(kindCount) {
		v.flag(s.kind == k)
	}
	for bit := range meta.ClaimCount {
		v.flag(s.Page.Claims&(1<<bit) != 0)
	}
}

// kinds counts the characters of a text by class.
type kinds struct{ letters, digits, upper, commas, stops int }

func countKinds(text string) (k kinds) {
	word := false
	for _, r := range text {
		switch {
		case r >= 'a' && r <= 'z':
			k.letters++
			word = true
			continue
		case r >= 'A' && r <= 'Z':
			k.letters++
			if !word {
				k.upper++
			}
			word = true
			continue
		case r >= '0' && r <= '9':
			k.digits++
			continue
		case r == ',' || r == '、' || r == '，' || r == ';':
			k.commas++
		case r == '.' || r == '!' || r == '?' || r == '。' || r == '！' || r == '？':
			k.stops++
		case r >= utf8.RuneSelf && unicode.IsLetter(r):
			k.letters++
			if !word && unicode.IsUpper(r) {
				k.upper++
			}
			word = true
			continue
		}
		word = false
	}
	return k
}

// isHeading reports whether a block is a heading or inside one.
func isHeading(o *view.Outline, block int) bool {
	b := &o.Blocks[block]
	return dom.HeadingLevel(b.Tag) > 0 || o.Elems[b.Elem].Traits&traits.InHeading != 0
}

// tagClass maps elements to numbers so that similar elements have close numbers.
func tagClass(a atom.Atom) float32 {
	switch a {
	case atom.P:
		return 9
	case atom.Pre, atom.Blockquote:
		return 8
	case atom.Dd, atom.Dt:
		return 7
	case atom.Td, atom.Th, atom.Caption:
		return 6
	case atom.Li:
		return 5
	case atom.Section, atom.Article, atom.Main:
		return 4
	case atom.Div:
		return 3
	case atom.Figcaption, atom.Figure:
		return 2
	case atom.Button, atom.Option, atom.Legend, atom.Summary:
		return 1
	}
	return 0
}

// logOf compresses the range of a count.
func logOf(n float64) float32 { return float32(math.Log1p(n)) }
