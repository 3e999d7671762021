// Package traits names the probable roles of an element, such as navigation, comment or
// advertisement, from its tag, its attributes and the words of its classes. It looks at one
// element at a time, never at its text or its surroundings.
package traits

import (
	"strings"
	"sync"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"techo/internal/page/dom"
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
	InDetails
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
	NamedTitle
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
	NamedHeader | NamedTitle | NamedFilter | NamedHidden | NamedButton | NamedCaption | NamedSlide | NamedPanel

// Of returns the traits of an element from its tag and attributes.
func (v Vocabulary) Of(n *html.Node) Set {
	t := traitsOfTags[n.DataAtom]
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
			t |= traitsOfRoles()[a.Val]
		case "itemprop":
			t |= traitsOfProperties[strings.ToLower(a.Val)]
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
	switch {
	case IsBox(n), AreNotes(n):
		t &^= InAside | NamedDialog | NamedSidebar | NamedMeta | NamedFooter
	case n.DataAtom == atom.Footer && n.Parent != nil &&
		(n.Parent.DataAtom == atom.Blockquote || n.Parent.DataAtom == atom.Figure):
		t &^= InFooter | NamedFooter // who said it
	}
	return t
}

// IsBox reports whether an element is a box in a text that warns or explains, such as those that
// documentation programs make.
func IsBox(n *html.Node) bool {
	switch dom.Attr(n, "role") {
	case "alert", "note":
		return n.DataAtom == atom.P || n.DataAtom == atom.Div || n.DataAtom == atom.Section || n.DataAtom == atom.Aside
	}
	for class := range strings.FieldsSeq(strings.ToLower(dom.Attr(n, "class"))) {
		switch class {
		case "alert", "admonition", "callout", "admonitionblock", "markdown-alert", "admonition-block", "theme-admonition",
			"custom-block", "starlight-aside":
			return true
		case "msg", "message", "note", "warning", "tip", "caution", "important", "danger", "hint", "notice":
			if n.DataAtom == atom.Aside || n.DataAtom == atom.Blockquote {
				return true
			}
		}
		if strings.HasPrefix(class, "alert-") || strings.HasPrefix(class, "callout-") ||
			strings.HasPrefix(class, "admonition-") || strings.HasPrefix(class, "markdown-alert-") {
			return n.DataAtom != atom.Button && n.DataAtom != atom.A
		}
	}
	return false
}

// AreNotes reports whether an element is a footnote of a text, or has them all, as programs that
// turn Markdown, reStructuredText and the like into HTML mark them.
func AreNotes(n *html.Node) bool {
	switch dom.Attr(n, "role") {
	case "doc-footnote", "doc-endnote", "doc-endnotes", "doc-bibliography", "doc-biblioentry":
		return true
	}
	switch dom.Attr(n, "epub:type") {
	case "footnote", "footnotes", "endnote", "endnotes", "rearnote", "rearnotes", "bibliography":
		return true
	}
	for class := range strings.FieldsSeq(dom.Attr(n, "class")) {
		switch class {
		case "footnote", "footnotes", "footnote-list", "footnotes-list", "footnote-definition", "footnote-text",
			"MsoFootnoteText", "MsoEndnoteText", "citation-list", "ltx_bibliography":
			return n.DataAtom != atom.A && n.DataAtom != atom.Sup
		}
	}
	return false
}

var traitsOfTags = map[atom.Atom]Set{
	atom.Main: InMain, atom.Article: InArticle, atom.Header: InHeader, atom.Footer: InFooter, atom.Nav: InNav,
	atom.Aside: InAside, atom.Form: InForm, atom.Fieldset: InForm, atom.Ul: InList, atom.Ol: InList,
	atom.Dl: InList, atom.Menu: InList, atom.Table: InTable, atom.Pre: InPre, atom.Blockquote: InQuote,
	atom.Figure: InFigure, atom.Figcaption: InCaption, atom.Dialog: NamedDialog, atom.Details: InDetails,
	atom.Button: InButton, atom.Option: InButton, atom.Legend: InButton, atom.H1: InHeading, atom.H2: InHeading,
	atom.H3: InHeading, atom.H4: InHeading, atom.H5: InHeading, atom.H6: InHeading,
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

// traitsOfProperties are the traits of microdata properties in lower case.
var traitsOfProperties = map[string]Set{
	"articlebody": IsArticleBody, "text": IsArticleBody, "description": IsArticleBody,
	"reviewbody": IsArticleBody, "mainentity": IsArticleBody, "recipeinstructions": IsArticleBody,
	"recipeingredient": IsArticleBody, "comment": IsEntry | NamedReview, "review": IsEntry | NamedReview,
	"author": NamedAuthor, "datepublished": NamedMeta, "datemodified": NamedMeta, "offers": NamedPrice,
	"price": NamedPrice, "headline": NamedTitle, "name": NamedTitle, "caption": NamedCaption,
}

var traitsOfRoles = sync.OnceValue(func() map[string]Set {
	return map[string]Set{
		"main": InMain, "article": InArticle, "banner": InHeader, "contentinfo": InFooter, "navigation": InNav,
		"menu": InNav, "menubar": InNav, "tablist": InNav, "complementary": InAside, "search": InForm,
		"dialog": NamedDialog, "alertdialog": NamedDialog, "alert": NamedDialog, "tooltip": NamedDialog,
		"tabpanel": NamedPanel, "note": NamedMeta,
	}
})
