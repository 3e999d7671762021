package pdftext

import (
	"slices"
	"sort"
	"strings"
	"unicode/utf8"
)

// isRuled reports whether rules between the rows go through the gaps between columns.
func (a *arranger) isRuled(rows []row, columns []span) bool {
	n := 0
	for i := 1; i < len(rows); i++ {
		if a.hasRule(rows[i-1], rows[i], columns) {
			n++
		}
	}
	return n > 0 && len(rows) <= 8*(n+1)
}

// hasRule reports whether rules between two rows go through half of the gaps.
func (a *arranger) hasRule(above, below row, columns []span) bool {
	first := sort.Search(len(a.rules), func(i int) bool { return a.rules[i].y <= above.across })
	low := below.across + below.size*0.5
	crossed := make([]bool, len(columns))
	for _, r := range a.rules[first:] {
		if r.y < low {
			break
		}
		for i := 1; i < len(columns); i++ {
			crossed[i] = crossed[i] || r.from < columns[i-1].to && r.to > columns[i].from
		}
	}
	n := 0
	for _, c := range crossed {
		if c {
			n++
		}
	}
	return n > 0 && n*2 >= len(columns)-1
}

// ruledTo returns the last row of a table that rules end, or 0.
func (a *arranger) ruledTo(rows []row, columns []span) int {
	last := len(rows) - 1
	foot := row{across: rows[last].across - 2*rows[last].size}
	switch {
	case !a.isRuled(rows, columns):
		return 0
	case a.hasRule(rows[last], foot, columns):
		return last
	}
	for last > 0 && !a.hasRule(rows[last-1], rows[last], columns) {
		last--
	}
	return last
}

// table writes rows with a tab between cells. Lines that are one row of the table are joined.
func (a *arranger) table(rows []row, columns []span) {
	ruled, widest := a.ruledTo(rows, columns), 0.0
	for i := 1; i < len(rows); i++ {
		widest = max(widest, rows[i-1].across-rows[i].across)
	}
	for i := 0; i < len(rows); {
		end := i + 1
		for end < len(rows) && a.goesOn(rows, end, columns, end <= ruled, widest) {
			end++
		}
		if end == i+1 && len(rows[i].pieces) == 1 {
			a.line(rows[i].pieces)
		} else {
			a.text.WriteString(strings.TrimRight(strings.Join(a.cells(rows[i:end], columns), "\t"), "\t"))
			a.text.WriteByte('\n')
		}
		i = end
	}
}

// goesOn reports whether a line continues the cells of the line above it. Without rules, the
// rows of the table must be further apart.
func (a *arranger) goesOn(rows []row, i int, columns []span, ruled bool, widest float64) bool {
	if ruled {
		return !a.hasRule(rows[i-1], rows[i], columns)
	}
	if len(columns) < 3 {
		return false
	}
	above, below := a.cells(rows[i-1:i], columns), a.cells(rows[i:i+1], columns)
	for c := range columns {
		if isFigure(above[c]) && isFigure(below[c]) {
			return false
		}
	}
	step := rows[i-1].across - rows[i].across
	return step <= 1.6*rows[i].size && widest > 1.3*step && !allSet(below)
}

// isFigure reports whether a text is a number, an amount or a date.
func isFigure(text string) bool {
	return strings.ContainsAny(text, "0123456789") && strings.Trim(text, "0123456789.,:/%+-−()$€£¥円 ") == ""
}

// isList reports whether half of the rows of a column are figures or names of fields.
func isList(column []row) bool {
	n := 0
	for _, r := range column {
		text := r.pieces[len(r.pieces)-1].text
		if isFigure(text) || strings.HasSuffix(text, ":") || strings.HasSuffix(text, "：") {
			n++
		}
	}
	return n*2 >= len(column)
}

// isForm reports whether half of the rows of a column have fields.
func isForm(column []row) bool {
	n := 0
	for _, r := range column {
		if slices.ContainsFunc(r.pieces, func(p piece) bool { return p.field }) {
			n++
		}
	}
	return n > 0 && n*2 >= len(column)
}

func (a *arranger) cells(rows []row, columns []span) []string {
	cells := make([]string, len(columns))
	for _, r := range rows {
		at := 0
		for i, p := range r.pieces {
			for at < len(columns)-1 && p.from > columns[at].to {
				at++
			}
			if i > 0 && p.from <= columns[at].to && r.pieces[i-1].to >= columns[at].from {
				cells[at] += "\t" + p.text // there is a gap in other rows only
				continue
			}
			cells[at] = join(cells[at], p.text)
		}
	}
	return cells
}

// join joins two lines, with a blank unless the characters around it are wide or a soft hyphen
// divides a word.
func join(a, b string) string {
	if word, divided := strings.CutSuffix(a, string(softHyphen)); divided {
		return word + b
	}
	last, _ := utf8.DecodeLastRuneInString(a)
	first, _ := utf8.DecodeRuneInString(b)
	if a == "" || isWide(last) && isWide(first) {
		return a + b
	}
	return a + " " + b
}

func allSet(cells []string) bool { return !slices.Contains(cells, "") }
