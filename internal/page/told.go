package page

import (
	"encoding/json"
	"strings"

	"golang.org/x/net/html"
)

// sort is what a page says that it is.
type sort uint8

const (
	isArticle sort = 1 << iota
	isProduct
	isForum
	isListing
	isQuestion
	isSite
)

// meta reads what the head says of the page.
func (p *Page) meta(n *html.Node) {
	if strings.EqualFold(attr(n, "http-equiv"), "refresh") {
		_, to, _ := strings.Cut(attr(n, "content"), ";")
		if name, value, ok := strings.Cut(to, "="); ok && strings.EqualFold(strings.TrimSpace(name), "url") {
			p.Refresh = strings.Trim(strings.TrimSpace(value), `"'`)
		}
	}
	name := strings.ToLower(attr(n, "property") + attr(n, "name"))
	content := attr(n, "content")
	switch name {
	case "og:type":
		switch kind := strings.ToLower(content); {
		case strings.Contains(kind, "article"), strings.Contains(kind, "blog"):
			p.sort |= isArticle
		case strings.Contains(kind, "product"):
			p.sort |= isProduct
		case kind == "website":
			p.sort |= isSite
		}
	case "description", "og:description":
		p.tell(content)
	}
}

// tell keeps a text that the page has for machines.
func (p *Page) tell(text string) {
	if text = strings.Join(strings.Fields(text), " "); len(text) < 20 {
		return
	}
	for i, told := range p.told {
		switch {
		case strings.HasPrefix(told, strings.TrimRight(text, ".…")):
			return
		case strings.HasPrefix(text, strings.TrimRight(told, ".…")):
			p.told[i] = text
			return
		}
	}
	if len(p.told) < 20 {
		p.told = append(p.told, text)
	}
}

// linkedData reads a page's JSON-LD: of which kind it is, and its texts.
func (p *Page) linkedData(source string) {
	if len(source) > 1<<20 {
		return
	}
	var data any
	if json.Unmarshal([]byte(strings.TrimSpace(source)), &data) == nil {
		p.linked(data, 0)
	}
}

func (p *Page) linked(data any, depth int) {
	if depth > 8 {
		return
	}
	switch d := data.(type) {
	case []any:
		for _, one := range d {
			p.linked(one, depth+1)
		}
	case map[string]any:
		p.kind(d["@type"])
		for _, key := range []string{"@graph", "mainEntity", "mainEntityOfPage"} {
			p.linked(d[key], depth+1)
		}
		for _, key := range []string{"articleBody", "text", "description"} {
			if text, ok := d[key].(string); ok && depth < 4 {
				p.tell(html.UnescapeString(text))
			}
		}
	}
}

func (p *Page) kind(name any) {
	if all, ok := name.([]any); ok {
		for _, one := range all {
			p.kind(one)
		}
		return
	}
	text, _ := name.(string)
	switch {
	case strings.HasSuffix(text, "Article"), strings.HasSuffix(text, "BlogPosting"), strings.HasSuffix(text, "Report"):
		p.sort |= isArticle
	case text == "Product", text == "ProductGroup", text == "Offer":
		p.sort |= isProduct
	case text == "DiscussionForumPosting", text == "SocialMediaPosting":
		p.sort |= isForum
	case text == "QAPage", text == "Question", text == "FAQPage":
		p.sort |= isQuestion
	case text == "ItemList", text == "CollectionPage", text == "OfferCatalog", text == "SearchResultsPage":
		p.sort |= isListing
	case text == "WebSite", text == "Organization", text == "LocalBusiness", text == "Service":
		p.sort |= isSite
	}
}
