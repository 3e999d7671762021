package page

import (
	"net/url"
	"strings"

	"golang.org/x/net/html"
)

// claims is a set of statements about the type of a page: in its metadata, its
// address, and the program that generated it.
type claims uint32

const (
	claimArticle claims = 1 << iota
	claimProduct
	claimForum
	claimListing
	claimQuestion
	claimSite
	claimDocument

	atArticle
	atProduct
	atForum
	atListing
	atDocument
	atHome

	madeByForum
	madeByShop
	madeByDocumenter
	madeByWordPress

	claimCount = iota
)

// claimsOfGraph maps an og:type.
func claimsOfGraph(kind string) claims {
	switch {
	case strings.Contains(kind, "article"), strings.Contains(kind, "blog"):
		return claimArticle
	case strings.Contains(kind, "product"):
		return claimProduct
	case kind == "website":
		return claimSite
	}
	return 0
}

// claimsOfSchema maps a schema.org type.
func claimsOfSchema(name string) claims {
	name = name[strings.LastIndexByte(name, '/')+1:]
	switch {
	case strings.HasSuffix(name, "Article") && name != "TechArticle" && name != "APIReference",
		strings.HasSuffix(name, "BlogPosting"), strings.HasSuffix(name, "Report"), name == "Recipe":
		return claimArticle
	}
	switch name {
	case "TechArticle", "APIReference", "HowTo":
		return claimDocument
	case "Product", "ProductGroup", "Offer", "AggregateOffer", "SoftwareApplication", "Book":
		return claimProduct
	case "DiscussionForumPosting", "SocialMediaPosting":
		return claimForum
	case "QAPage":
		return claimQuestion
	case "ItemList", "CollectionPage", "OfferCatalog", "SearchResultsPage":
		return claimListing
	case "WebSite", "Organization", "LocalBusiness", "Service":
		return claimSite
	}
	return 0
}

// claimsOfGenerator maps the name of the generating program.
func claimsOfGenerator(name string) claims {
	name, _, _ = strings.Cut(name, " ")
	switch strings.TrimRight(name, "0123456789.,-") {
	case "discourse", "vbulletin", "phpbb", "xenforo", "mybb", "vanilla", "flarum", "nodebb", "invision", "smf",
		"fluxbb", "punbb":
		return madeByForum
	case "docusaurus", "mkdocs", "sphinx", "rustdoc", "javadoc", "gitbook", "docutils:", "docutils", "vitepress",
		"mediawiki", "mdbook", "jsdoc", "doxygen", "dokuwiki", "vuepress", "hexo-doc":
		return madeByDocumenter
	case "woocommerce", "shopify", "magento", "prestashop", "opencart", "bigcommerce":
		return madeByShop
	case "wordpress", "ghost", "blogger", "hugo", "jekyll", "medium", "typepad", "drupal", "joomla!", "movable":
		return madeByWordPress
	}
	return 0
}

// claimsOfRoot maps the classes of html and body, in which many programs state the
// type of the page.
func claimsOfRoot(n *html.Node) (s claims) {
	for class := range strings.FieldsSeq(strings.ToLower(attr(n, "class") + " " + attr(n, "id") + " " +
		attr(n, "data-template") + " " + attr(n, "data-app"))) {
		switch class {
		case "single-post", "post-template-default", "post-template", "node-type-article", "page-node-type-article",
			"article", "single-entry", "blog-post", "item-view":
			s |= claimArticle
		case "single-product", "template-product", "product-page", "page-product", "catalog-product-view",
			"product-template", "type-product":
			s |= claimProduct
		case "archive", "category", "template-collection", "tax-product_cat", "post-type-archive-product",
			"catalog-category-view", "search-results", "blog-index", "tag-template", "catalogsearch-result-index",
			"category-page", "template-search":
			s |= claimListing
		case "phpbb", "vbulletin", "xf", "discourse", "thread_view", "ipsapp", "viewthread", "single-topic", "bbpress",
			"question-page", "archetype-regular", "showthread", "mybb", "topic-page":
			s |= claimForum
		case "mediawiki", "wy-body-for-nav", "docs-wrapper", "plugin-docs", "rustdoc", "md-typeset", "docutils", "book",
			"devsite":
			s |= claimDocument
		case "home", "template-index", "homepage", "front", "is-front", "page-home", "cms-index-index":
			s |= atHome
		case "woocommerce-page", "woocommerce":
			s |= madeByShop
		}
	}
	return s
}

// link evaluates a link element of the head.
func (p *Page) link(n *html.Node) {
	switch strings.ToLower(attr(n, "rel")) {
	case "alternate":
		if strings.HasPrefix(attr(n, "type"), "text/markdown") {
			p.Alternate = attr(n, "href")
		}
	case "canonical":
		p.address(attr(n, "href"))
		p.facts.canonical.state(attr(n, "href"), rankMeta)
	}
}

// address evaluates the canonical address of the page.
func (p *Page) address(address string) {
	u, err := url.Parse(strings.TrimSpace(address))
	if err != nil || u.Host == "" {
		return
	}
	p.claims |= claimsOfHost(u.Host)
	path := strings.ToLower(strings.Trim(u.Path, "/"))
	if path == "" || path == "index.html" || path == "index.php" {
		if u.RawQuery == "" {
			p.claims |= atHome
		}
		return
	}
	parts := strings.Split(path, "/")
	for i, part := range parts {
		p.claims |= claimsOfPart(part, i == len(parts)-1)
	}
}

func claimsOfHost(host string) claims {
	name, _, _ := strings.Cut(host, ".")
	switch name {
	case "forum", "forums", "community", "discuss", "discourse", "board", "boards", "talk":
		return atForum
	case "docs", "doc", "developer", "developers", "wiki", "manual", "learn":
		return atDocument
	case "blog", "blogs", "news", "magazine":
		return atArticle
	case "shop", "store":
		return madeByShop
	}
	switch {
	case strings.HasSuffix(host, ".readthedocs.io"), strings.HasSuffix(host, "wikipedia.org"):
		return atDocument
	case strings.HasSuffix(host, "stackexchange.com"), strings.HasSuffix(host, "stackoverflow.com"):
		return atForum
	}
	return 0
}

// claimsOfPart maps a segment of the path; last marks the final segment, the name
// of the page itself.
func claimsOfPart(part string, last bool) claims {
	switch part {
	case "blog", "blogs", "news", "article", "articles", "story", "stories", "post", "posts", "artikel", "archives",
		"insights", "magazine", "press", "entry", "opinion", "politics", "recipes", "recipe":
		if last {
			return atListing
		}
		return atArticle
	case "product", "products", "dp", "item", "itm", "produkt", "produit", "producto", "pd", "gp", "shop":
		if last {
			return atListing
		}
		return atProduct
	case "forum", "forums", "thread", "threads", "topic", "topics", "t", "viewtopic.php", "showthread.php", "questions",
		"question", "discussion", "discussions", "comments", "community", "viewthread.php", "showthread":
		return atForum
	case "collection", "collections", "category", "categories", "c", "cat", "catalog", "tag", "tags", "search",
		"browse", "archive", "list", "directory", "best-sellers", "categorie", "kategorie":
		return atListing
	case "docs", "doc", "documentation", "manual", "reference", "api", "guide", "guides", "wiki", "help", "tutorial",
		"tutorials", "man", "handbook", "kb", "support":
		return atDocument
	}
	if last && strings.Count(part, "-") >= 4 { // a headline
		return atArticle
	}
	return 0
}

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
	any    claims
	kind   kind
	weight float64
}{
	{claimArticle, articlePage, 2}, {atArticle, articlePage, 1.5},
	{claimDocument | madeByDocumenter, documentPage, 2.5}, {atDocument, documentPage, 1.5},
	{claimForum, forumPage, 2.5}, {claimQuestion | madeByForum, forumPage, 3}, {atForum, forumPage, 2},
	{claimProduct, productPage, 2}, {atProduct, productPage, 2},
	{claimListing, listingPage, 2}, {atListing, listingPage, 2},
	{atHome, plainPage, 3},
}

// kindOf derives the type of a page from its claims and its contents.
func (s *surroundings) kindOf() kind {
	var weight [kindCount]float64
	for _, e := range evidence {
		if s.page.claims&e.any != 0 {
			weight[e.kind] += e.weight
		}
	}
	if s.page.products > 2 {
		weight[productPage], weight[listingPage] = weight[productPage]-1.5, weight[listingPage]+1.5
	}
	posts, whole := s.parts()
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
func (s *surroundings) parts() (posts int, whole bool) {
	for i := range s.elems {
		e := &s.elems[i]
		if e.own&(namedPost|isEntry) != 0 && e.like >= 2 && e.prose >= 12 {
			posts++
		}
		if e.own&isArticleBody != 0 || e.own&inArticle != 0 && s.articles == 1 {
			whole = whole || s.prose > 100 && e.prose > 0.6*s.prose
		}
	}
	return posts, whole
}
