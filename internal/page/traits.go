package page

import (
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// traits is the set of properties of an element, from its tag and its names.
type traits uint64

const (
	inMain traits = 1 << iota
	inArticle
	inHeader
	inFooter
	inNav
	inAside
	inForm
	inList
	inTable
	inPre
	inQuote
	inFigure
	inDetails
	inButton
	inHeading
	inCaption
	isArticleBody
	isEntry // one of several posts, comments or products
	namedContent
	namedDetail
	namedCard
	namedReview
	namedPanel
	namedSlide
	namedSidebar
	namedMenu
	namedCrumb
	namedComment
	namedPost
	namedPoster
	namedShare
	namedRelated
	namedMeta
	namedTags
	namedAuthor
	namedDialog
	namedCookie
	namedSignup
	namedAd
	namedFooter
	namedHeader
	namedTitle
	namedFilter
	namedCart
	namedPrice
	namedHidden
	namedButton
	namedCaption

	traitCount = iota
)

// partial are the traits that an element with most of the page cannot have. Its
// name then describes a part of its contents.
const partial = inAside | inForm | namedSidebar | namedMenu | namedCrumb | namedShare | namedRelated |
	namedMeta | namedTags | namedAuthor | namedDialog | namedCookie | namedSignup | namedAd | namedFooter |
	namedHeader | namedTitle | namedFilter | namedHidden | namedButton | namedCaption | namedSlide | namedPanel

// traitsOf returns the traits of an element from its tag and attributes.
func (v vocabulary) traitsOf(n *html.Node) traits {
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
				t |= isEntry
			}
		}
	}
	if t&(inArticle|namedContent) != 0 {
		t &^= namedTags // the tags of the article
	}
	return t
}

// tagTrait returns the trait of a tag.
func tagTrait(tag atom.Atom) traits {
	switch tag {
	case atom.Main:
		return inMain
	case atom.Article:
		return inArticle
	case atom.Header:
		return inHeader
	case atom.Footer:
		return inFooter
	case atom.Nav:
		return inNav
	case atom.Aside:
		return inAside
	case atom.Form, atom.Fieldset:
		return inForm
	case atom.Ul, atom.Ol, atom.Dl, atom.Menu:
		return inList
	case atom.Table:
		return inTable
	case atom.Pre:
		return inPre
	case atom.Blockquote:
		return inQuote
	case atom.Figure:
		return inFigure
	case atom.Figcaption:
		return inCaption
	case atom.Dialog:
		return namedDialog
	case atom.Details:
		return inDetails
	case atom.Button, atom.Option, atom.Legend:
		return inButton
	case atom.H1, atom.H2, atom.H3, atom.H4, atom.H5, atom.H6:
		return inHeading
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
func propertyTrait(property string) traits {
	switch strings.ToLower(property) {
	case "articlebody", "text", "description", "reviewbody", "mainentity", "recipeinstructions", "recipeingredient":
		return isArticleBody
	case "comment", "review":
		return isEntry | namedReview
	case "author":
		return namedAuthor
	case "datepublished", "datemodified":
		return namedMeta
	case "offers", "price":
		return namedPrice
	case "headline", "name":
		return namedTitle
	case "caption":
		return namedCaption
	}
	return 0
}

func roleOf(role string) traits {
	switch role {
	case "main":
		return inMain
	case "article":
		return inArticle
	case "banner":
		return inHeader
	case "contentinfo":
		return inFooter
	case "navigation", "menu", "menubar", "tablist":
		return inNav
	case "complementary":
		return inAside
	case "search":
		return inForm
	case "dialog", "alertdialog", "alert", "tooltip":
		return namedDialog
	case "tabpanel":
		return namedPanel
	case "note", "doc-endnotes":
		return namedMeta
	}
	return 0
}
