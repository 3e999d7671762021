package page

import (
	"encoding/json"
	"strings"

	"golang.org/x/net/html"
)

// meta reads what the head says of the page.
func (p *Page) meta(n *html.Node) {
	if strings.EqualFold(attr(n, "http-equiv"), "refresh") {
		_, to, _ := strings.Cut(attr(n, "content"), ";")
		if name, value, ok := strings.Cut(to, "="); ok && strings.EqualFold(strings.TrimSpace(name), "url") {
			p.Refresh = strings.Trim(strings.TrimSpace(value), `"'`)
		}
	}
	content := attr(n, "content")
	switch name := strings.ToLower(attr(n, "property") + attr(n, "name")); name {
	case "og:type":
		p.sort |= sortOfGraph(strings.ToLower(content))
	case "og:url":
		p.address(content)
	case "generator":
		p.sort |= sortOfGenerator(strings.ToLower(content))
	case "article:published_time", "article:author", "article:section", "article:tag", "citation_title", "parsely-pub-date", "sailthru.date":
		p.sort |= saysArticle
	case "product:price:amount", "og:price:amount":
		p.sort |= saysProduct
	case "description", "og:description":
		p.tell(content)
	}
}

// tell keeps a text that the page has for machines.
func (p *Page) tell(text string) {
	if text = new(Page).tidy(text); len(text) < 20 { // what it loses was never shown
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
		for _, key := range []string{"@graph", "mainEntity", "mainEntityOfPage", "itemListElement", "item"} {
			p.linked(d[key], depth+1)
		}
		for _, key := range []string{"articleBody", "text", "description"} {
			if text, ok := d[key].(string); ok && depth < 4 {
				p.tell(html.UnescapeString(text))
				p.say(d["@type"], key, text)
			}
		}
	}
}

// say keeps the longest text that a page gives machines as its content: the
// body of an article or of a post, or what is said of the product.
func (p *Page) say(kind any, key, text string) {
	name, _ := kind.(string)
	if key == "articleBody" || key == "text" && sortOfSchema(name) == saysForum || key == "description" && (name == "Product" || name == "ProductGroup") {
		if len(text) > 200 && len(text) > len(p.said) {
			p.said = new(Page).clean(unmark(html.UnescapeString(text)))
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
	p.sort |= sortOfSchema(text)
	if text == "Product" {
		p.products++
	}
}
