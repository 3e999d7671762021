package meta

import (
	"net/url"
	"strings"

	"golang.org/x/net/html"

	"techo/internal/page/dom"
)

// Claims is a set of statements about the type of a page: in its metadata, its
// address, and the program that generated it.
type Claims uint32

const (
	ClaimArticle Claims = 1 << iota
	ClaimProduct
	ClaimForum
	ClaimListing
	ClaimQuestion
	claimSite
	ClaimDocument

	AtArticle
	AtProduct
	AtForum
	AtListing
	AtDocument
	AtHome

	MadeByForum
	madeByShop
	MadeByDocumenter
	madeByWordPress

	ClaimCount = iota
)

// claimsOfGraph maps an og:type.
func claimsOfGraph(kind string) Claims {
	switch {
	case strings.Contains(kind, "article"), strings.Contains(kind, "blog"):
		return ClaimArticle
	case strings.Contains(kind, "product"):
		return ClaimProduct
	case kind == "website":
		return claimSite
	}
	return 0
}

// claimsOfSchema maps a schema.org type.
func claimsOfSchema(name string) Claims {
	name = name[strings.LastIndexByte(name, '/')+1:]
	switch {
	case strings.HasSuffix(name, "Article") && name != "TechArticle" && name != "APIReference",
		strings.HasSuffix(name, "BlogPosting"), strings.HasSuffix(name, "Report"), name == "Recipe":
		return ClaimArticle
	}
	switch name {
	case "TechArticle", "APIReference", "HowTo":
		return ClaimDocument
	case "Product", "ProductGroup", "Offer", "AggregateOffer", "SoftwareApplication", "Book":
		return ClaimProduct
	case "DiscussionForumPosting", "SocialMediaPosting":
		return ClaimForum
	case "QAPage":
		return ClaimQuestion
	case "ItemList", "CollectionPage", "OfferCatalog", "SearchResultsPage":
		return ClaimListing
	case "WebSite", "Organization", "LocalBusiness", "Service":
		return claimSite
	}
	return 0
}

// claimsOfGenerator maps the name of the generating program.
func claimsOfGenerator(name string) Claims {
	name, _, _ = strings.Cut(name, " ")
	switch strings.TrimRight(name, "0123456789.,-") {
	case "discourse", "vbulletin", "phpbb", "xenforo", "mybb", "vanilla", "flarum", "nodebb", "invision", "smf",
		"fluxbb", "punbb":
		return MadeByForum
	case "docusaurus", "mkdocs", "sphinx", "rustdoc", "javadoc", "gitbook", "docutils:", "docutils", "vitepress",
		"mediawiki", "mdbook", "jsdoc", "doxygen", "dokuwiki", "vuepress", "hexo-doc":
		return MadeByDocumenter
	case "woocommerce", "shopify", "magento", "prestashop", "opencart", "bigcommerce":
		return madeByShop
	case "wordpress", "ghost", "blogger", "hugo", "jekyll", "medium", "typepad", "drupal", "joomla!", "movable":
		return madeByWordPress
	}
	return 0
}

// claimsOfRoot maps the classes of html and body, in which many programs state the
// type of the page.
func claimsOfRoot(n *html.Node) (s Claims) {
	for class := range strings.FieldsSeq(strings.ToLower(dom.Attr(n, "class") + " " + dom.Attr(n, "id") + " " +
		dom.Attr(n, "data-template") + " " + dom.Attr(n, "data-app"))) {
		switch class {
		case "single-post", "post-template-default", "post-template", "node-type-article", "page-node-type-article",
			"article", "single-entry", "blog-post", "item-view":
			s |= ClaimArticle
		case "single-product", "template-product", "product-page", "page-product", "catalog-product-view",
			"product-template", "type-product":
			s |= ClaimProduct
		case "archive", "category", "template-collection", "tax-product_cat", "post-type-archive-product",
			"catalog-category-view", "search-results", "blog-index", "tag-template", "catalogsearch-result-index",
			"category-page", "template-search":
			s |= ClaimListing
		case "phpbb", "vbulletin", "xf", "discourse", "thread_view", "ipsapp", "viewthread", "single-topic", "bbpress",
			"question-page", "archetype-regular", "showthread", "mybb", "topic-page":
			s |= ClaimForum
		case "mediawiki", "wy-body-for-nav", "docs-wrapper", "plugin-docs", "rustdoc", "md-typeset", "docutils", "book",
			"devsite":
			s |= ClaimDocument
		case "home", "template-index", "homepage", "front", "is-front", "page-home", "cms-index-index":
			s |= AtHome
		case "woocommerce-page", "woocommerce":
			s |= madeByShop
		}
	}
	return s
}

// addAddress evaluates the canonical address of the page.
func (c *Claims) addAddress(address string) {
	u, err := url.Parse(strings.TrimSpace(address))
	if err != nil || u.Host == "" {
		return
	}
	*c |= claimsOfHost(u.Host)
	path := strings.ToLower(strings.Trim(u.Path, "/"))
	if path == "" || path == "index.html" || path == "index.php" {
		if u.RawQuery == "" {
			*c |= AtHome
		}
		return
	}
	parts := strings.Split(path, "/")
	for i, part := range parts {
		*c |= claimsOfPart(part, i == len(parts)-1)
	}
}

func claimsOfHost(host string) Claims {
	name, _, _ := strings.Cut(host, ".")
	switch name {
	case "forum", "forums", "community", "discuss", "discourse", "board", "boards", "talk":
		return AtForum
	case "docs", "doc", "developer", "developers", "wiki", "manual", "learn":
		return AtDocument
	case "blog", "blogs", "news", "magazine":
		return AtArticle
	case "shop", "store":
		return madeByShop
	}
	switch {
	case strings.HasSuffix(host, ".readthedocs.io"), strings.HasSuffix(host, "wikipedia.org"):
		return AtDocument
	case strings.HasSuffix(host, "stackexchange.com"), strings.HasSuffix(host, "stackoverflow.com"):
		return AtForum
	}
	return 0
}

// claimsOfPart maps a segment of the path; last marks the final segment, the name
// of the page itself.
func claimsOfPart(part string, last bool) Claims {
	switch part {
	case "blog", "blogs", "news", "article", "articles", "story", "stories", "post", "posts", "artikel", "archives",
		"insights", "magazine", "press", "entry", "opinion", "politics", "recipes", "recipe":
		if last {
			return AtListing
		}
		return AtArticle
	case "product", "products", "dp", "item", "itm", "produkt", "produit", "producto", "pd", "gp", "shop":
		if last {
			return AtListing
		}
		return AtProduct
	case "forum", "forums", "thread", "threads", "topic", "topics", "t", "viewtopic.php", "showthread.php", "questions",
		"question", "discussion", "discussions", "comments", "community", "viewthread.php", "showthread":
		return AtForum
	case "collection", "collections", "category", "categories", "c", "cat", "catalog", "tag", "tags", "search",
		"browse", "archive", "list", "directory", "best-sellers", "categorie", "kategorie":
		return AtListing
	case "docs", "doc", "documentation", "manual", "reference", "api", "guide", "guides", "wiki", "help", "tutorial",
		"tutorials", "man", "handbook", "kb", "support":
		return AtDocument
	}
	if last && strings.Count(part, "-") >= 4 { // a headline
		return AtArticle
	}
	return 0
}
