package document

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// # Matching
//
// old_string must match the file exactly, with one exception: "\n" and "\r\n"
// match each other. The new text gets the line ends of the place where it is
// inserted, so a file keeps its line ends, even mixed ones. To change line ends,
// use a "\r" in new_string, or in an old_string that matches exactly.

// Match is an occurrence in a document.
type Match struct {
	Start, End int // offsets in text
	Line       int // number of the first line, from 1
}

// Find returns the occurrences of old. They may overlap unless all is set.
func (d *Document) Find(old string, all bool) (found []Match) {
	if d.Text.BOM {
		old = strings.TrimPrefix(old, "\ufeff")
	}
	if old == "" {
		return nil
	}
	if strings.Contains(old, "\r") {
		for _, at := range occurrences(d.Text.String, old, all) {
			line := strings.Count(d.Text.String[:at], "\n") + 1
			found = append(found, Match{Start: at, End: at + len(old), Line: line})
		}
		if len(found) > 0 {
			return found
		}
		old = strings.ReplaceAll(old, "\r\n", "\n")
	}
	line, seen := 1, 0
	for _, at := range occurrences(d.normalized, old, all) {
		line += strings.Count(d.normalized[seen:at], "\n")
		seen = at
		found = append(found, Match{Start: d.inText(at), End: d.inText(at + len(old)), Line: line})
	}
	return found
}

func occurrences(s, old string, all bool) (at []int) {
	for i := 0; ; {
		j := strings.Index(s[i:], old)
		if j < 0 {
			return at
		}
		at = append(at, i+j)
		if i += j + 1; all {
			i += len(old) - 1
		}
	}
}

// Replacement returns the text to insert for a match.
func (d *Document) Replacement(m Match, old, text string) string {
	if d.Text.BOM && m.Start == 0 {
		text = strings.TrimPrefix(text, "\ufeff")
	}
	matched := d.Text.String[m.Start:m.End]
	exact := old == matched
	if strings.Contains(text, "\r") || exact && (strings.Contains(old, "\r") || !strings.Contains(text, "\n")) {
		return text
	}
	if end := d.NewlineAt(m.Start); end != "\r" {
		return KeepRepeated(old, matched, text, end)
	}
	return strings.ReplaceAll(text, "\n", "\r")
}

// FindIgnoringBlanks returns the occurrences of old in which any run of blanks
// matches any other. A run with a line end only matches another with a line end.
// Blanks at both ends of old do not count.
func (d *Document) FindIgnoringBlanks(old string) (found []Match) {
	want, _ := collapseBlanks(strings.TrimFunc(old, IsBlank))
	if want == "" {
		return nil
	}
	folded, from := collapseBlanks(d.Text.String)
	for _, at := range occurrences(folded, want, false) {
		start, last := from[at], at+len(want)
		_, size := utf8.DecodeLastRuneInString(want)
		end := from[last-size] + size
		found = append(found, Match{Start: start, End: end, Line: strings.Count(d.Text.String[:start], "\n") + 1})
	}
	return found
}

// collapseBlanks replaces every run of blanks with one, and returns the source
// offset of each byte.
func collapseBlanks(s string) (folded string, from []int) {
	var b strings.Builder
	for i := 0; i < len(s); {
		r, size := utf8.DecodeRuneInString(s[i:])
		if !IsBlank(r) {
			for k := range size {
				from = append(from, i+k)
			}
			b.WriteString(s[i : i+size])
			i += size
			continue
		}
		end := i
		for end < len(s) {
			r, size := utf8.DecodeRuneInString(s[end:])
			if !IsBlank(r) {
				break
			}
			end += size
		}
		from = append(from, i)
		if strings.ContainsAny(s[i:end], "\r\n") {
			b.WriteByte('\n')
		} else {
			b.WriteByte(' ')
		}
		i = end
	}
	return b.String(), from
}

// IsBlank reports whether a character is invisible.
func IsBlank(r rune) bool {
	return unicode.IsSpace(r) || r == '\u200b' || r == '\ufeff'
}
