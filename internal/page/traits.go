package page

import (
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// traits are what an element is, or is called.
type traits uint32

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
	namedContent
	namedNoise
	namedComment
	namedShare
	namedRelated
	namedMeta
	namedDialog
	isArticleBody
	inButton
	inHeading
	namedSidebar
	namedMenu
	namedAd
	namedReply
	namedDetail
	namedCard
	namedReview
	namedAccordion
)

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
	case atom.Figure, atom.Figcaption:
		t |= inFigure
	case atom.Details:
		t |= inDetails
	case atom.Button, atom.Option, atom.Legend:
		t |= inButton
	case atom.H1, atom.H2, atom.H3, atom.H4, atom.H5, atom.H6:
		t |= inHeading
	}
	for _, a := range n.Attr {
		switch a.Key {
		case "class", "id", "data-testid", "data-component", "data-test":
			if a.Val != "" && n.DataAtom != atom.Body && n.DataAtom != atom.Html {
				t |= named(a.Val)
			}
		case "role":
			t |= roleOf(a.Val)
		case "itemprop":
			if strings.EqualFold(a.Val, "articleBody") || a.Val == "text" || a.Val == "description" {
				t |= isArticleBody
			}
		}
	}
	return t
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
	case "dialog", "alertdialog", "alert":
		return namedDialog
	}
	return 0
}

// named reads the words of a class or an id.
func named(value string) (t traits) {
	if len(value) > 200 {
		value = value[:200]
	}
	begin := -1
	for i := 0; i <= len(value); i++ {
		letter := i < len(value) && (value[i]|0x20 >= 'a' && value[i]|0x20 <= 'z')
		hump := letter && begin >= 0 && value[i] >= 'A' && value[i] <= 'Z' && value[i-1] >= 'a'
		if begin >= 0 && (!letter || hump) {
			t |= nameTrait(strings.ToLower(value[begin:i]))
			begin = -1
		}
		if letter && begin < 0 {
			begin = i
		}
	}
	return t
}

func nameTrait(word string) traits {
	switch word {
	case "article", "content", "contents", "post", "entry", "story", "main", "body", "text", "prose", "markdown", "copy", "page",
		"topic", "message", "question", "answer", "readme", "document", "wiki", "maincontent", "articlebody", "hentry", "richtext", "rte", "wysiwyg", "editorial", "honbun", "kiji":
		return namedContent
	case "description", "desc", "detail", "details", "spec", "specs", "specification", "specifications", "features", "overview", "product", "summary", "attributes", "highlights", "pdp":
		return namedDetail
	case "card", "cards", "item", "items", "tile", "tiles", "grid", "listing", "listings", "result", "results", "row", "products", "collection", "thumbnail", "thumb":
		return namedCard
	case "review", "reviews", "rating", "ratings", "testimonial", "testimonials", "stars", "score":
		return namedReview
	case "faq", "faqs", "accordion", "qa", "collapse", "collapsible", "tabpanel", "panel":
		return namedAccordion
	case "sidebar", "side", "aside", "rail", "widget", "widgets", "secondary", "sidenav", "sidecolumn", "right":
		return namedSidebar
	case "nav", "navbar", "navigation", "menu", "menus", "breadcrumb", "breadcrumbs", "crumb", "crumbs", "pager", "pagination", "paging", "toc", "tabs", "megamenu", "dropdown", "topbar", "toolbar", "skip", "subnav", "sitemap":
		return namedMenu
	case "comment", "comments", "disqus", "commentlist", "respond", "discussion":
		return namedComment
	case "reply", "replies", "thread", "forum", "bbcode", "posts", "messages":
		return namedReply
	case "share", "sharing", "social", "socials", "follow", "sns", "twitter", "facebook", "addthis", "sharedaddy", "sharebar":
		return namedShare
	case "related", "recommended", "recommendation", "recommendations", "recommend", "more", "popular", "trending", "latest", "similar", "recent", "teaser", "teasers", "carousel", "slider", "swiper", "promo", "promos", "promotion", "outbrain", "taboola", "upsell", "also", "ranking", "morefrom", "readmore", "suggested", "suggestions", "crosssell":
		return namedRelated
	case "meta", "byline", "author", "authors", "date", "tags", "tag", "category", "categories", "timestamp", "bio", "time", "published", "dateline", "taglist", "credit", "labels", "stats", "avatar", "profile", "info":
		return namedMeta
	case "cookie", "cookies", "consent", "gdpr", "modal", "popup", "overlay", "dialog", "newsletter", "subscribe", "subscription", "signup", "login", "signin", "register", "paywall", "banner", "alert", "notice", "toast", "optin", "mailchimp", "cta":
		return namedDialog
	case "ad", "ads", "advert", "advertisement", "adsense", "sponsor", "sponsored", "adslot", "dfp", "gpt":
		return namedAd
	case "footer", "foot", "copyright", "legal", "header", "masthead", "hidden", "print", "screenreader", "sr", "visuallyhidden", "disclaimer", "colophon", "logo", "search", "button", "btn", "buttons", "filter", "filters", "sort", "cart", "hero":
		return namedNoise
	}
	return 0
}
