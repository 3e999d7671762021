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
		eachString(source, func(text string) {
			if seen[text] {
				return
			}
			seen[text] = true
			if strings.Contains(text, "</p>") {
				text = unmark(text)
			}
			if text = strings.TrimSpace(p.clean(text)); isProseText(text) {
				texts = append(texts, text)
			}
		})
	}
	return texts
}

// minState is the length in bytes of a text in embedded data that can be content.
const minState = 60

// eachString calls do with the strings of JSON that are long enough to be content.
func eachString(source string, do func(text string)) {
	for {
		_, rest, found := strings.Cut(source, `"`)
		if !found {
			return
		}
		end := 0
		for {
			n := strings.IndexAny(rest[end:], `"\`)
			if n < 0 {
				return
			}
			if end += n; rest[end] == '"' {
				break
			}
			if end += 2; end > len(rest) {
				return
			}
		}
		source = rest[end+1:]
		if text := rest[:end]; len(text) >= minState {
			if strings.Contains(text, `\`) && json.Unmarshal([]byte(`"`+text+`"`), &text) != nil {
				return
			}
			if len(text) >= minState {
				do(text)
			}
		}
	}
}

// isProseText reports whether a text of the embedded data is prose.
func isProseText(text string) bool {
	if strings.ContainsAny(text, "{}<>=|\\") || strings.HasPrefix(text, "http") || strings.HasPrefix(text, "/") {
		return false
	}
	b := block{text: text, words: countWords(text)}
	return isProse(&b)
}
