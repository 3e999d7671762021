package screen

import (
	"strings"

	"techo/commands/system"
	"techo/internal/columns"
)

// Widths in columns.
const (
	narrowest  = 60 // of a terminal that gets tables
	gap        = 2  // between two columns of a table
	widestCell = 24 // of a cell beside the column that takes the rest
	leastRest  = 20 // of the column that takes the rest
)

// Style is an escape sequence that begins the style of a text on a terminal.
type style string

const (
	plain  style = ""
	bold   style = "\x1b[1m"
	dim    style = "\x1b[2m"
	red    style = "\x1b[31m"
	normal       = "\x1b[0m"
)

type cell struct {
	text  string
	style style
}

// table is a heading and rows with as many cells. The column with the number rest takes the width
// that the others leave.
type table struct {
	rows  [][]cell
	rest  int
	color bool
}

// lines returns the lines of a table that is at most so wide: longer cells continue below
// themselves. It returns nil if the table needs more.
func (t *table) lines(width int) (lines []string) {
	wide := t.widths(width)
	if wide == nil {
		return nil
	}
	for _, row := range t.rows {
		parts, high := make([][]string, len(row)), 0
		for i, c := range row {
			parts[i] = columns.Wrap(c.text, wide[i])
			high = max(high, len(parts[i]))
		}
		for n := range high {
			lines = append(lines, t.line(row, parts, wide, n))
		}
	}
	return lines
}

func (t *table) line(row []cell, parts [][]string, wide []int, n int) string {
	var b strings.Builder
	blanks := 0
	for i, c := range row {
		text := ""
		if n < len(parts[i]) {
			text = parts[i][n]
		}
		if text != "" {
			b.WriteString(strings.Repeat(" ", blanks) + t.styled(text, c.style))
			blanks = 0
		}
		blanks += max(wide[i]-columns.Width(text), 0) + gap
	}
	return b.String()
}

func (t *table) styled(text string, s style) string {
	if !t.color || s == plain {
		return text
	}
	return string(s) + text + normal
}

// widths returns the widths of the columns, or nil if the table does not fit.
func (t *table) widths(width int) []int {
	wide := make([]int, len(t.rows[0]))
	for _, row := range t.rows {
		for i := range row {
			row[i].text = oneLine(row[i].text)
			natural := columns.Width(row[i].text)
			if i != t.rest && natural > widestCell {
				natural = widestCell
				for _, part := range columns.Wrap(row[i].text, widestCell) {
					natural = max(natural, columns.Width(part)) // a word that does not break
				}
			}
			wide[i] = max(wide[i], natural)
		}
	}
	for i, w := range wide {
		if i != t.rest {
			width -= w + gap
		}
	}
	if width < leastRest {
		return nil
	}
	for _, row := range t.rows {
		for _, part := range columns.Wrap(row[t.rest].text, width) {
			if columns.Width(part) > width {
				return nil
			}
		}
	}
	wide[t.rest] = min(wide[t.rest], width)
	return wide
}

// oneLine returns a text on one line that cannot control the terminal.
func oneLine(text string) string {
	return system.Visible(strings.Join(strings.Fields(text), " "))
}
