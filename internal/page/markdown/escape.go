package markdown

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"techo/internal/page/runes"
	"techo/internal/page/view"
)

// escaper writes characters with a meaning in Markdown so that they stand for
// themselves. It leaves the others where they are.
type escaper struct {
	active string // the characters that have a meaning in this block
	begun  bool   // text was written
}

// newEscaper looks for pairs of marks in the text of a block.
func newEscaper(b *view.Block) *escaper {
	e := &escaper{}
	if !strings.ContainsAny(b.Text, "*_`[<&#-=\\") {
		e.begun = true
		return e
	}
	marked := false // by an element
	for i := range b.Runs {
		marked = marked || b.Runs[i].Style&(view.Bold|view.Italic) != 0
	}
	for _, mark := range "*_`" {
		if delimiters(b.Text, mark) > 1 || marked && mark == '*' && strings.Contains(b.Text, "*") {
			e.active += string(mark)
		}
	}
	if strings.Contains(b.Text, "](") {
		e.active += "["
	}
	return e
}

// delimiters counts the runs of a character that could open or close a span.
func delimiters(text string, mark rune) (n int) {
	before := ' '
	for i := 0; i < len(text); {
		r, size := utf8.DecodeRuneInString(text[i:])
		if r != mark {
			before, i = r, i+size
			continue
		}
		for i < len(text) && rune(text[i]) == mark {
			i++
		}
		after, _ := utf8.DecodeRuneInString(text[i:])
		if delimits(before, mark, after) {
			n++
		}
		before = mark
	}
	return n
}

// delimits reports whether a run of marks between two characters can open or close a
// span.
func delimits(before, mark, after rune) bool {
	switch mark {
	case '_':
		return runes.IsWordRune(before) != runes.IsWordRune(after)
	case '*':
		return !isSpaceOrEnd(before) || !isSpaceOrEnd(after)
	}
	return true
}

func isSpaceOrEnd(r rune) bool { return unicode.IsSpace(r) || r == utf8.RuneError }

// text escapes a part of the block.
func (e *escaper) text(text string) string {
	first := !e.begun
	e.begun = e.begun || strings.TrimSpace(text) != ""
	if first {
		text = escapeStart(text)
	}
	if e.active == "" && !strings.ContainsAny(text, "<&") {
		return text
	}
	var b strings.Builder
	for i := 0; i < len(text); i++ {
		c := text[i]
		if isMeant(text, i) || strings.IndexByte(e.active, c) >= 0 && (c != '_' || isAtEdge(text, i)) {
			b.WriteByte('\\')
		}
		b.WriteByte(c)
	}
	return b.String()
}

// isMeant reports whether the character at i begins a tag or a character reference.
func isMeant(text string, i int) bool {
	rest := text[i+1:]
	switch text[i] {
	case '<':
		return rest != "" && (runes.IsLetter(rest[0]) || strings.IndexByte("/!?", rest[0]) >= 0)
	case '&':
		name, _, ok := strings.Cut(rest[:min(len(rest), 32)], ";")
		return ok && name != "" && strings.TrimFunc(strings.TrimPrefix(name, "#"), runes.IsWordRune) == ""
	}
	return false
}

// isAtEdge reports whether the underscore at i is at the edge of a word.
func isAtEdge(text string, i int) bool {
	from, end := i, i
	for from > 0 && text[from-1] == '_' {
		from--
	}
	for end < len(text) && text[end] == '_' {
		end++
	}
	before, _ := utf8.DecodeLastRuneInString(text[:from])
	after, _ := utf8.DecodeRuneInString(text[end:])
	return runes.IsWordRune(before) != runes.IsWordRune(after)
}

// escapeStart escapes what would make a paragraph a heading or a list item. Numbers
// and dashes of lists that are written by hand stay.
func escapeStart(text string) string {
	trimmed := strings.TrimLeft(text, " \n")
	level := len(trimmed) - len(strings.TrimLeft(trimmed, "#"))
	if level > 0 && level <= 6 && strings.HasPrefix(trimmed[level:], " ") || strings.HasPrefix(trimmed, "* ") {
		return text[:len(text)-len(trimmed)] + `\` + trimmed
	}
	return text
}

// balanced escapes the brackets in the text of a link if they are not in pairs.
func balanced(text string) string {
	depth := 0
	for i := 0; i < len(text) && depth >= 0; i++ {
		switch text[i] {
		case '\\':
			i++
		case '[':
			depth++
		case ']':
			depth--
		}
	}
	if depth == 0 {
		return text
	}
	return strings.NewReplacer("[", `\[`, "]", `\]`).Replace(text)
}

// Unescape removes the backslashes before punctuation in Markdown.
func Unescape(text string) string {
	if !strings.Contains(text, `\`) {
		return text
	}
	var b strings.Builder
	for i := 0; i < len(text); i++ {
		if text[i] == '\\' && i+1 < len(text) && strings.IndexByte("*_`[]<&#\\|", text[i+1]) >= 0 {
			i++
		}
		b.WriteByte(text[i])
	}
	return b.String()
}
