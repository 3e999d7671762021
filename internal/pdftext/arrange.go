package pdftext

import (
	"math"
	"slices"
	"sort"
	"strings"
	"unicode/utf8"
)

// run is a text that a page shows in one piece. Distances are in units of the page.
type run struct {
	text     []byte
	from, to float64 // along the line
	across   float64 // of the line; the first line has the greatest
	size     float64 // of the font
	turn     int     // direction in degrees; 0 is to the right, 90 upwards
	guessed  bool    // to is a guess
	field    bool    // it is the value of a field, or a note
	order    int     // of drawing
}

// arrange returns the text of runs in the order of reading. rules are the horizontal lines
// of the page.
func arrange(runs []run, rules []rule) string {
	runs = slices.DeleteFunc(runs, func(r run) bool { return len(r.text) == 0 || !r.isPlaced() })
	for i := range runs {
		runs[i].order = i
	}
	mirrored := isMirrored(runs)
	if mirrored { // columns and cells then are as on other pages
		for i, r := range runs {
			if r.turn == 0 {
				runs[i].from, runs[i].to = -r.to, -r.from
			}
		}
		for i, r := range rules {
			rules[i].from, rules[i].to = -r.to, -r.from
		}
	}
	directions := byDirection(stacked(runs))
	var b strings.Builder
	for _, runs := range directions {
		a := arranger{em: usualSize(runs), text: &b, mirrored: mirrored && runs[0].turn == 0}
		if runs[0].turn == 0 {
			a.rules = joined(rules)
		}
		a.lay(a.rowsOf(runs), 0)
	}
	return b.String()
}

// isPlaced reports whether a place can be computed with.
func (r run) isPlaced() bool {
	sum := r.from + r.to + r.across + r.size
	return !math.IsNaN(sum) && !math.IsInf(sum, 0) && math.Abs(sum) < 1e9
}

// Distances in sizes of the font.
const (
	wordGap   = 0.15 // between words
	wideGap   = 0.4  // beside characters of Chinese, Japanese and Korean
	columnGap = 0.9  // between columns, and between the cells of tables
	guessGap  = 1.0  // between words if the width of the first one is guessed
	sameLine  = 0.5  // the most that texts of a line may differ across
)

// continues reports whether another run goes on where this one ends.
func (r run) continues(next run) bool {
	gap := next.from - r.to
	return r.turn == next.turn && r.size == next.size && math.Abs(r.across-next.across) < r.size/50 &&
		gap < r.size*wordGap && gap > -r.size*wordGap && r.guessed == next.guessed
}

// stacked turns wide characters one below the other, as browsers print vertical text, into
// vertical lines.
func stacked(runs []run) []run {
	isBelow := func(a, b run) bool {
		step := (a.across - b.across) / a.size
		return a.isUpright() && b.isUpright() && math.Abs(a.from-b.from) < a.size/2 && step > 0.6 && step < 1.15
	}
	for i := 0; i < len(runs); {
		end := i + 1
		for end < len(runs) && isBelow(runs[end-1], runs[end]) {
			end++
		}
		for j := i; j < end && end > i+1; j++ {
			runs[j].stand()
		}
		i = end
	}
	for i := range runs { // between letters, which lie
		isBeside := func(j int) bool {
			return j >= 0 && j < len(runs) && runs[j].turn == 270 && runs[j].size == runs[i].size &&
				math.Abs(runs[i].from+runs[i].size/2-runs[j].across) < runs[i].size*0.6
		}
		if runs[i].isUpright() && (isBeside(i-1) || isBeside(i+1)) {
			runs[i].stand()
		}
	}
	return runs
}

// isUpright reports whether a run is a single wide character that is not turned.
func (r run) isUpright() bool { return r.turn == 0 && isOneWide(r.text) }

// stand makes a character part of a vertical line.
func (r *run) stand() {
	top := r.across + r.size*0.88
	r.across, r.from, r.to, r.turn = r.from+r.size/2, -top, -top+r.size, 270
}

func isOneWide(text []byte) bool {
	r, n := utf8.DecodeRune(text)
	return n == len(text) && isWide(r)
}

// byDirection groups runs by their direction. The direction with the most text comes first.
func byDirection(runs []run) [][]run {
	groups := map[int][]run{}
	size := map[int]int{}
	for _, r := range runs {
		groups[r.turn] = append(groups[r.turn], r)
		size[r.turn] += len(r.text)
	}
	var all [][]run
	for _, runs := range groups {
		all = append(all, runs)
	}
	sort.Slice(all, func(i, j int) bool {
		a, b := all[i][0].turn, all[j][0].turn
		return size[a] > size[b] || size[a] == size[b] && a < b
	})
	return all
}

// usualSize returns the size of most characters.
func usualSize(runs []run) float64 {
	sizes := map[float64]int{}
	for _, r := range runs {
		sizes[math.Round(r.size*10)/10] += len(r.text)
	}
	most, n := 0.0, 0
	for size, count := range sizes {
		if count > n || count == n && size < most {
			most, n = size, count
		}
	}
	return max(most, 0.1)
}

// piece is a part of a line without wide gaps.
type piece struct {
	text        string
	from, to    float64
	field       bool // a field of a form is in it
	first, last int  // in the order of drawing
}

// row has the pieces at one height.
type row struct {
	pieces []piece
	across float64
	size   float64
}

// rowsOf returns the rows of runs with one direction.
func (a *arranger) rowsOf(runs []run) (rows []row) {
	sort.SliceStable(runs, func(i, j int) bool { return runs[i].across > runs[j].across })
	for i := 0; i < len(runs); {
		size, across := runs[i].size, runs[i].across // of the largest text of the row
		end := i + 1
		for ; end < len(runs); end++ {
			r := runs[end]
			small, large := min(size, r.size), max(size, r.size)
			if across-r.across > max(small*sameLine, min(large*0.5, small*0.8)) {
				break
			}
			if r.size > size {
				size, across = r.size, r.across
			}
		}
		if pieces := a.piecesOf(runs[i:end]); len(pieces) > 0 {
			rows = append(rows, row{pieces, across, size})
		}
		i = end
	}
	return rows
}

// piecesOf joins the runs of a row.
func (a *arranger) piecesOf(runs []run) (pieces []piece) {
	sort.SliceStable(runs, func(i, j int) bool { return runs[i].from < runs[j].from })
	var parts []string
	var p piece
	first := 0 // run of the piece
	end := func() {
		if a.mirrored {
			slices.Reverse(parts)
		}
		text := strings.Join(strings.FieldsFunc(strings.Join(parts, ""), isSpace), " ")
		if p.text = logical(text, a.mirrored); p.text != "" {
			pieces = append(pieces, p)
		}
		parts = parts[:0]
	}
	for i, r := range runs {
		if i > 0 && runs[i-1].isTwice(r) { // drawn twice to look bold
			continue
		}
		size := max(r.size, 0.1)
		gap := (r.from - p.to) / size
		if len(parts) > 0 && gap > columnGap && !(runs[i-1].guessed && gap < guessGap*1.5) {
			end()
		}
		if len(parts) == 0 {
			first = i
			p = piece{from: r.from, to: r.to, first: r.order, last: r.order}
		} else if isGap(runs[i-1], r, gap) || i == first+1 && runs[first].isRaised(r) {
			parts = append(parts, " ")
		}
		parts = append(parts, string(r.text))
		p.field = p.field || r.field
		p.to, p.first, p.last = max(p.to, r.to), min(p.first, r.order), max(p.last, r.order)
	}
	end()
	return pieces
}

// isSpace reports whether a character is space or a control character. The wide blank of
// Japanese stays.
func isSpace(r rune) bool { return r <= ' ' || r == 0x7f || r == '\u00a0' }

// isTwice reports whether a run repeats another one at the same place.
func (r run) isTwice(next run) bool {
	return math.Abs(next.from-r.from) < r.size*0.1 && math.Abs(next.across-r.across) < r.size*0.1 &&
		string(next.text) == string(r.text)
}

// isRaised reports whether a run is the mark of the note that follows it.
func (r run) isRaised(note run) bool {
	return r.size < note.size*0.8 && r.across > note.across+note.size*0.2
}

// isGap reports whether a gap between texts, in sizes of the font, stands for a blank.
func isGap(a, b run, gap float64) bool {
	last, _ := utf8.DecodeLastRune(a.text)
	first, _ := utf8.DecodeRune(b.text)
	switch {
	case a.guessed:
		return gap > guessGap
	case isWide(last) || isWide(first):
		return gap > wideGap
	}
	return gap > wordGap
}

// joined sorts rules from top to bottom, and joins them where they touch.
func joined(rules []rule) (all []rule) {
	const near = 1 // in units of the page
	sort.Slice(rules, func(i, j int) bool {
		a, b := rules[i], rules[j]
		if y, to := math.Round(a.y), math.Round(b.y); y != to {
			return y > to
		}
		return a.from < b.from
	})
	for _, r := range rules {
		if last := len(all) - 1; last >= 0 && math.Abs(all[last].y-r.y) <= near && r.from <= all[last].to+near &&
			r.from >= all[last].from-near {
			all[last].to = max(all[last].to, r.to)
			continue
		}
		all = append(all, r)
	}
	return all
}
