package web

import (
	"net/url"
	"strings"
	"unicode"

	"techo/internal/lazyregexp"
	"techo/internal/page"
)

// locate returns the offset of the line at which each heading begins, or -1. A
// heading in several pieces takes one line per piece.
func locate(text string, headings []page.Heading) []int {
	places := make([]int, len(headings))
	wants := make([][2]string, len(headings)) // with and without phonetic readings
	for i, h := range headings {
		places[i] = -1
		name := withoutLinks(h.Text)
		wants[i] = [2]string{letters(name), letters(withoutReadings(name))}
	}
	var lines []string
	for line := range strings.SplitSeq(text, "\n") {
		lines = append(lines, letters(withoutLinks(strings.TrimLeft(line, "#>- \t"))))
	}
	next, at := 0, 0
	for line, whole := range strings.SplitAfter(text, "\n") {
		for n := next; n < min(next+5, len(headings)); n++ {
			if begins(lines[line:], wants[n][0]) || begins(lines[line:], wants[n][1]) {
				places[n], next = at, n+1
				break
			}
		}
		at += len(whole)
	}
	return places
}

// maxHeadingLines limits the number of lines of a heading.
const maxHeadingLines = 50

// begins reports whether the first line, or the first lines together, are the
// heading.
func begins(lines []string, heading string) bool {
	if lines[0] == "" {
		return false
	}
	for i := 0; i < min(maxHeadingLines, len(lines)); i++ {
		rest, ok := strings.CutPrefix(heading, lines[i])
		if !ok || rest == "" {
			return ok
		}
		heading = rest
	}
	return false
}

// letters removes white space and markup characters, for comparing.
func letters(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsSpace(r) || strings.ContainsRune("*`\\", r) {
			return -1
		}
		return r
	}, text)
}

// withoutReadings removes texts in full-width parentheses.
func withoutReadings(text string) string {
	var b strings.Builder
	for {
		before, rest, ok := strings.Cut(text, "（")
		_, after, closed := strings.Cut(rest, "）")
		if !ok || !closed {
			b.WriteString(text)
			return b.String()
		}
		b.WriteString(before)
		text = after
	}
}

// markdownLink matches an image (!) or link of Markdown.
var markdownLink = lazyregexp.New(`(!?)\[([^\[\]\n]*)\]\(<?([^\s()<>]+)>?(?:[ \t]+"[^"\n]*")?\)`)

// markdownLinks returns the links of a Markdown text to pages, each address once.
func markdownLinks(text string, from *url.URL) []page.Link {
	all, seen := []page.Link{}, map[string]bool{}
	for _, m := range markdownLink.Get().FindAllStringSubmatch(text, -1) {
		u, err := from.Parse(m[3])
		if m[1] != "" || m[3][0] == '#' || err != nil || u.Scheme != "http" && u.Scheme != "https" || seen[u.String()] {
			continue
		}
		seen[u.String()] = true
		all = append(all, page.Link{Text: m[2], URL: u.String()})
	}
	return all
}

// withoutLinks replaces Markdown links by their texts.
func withoutLinks(line string) string {
	var b strings.Builder
	for {
		open := strings.IndexByte(line, '[')
		if open < 0 {
			break
		}
		middle := strings.Index(line[open:], "](")
		if middle < 0 {
			break
		}
		end := strings.IndexByte(line[open+middle:], ')')
		if end < 0 {
			break
		}
		b.WriteString(line[:open])
		b.WriteString(line[open+1 : open+middle])
		line = line[open+middle+end+1:]
	}
	b.WriteString(line)
	return b.String()
}
