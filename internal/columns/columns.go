// Package columns measures, pads and wraps text by the columns that it takes
// on a terminal.
package columns

import (
	"iter"
	"strings"
	"unicode"

	"golang.org/x/text/width"
)

// cells yields the runes of a text and the width of each in columns: one for most,
// two for East Asian wide characters and emoji, zero for combining marks. A rune
// joined to an emoji (a skin tone, a member of a family) has width zero. A
// variation selector that turns a symbol into an emoji adds one.
func cells(s string) iter.Seq2[rune, int] {
	return func(yield func(rune, int) bool) {
		var last rune
		wide := 0
		for _, r := range s {
			n := runeWidth(r)
			switch {
			case last == 0x200d && wide == 2 && n == 2, r >= 0x1f3fb && r <= 0x1f3ff && wide == 2:
				n = 0
			case r == 0xfe0f && wide == 1 && last > 0x7f:
				n, wide = 1, 2
			case n > 0:
				wide = n
			}
			if last = r; !yield(r, n) {
				return
			}
		}
	}
}

func runeWidth(r rune) int {
	switch {
	case r < ' ' || r == 0x7f || unicode.In(r, unicode.Mn, unicode.Me, unicode.Cf):
		return 0
	case r >= 0x1f300 && r <= 0x1faff:
		return 2
	}
	switch width.LookupRune(r).Kind() {
	case width.EastAsianWide, width.EastAsianFullwidth:
		return 2
	}
	return 1
}

// Width returns the columns that a text takes.
func Width(s string) (n int) {
	for _, w := range cells(s) {
		n += w
	}
	return n
}

// Pad fills a text with blanks to the given width, or cuts it with a "…".
func Pad(s string, wide int) string {
	if n := Width(s); n <= wide {
		return s + strings.Repeat(" ", wide-n)
	}
	var b strings.Builder
	n := 0
	for r, w := range cells(s) {
		if n+w > wide-1 {
			break
		}
		b.WriteRune(r)
		n += w
	}
	return b.String() + "…" + strings.Repeat(" ", wide-1-n)
}

// closing are the signs that do not begin a line.
const closing = "、。，．・）」』】〉》〕’”！？：；ー…,.!?)]}"

// opening are the signs that do not end a line.
const opening = "「『（【〈《〔([{“‘"

// Wrap breaks a text into lines of at most wide columns: at blanks, and beside
// wide characters, which have no blanks between words. A longer word gets a line
// of its own.
func Wrap(s string, wide int) (lines []string) {
	var line strings.Builder
	used := 0
	for _, p := range pieces(s) {
		n := Width(p)
		if used > 0 && used+Width(strings.TrimRight(p, " ")) > wide {
			lines = append(lines, strings.TrimRight(line.String(), " "))
			line.Reset()
			used = 0
		}
		line.WriteString(p)
		used += n
	}
	return append(lines, strings.TrimRight(line.String(), " "))
}

// pieces cuts a text into the parts that stay on one line, each with the blanks
// after it.
func pieces(s string) (parts []string) {
	var part strings.Builder
	var last rune
	for r, n := range cells(s) {
		breaks := last == ' ' && r != ' ' ||
			(n == 2 || runeWidth(last) == 2 && r != ' ' && n > 0) && !strings.ContainsRune(closing, r) &&
				!strings.ContainsRune(opening, last)
		if breaks && part.Len() > 0 {
			parts = append(parts, part.String())
			part.Reset()
		}
		part.WriteRune(r)
		last = r
	}
	return append(parts, part.String())
}
