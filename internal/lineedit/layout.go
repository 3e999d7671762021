package lineedit

import (
	"strings"
	"unicode"

	"golang.org/x/text/width"
)

// maxColumns returns the most columns that terminals take for a character.
// Terminals disagree on characters of ambiguous width and on emoji of several code
// points, so a row must have room for the widest form.
func maxColumns(character string) (n int) {
	for _, r := range character {
		switch {
		case r < 0x7f:
			n++
		case unicode.In(r, unicode.Mn, unicode.Me, unicode.Cf):
			if r == 0xfe0f { // it makes a symbol an emoji
				n++
			}
		default:
			n += runeColumns(r)
		}
	}
	return n
}

func runeColumns(r rune) int {
	switch width.LookupRune(r).Kind() {
	case width.EastAsianWide, width.EastAsianFullwidth, width.EastAsianAmbiguous:
		return 2
	}
	if r >= 0x1f000 || r >= 0x2190 && r <= 0x2bff { // symbols that may be emoji
		return 2
	}
	return 1
}

const tab = "    "

// display returns the form in which a character is printed.
func display(character string) string {
	if character == "\t" {
		return tab
	}
	return character
}

// rows breaks a text into rows that take at most the given columns on every
// terminal. cursor is a byte offset in the text; row and column are its place, the
// column in bytes of the row.
func rows(text string, cursor, columns int) (lines []string, row, column int) {
	var line strings.Builder
	used, offset := 0, 0
	for c := range characters(text) {
		shown := display(c)
		n := len(shown)
		if c != "\t" {
			n = maxColumns(c)
		}
		if used > 0 && used+n > columns {
			lines = append(lines, line.String())
			line.Reset()
			used = 0
		}
		if offset <= cursor {
			row, column = len(lines), line.Len()
		}
		line.WriteString(shown)
		used += n
		if offset += len(c); offset <= cursor {
			row, column = len(lines), line.Len()
		}
	}
	return append(lines, line.String()), row, column
}

// Fit cuts a text to one row of the given columns, with "..." at the end if it was
// cut.
func Fit(text string, columns int) string {
	text = strings.NewReplacer("\t", " ", "\n", " ", "\r", " ").Replace(text)
	lines, _, _ := rows(text, 0, columns)
	if len(lines) == 1 {
		return text
	}
	lines, _, _ = rows(text, 0, max(1, columns-3))
	return lines[0] + "..."[:min(3, max(0, columns-1))]
}

// Wrap breaks a text into rows of the given columns, between words where possible.
func Wrap(text string, columns int) (lines []string) {
	text = strings.NewReplacer("\t", " ", "\n", " ", "\r", " ").Replace(text)
	line := ""
	for text != "" {
		end := wordEnd(text)
		word := text[:end]
		text = text[end:]
		if parts, _, _ := rows(line+strings.TrimRight(word, " "), 0, columns); len(parts) > 1 && line != "" {
			lines = append(lines, strings.TrimRight(line, " "))
			line = ""
		}
		line += word
		for parts, _, _ := rows(strings.TrimRight(line, " "), 0, columns); len(parts) > 1; {
			lines = append(lines, parts[0])
			line = line[len(parts[0]):]
			parts, _, _ = rows(strings.TrimRight(line, " "), 0, columns)
		}
	}
	if line = strings.TrimRight(line, " "); line != "" {
		lines = append(lines, line)
	}
	return lines
}

// wordEnd returns the end of the first word of a text with the blanks after it. A
// wide character is a word of its own, with the punctuation after it.
func wordEnd(text string) int {
	var before rune
	for i, r := range text {
		wide := isWide(r) || isWide(before) && r != ' '
		if i > 0 && r != ' ' && (before == ' ' || wide && !unicode.In(r, unicode.P)) {
			return i
		}
		before = r
	}
	return len(text)
}

func isWide(r rune) bool {
	return r > 0x7f && width.LookupRune(r).Kind() == width.EastAsianWide
}
