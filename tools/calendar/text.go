package calendar

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"techo/internal/columns"
	"techo/store"
	"techo/tools"
)

// shortDay returns "Mon 5 Jan" or "1/5(月)".
func shortDay(env *tools.Env, t time.Time) string {
	if env.Lang == tools.Japanese {
		return fmt.Sprintf("%d/%d(%s)", t.Month(), t.Day(), shortWeekday(t))
	}
	return t.Format("Mon 2 Jan")
}

// spanText returns a span as a short text.
func spanText(env *tools.Env, from, to time.Time) string {
	a, b := from.In(env.Zone), to.In(env.Zone)
	text := a.Format(time.DateOnly) + " " + a.Format("15:04")
	if b.Format(time.DateOnly) == a.Format(time.DateOnly) {
		return text + "–" + b.Format("15:04")
	}
	return text + " – " + b.Format(time.DateOnly) + " " + b.Format("15:04")
}

// whenText returns the time of an occurrence with its weekday.
func whenText(env *tools.Env, o *store.Occurrence) string {
	if o.Form == store.AllDay {
		text := o.Wall.Format(time.DateOnly) + " " + tools.Weekday(env, o.Wall)
		if o.Days > 1 {
			last := o.Wall.AddDate(0, 0, o.Days-1)
			text += " – " + last.Format(time.DateOnly) + " " + tools.Weekday(env, last)
		}
		return text + env.Localize(", all day")
	}
	return tools.Weekday(env, o.From.In(env.Zone)) + " " + spanText(env, o.From, o.To)
}

// summaryLine describes an occurrence in one line.
func summaryLine(env *tools.Env, o *store.Occurrence) string {
	text := oneLine(titleOrPlaceholder(env, o.Title)) + ", " + whenText(env, o)
	if o.Location != "" {
		text += " @ " + oneLine(o.Location)
	}
	return text
}

func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }

// labels returns the unusual properties of an occurrence.
func labels(env *tools.Env, o *store.Occurrence) string {
	var all []string
	switch o.Status {
	case store.Cancelled:
		all = append(all, env.Localize("cancelled"))
	case store.Tentative:
		all = append(all, env.Localize("tentative"))
	}
	if o.Status != store.Cancelled && !o.Busy() {
		all = append(all, env.Localize("free"))
	}
	if o.Calendar != store.DefaultCalendar || o.Space != "" {
		all = append(all, calendarLabel(o.Space, o.Calendar))
	}
	if len(all) == 0 {
		return ""
	}
	return " [" + strings.Join(all, ", ") + "]"
}

// Text returns an agenda with a heading for each day, the grid of a week or a month,
// or the matches of a search.
func (o ListOut) Text(env *tools.Env) string {
	lines := []string{o.Message}
	switch o.view {
	case "week":
		lines = append(lines, o.grid(env, false)...)
	case "month":
		lines = append(lines, o.grid(env, true)...)
	case "search":
		for i := range o.occurrences {
			lines = append(lines, "- "+summaryLine(env, &o.occurrences[i])+labels(env, &o.occurrences[i]))
		}
	default:
		lines = append(lines, o.agenda(env)...)
	}
	for _, p := range o.Problems {
		lines = append(lines, env.Localize("! %s: %s", titleOrPlaceholder(env, p.Title), p.Message))
	}
	for _, u := range o.Unchecked {
		lines = append(lines, env.Localize("! could not read %s: %s", u.Calendar, u.Reason))
	}
	if o.Truncated {
		lines = append(lines, env.Localize("… and %d more; see --limit", o.Total-o.Count))
	}
	return strings.Join(lines, "\n")
}

// agenda returns the events of each day that has some.
func (o *ListOut) agenda(env *tools.Env) (lines []string) {
	for d := o.first; d.Before(o.end); d = d.AddDate(0, 0, 1) {
		rows := o.rowsOf(env, d)
		if len(rows) == 0 {
			continue
		}
		lines = append(lines, "", fmt.Sprintf("%s %s", d.Format(time.DateOnly), tools.Weekday(env, d)))
		for _, r := range rows {
			text := r.label + "  " + oneLine(titleOrPlaceholder(env, r.o.Title))
			if r.o.Location != "" {
				text += " @ " + oneLine(r.o.Location)
			}
			lines = append(lines, "  "+text+labels(env, r.o))
		}
	}
	return lines
}

// dayRow is an occurrence on one day.
type dayRow struct {
	label string // its time on that day, 11 columns wide
	o     *store.Occurrence
}

// rowsOf returns the occurrences on a day, all-day events first.
func (o *ListOut) rowsOf(env *tools.Env, d time.Time) (rows []dayRow) {
	from, to := instantAt(env, d), instantAt(env, d.AddDate(0, 0, 1))
	var timed []dayRow
	for i := range o.occurrences {
		x := &o.occurrences[i]
		if !(x.From.Before(to) && (x.To.After(from) || x.From.Equal(x.To) && !x.From.Before(from))) {
			continue
		}
		if x.Form == store.AllDay {
			rows = append(rows, dayRow{columns.Pad(env.Localize("all day"), 11), x})
			continue
		}
		a, b := "     ", "     "
		if !x.From.Before(from) {
			a = x.From.In(env.Zone).Format("15:04")
		}
		if !x.To.After(to) {
			if b = x.To.In(env.Zone).Format("15:04"); x.To.Equal(to) {
				b = "24:00"
			}
		}
		timed = append(timed, dayRow{a + "–" + b, x})
	}
	return append(rows, timed...)
}

// Widths in columns: of the grid without a terminal, and of a day.
const (
	gridWidth      = 120
	narrowestDay   = 6
	widestDay      = 24
	daysOfWeek     = 7
	gridSeparators = daysOfWeek + 1
)

// dayWidth returns the width of a day in the grid, in columns.
func dayWidth(env *tools.Env) int {
	width := 0
	if env.Columns != nil {
		width = env.Columns()
	}
	if width <= 0 {
		width = gridWidth
	}
	return min(max((width-gridSeparators)/daysOfWeek, narrowestDay), widestDay)
}

// monthRows is the number of events of a day that the grid of a month shows.
const monthRows = 4

// grid returns a table with a row for each week and a column for each day.
func (o *ListOut) grid(env *tools.Env, month bool) []string {
	width := dayWidth(env)
	rule := "+" + strings.Repeat(strings.Repeat("-", width)+"+", 7)
	lines := []string{rule}
	monday := o.first.AddDate(0, 0, -(int(o.first.Weekday())+6)%7)
	if month {
		heads := make([][]string, 7)
		for i := range heads {
			heads[i] = []string{shortWeekdayName(env, monday.AddDate(0, 0, i))}
		}
		lines = append(append(lines, gridRow(heads, width)...), rule)
	}
	for ; monday.Before(o.end); monday = monday.AddDate(0, 0, 7) {
		heads, cells := make([][]string, 7), make([][]string, 7)
		for i := range cells {
			d := monday.AddDate(0, 0, i)
			switch {
			case !month:
				heads[i] = []string{shortDay(env, d)}
			case d.Month() == o.first.Month():
				heads[i] = []string{strconv.Itoa(d.Day())}
			default:
				continue
			}
			cells[i] = o.cell(env, d)
			if extra := len(cells[i]) - monthRows; month && extra > 0 {
				cells[i] = append(cells[i][:monthRows-1], "+"+strconv.Itoa(extra+1))
			}
		}
		if lines = append(lines, gridRow(heads, width)...); !month {
			lines = append(lines, rule)
		}
		lines = append(append(lines, gridRow(cells, width)...), rule)
	}
	return lines
}

// gridRow returns the lines of a row of the grid. Each cell has the given width in
// columns.
func gridRow(cells [][]string, width int) (lines []string) {
	high := 0
	for _, c := range cells {
		high = max(high, len(c))
	}
	for n := range high {
		text := "|"
		for _, c := range cells {
			cell := ""
			if n < len(c) {
				cell = " " + c[n]
			}
			text += columns.Pad(cell, width) + "|"
		}
		lines = append(lines, text)
	}
	return lines
}

// cell returns the events of a day, each with its start.
func (o *ListOut) cell(env *tools.Env, day time.Time) (lines []string) {
	for _, r := range o.rowsOf(env, day) {
		label, _, _ := strings.Cut(strings.TrimSpace(r.label), "–")
		if label == "" {
			label = "…"
		}
		if r.o.Form == store.AllDay {
			label = "■"
		}
		lines = append(lines, label+" "+oneLine(titleOrPlaceholder(env, r.o.Title)))
	}
	return lines
}

// shortWeekdayName returns "Mon" or "月".
func shortWeekdayName(env *tools.Env, t time.Time) string {
	if env.Lang == tools.Japanese {
		return shortWeekday(t)
	}
	return t.Format("Mon")
}

// Text returns the answer, the conflicts and the free times.
func (o CheckOut) Text(env *tools.Env) string {
	lines := []string{o.Message}
	for i := range o.conflicts {
		lines = append(lines, env.Localize("- busy: %s", summaryLine(env, &o.conflicts[i])))
	}
	if o.CheckType == "range" {
		for _, d := range o.FreeDays {
			lines = append(lines, env.Localize("- free: %s", d))
		}
	} else {
		for _, s := range o.free {
			lines = append(lines, env.Localize("- free: %s", spanText(env, s.from, s.to)))
		}
	}
	for _, s := range o.near {
		lines = append(lines, env.Localize("- free instead: %s", spanText(env, s.from, s.to)))
	}
	for _, u := range o.Unchecked {
		lines = append(lines, env.Localize("! could not read %s: %s", u.Calendar, u.Reason))
	}
	return strings.Join(lines, "\n")
}
