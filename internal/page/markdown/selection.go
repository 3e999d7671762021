package markdown

import (
	"slices"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"techo/internal/page/content"
	"techo/internal/page/meta"
	"techo/internal/page/traits"
	"techo/internal/page/view"
)

// selection is the part of a page that Markdown shows: the content and the captions of
// its figures.
type selection struct {
	outline *view.Outline
	layout  *view.Layout
	keep    []bool    // by block
	words   []float64 // cumulative words of kept blocks
}

func newSelection(c *content.Content) *selection {
	s := &selection{outline: c.Outline, layout: c.Outline.Layout(), keep: slices.Clone(c.Keep),
		words: make([]float64, len(c.Keep)+1)}
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
			s.words[i+1] += s.outline.Blocks[i].Words
		}
	}
}

// keepCaptions keeps the captions of the figures that are among the content.
func (s *selection) keepCaptions() {
	o := s.outline
	for e := range o.Elems {
		f := &o.Elems[e]
		if f.Node.DataAtom != atom.Figure || !s.amongContent(f.Parent, f.Words-s.words[f.Last]+s.words[f.First]) {
			continue
		}
		for i := f.First; i < f.Last; i++ {
			s.keep[i] = true
		}
	}
}

// amongContent reports whether most of what surrounds an element is kept, apart from
// a number of its words.
func (s *selection) amongContent(at int, apart float64) bool {
	o := s.outline
	for range maxAround {
		e := &o.Elems[at]
		if e.Own&(traits.InNav|traits.InFooter|traits.InAside|traits.NamedRelated|traits.NamedAd|traits.NamedAuthor|
			traits.NamedComment|traits.NamedShare) != 0 {
			return false
		}
		words, enough := e.Words-apart, e.Words >= 40 || e.Parent < 0
		if kept := s.words[e.Last] - s.words[e.First]; (enough || words >= minNear) && kept < 0.5*words {
			return false
		}
		if enough {
			return true
		}
		o.Page.Work++
		at = e.Parent
	}
	return false
}

// maxAround is the number of elements around a picture that decide whether it is content.
const maxAround = 400

// minNear is the number of words beside a picture from which they decide whether it
// is content.
const minNear = 3

// keepsSome reports whether a part of an element is kept.
func (s *selection) keepsSome(e *view.Element) bool {
	return slices.Contains(s.keep[e.First:e.Last], true)
}

// onlyLists reports whether all of an item is in other lists.
func (s *selection) onlyLists(at int) bool {
	o := s.outline
	if o.Elems[at].Node.DataAtom == atom.Ul || o.Elems[at].Node.DataAtom == atom.Ol {
		return true
	}
	i := o.Elems[at].First
	for c := s.layout.Inner[at]; c != 0; c = s.layout.Next[c] {
		e := &o.Elems[c]
		if slices.Contains(s.keep[i:max(i, e.First)], true) || s.keepsSome(e) && !s.onlyLists(c) {
			return false
		}
		i = max(i, e.Last)
	}
	return !slices.Contains(s.keep[i:o.Elems[at].Last], true)
}

// posts finds the outermost posts of threads. An element around several posts is not a
// post itself: the author at its start belongs to the first of them.
func (s *selection) posts() []bool {
	o := s.outline
	candidates := map[*html.Node]bool{}
	for i := range o.Elems {
		if e := &o.Elems[i]; s.keepsSome(e) && (e.IsPost() || isMarkedPost(e.Node)) {
			candidates[e.Node] = true
		}
	}
	if len(candidates) == 0 {
		return nil
	}
	posts, within := make([]bool, len(o.Elems)), make([]bool, len(o.Elems))
	for i := range o.Elems {
		e := &o.Elems[i]
		within[i] = e.Parent >= 0 && within[e.Parent]
		if within[i] || !candidates[e.Node] {
			continue
		}
		posts[i] = true
		for n := meta.AuthorIn(e.Node); n != nil && n != e.Node; n = n.Parent {
			posts[i] = posts[i] && !candidates[n]
		}
		within[i] = posts[i]
	}
	return posts
}
