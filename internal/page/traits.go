package page

import (
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// traits are what an element is, or is called.
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
	isEntry // a post, a comment, a product among others of its kind
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

// partial are traits that an element cannot have which holds most of a page:
// its name then tells what else is in it.
const partial = inAside | inForm | namedSidebar | namedMenu | namedCrumb | namedShare | namedRelated | namedMeta | namedTags | namedAuthor | namedDialog |
	namedCookie | namedSignup | namedAd | namedFooter | namedHeader | namedTitle | namedFilter | namedHidden | namedButton | namedCaption | namedSlide | namedPanel

// traitsOf reads what an element is, and what its class and id call it.
func traitsOf(n *html.Node) (t traits) {
	switch n.DataAtom {
	case atom.Main:
		t |= inMain
	case atom.Article:
		t |= inArticle
	case atom.Header:
		t |= inHeader
	case atom.Footer:
		t |= inFooter
	case atom.Nav:
		t |= inNav
	case atom.Aside:
		t |= inAside
	case atom.Form, atom.Fieldset:
		t |= inForm
	case atom.Ul, atom.Ol, atom.Dl, atom.Menu:
		t |= inList
	case atom.Table:
		t |= inTable
	case atom.Pre:
		t |= inPre
	case atom.Blockquote:
		t |= inQuote
	case atom.Figure:
		t |= inFigure
	case atom.Figcaption:
		t |= inCaption
	case atom.Dialog:
		t |= namedDialog
	case atom.Details:
		t |= inDetails
	case atom.Button, atom.Option, atom.Legend:
		t |= inButton
	case atom.H1, atom.H2, atom.H3, atom.H4, atom.H5, atom.H6:
		t |= inHeading
	}
	for _, a := range n.Attr {
		switch a.Key {
		case "class", "data-testid", "data-component", "data-test", "data-hook", "data-type":
			if n.DataAtom != atom.Body && n.DataAtom != atom.Html {
				t |= named(a.Val)
			}
		case "id":
			if !isAnchor(n.DataAtom) {
				t |= named(a.Val)
			}
		case "role":
			t |= roleOf(a.Val)
		case "itemprop":
			t |= propertyTrait(a.Val)
		case "itemtype":
			if strings.HasSuffix(a.Val, "/Comment") || strings.HasSuffix(a.Val, "/Review") || strings.HasSuffix(a.Val, "/Answer") || strings.HasSuffix(a.Val, "/DiscussionForumPosting") {
				t |= isEntry
			}
		}
	}
	if t&(inArticle|namedContent) != 0 {
		t &^= namedTags // which the article has
	}
	return t
}

// isAnchor reports whether the id of an element rather tells what it is about
// than what it is.
func isAnchor(a atom.Atom) bool {
	switch a {
	case atom.Body, atom.Html, atom.Section, atom.P, atom.Li, atom.Dt, atom.Tr, atom.Td, atom.H1, atom.H2, atom.H3, atom.H4, atom.H5, atom.H6:
		return true
	}
	return false
}

// propertyTrait reads what microdata call an element.
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
