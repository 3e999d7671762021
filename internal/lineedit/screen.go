package lineedit

import (
	"fmt"
	"slices"
	"strings"

	"github.com/rivo/uniseg"
)

// Frame is what the person sees: the line after its label, and the rows under it.
type Frame struct {
	Label  string
	Text   string
	Cursor int // byte offset in Text

	// Below are the rows under the line. Each fits the terminal.
	Below []string
}

// Size is the size of a terminal in characters.
type Size struct{ Columns, Rows int }

// known returns the size, with a usual one instead of an unknown or useless one.
func (s Size) known() Size {
	if s.Columns < 2 {
		s.Columns = 80
	}
	if s.Rows < 1 {
		s.Rows = 24
	}
	return s
}

// RowsBelow returns how many rows have room under the line.
func (s Size) RowsBelow() int { return max(0, min(s.known().Rows-2, 16)) }

// RowColumns returns how many columns a row may take. The last one stays free,
// because terminals differ in what they do after it.
func (s Size) RowColumns() int { return s.known().Columns - 1 }

// Screen draws frames on a terminal, which must begin a new row at each newline. It
// depends on no count of columns: the cursor stays where the text before it ends, and
// each row is short enough for every idea of how wide its characters are.
type Screen struct {
	// Plain is set for a terminal without control sequences. Then a changed line is
	// printed anew in a row of its own.
	Plain bool

	// Reflows is set for a terminal that breaks rows anew when it becomes narrower.
	Reflows bool

	size  Size
	drawn bool
	rows  []string // of the label and the text before the cursor
	rest  []string // of the text after the cursor, and below
	above int      // rows of the line above the cursor on the screen
}

// Draw returns what to send to the terminal so that it shows a frame.
func (s *Screen) Draw(f Frame, size Size) string {
	size = size.known()
	if s.Plain {
		return s.drawPlain(f)
	}
	head, rest := s.layout(f, size)
	var b strings.Builder
	switch {
	case !s.drawn:
	case size != s.size:
		rewind(&b, s.resized(size))
	case slices.Equal(head, s.rows) && slices.Equal(rest, s.rest):
		return ""
	case s.extends(head):
		s.extend(&b, head, size, len(rest))
		s.finish(&b, head, rest, size)
		return b.String()
	default:
		rewind(&b, s.above)
	}
	visible := head[max(0, len(head)-roomFor(size, len(rest))):]
	b.WriteString(strings.Join(visible, "\n"))
	s.above = len(visible) - 1
	s.finish(&b, head, rest, size)
	return b.String()
}

// rewind goes back to the first row of the line and removes the line. A terminal that is
// told to erase everything from its first cell on may keep a copy of it: tmux puts it into
// the history.
func rewind(b *strings.Builder, above int) {
	if above > 0 {
		fmt.Fprintf(b, "\x1b[%dA", above)
	}
	b.WriteString("\r\x1b[K\x1b[C\x1b[J\r")
}

// resized returns how many rows of the line are above the cursor after the terminal got
// another size. It never counts too many, which would remove the question: a character
// counts with its usual width, and of the question nothing changes if the terminal is
// wider or does not reflow.
func (s *Screen) resized(size Size) (above int) {
	if !s.Reflows || size.Columns >= s.size.Columns {
		return s.above
	}
	last := len(s.rows) - 1
	for i := last - s.above; i < last; i++ {
		above += 1 + breaks(s.rows[i], size.Columns)
	}
	ahead, _, _, _ := uniseg.FirstGraphemeClusterInString(s.rest[0], -1)
	return above + breaks(s.rows[last]+ahead, size.Columns)
}

// breaks returns how often a terminal breaks a row of text. Terminals differ in what they
// do with blanks at its end.
func breaks(row string, columns int) (n int) {
	used := 0
	for c := range characters(strings.TrimRight(row, " ")) {
		width := uniseg.StringWidth(c)
		if used > 0 && used+width > columns {
			used = 0
			n++
		}
		used += width
	}
	return n
}

// layout breaks a frame into rows up to the cursor and rows after it. The first of
// the latter is the rest of the cursor's row.
func (s *Screen) layout(f Frame, size Size) (head, rest []string) {
	columns := size.RowColumns()
	lines, row, column := rows(f.Label+f.Text, len(f.Label)+f.Cursor, columns)
	head = slices.Clone(lines[:row+1])
	rest = slices.Clone(lines[row:])
	head[row], rest[0] = lines[row][:column], lines[row][column:]
	below := f.Below[:min(len(f.Below), size.RowsBelow())]
	if room := size.Rows - 1 - len(below); len(rest)-1 > room {
		rest = rest[:max(1, 1+room)]
	}
	return head, append(rest, below...)
}

// roomFor returns how many rows the text before the cursor may take on the screen.
func roomFor(size Size, rest int) int { return max(1, size.Rows-rest+1) }

// extends reports whether the rows only add text at the end of the line.
func (s *Screen) extends(head []string) bool {
	last := len(s.rows) - 1
	return s.rest[0] == "" && len(head) > last && slices.Equal(head[:last], s.rows[:last]) &&
		strings.HasPrefix(head[last], s.rows[last])
}

// extend prints the text that was added at the end of the line.
func (s *Screen) extend(b *strings.Builder, head []string, size Size, rest int) {
	last := len(s.rows) - 1
	b.WriteString(head[last][len(s.rows[last]):])
	for _, row := range head[last+1:] {
		b.WriteString("\x1b[K\n" + row)
	}
	s.above = min(s.above+len(head)-1-last, roomFor(size, rest)-1)
}

// finish prints what comes after the cursor and returns to it. First it makes room,
// so that nothing scrolls after the position was saved.
func (s *Screen) finish(b *strings.Builder, head, rest []string, size Size) {
	if n := len(rest) - 1; n > 0 {
		b.WriteString(strings.Repeat("\x1bD", n))
		fmt.Fprintf(b, "\x1b[%dA", n)
	}
	b.WriteString("\x1b7" + rest[0] + "\x1b[J")
	for _, row := range rest[1:] {
		b.WriteString("\n" + row)
	}
	b.WriteString("\x1b8")
	s.drawn, s.size, s.rows, s.rest = true, size, head, rest
}

func (s *Screen) drawPlain(f Frame) string {
	line := f.Label + strings.ReplaceAll(f.Text, "\t", tab)
	switch {
	case !s.drawn:
		s.drawn, s.rows = true, []string{line}
		return line
	case line == s.rows[0]:
		return ""
	}
	before := s.rows[0]
	s.rows = []string{line}
	if added, extends := strings.CutPrefix(line, before); extends {
		return added
	}
	below := ""
	if len(f.Below) > 0 && f.Text != "" {
		below = f.Below[0] + "\n"
	}
	return "\n" + below + line
}

// End returns what to send to the terminal so that the line stays, without the rows
// below it, and the cursor is in a new row.
func (s *Screen) End() string {
	if !s.drawn {
		return ""
	}
	end := "\n"
	if !s.Plain {
		end = s.rest[0] + "\x1b[J\n"
	}
	*s = Screen{Plain: s.Plain}
	return end
}
