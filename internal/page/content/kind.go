package content

import (
	"techo/internal/page/meta"
	"techo/internal/page/traits"
)

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
func kindOf(s *surroundings) kind {
	var weight [kindCount]float64
	for _, e := range evidence {
		if s.Page.Claims&e.any != 0 {
			weight[e.kind] += e.weight
		}
	}
	if s.Page.Products > 2 {
		weight[productPage], weight[listingPage] = weight[productPage]-1.5, weight[listingPage]+1.5
	}
	posts, whole := parts(s)
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
func parts(s *surroundings) (posts int, whole bool) {
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
