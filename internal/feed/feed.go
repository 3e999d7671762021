// Package feed parses RSS and Atom feeds. It expands no custom entities and loads
// no external resources.
package feed

import (
	"cmp"
	"encoding/json"
	"encoding/xml"
	"html"
	"io"
	"strings"
	"time"

	"techo/internal/sorting"
)

// Feed is a parsed feed, with the newest entry first.
type Feed struct {
	Title   string
	Entries []Entry
}

// Entry is one item of a feed.
type Entry struct {
	Title string
	Link  string
	When  time.Time // zero if missing or not understood
	Date  string    // as written
	Body  string    // HTML or plain text
}

// Parse parses a feed. ok is false if the document is not a feed. A truncated feed
// yields the entries that are complete.
func Parse(source string) (f Feed, ok bool) {
	d := xml.NewDecoder(strings.NewReader(source))
	d.Strict = false
	d.Entity = xml.HTMLEntity
	d.CharsetReader = func(_ string, r io.Reader) (io.Reader, error) { return r, nil } // source is UTF-8 already
	var entry *Entry
	depth := 0 // open elements
	for {
		t, err := d.Token()
		if err != nil {
			break
		}
		switch t := t.(type) {
		case xml.StartElement:
			name := t.Name.Local
			if depth == 0 {
				if !isFeed(name) {
					return f, false
				}
				ok = true
			}
			if name == "item" || name == "entry" {
				entry = &Entry{}
			}
			if depth++; depth > maxDepth {
				return f, ok
			}
			if f.field(d, t, entry, depth) {
				depth--
			}
		case xml.EndElement:
			depth = max(depth-1, 0)
			if name := t.Name.Local; (name == "item" || name == "entry") && entry != nil {
				f.Entries = append(f.Entries, *entry)
				entry = nil
			}
		}
	}
	sorting.By(f.Entries, func(a, b Entry) int { return b.When.Compare(a.When) })
	return f, ok
}

// maxDepth limits elements within each other.
const maxDepth = 200

func isFeed(name string) bool { return name == "rss" || name == "feed" || name == "RDF" }

// field consumes an element that is a field of the feed or of an entry, and
// reports whether it was one.
func (f *Feed) field(d *xml.Decoder, t xml.StartElement, e *Entry, depth int) bool {
	name := t.Name.Local
	if t.Name.Space == "http://search.yahoo.com/mrss/" || t.Name.Space == "media" || t.Name.Space == "itunes" {
		return false
	}
	if e == nil {
		if name == "title" && f.Title == "" && depth <= 3 {
			f.Title = text(d)
			return true
		}
		return false
	}
	switch name {
	case "title":
		e.Title = text(d)
	case "link":
		href, rel := attr(t, "href"), attr(t, "rel")
		content := text(d)
		switch {
		case href != "" && (rel == "" || rel == "alternate"):
			e.Link = href
		case e.Link == "" && content != "":
			e.Link = content
		}
	case "pubDate", "published", "date", "updated":
		date := text(d)
		if e.Date == "" || name == "published" || name == "pubDate" {
			e.Date, e.When = date, when(date)
		}
	case "encoded", "content":
		if body := text(d); body != "" {
			e.Body = body
		}
	case "description", "summary":
		if body := text(d); e.Body == "" {
			e.Body = body
		}
	default:
		return false
	}
	return true
}

func attr(t xml.StartElement, name string) string {
	for _, a := range t.Attr {
		if a.Name.Local == name {
			return a.Value
		}
	}
	return ""
}

// text returns the text content up to the end of the current element.
func text(d *xml.Decoder) string {
	var b strings.Builder
	for depth := 1; depth > 0; {
		t, err := d.Token()
		if err != nil {
			break
		}
		switch t := t.(type) {
		case xml.CharData:
			b.Write(t)
		case xml.StartElement:
			if depth++; depth > maxDepth {
				return strings.TrimSpace(b.String())
			}
			b.WriteByte(' ')
		case xml.EndElement:
			depth--
		}
	}
	return strings.TrimSpace(b.String())
}

func when(date string) time.Time {
	for _, layout := range []string{time.RFC3339, time.RFC1123Z, time.RFC1123, "Mon, 2 Jan 2006 15:04:05 -0700",
		"Mon, 2 Jan 2006 15:04:05 MST", "2 Jan 2006 15:04:05 -0700", "2006-01-02T15:04:05", time.DateOnly} {
		if t, err := time.Parse(layout, date); err == nil {
			return t
		}
	}
	return time.Time{}
}

// ParseJSON parses a JSON Feed. ok is false if the document is not one.
func ParseJSON(source string) (f Feed, ok bool) {
	var d struct {
		Version string `json:"version"`
		Title   string `json:"title"`
		Items   []struct {
			Title     string `json:"title"`
			URL       string `json:"url"`
			External  string `json:"external_url"`
			Published string `json:"date_published"`
			Modified  string `json:"date_modified"`
			HTML      string `json:"content_html"`
			Text      string `json:"content_text"`
			Summary   string `json:"summary"`
		} `json:"items"`
	}
	const mark = "jsonfeed.org/version/"
	if !strings.Contains(source, mark) && !strings.Contains(source, `jsonfeed.org\/version\/`) ||
		json.Unmarshal([]byte(strings.TrimPrefix(source, "\ufeff")), &d) != nil || !strings.Contains(d.Version, mark) {
		return f, false
	}
	f.Title = d.Title
	for _, i := range d.Items {
		date := cmp.Or(i.Published, i.Modified)
		body := cmp.Or(i.HTML, marked(cmp.Or(i.Text, i.Summary)))
		f.Entries = append(f.Entries, Entry{Title: i.Title, Link: cmp.Or(i.URL, i.External), When: when(date),
			Date: date, Body: body})
	}
	sorting.By(f.Entries, func(a, b Entry) int { return b.When.Compare(a.When) })
	return f, true
}

// marked returns plain text as HTML with its lines.
func marked(text string) string {
	return strings.ReplaceAll(html.EscapeString(text), "\n", "<br>")
}
