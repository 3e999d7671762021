// Package meta collects what a page says about itself and its posts: titles, authors and
// dates, the program that made it, structured and embedded data. It looks at elements, not
// at what a reader sees of them.
package meta

import (
	"cmp"
	"encoding/json"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"techo/internal/page/dom"
)

// Data is what a page says about itself.
type Data struct {
	Title string
	Lang  string // as declared, "" if missing

	// Alternate is the address of a Markdown version, "" if the page names none.
	Alternate string

	// Refresh is the target of an automatic redirect, "" if it has none.
	Refresh string

	Claims   Claims
	Products int // products in the structured data
	Texts    Texts

	facts  facts
	base   string // base of relative links, "" for the page's own address
	bodied bool   // the element body was evaluated
}

// Evaluate evaluates an element that describes the page. On a page within the data of
// another, it ignores data, which could nest without limit.
func (d *Data) Evaluate(c *html.Node, within bool) {
	switch c.DataAtom {
	case atom.Html:
		d.Lang = cmp.Or(strings.TrimSpace(cmp.Or(dom.Attr(c, "lang"), dom.Attr(c, "xml:lang"))), d.Lang)
		d.Claims |= claimsOfRoot(c)
	case atom.Body, atom.Frameset:
		if !d.bodied {
			d.bodied = true
			d.Claims |= claimsOfRoot(c)
		}
	case atom.Base:
		if d.base == "" {
			d.base = dom.Attr(c, "href")
		}
	case atom.Title:
		if d.Title == "" && c.Namespace == "" {
			d.Title = dom.Text(c)
		}
	case atom.Meta:
		d.meta(c)
	case atom.Script:
		switch {
		case within:
		case strings.Contains(dom.Attr(c, "type"), "ld+json"):
			d.linkedData(dom.Text(c))
		default:
			d.Texts.addState(c)
		}
	case atom.Link:
		d.link(c)
	}
	d.facts.element(c)
}

func (d *Data) meta(n *html.Node) {
	content := dom.Attr(n, "content")
	switch strings.ToLower(dom.Attr(n, "http-equiv")) {
	case "refresh":
		_, to, _ := strings.Cut(content, ";")
		if name, value, ok := strings.Cut(to, "="); ok && strings.EqualFold(strings.TrimSpace(name), "url") {
			d.Refresh = strings.Trim(strings.TrimSpace(value), `"'`)
		}
	case "content-language":
		if d.Lang == "" && !strings.Contains(content, ",") {
			d.Lang = strings.TrimSpace(content)
		}
	}
	name := strings.ToLower(dom.Attr(n, "property") + dom.Attr(n, "name"))
	switch name {
	case "og:type":
		d.Claims |= claimsOfGraph(strings.ToLower(content))
	case "og:url":
		d.Claims.addAddress(content)
	case "generator":
		d.Claims |= claimsOfGenerator(strings.ToLower(content))
	case "article:published_time", "article:author", "article:section", "article:tag", "citation_title",
		"parsely-pub-date", "sailthru.date":
		d.Claims |= ClaimArticle
	case "product:price:amount", "og:price:amount":
		d.Claims |= ClaimProduct
	case "description", "og:description":
		d.Texts.described = append(d.Texts.described, content)
	}
	d.facts.meta(name, content)
}

// linkedData evaluates JSON-LD: the type of the page and its texts.
func (d *Data) linkedData(source string) {
	if len(source) > 1<<20 {
		return
	}
	var data any
	if json.Unmarshal([]byte(strings.TrimSpace(source)), &data) == nil {
		d.linked(data, 0)
	}
}

func (d *Data) linked(data any, depth int) {
	if depth > 8 {
		return
	}
	switch one := data.(type) {
	case []any:
		for _, part := range one {
			d.linked(part, depth+1)
		}
	case map[string]any:
		d.kind(one["@type"])
		d.facts.linked(one)
		for _, key := range []string{"@graph", "mainEntity", "mainEntityOfPage", "itemListElement", "item"} {
			d.linked(one[key], depth+1)
		}
		for _, key := range []string{"articleBody", "text", "description"} {
			if text, ok := one[key].(string); ok && depth < 4 {
				d.Texts.described = append(d.Texts.described, html.UnescapeString(text))
				d.Texts.addBody(one["@type"], key, text)
			}
		}
	}
}

func (d *Data) kind(name any) {
	if all, ok := name.([]any); ok {
		for _, one := range all {
			d.kind(one)
		}
		return
	}
	text, _ := name.(string)
	d.Claims |= claimsOfSchema(text)
	if text == "Product" {
		d.Products++
	}
}

// link evaluates a link element of the head.
func (d *Data) link(n *html.Node) {
	switch strings.ToLower(dom.Attr(n, "rel")) {
	case "alternate":
		if strings.HasPrefix(dom.Attr(n, "type"), "text/markdown") {
			d.Alternate = dom.Attr(n, "href")
		}
	case "canonical":
		d.Claims.addAddress(dom.Attr(n, "href"))
		d.facts.canonical.state(dom.Attr(n, "href"), rankMeta)
	}
}
