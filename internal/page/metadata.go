package page

import (
	"encoding/json"
	"strings"

	"golang.org/x/net/html"
)

// meta evaluates a meta element.
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
		p.claims |= claimsOfGraph(strings.ToLower(content))
	case "og:url":
		p.address(content)
	case "generator":
		p.claims |= claimsOfGenerator(strings.ToLower(content))
	case "article:published_time", "article:author", "article:section", "article:tag", "citation_title",
		"parsely-pub-date", "sailthru.date":
		p.claims |= claimArticle
	case "product:price:amount", "og:price:amount":
		p.claims |= claimProduct
	case "description", "og:description":
		p.described = append(p.described, content)
	}
	p.facts.meta(strings.ToLower(attr(n, "property")+attr(n, "name")), content)
}

// describe returns the descriptions from the metadata.
func describe(p *Page) []string {
	for _, text := range p.described {
		p.addDescription(text)
	}
	p.described = nil
	return p.descriptions
}

// addDescription keeps a description from the metadata.
func (p *Page) addDescription(text string) {
	if text = new(Page).tidy(text); len(text) < 20 { // invisible characters here were never shown: do not count them
		return
	}
	for i, known := range p.descriptions {
		switch {
		case strings.HasPrefix(known, strings.TrimRight(text, ".…")):
			return
		case strings.HasPrefix(text, strings.TrimRight(known, ".…")):
			p.descriptions[i] = text
			return
		}
	}
	if len(p.descriptions) < 20 {
		p.descriptions = append(p.descriptions, text)
	}
}

// linkedData evaluates JSON-LD: the type of the page and its texts.
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
		p.facts.linked(d)
		for _, key := range []string{"@graph", "mainEntity", "mainEntityOfPage", "itemListElement", "item"} {
			p.linked(d[key], depth+1)
		}
		for _, key := range []string{"articleBody", "text", "description"} {
			if text, ok := d[key].(string); ok && depth < 4 {
				p.described = append(p.described, html.UnescapeString(text))
				p.addDataBody(d["@type"], key, text)
			}
		}
	}
}

// addDataBody keeps a text that the structured data contains as content: the body of an
// article or a post, or the description of a product.
func (p *Page) addDataBody(kind any, key, text string) {
	name, _ := kind.(string)
	if key == "articleBody" || key == "text" && claimsOfSchema(name) == claimForum || key == "description" &&
		(name == "Product" || name == "ProductGroup") {
		if len(text) > 200 {
			p.bodies = append(p.bodies, text)
		}
	}
}

// dataBodyOf returns the longest content in the structured data, or "". It parses the HTML
// in it, which the text of the whole page does not need.
func dataBodyOf(p *Page) string {
	for _, text := range p.bodies {
		if len(text) > len(p.dataBody) {
			p.dataBody = new(Page).clean(unmark(html.UnescapeString(unmark(html.UnescapeString(text)))))
		}
	}
	p.bodies = nil
	return p.dataBody
}

func (p *Page) kind(name any) {
	if all, ok := name.([]any); ok {
		for _, one := range all {
			p.kind(one)
		}
		return
	}
	text, _ := name.(string)
	p.claims |= claimsOfSchema(text)
	if text == "Product" {
		p.products++
	}
}
