package meta

import (
	"net/url"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"techo/internal/page/dom"
	"techo/internal/page/runes"
)

// Metadata describes a page. Fields that the page does not state are empty.
type Metadata struct {
	Author      string `json:"author"`
	Published   string `json:"published"` // as written on the page
	Modified    string `json:"modified"`
	Site        string `json:"site"`
	Description string `json:"description"`
	Canonical   string `json:"canonical"`
}

// fact is a statement of the metadata with the rank of its source. A lower rank is
// more reliable.
type fact struct {
	text string
	rank int
}

// facts are the statements about a page.
type facts struct{ author, published, modified, site, description, canonical fact }

// Ranks of the sources.
const (
	rankData    = iota + 1 // structured data
	rankMeta               // meta elements for articles
	rankGeneral            // meta elements of general meaning
	rankMarkup             // marks in the text
)

// maxFact limits the length of a statement in bytes.
const maxFact = 2000

// state keeps a statement unless a better one is known.
func (f *fact) state(text string, rank int) {
	if f.text != "" && f.rank <= rank || len(text) > maxFact {
		return
	}
	if text, _ = runes.Tidy(text); text != "" {
		f.text, f.rank = text, rank
	}
}

// About returns the metadata of a page. from is its address.
func (d *Data) About(from *url.URL) Metadata {
	f := &d.facts
	return Metadata{Author: f.author.text, Published: f.published.text, Modified: f.modified.text, Site: f.site.text,
		Description: f.description.text, Canonical: d.Canonical(from)}
}

func (f *facts) meta(name, content string) {
	switch name {
	case "author", "dc.creator", "dcterms.creator", "sailthru.author", "parsely-author", "citation_author", "byl",
		"article:author", "og:article:author", "twitter:data1":
		f.person(name, content)
	case "article:published_time", "og:article:published_time", "citation_publication_date", "parsely-pub-date",
		"sailthru.date", "datepublished", "article.published", "dc.date.issued", "dcterms.created":
		f.published.state(content, rankMeta)
	case "date", "dc.date", "pubdate", "publish-date", "og:published_time", "publication_date", "article:date":
		f.published.state(content, rankGeneral)
	case "article:modified_time", "og:article:modified_time", "datemodified", "dcterms.modified", "article.updated":
		f.modified.state(content, rankMeta)
	case "og:updated_time", "last-modified", "revised", "lastmod":
		f.modified.state(content, rankGeneral)
	case "og:site_name":
		f.site.state(content, rankMeta)
	case "application-name", "publisher", "dc.publisher", "apple-mobile-web-app-title":
		f.site.state(content, rankGeneral)
	case "description":
		f.description.state(content, rankMeta)
	case "og:description", "dc.description", "twitter:description":
		f.description.state(content, rankGeneral)
	case "og:url":
		f.canonical.state(content, rankGeneral)
	}
}

// person keeps the name of an author. An address is no name.
func (f *facts) person(source, name string) {
	if source == "twitter:data1" || strings.Contains(name, "://") || strings.HasPrefix(name, "@") {
		return
	}
	rank := rankMeta
	if source == "article:author" {
		rank = rankGeneral
	}
	f.author.state(name, rank)
}

// linked evaluates an object of the structured data that describes the page.
func (f *facts) linked(d map[string]any) {
	kind, _ := d["@type"].(string)
	switch claimsOfSchema(kind) {
	case ClaimArticle, ClaimForum, ClaimQuestion, ClaimDocument:
		text := func(key string) string { s, _ := d[key].(string); return html.UnescapeString(s) }
		f.author.state(namesOf(d["author"]), rankData)
		f.published.state(text("datePublished"), rankData)
		f.modified.state(text("dateModified"), rankData)
		f.description.state(text("description"), rankGeneral)
		if publisher, ok := d["publisher"].(map[string]any); ok {
			f.site.state(namesOf(publisher), rankGeneral)
		}
	}
	if kind == "WebPage" {
		for key, to := range map[string]*fact{"datePublished": &f.published, "dateModified": &f.modified} {
			s, _ := d[key].(string)
			to.state(s, rankGeneral)
		}
	}
	if kind == "WebSite" {
		f.site.state(namesOf(d), rankGeneral)
	}
}

// namesOf returns the names in the structured data, separated by commas.
func namesOf(data any) string {
	switch d := data.(type) {
	case string:
		if !strings.Contains(d, "://") {
			return html.UnescapeString(d)
		}
	case map[string]any:
		name, _ := d["name"].(string)
		return html.UnescapeString(name)
	case []any:
		var names []string
		for _, one := range d[:min(len(d), 20)] {
			if name := namesOf(one); name != "" {
				names = append(names, name)
			}
		}
		return strings.Join(names, ", ")
	}
	return ""
}

// element evaluates marks in the text: microdata, and the usual classes of a
// byline.
func (f *facts) element(n *html.Node) {
	property, class := "", ""
	for _, a := range n.Attr {
		switch a.Key {
		case "itemprop":
			property = a.Val
		case "class":
			class = a.Val
		case "rel":
			if a.Val == "author" && n.DataAtom == atom.A {
				property = "author"
			}
		}
	}
	if n.DataAtom == atom.Time && property == "" &&
		(strings.Contains(class, "publi") || strings.Contains(class, "entry-date")) {
		property = "datePublished"
	}
	if property == "" && (class == "byline" || strings.Contains(class, "-name") &&
		(dom.HasWord(class, "author-name") || dom.HasWord(class, "byline-name"))) {
		property = "author"
	}
	switch property {
	case "author":
		if text := dom.Text(n); len(text) < 200 {
			text = strings.TrimSpace(text)
			if len(text) > 3 && strings.EqualFold(text[:3], "by ") {
				text = text[3:]
			}
			if len(text) <= maxName {
				f.author.state(text, rankMarkup)
			}
		}
	case "datePublished":
		f.published.state(dateIn(n), rankMarkup)
	case "dateModified":
		f.modified.state(dateIn(n), rankMarkup)
	}
}

func dateIn(n *html.Node) string {
	for _, key := range [...]string{"datetime", "content"} {
		if date := dom.Attr(n, key); date != "" {
			return date
		}
	}
	if text := strings.TrimSpace(dom.Text(n)); len(text) <= maxName {
		return text
	}
	return ""
}

// Base returns the base of relative links.
func (d *Data) Base(from *url.URL) *url.URL {
	if declared := d.base; declared != "" {
		if base, err := from.Parse(declared); err == nil {
			return base
		}
	}
	if from.Host == "" { // a file: the page may name its address
		own, err := url.Parse(strings.TrimSpace(d.facts.canonical.text))
		if err == nil && own.Host != "" {
			return own
		}
	}
	return from
}

// Canonical returns the address that the page gives itself, or "".
func (d *Data) Canonical(base *url.URL) string { return dom.Absolute(base, d.facts.canonical.text) }
