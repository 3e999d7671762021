package pdftext

import (
	"math"
	"slices"
	"sort"
	"strings"
)

// arranger writes rows as lines.
type arranger struct {
	em    float64 // the usual size of the text
	rules []rule  // from top to bottom
	text  *strings.Builder

	mirrored bool // the page goes from right to left: from and to are distances from its right edge
}

// Limits of the arrangement.
const (
	maxDepth = 6 // of columns in columns
	patience = 5 // rows until a gap between columns must appear

	maxColumns = 50
	lookBack   = 200 // rows above a footnote
)

// lay writes rows. Rows that leave the same gaps are columns of text, which are read one
// after the other, or a table, whose rows are read one after the other.
func (a *arranger) lay(rows []row, depth int) {
	for len(rows) > 0 {
		n, columns := a.region(rows)
		if n < 2 || depth >= maxDepth || a.isAbove(rows, n) {
			n = 1
			a.line(rows[0].pieces)
		} else {
			a.part(rows[:n], columns, depth)
		}
		rows = rows[n:]
	}
}

// isAbove reports whether the first row stands above columns without being part of them: its gap
// ends after n rows, and without it there is a gap that goes on.
func (a *arranger) isAbove(rows []row, n int) bool {
	for skip := 1; skip < min(n, patience); skip++ {
		if more, _ := a.region(rows[skip:]); skip+more >= n+patience {
			return true
		}
	}
	return false
}

// part writes rows with common gaps. Lines that cross the gaps of most rows, as above and
// below a table, are not part of it.
func (a *arranger) part(rows []row, columns []span, depth int) {
	var fine []span
	several := 0
	for _, r := range rows {
		if len(r.pieces) > 1 {
			fine = a.cover(fine, r)
			several++
		}
	}
	if len(fine) <= len(columns) || several*3 < len(rows) {
		a.block(rows, columns, depth)
		return
	}
	for i := 0; i < len(rows); {
		end := i
		for end < len(rows) && !rows[end].crosses(fine) {
			end++
		}
		var columns []span
		for _, r := range rows[i:end] {
			columns = a.cover(columns, r)
		}
		if end > i {
			a.block(rows[i:end], columns, depth)
		}
		for ; end < len(rows) && rows[end].crosses(fine); end++ {
			a.line(rows[end].pieces)
		}
		i = end
	}
}

// crosses reports whether a piece of a row is in two columns.
func (r row) crosses(columns []span) bool {
	for _, p := range r.pieces {
		n := 0
		for _, c := range columns {
			if p.from <= c.to && p.to >= c.from {
				n++
			}
		}
		if n > 1 {
			return true
		}
	}
	return false
}

// block writes columns of text or a table.
func (a *arranger) block(rows []row, columns []span, depth int) {
	if !a.isProse(rows, columns) {
		a.table(rows, columns)
		return
	}
	if cuts := bands(rows); len(cuts) > 0 && len(cuts) <= len(rows)/4 {
		from := 0
		for _, cut := range append(cuts, len(rows)) {
			a.lay(rows[from:cut], depth+1)
			from = cut
		}
		return
	}
	for _, c := range columns {
		a.lay(columnOf(rows, c), depth+1)
	}
}

// bands returns the rows before which all was drawn earlier than the rest. There the
// columns begin again.
func bands(rows []row) (cuts []int) {
	least := make([]int, len(rows)+1) // drawn from this row on
	least[len(rows)] = math.MaxInt
	for i := len(rows) - 1; i >= 0; i-- {
		first, _ := drawnFrom(rows[i : i+1])
		least[i] = min(first, least[i+1])
	}
	drawn := -1
	for i := range rows {
		if i > 0 && drawn < least[i] {
			cuts = append(cuts, i)
		}
		_, last := drawnFrom(rows[i : i+1])
		drawn = max(drawn, last)
	}
	return cuts
}

// span is a part of the width.
type span struct{ from, to float64 }

// region returns the number of rows, from the first one, that leave a common gap, and the
// columns around it.
func (a *arranger) region(rows []row) (n int, columns []span) {
	var covered []span
	for i, r := range rows {
		next := a.cover(covered, r)
		if len(next) < 2 {
			if len(covered) >= 2 {
				return i, covered
			}
			if i >= patience {
				return 0, nil
			}
		}
		if len(covered) >= 2 && i > 0 && a.isApart(rows[i-1], r) && !goOn(rows[max(0, i-lookBack):i], r) {
			return i, covered
		}
		covered = next
	}
	if len(covered) < 2 {
		return 0, nil
	}
	return len(rows), covered
}

// isApart reports whether much space separates two rows.
func (a *arranger) isApart(above, below row) bool {
	return above.across-below.across > 4*max(a.em, above.size, below.size)
}

// goOn reports whether columns go on below much space, as to a footnote: a piece there was drawn
// after what is above it, and before what is beside that.
func goOn(above []row, below row) bool {
	for _, p := range below.pieces {
		upper, beside := -1, -1 // drawn last
		for _, r := range above {
			for _, q := range r.pieces {
				if q.from <= p.to && q.to >= p.from {
					upper = max(upper, q.last)
				} else {
					beside = max(beside, q.last)
				}
			}
		}
		if upper >= 0 && upper < p.first && p.last < beside {
			return true
		}
	}
	return false
}

// cover adds the pieces of a row to the covered parts. Parts with less than a gap between them
// become one.
func (a *arranger) cover(covered []span, r row) []span {
	all := slices.Clone(covered)
	for _, p := range r.pieces {
		all = append(all, span{p.from, p.to})
	}
	sort.Slice(all, func(i, j int) bool { return all[i].from < all[j].from })
	n := 0
	for _, s := range all {
		if n > 0 && s.from-all[n-1].to < a.em*columnGap {
			all[n-1].to = max(all[n-1].to, s.to)
			continue
		}
		all[n] = s
		n++
	}
	if n > maxColumns {
		return []span{{all[0].from, all[n-1].to}}
	}
	return all[:n]
}

func columnOf(rows []row, column span) (part []row) {
	for _, r := range rows {
		var pieces []piece
		for _, p := range r.pieces {
			if p.from >= column.from && p.from <= column.to {
				pieces = append(pieces, p)
			}
		}
		if len(pieces) > 0 {
			part = append(part, row{pieces, r.across, r.size})
		}
	}
	return part
}

func (a *arranger) line(pieces []piece) {
	for i, p := range pieces {
		switch {
		case i == 0:
		case p.from-pieces[i-1].to < 2*a.em:
			a.text.WriteByte(' ')
		default:
			a.text.WriteByte('\t')
		}
		a.text.WriteString(p.text)
	}
	a.text.WriteByte('\n')
}

// isProse reports whether columns have running text: lines that fill the column, or that were
// drawn before the next column.
func (a *arranger) isProse(rows []row, columns []span) bool {
	if a.isRuled(rows, columns) || slices.ContainsFunc(columns, func(c span) bool { return isForm(columnOf(rows, c)) }) {
		return false
	}
	full, wide := 0, 0
	inTurn, listed, drawn := true, false, -1
	for _, c := range columns {
		part := columnOf(rows, c)
		lines, filled, width := a.fill(part, c)
		if lines > 0 && width >= 8*a.em {
			wide++
		}
		if lines >= 3 && filled*3 >= lines && c.to-c.from >= 8*a.em {
			full++
		}
		first, last := mostDrawn(part)
		inTurn = inTurn && first > drawn && lines >= 3
		listed = listed || isList(part)
		drawn = last
	}
	if inTurn && (wide > 0 || !listed) {
		return true
	}
	return (full >= 2 || full == 1 && wide == 2 && len(columns) == 2) && !a.isPaired(rows, columns)
}

// mostDrawn returns between which places in the order of drawing four fifths of the rows are.
// The others may be the head and the foot of the page.
func mostDrawn(rows []row) (first, last int) {
	var all []int
	for i := range rows {
		first, _ := drawnFrom(rows[i : i+1])
		all = append(all, first)
	}
	if len(all) == 0 {
		return math.MaxInt, -1
	}
	slices.Sort(all)
	return all[len(all)/10], all[len(all)-1-len(all)/10]
}

// drawnFrom returns the first and the last place of rows in the order of drawing.
func drawnFrom(rows []row) (first, last int) {
	first, last = math.MaxInt, -1
	for _, r := range rows {
		for _, p := range r.pieces {
			first, last = min(first, p.first), max(last, p.last)
		}
	}
	return first, last
}

// fill returns the number of lines of a column, how many of them fill it, and their mean width.
func (a *arranger) fill(rows []row, c span) (lines, filled int, mean float64) {
	for _, r := range rows {
		width := r.pieces[len(r.pieces)-1].to - r.pieces[0].from
		mean += width / float64(len(rows))
		if width >= 0.6*(c.to-c.from) {
			filled++
		}
	}
	return len(rows), filled, mean
}

// isPaired reports whether all columns pause at the same places, as cells with several lines
// do.
func (a *arranger) isPaired(rows []row, columns []span) bool {
	var steps []float64
	for i := 1; i < len(rows); i++ {
		steps = append(steps, rows[i-1].across-rows[i].across)
	}
	if len(steps) < 3 {
		return false
	}
	least := slices.Min(steps)
	groups := 1
	for i, s := range steps {
		if s < least*1.4 {
			continue
		}
		if !allSet(a.cells(rows[i+1:i+2], columns)) {
			return false
		}
		groups++
	}
	return groups >= 3 && len(rows) <= 4*groups
}
