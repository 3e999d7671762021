package lineedit

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/width"
)

// terminal is a small terminal: it shows what programs send to it.
type terminal struct {
	Size
	ambiguous int        // columns of a character of ambiguous width
	cells     [][]string // "" is the second column of a wide character
	wrapped   []bool     // rows whose text goes on in the next row
	x, y      int
	full      bool // the next character wraps
	savedX    int
	savedY    int
	unknown   []string // sequences that it does not support
}

func newTerminal(size Size, ambiguous int) *terminal {
	t := &terminal{Size: size, ambiguous: ambiguous}
	for range size.Rows {
		t.cells, t.wrapped = append(t.cells, t.blank()), append(t.wrapped, false)
	}
	return t
}

func (t *terminal) blank() []string {
	row := make([]string, t.Columns)
	for i := range row {
		row[i] = " "
	}
	return row
}

func (t *terminal) write(text string) {
	for text != "" {
		if n := t.control(text); n > 0 {
			text = text[n:]
			continue
		}
		r, n := utf8.DecodeRuneInString(text)
		t.put(r)
		text = text[n:]
	}
}

// control executes the control character or sequence at the begin of a text, and
// returns its length.
func (t *terminal) control(text string) int {
	switch {
	case text[0] == '\r':
		t.x, t.full = 0, false
	case text[0] == '\n':
		t.x, t.full = 0, false
		t.feed()
	case strings.HasPrefix(text, "\x1bD"):
		t.feed()
		return 2
	case strings.HasPrefix(text, "\x1b7"):
		t.savedX, t.savedY = t.x, t.y
		return 2
	case strings.HasPrefix(text, "\x1b8"):
		t.x, t.y, t.full = t.savedX, t.savedY, false
		return 2
	case strings.HasPrefix(text, "\x1b["):
		end := strings.IndexFunc(text[2:], unicode.IsLetter) + 2
		t.csi(text[2:end], text[end])
		return end + 1
	case text[0] < ' ':
		t.unknown = append(t.unknown, fmt.Sprintf("%q", text[0]))
	default:
		return 0
	}
	return 1
}

func (t *terminal) csi(params string, last byte) {
	n := 1
	fmt.Sscan(params, &n)
	switch {
	case last == 'A':
		t.y, t.full = max(0, t.y-n), false
	case last == 'K' && params == "", last == 'J' && params == "":
		for x := t.x; x < t.Columns; x++ {
			t.cells[t.y][x] = " "
		}
		t.wrapped[t.y] = false
		for y := t.y + 1; last == 'J' && y < t.Rows; y++ {
			t.cells[y], t.wrapped[y] = t.blank(), false
		}
	case last == 'C' && params == "":
		t.x, t.full = min(t.x+1, t.Columns-1), false
	default:
		t.unknown = append(t.unknown, params+string(last))
	}
}

func (t *terminal) feed() {
	if t.y++; t.y == t.Rows {
		t.y--
		t.cells, t.wrapped = append(t.cells[1:], t.blank()), append(t.wrapped[1:], false)
	}
}

func (t *terminal) put(r rune) {
	n := 1
	switch width.LookupRune(r).Kind() {
	case width.EastAsianWide, width.EastAsianFullwidth:
		n = 2
	case width.EastAsianAmbiguous:
		n = t.ambiguous
	}
	if unicode.In(r, unicode.Mn, unicode.Me, unicode.Cf) {
		if t.x > 0 { // it joins the character before
			x := t.x - 1
			for x > 0 && t.cells[t.y][x] == "" {
				x--
			}
			t.cells[t.y][x] += string(r)
		}
		return
	}
	if t.full || t.x+n > t.Columns {
		t.x = 0
		t.full = false
		t.wrapped[t.y] = true
		t.feed()
	}
	t.cells[t.y][t.x] = string(r)
	for i := 1; i < n; i++ {
		t.cells[t.y][t.x+i] = ""
	}
	if t.x += n; t.x >= t.Columns {
		t.x, t.full = t.Columns-1, true
	}
}

// lines returns the rows of the screen up to the last one with text.
func (t *terminal) lines() (lines []string) {
	for _, row := range t.cells {
		lines = append(lines, strings.TrimRight(strings.Join(row, ""), " "))
	}
	for len(lines) > 0 && lines[len(lines)-1] == "" {
		lines = lines[:len(lines)-1]
	}
	return lines
}

// before returns the text before the cursor, without blanks.
func (t *terminal) before() string {
	var b strings.Builder
	for _, row := range t.cells[:t.y] {
		b.WriteString(strings.Join(row, ""))
	}
	b.WriteString(strings.Join(t.cells[t.y][:t.x], ""))
	return strings.ReplaceAll(b.String(), " ", "")
}
