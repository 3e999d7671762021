package feed

import (
	"cmp"
	"encoding/json"
	"html"
	"strings"

	"techo/internal/sorting"
)

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
