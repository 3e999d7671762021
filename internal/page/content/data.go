package content

import (
	"encoding/json"
	"strings"

	"golang.org/x/net/html"

	"techo/internal/legible"
	"techo/internal/page/dom"
	"techo/internal/page/runes"
	"techo/internal/page/view"
)

// maxNested is the depth up to which data that a string of other data contains is read.
const maxNested = 2

// sentencesIn returns the texts in the embedded data that read like sentences,
// without duplicates. They replace the content of a page that shows none. On a bare page, they may
// have any HTML or Markdown.
func sentencesIn(p *view.Page, bare bool) (texts []string) {
	seen := map[string]bool{}
	var read func(source string, depth int)
	read = func(source string, depth int) {
		eachString(source, func(text string) {
			if seen[text] {
				return
			}
			seen[text] = true
			if depth < maxNested && strings.Contains(text, `"`) && strings.ContainsAny(text, "[{") &&
				!isMarkup(text, bare) {
				read(text, depth+1)
				return
			}
			if isMarkup(text, bare) {
				text = unmark(text)
			}
			if text = strings.TrimSpace(p.Clean(text)); isProseText(text, bare) {
				texts = append(texts, text)
			}
		})
	}
	for _, source := range p.Texts.States {
		read(source, 0)
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

func isMarkup(text string, bare bool) bool {
	return strings.Contains(text, "</p>") ||
		bare && dom.HasPart(text, "</div>", "</li>", "</h2>", "</h3>", "</section>", "</article>", "<br")
}

// isProseText reports whether a text of the embedded data is prose.
func isProseText(text string, bare bool) bool {
	marks := 0
	for _, r := range text {
		if strings.ContainsRune("{}<>=|\\", r) {
			marks++
		}
	}
	if marks > 0 && (!bare || len(text) < 400 || marks*40 > len(text)) || strings.HasPrefix(text, "http") || strings.HasPrefix(text, "/") {
		return false
	}
	b := view.Block{Text: text, Words: runes.CountWords(text)}
	return b.IsProse()
}

// dataBodyOf returns the longest content in the structured data, or "". It parses the HTML
// in it, which the text of the whole page does not need.
func dataBodyOf(p *view.Page) string {
	longest := ""
	for _, text := range p.Texts.Bodies {
		if len(text) > len(longest) {
			longest, _ = legible.Clean(unmark(html.UnescapeString(unmark(html.UnescapeString(text)))))
		}
	}
	return longest
}

// unmark returns the text of HTML that a page contains as data. It ignores data
// inside that HTML, which could nest without limit.
func unmark(source string) string {
	if !strings.ContainsAny(source, "<&") {
		return source
	}
	return Whole(view.ParsePart(source)).Text()
}
