package page

import (
	"encoding/json"
	"strings"

	"golang.org/x/net/html"
)

// maxState is the number of bytes of embedded data that are searched.
const maxState = 4 << 20

// state keeps embedded data of scripts, from which many pages render their
// contents.
func (p *Page) state(n *html.Node) {
	if strings.HasPrefix(attr(n, "type"), "application/json") && n.FirstChild != nil &&
		len(n.FirstChild.Data) <= maxState {
		p.states = append(p.states, n.FirstChild.Data)
	}
}

// sentences returns the texts in the embedded data that read like sentences,
// without duplicates. They replace the content of a page that shows none.
func (p *Page) sentences() (texts []string) {
	seen := map[string]bool{}
	left := maxState
	for _, source := range p.states {
		if left -= len(source); left < 0 {
			break
		}
		d := json.NewDecoder(strings.NewReader(source))
		for {
			token, err := d.Token()
			if err != nil {
				break // end of the data, or not JSON
			}
			text, ok := token.(string)
			if !ok || len(text) < 60 || seen[text] {
				continue
			}
			seen[text] = true
			if strings.Contains(text, "</p>") {
				text = unmark(text)
			}
			if text = strings.TrimSpace(p.clean(text)); isProseText(text) {
				texts = append(texts, text)
			}
		}
	}
	return texts
}

// isProseText reports whether a text of the embedded data is prose.
func isProseText(text string) bool {
	if strings.ContainsAny(text, "{}<>=|\\") || strings.HasPrefix(text, "http") || strings.HasPrefix(text, "/") {
		return false
	}
	b := block{text: text, words: countWords(text)}
	return isProse(&b)
}
