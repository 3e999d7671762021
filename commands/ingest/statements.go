package ingest

import (
	"strings"
	"unicode"
)

// said is what a file for agents says in one item of a list or one paragraph.
type said struct{ heading, text string }

// String returns the statement after the headings above it.
func (s said) String() string {
	if s.heading == "" {
		return s.text
	}
	return s.heading + ": " + s.text
}

// statements returns the statements of a Markdown text: the items of lists with what is indented
// below them, and paragraphs. Code belongs to the statement before it. heading has the headings
// above, and comments is the number of comments, which are left out.
func statements(text string) (all []said, comments int) {
	r := &stating{}
	text, comments = withoutComments(text)
	for line := range strings.SplitSeq(text, "\n") {
		r.line(line)
	}
	r.end()
	return r.all, comments
}

// heading is a heading of a level from 1 to 6.
type heading struct {
	level int
	text  string
}

// stating reads statements line by line.
type stating struct {
	all      []said
	headings []heading
	lines    []string // of the present statement
	item     bool     // it is an item of a list
	fence    string   // that ends a block of code; "" outside of one
	blank    bool     // the line before was blank
}

func (r *stating) line(line string) {
	trimmed := strings.TrimSpace(line)
	indented := line != "" && (line[0] == ' ' || line[0] == '\t')
	blank := r.blank
	r.blank = trimmed == ""
	switch level := headingLevel(line); {
	case r.fence != "":
		r.lines = append(r.lines, line)
		if trimmed == r.fence {
			r.fence = ""
		}
	case isFence(line):
		r.continueLast()
		r.fence = trimmed[:3]
		r.lines = append(r.lines, line)
	case level > 0:
		r.head(level, strings.TrimSpace(strings.Trim(line, "#")))
	case len(r.lines) == 1 && !r.item && !blank && underlines(trimmed) > 0:
		title := r.lines[0]
		r.lines = nil
		r.head(underlines(trimmed), title)
	case trimmed == "":
		if !r.item {
			r.end()
		}
	case isRule(trimmed):
		r.end()
	case !indented && isItem(trimmed):
		r.end()
		r.item = true
		r.lines = append(r.lines, withoutMark(trimmed))
	case r.item && !indented && blank:
		r.end()
		r.lines = append(r.lines, trimmed)
	case r.item:
		r.lines = append(r.lines, strings.TrimRight(line, " \t"))
	default:
		r.lines = append(r.lines, trimmed)
	}
}

// head begins the part below a heading.
func (r *stating) head(level int, title string) {
	r.end()
	for n := len(r.headings) - 1; n >= 0 && r.headings[n].level >= level; n-- {
		r.headings = r.headings[:n]
	}
	r.headings = append(r.headings, heading{level, title})
}

// continueLast goes on with the last statement below the same headings, if none has begun.
func (r *stating) continueLast() {
	n := len(r.all) - 1
	if len(r.lines) == 0 && n >= 0 && r.all[n].heading == r.heading() {
		r.lines = strings.Split(r.all[n].text, "\n")
		r.all = r.all[:n]
	}
}

func (r *stating) heading() string {
	var all []string
	for _, h := range r.headings {
		all = append(all, h.text)
	}
	return strings.Join(all, " › ")
}

// end ends the present statement.
func (r *stating) end() {
	if text := strings.TrimSpace(strings.Join(r.lines, "\n")); strings.ContainsFunc(text, func(c rune) bool {
		return unicode.IsLetter(c) || unicode.IsDigit(c)
	}) {
		r.all = append(r.all, said{r.heading(), text})
	}
	r.lines, r.item, r.fence = nil, false, ""
}

// headingLevel returns the level of a heading, 0 for another line.
func headingLevel(line string) int {
	level := len(line) - len(strings.TrimLeft(line, "#"))
	if level > 6 || level == len(line) || line[level] != ' ' && line[level] != '\t' {
		return 0
	}
	return level
}

// underlines returns the level of the heading that a line makes of the one above it, or 0.
func underlines(line string) int {
	switch {
	case len(line) < 2:
	case strings.Trim(line, "=") == "":
		return 1
	case strings.Trim(line, "-") == "":
		return 2
	}
	return 0
}

// isRule reports whether a line is a horizontal rule.
func isRule(line string) bool {
	line = strings.ReplaceAll(line, " ", "")
	return len(line) >= 3 && strings.ContainsRune("-*_", rune(line[0])) && strings.Trim(line, line[:1]) == ""
}

// isItem reports whether a line begins an item of a list.
func isItem(line string) bool { return withoutMark(line) != line }

// withoutMark returns an item without the mark of its list.
func withoutMark(line string) string {
	for _, mark := range []string{"- ", "* ", "+ ", "・"} {
		if rest, ok := strings.CutPrefix(line, mark); ok {
			return strings.TrimSpace(rest)
		}
	}
	digits := len(line) - len(strings.TrimLeft(line, "0123456789"))
	if rest := line[digits:]; digits > 0 && (strings.HasPrefix(rest, ". ") || strings.HasPrefix(rest, ") ")) {
		return strings.TrimSpace(rest[2:])
	}
	return line
}

// withoutComments removes HTML comments. One without an end is text.
func withoutComments(text string) (rest string, n int) {
	var b strings.Builder
	for {
		before, after, ok := strings.Cut(text, "<!--")
		_, behind, closed := strings.Cut(after, "-->")
		if !ok || !closed {
			b.WriteString(text)
			return b.String(), n
		}
		b.WriteString(before)
		text, n = behind, n+1
	}
}
