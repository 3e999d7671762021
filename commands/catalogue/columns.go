package catalogue

import (
	"strings"
)

// Columns aligns rows of cells in columns; all cells but the last are ASCII.
func Columns(rows [][]string) string {
	var widths []int
	for _, r := range rows {
		for i, cell := range r[:len(r)-1] {
			if i == len(widths) {
				widths = append(widths, 0)
			}
			widths[i] = max(widths[i], len(cell))
		}
	}
	var lines []string
	for _, r := range rows {
		var b strings.Builder
		for i, cell := range r {
			b.WriteString(cell)
			if i < len(widths) {
				b.WriteString(strings.Repeat(" ", widths[i]-len(cell)+2))
			}
		}
		lines = append(lines, b.String())
	}
	return strings.Join(lines, "\n")
}
