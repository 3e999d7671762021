package traits

import "strings"

// Vocabulary remembers the traits of the names that a page has used.
type Vocabulary map[string]Set

// named returns the traits that the words of a class or id attribute suggest.
func (v Vocabulary) named(value string) Set {
	t, ok := v[value]
	if !ok {
		t = named(value)
		v[value] = t
	}
	return t
}

// named returns the traits that the words of a class or id attribute suggest.
func named(value string) (t Set) {
	if len(value) > 300 {
		value = value[:300]
	}
	begin := -1
	for i := 0; i <= len(value); i++ {
		letter := i < len(value) && (value[i]|0x20 >= 'a' && value[i]|0x20 <= 'z')
		hump := letter && begin >= 0 && value[i] >= 'A' && value[i] <= 'Z' && value[i-1] >= 'a'
		if begin >= 0 && (!letter || hump) {
			if i-begin > 1 {
				t |= nameTrait(strings.ToLower(value[begin:i]))
			}
			begin = -1
		}
		if letter && begin < 0 {
			begin = i
		}
	}
	return t
}

// nameTrait maps a word of a class or id, in the vocabularies of common content
// management systems, shops, forums and blogs.
func nameTrait(word string) Set {
	if t := contentTrait(word); t != 0 {
		return t
	}
	if t := furnitureTrait(word); t != 0 {
		return t
	}
	if t := sectionTrait(word); t != 0 {
		return t
	}
	if len(word) > 8 {
		return stemTrait(word)
	}
	return 0
}

// contentTrait returns the trait of a word that names content, navigation or
// discussion.
func contentTrait(word string) Set {
	switch word {
	case "article", "content", "contents", "post", "entry", "story", "main", "body", "text", "prose", "markdown",
		"copy", "page",
		"question", "answer", "readme", "document", "wiki", "maincontent", "hentry", "richtext", "rte", "wysiwyg",
		"editorial", "chapter", "lesson",
		"beitrag", "inhalt", "artikel", "texte", "contenu", "cuerpo", "noticia", "contenido", "articulo", "honbun",
		"kiji", "rst", "theiaposts":
		return NamedContent
	case "description", "desc", "detail", "details", "spec", "specs", "specification", "specifications", "features",
		"feature", "product", "summary", "attributes", "highlights", "pdp":
		return NamedDetail
	case "card", "cards", "item", "items", "tile", "tiles", "grid", "listing", "listings", "result", "results", "row",
		"products", "collection", "thumbnail", "thumb", "thumbnails":
		return NamedCard
	case "review", "reviews", "rating", "ratings", "testimonial", "testimonials", "stars", "score", "yotpo",
		"bazaarvoice", "trustpilot", "jdgm", "rev", "stamped", "okendo":
		return NamedReview
	case "faq", "faqs", "accordion", "accordions", "qa", "collapse", "collapsible", "collapsed", "tabpanel", "panel",
		"expander",
		"expandable", "tab", "tabs", "toggle", "toggles", "disclosure":
		return NamedPanel
	case "slide", "slides", "slick", "swiper", "splide", "carousel", "slider", "glide", "flickity", "slideshow", "owl":
		return NamedSlide | NamedPanel
	case "sidebar", "aside", "rail", "widget", "widgets", "secondary", "sidenav", "sidecolumn", "blogroll", "archiv",
		"archives", "marginal", "marginalspalte", "seitenleiste", "online", "statistics", "whosonline", "permissions",
		"jumpbox", "birthdays", "barra", "lateral":
		return NamedSidebar
	case "nav", "navbar", "navi", "navigation", "menu", "menus", "submenu", "pager", "pagination", "paging", "megamenu",
		"dropdown", "topbar", "toolbar", "skip", "skiplink", "subnav", "sitemap", "flyout", "offcanvas", "drawer",
		"pagenav", "gnav", "hamburger", "topnav", "leftnav", "globalnav", "jumpto":
		return NamedMenu
	case "breadcrumb", "breadcrumbs", "crumb", "crumbs", "bread", "topicpath", "pankuzu", "toc", "tableofcontents",
		"outline":
		return NamedCrumb
	case "comment", "comments", "disqus", "commentlist", "respond", "discussion", "kommentar", "kommentare",
		"commentaire", "commentaires", "comentario", "comentarios", "leserbriefe", "trackback", "trackbacks",
		"pingback", "pingbacks", "livefyre", "coral", "viafoura", "responses":
		return NamedComment
	case "reply", "replies", "thread", "threads", "forum", "forums", "bbcode", "posts", "messages", "message", "topic",
		"viewtopic", "postbody", "postbit", "posttext", "bbp", "phpbb", "bbwrapper", "postcontent", "cooked",
		"usertext":
		return NamedPost
	case "signature", "sig", "usertitle", "postprofile", "poster", "userinfo", "karma", "reputation", "badge", "badges",
		"userbit", "usercard", "joindate":
		return NamedPoster
	}
	return 0
}

// furnitureTrait returns the trait of a word that names an addition to the content,
// such as links to other pages, details of the author or an advertisement.
func furnitureTrait(word string) Set {
	switch word {
	case "share", "sharing", "social", "socials", "follow", "sns", "twitter", "facebook", "addthis", "sharedaddy",
		"sharebar", "addtoany", "shariff", "teilen", "partage", "compartir", "jiathis", "shares", "sharethis",
		"whatsapp", "pinterest", "linkedin", "hatena":
		return NamedShare
	case "related", "recommended", "recommendation", "recommendations", "recommend", "popular", "trending", "similar",
		"recent", "teaser", "teasers", "promo", "promos", "promotion", "outbrain", "taboola", "upsell", "upsells",
		"ranking", "morefrom", "suggested", "suggestions", "crosssell", "crosssells", "recirculation", "recirc",
		"recirculate", "nextpost", "prevnext", "nachbar", "kanren", "osusume", "yarpp", "relatedposts", "mostread",
		"mostpopular", "meistgelesen", "readmore", "readnext", "upnext", "zergnet", "revcontent", "mgid", "dianomi",
		"linkwithin", "weitere":
		return NamedRelated
	case "meta", "date", "timestamp", "time", "published", "dateline", "credit", "labels", "stats", "info", "postmeta",
		"entrymeta", "postinfo", "updated", "pubdate", "datum", "kicker", "eyebrow", "fecha":
		return NamedMeta
	case "tags", "tag", "category", "categories", "taglist", "tagcloud", "cat", "cats", "hashtags", "taxonomy",
		"schlagworte", "etiquetas", "keywords", "topics":
		return NamedTags
	case "byline", "author", "authors", "bio", "avatar", "profile", "autor", "auteur", "authorbox", "abouttheauthor",
		"contributor", "contributors", "saboxplugin", "verfasser", "writer", "vcard", "gravatar", "aboutauthor":
		return NamedAuthor
	case "modal", "popup", "popover", "dialog", "paywall", "toast", "lightbox", "tooltip", "interstitial",
		"offcanvasmenu", "alert":
		return NamedDialog
	case "cookie", "cookies", "consent", "gdpr", "ccpa", "onetrust", "cookiebot", "didomi", "usercentrics", "cky",
		"osano", "truste", "iubenda", "klaro", "borlabs", "privacybanner":
		return NamedCookie
	case "newsletter", "newsletters", "subscribe", "subscription", "signup", "optin", "mailchimp", "login", "signin",
		"register", "donate", "donation", "membership", "member", "emailform", "hubspot", "regwall", "inscription",
		"anmelden", "abo", "leadform":
		return NamedSignup
	case "ad", "ads", "advert", "adverts", "advertisement", "advertising", "adsense", "sponsor", "sponsored",
		"sponsors", "adslot", "dfp", "gpt", "adsbygoogle", "adunit", "adbox", "adcontainer", "anzeige", "werbung",
		"publicite", "publicidad", "koukoku", "adwrap", "adwords", "skyscraper", "leaderboard", "affiliate":
		return NamedAd
	}
	return 0
}

// sectionTrait returns the trait of a word that names a section of the page or a
// control.
func sectionTrait(word string) Set {
	switch word {
	case "footer", "foot", "copyright", "legal", "colophon", "disclaimer", "bottombar", "pagefooter", "sitefooter",
		"siteinfo", "imprint", "impressum", "fuss", "fusszeile", "footnav":
		return NamedFooter
	case "header", "masthead", "logo", "head", "siteheader", "topheader", "branding", "globalheader", "kopf",
		"kopfzeile":
		return NamedHeader
	case "hero", "jumbotron", "banner", "overview", "intro", "headline", "lead", "title", "titles", "subtitle", "deck",
		"dek", "standfirst", "excerpt", "heading", "tagline":
		return namedTitle
	case "filter", "filters", "facet", "facets", "sort", "sorting", "refine", "refinement", "refinements", "search",
		"searchform", "searchbox", "suche", "swatch", "swatches", "autocomplete":
		return NamedFilter
	case "cart", "basket", "checkout", "minicart", "wishlist", "buy", "addtocart", "quantity", "qty", "shipping",
		"delivery", "payment", "payments", "variant", "variants", "options", "option", "swatchlist", "bundle":
		return NamedCart
	case "price", "prices", "pricing", "sku", "amount", "sale", "saleprice":
		return NamedPrice
	case "screenreader", "sr", "visuallyhidden", "visually", "noprint", "assistive", "offscreen":
		return NamedHidden
	case "button", "btn", "buttons", "actions", "action", "controls", "links", "feedback", "helpful", "vote", "votes",
		"voting":
		return NamedButton
	case "caption", "captions", "figcaption", "gallery", "imagecaption", "wpcaption", "credits", "legende",
		"bildunterschrift", "photocredit", "mediacaption":
		return NamedCaption
	}
	return 0
}

// stemTrait maps compound words by their prefix or suffix.
func stemTrait(word string) Set {
	for _, s := range stems {
		if strings.HasPrefix(word, s.stem) || strings.HasSuffix(word, s.stem) {
			return s.traits
		}
	}
	return 0
}

// stems are the parts of compound names, in order of precedence. Names of page
// furniture come first: a "commentcontent" is a comment.
var stems = [...]struct {
	stem   string
	traits Set
}{
	{"comment", NamedComment}, {"kommentar", NamedComment}, {"autor", NamedAuthor}, {"teaser", NamedRelated},
	{"werbung", NamedAd}, {"anzeige", NamedAd}, {"related", NamedRelated}, {"recommend", NamedRelated},
	{"sidebar", NamedSidebar}, {"footer", NamedFooter},
	{"newsletter", NamedSignup}, {"breadcrumb", NamedCrumb}, {"advert", NamedAd}, {"cookie", NamedCookie},
	{"consent", NamedCookie}, {"share", NamedShare},
	{"social", NamedShare}, {"author", NamedAuthor}, {"review", NamedReview}, {"header", NamedHeader},
	{"menu", NamedMenu}, {"navigation", NamedMenu}, {"widget", NamedSidebar},
	{"caption", NamedCaption}, {"title", namedTitle}, {"content", NamedContent}, {"artikel", NamedContent},
	{"beitrag", NamedContent}, {"inhalt", NamedContent}, {"article", NamedContent}, {"text", NamedContent},
	{"body", NamedContent},
}
