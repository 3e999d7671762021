package calendar

import (
	"strings"
	"unicode"

	"golang.org/x/text/width"
)

// cells yields the runes of a text with the columns that each takes on a
// terminal: most one, those of East Asia and pictures two, marks none. What is
// joined to a picture (its colour of skin, the rest of a family) takes none, and
// a mark that makes a picture of a sign one more.
func cells(s string) func(func(rune, int) bool) {
	return func(yield func(rune, int) bool) {
		var last rune
		wide := 0
		for _, r := range s {
			n := runeColumns(r)
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

func runeColumns(r rune) int {
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

// columns is how wide a text is on a terminal.
func columns(s string) (n int) {
	for _, w := range cells(s) {
		n += w
	}
	return n
}

// pad fills a text to so many columns, or cuts it with a "…".
func pad(s string, wide int) string {
	if n := columns(s); n <= wide {
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
