package page

import (
	"slices"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// selection is the part of a page that Markdown shows: the content and the captions of
// its figures.
type selection struct {
	outliner *outliner
	layout   *layout
	keep     []bool    // by block
	words    []float64 // cumulative words of kept blocks
}

func newSelection(c *Content) *selection {
	s := &selection{outliner: c.outliner, layout: newLayout(c.outliner), keep: slices.Clone(c.keep),
		words: make([]float64, len(c.keep)+1)}
	s.count()
	s.keepCaptions()
	s.count()
	return s
}

// count adds up the words of the kept blocks.
func (s *selection) count() {
	for i, kept := range s.keep {
		s.words[i+1] = s.words[i]
		if kept {
			s.words[i+1] += s.outliner.blocks[i].words
		}
	}
}

// keepCaptions keeps the captions of the figures that are among the content.
func (s *selection) keepCaptions() {
	o := s.outliner
	for e := range o.elems {
		f := &o.elems[e]
		if f.node.DataAtom != atom.Figure || !s.amongContent(f.parent, f.words-s.words[f.last]+s.words[f.first]) {
			continue
		}
		for i := f.first; i < f.last; i++ {
			s.keep[i] = true
		}
	}
}

// amongContent reports whether most of what surrounds an element is kept, apart from
// a number of its words.
func (s *selection) amongContent(at int, apart float64) bool {
	o := s.outliner
	for range maxDepth {
		e := &o.elems[at]
		if e.own&(inNav|inFooter|inAside|namedRelated|namedAd|namedAuthor|namedComment|namedShare) != 0 {
			return false
		}
		words, enough := e.words-apart, e.words >= 40 || e.parent < 0
		if kept := s.words[e.last] - s.words[e.first]; (enough || words >= minNear) && kept < 0.5*words {
			return false
		}
		if enough {
			return true
		}
		o.page.work++
		at = e.parent
	}
	return false
}

// minNear is the number of words beside a picture from which they decide whether it
// is content.
const minNear = 3

// keepsSome reports whether a part of an element is kept.
func (s *selection) keepsSome(e *element) bool {
	for i := e.first; i < e.last; i++ {
		if s.keep[i] {
			return true
		}
	}
	return false
}

// onlyLists reports whether all of an item is in other lists.
func (s *selection) onlyLists(at int) bool {
	o := s.outliner
	if o.elems[at].node.DataAtom == atom.Ul || o.elems[at].node.DataAtom == atom.Ol {
		return true
	}
	i := o.elems[at].first
	for c := s.layout.inner[at]; c != 0; c = s.layout.next[c] {
		e := &o.elems[c]
		if slices.Contains(s.keep[i:max(i, e.first)], true) || s.keepsSome(e) && !s.onlyLists(c) {
			return false
		}
		i = max(i, e.last)
	}
	return !slices.Contains(s.keep[i:o.elems[at].last], true)
}

// posts finds the outermost posts of threads. An element around several posts is not a
// post itself: the author at its start belongs to the first of them.
func (s *selection) posts() []bool {
	o := s.outliner
	var candidates map[*html.Node]bool
	for i := range o.elems {
		if e := &o.elems[i]; s.keepsSome(e) && (e.isPost() || isMarkedPost(e.node)) {
			if candidates == nil {
				candidates = map[*html.Node]bool{}
			}
			candidates[e.node] = true
		}
	}
	if candidates == nil {
		return nil
	}
	posts, within := make([]bool, len(o.elems)), make([]bool, len(o.elems))
	for i := range o.elems {
		e := &o.elems[i]
		within[i] = e.parent >= 0 && within[e.parent]
		if within[i] || !candidates[e.node] {
			continue
		}
		posts[i] = true
		for n := authorIn(e.node); n != nil && n != e.node; n = n.Parent {
			posts[i] = posts[i] && !candidates[n]
		}
		within[i] = posts[i]
	}
	return posts
}
