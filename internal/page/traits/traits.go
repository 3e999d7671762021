// Package traits names the probable roles of an element, such as navigation, comment or
// advertisement, from its tag, its attributes and the words of its classes. It looks at one
// element at a time, never at its text or its surroundings.
package traits

import (
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// Set is the set of properties of an element, from its tag and its names.
type Set uint64

const (
	InMain Set = 1 << iota
	InArticle
	InHeader
	InFooter
	InNav
	InAside
	InForm
	InList
	InTable
	InPre
	InQuote
	InFigure
	inDetails
	InButton
	InHeading
	InCaption
	IsArticleBody
	IsEntry // one of several posts, comments or products
	NamedContent
	NamedDetail
	NamedCard
	NamedReview
	NamedPanel
	NamedSlide
	NamedSidebar
	NamedMenu
	NamedCrumb
	NamedComment
	NamedPost
	NamedPoster
	NamedShare
	NamedRelated
	NamedMeta
	NamedTags
	NamedAuthor
	NamedDialog
	NamedCookie
	NamedSignup
	NamedAd
	NamedFooter
	NamedHeader
	namedTitle
	NamedFilter
	NamedCart
	NamedPrice
	NamedHidden
	NamedButton
	NamedCaption

	TraitCount = iota
)

// Partial are the traits that an element with most of the page cannot have. Its
// name then describes a part of its contents.
const Partial = InAside | InForm | NamedSidebar | NamedMenu | NamedCrumb | NamedShare | NamedRelated |
	NamedMeta | NamedTags | NamedAuthor | NamedDialog | NamedCookie | NamedSignup | NamedAd | NamedFooter |
	NamedHeader | namedTitle | NamedFilter | NamedHidden | NamedButton | NamedCaption | NamedSlide | NamedPanel

// Of returns the traits of an element from its tag and attributes.
func (v Vocabulary) Of(n *html.Node) Set {
	t := tagTrait(n.DataAtom)
	for _, a := range n.Attr {
		switch a.Key {
		case "class", "data-testid", "data-component", "data-test", "data-hook", "data-type":
			if n.DataAtom != atom.Body && n.DataAtom != atom.Html {
				t |= v.named(a.Val)
			}
		case "id":
			if !isAnchor(n.DataAtom) {
				t |= v.named(a.Val)
			}
		case "role":
			t |= roleOf(a.Val)
		case "itemprop":
			t |= propertyTrait(a.Val)
		case "itemtype":
			if strings.HasSuffix(a.Val, "/Comment") || strings.HasSuffix(a.Val, "/Review") ||
				strings.HasSuffix(a.Val, "/Answer") || strings.HasSuffix(a.Val, "/DiscussionForumPosting") {
				t |= IsEntry
			}
		}
	}
	if t&(InArticle|NamedContent) != 0 {
		t &^= NamedTags // the tags of the article
	}
	return t
}

// tagTrait returns the trait of a tag.
func tagTrait(tag atom.Atom) Set {
	switch tag {
	case atom.Main:
		return InMain
	case atom.Article:
		return InArticle
	case atom.Header:
		return InHeader
	case atom.Footer:
		return InFooter
	case atom.Nav:
		return InNav
	case atom.Aside:
		return InAside
	case atom.Form, atom.Fieldset:
		return InForm
	case atom.Ul, atom.Ol, atom.Dl, atom.Menu:
		return InList
	case atom.Table:
		return InTable
	case atom.Pre:
		return InPre
	case atom.Blockquote:
		return InQuote
	case atom.Figure:
		return InFigure
	case atom.Figcaption:
		return InCaption
	case atom.Dialog:
		return NamedDialog
	case atom.Details:
		return inDetails
	case atom.Button, atom.Option, atom.Legend:
		return InButton
	case atom.H1, atom.H2, atom.H3, atom.H4, atom.H5, atom.H6:
		return InHeading
	}
	return 0
}

// isAnchor reports whether the id of an element usually names its topic, not its
// role.
func isAnchor(a atom.Atom) bool {
	switch a {
	case atom.Body, atom.Html, atom.Section, atom.P, atom.Li, atom.Dt, atom.Tr, atom.Td, atom.H1, atom.H2, atom.H3,
		atom.H4, atom.H5, atom.H6:
		return true
	}
	return false
}

// propertyTrait maps a microdata property.
func propertyTrait(property string) Set {
	switch strings.ToLower(property) {
	case "articlebody", "text", "description", "reviewbody", "mainentity", "recipeinstructions", "recipeingredient":
		return IsArticleBody
	case "comment", "review":
		return IsEntry | NamedReview
	case "author":
		return NamedAuthor
	case "datepublished", "datemodified":
		return NamedMeta
	case "offers", "price":
		return NamedPrice
	case "headline", "name":
		return namedTitle
	case "caption":
		return NamedCaption
	}
	return 0
}

func roleOf(role string) Set {
	switch role {
	case "main":
		return InMain
	case "article":
		return InArticle
	case "banner":
		return InHeader
	case "contentinfo":
		return InFooter
	case "navigation", "menu", "menubar", "tablist":
		return InNav
	case "complementary":
		return InAside
	case "search":
		return InForm
	case "dialog", "alertdialog", "alert", "tooltip":
		return NamedDialog
	case "tabpanel":
		return NamedPanel
	case "note", "doc-endnotes":
		return NamedMeta
	}
	return 0
}
