package traits

import (
	"strings"
	"sync"
)

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

// nameTrait maps a word of a class or id.
func nameTrait(word string) Set {
	if t := traitsOfWords()[word]; t != 0 || len(word) <= 8 {
		return t
	}
	return stemTrait(word)
}

var traitsOfWords = sync.OnceValue(func() map[string]Set {
	all := map[string]Set{}
	for _, one := range vocabularies {
		for word := range strings.FieldsSeq(one.words) {
			all[word] = one.traits
		}
	}
	return all
})

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
	{"caption", NamedCaption}, {"title", NamedTitle}, {"content", NamedContent}, {"artikel", NamedContent},
	{"beitrag", NamedContent}, {"inhalt", NamedContent}, {"article", NamedContent}, {"text", NamedContent},
	{"body", NamedContent},
}

// vocabularies are the words of common content management systems, shops, forums and blogs:
// those that name content, navigation or discussion, then additions to the content, such as
// links to other pages or advertisements, then sections of the page and controls.
var vocabularies = [...]struct {
	traits Set
	words  string
}{
	{NamedContent, `article content contents post entry story main body text prose markdown copy page question answer
		readme document wiki maincontent hentry richtext rte wysiwyg editorial chapter lesson beitrag
		inhalt artikel texte contenu cuerpo noticia contenido articulo honbun kiji rst theiaposts`},
	{NamedDetail, `description desc detail details spec specs specification specifications features feature product
		summary attributes highlights pdp`},
	{NamedCard, `card cards item items tile tiles grid listing listings result results row products collection
		thumbnail thumb thumbnails`},
	{NamedReview, `review reviews rating ratings testimonial testimonials stars score yotpo bazaarvoice trustpilot
		jdgm rev stamped okendo`},
	{NamedPanel, `faq faqs accordion accordions qa collapse collapsible collapsed tabpanel panel expander expandable
		tab tabs toggle toggles disclosure`},
	{NamedSlide | NamedPanel, `slide slides slick swiper splide carousel slider glide flickity slideshow owl`},
	{NamedSidebar, `sidebar aside rail widget widgets secondary sidenav sidecolumn blogroll archiv archives marginal
		marginalspalte seitenleiste online statistics whosonline permissions jumpbox birthdays barra
		lateral`},
	{NamedMenu, `nav navbar navi navigation menu menus submenu pager pagination paging megamenu dropdown topbar
		toolbar skip skiplink subnav sitemap flyout offcanvas drawer pagenav gnav hamburger topnav leftnav
		globalnav jumpto`},
	{NamedCrumb, `breadcrumb breadcrumbs crumb crumbs bread topicpath pankuzu toc tableofcontents outline`},
	{NamedComment, `comment comments disqus commentlist respond discussion kommentar kommentare commentaire
		commentaires comentario comentarios leserbriefe trackback trackbacks pingback pingbacks livefyre
		coral viafoura responses`},
	{NamedPost, `reply replies thread threads forum forums bbcode posts messages message topic viewtopic postbody
		postbit posttext bbp phpbb bbwrapper postcontent cooked usertext`},
	{NamedPoster, `signature sig usertitle postprofile poster userinfo karma reputation badge badges userbit usercard
		joindate`},
	{NamedShare, `share sharing social socials follow sns twitter facebook addthis sharedaddy sharebar addtoany
		shariff teilen partage compartir jiathis shares sharethis whatsapp pinterest linkedin hatena`},
	{NamedRelated, `related recommended recommendation recommendations recommend popular trending similar recent
		teaser teasers promo promos promotion outbrain taboola upsell upsells ranking morefrom suggested
		suggestions crosssell crosssells recirculation recirc recirculate nextpost prevnext nachbar kanren
		osusume yarpp relatedposts mostread mostpopular meistgelesen readmore readnext upnext zergnet
		revcontent mgid dianomi linkwithin weitere`},
	{NamedMeta, `meta date timestamp time published dateline credit labels stats info postmeta entrymeta postinfo
		updated pubdate datum kicker eyebrow fecha`},
	{NamedTags, `tags tag category categories taglist tagcloud cat cats hashtags taxonomy schlagworte etiquetas
		keywords topics`},
	{NamedAuthor, `byline author authors bio avatar profile autor auteur authorbox abouttheauthor contributor
		contributors saboxplugin verfasser writer vcard gravatar aboutauthor`},
	{NamedDialog, `modal popup popover dialog paywall toast lightbox tooltip interstitial offcanvasmenu alert`},
	{NamedCookie, `cookie cookies consent gdpr ccpa onetrust cookiebot didomi usercentrics cky osano truste iubenda
		klaro borlabs privacybanner`},
	{NamedSignup, `newsletter newsletters subscribe subscription signup optin mailchimp login signin register donate
		donation membership member emailform hubspot regwall inscription anmelden abo leadform`},
	{NamedAd, `ad ads advert adverts advertisement advertising adsense sponsor sponsored sponsors adslot dfp gpt
		adsbygoogle adunit adbox adcontainer anzeige werbung publicite publicidad koukoku adwrap adwords
		skyscraper leaderboard affiliate`},
	{NamedFooter, `footer foot copyright legal colophon disclaimer bottombar pagefooter sitefooter siteinfo imprint
		impressum fuss fusszeile footnav`},
	{NamedHeader, `header masthead logo head siteheader topheader branding globalheader kopf kopfzeile`},
	{NamedTitle, `hero jumbotron banner overview intro headline lead title titles subtitle deck dek standfirst
		excerpt heading tagline`},
	{NamedFilter, `filter filters facet facets sort sorting refine refinement refinements search searchform searchbox
		suche swatch swatches autocomplete`},
	{NamedCart, `cart basket checkout minicart wishlist buy addtocart quantity qty shipping delivery payment
		payments variant variants options option swatchlist bundle`},
	{NamedPrice, `price prices pricing sku amount sale saleprice`},
	{NamedHidden, `screenreader sr visuallyhidden visually noprint assistive offscreen`},
	{NamedButton, `button btn buttons actions action controls links feedback helpful vote votes voting`},
	{NamedCaption, `caption captions figcaption gallery imagecaption wpcaption credits legende bildunterschrift
		photocredit mediacaption`},
}
