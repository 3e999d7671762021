package calendar

import (
	"strconv"
	"strings"
	"time"

	"techo/internal/columns"
	"techo/store/event"
	"techo/tools"
	"techo/tools/calendar/agenda"
	"techo/tools/calendar/backend"
	"techo/tools/calendar/ics"
	"techo/tools/when"
)

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
			at := &o.occurrences[i]
			lines = append(lines, "- "+backend.ListedLine(env, at))
		}
	default:
		if o.Total == 0 {
			lines[0] = o.none(env)
		}
		lines = append(lines, o.agenda(env)...)
	}
	for _, p := range o.Problems {
		lines = append(lines, env.Localize("! %s: %s", backend.TitleOrPlaceholder(env, p.Title), p.Message))
	}
	for _, u := range o.Unchecked {
		lines = append(lines, env.Localize("! could not read %s: %s", u.Calendar, u.Reason))
	}
	if o.Truncated {
		lines = append(lines, env.Localize("… and %d more; see --limit", o.Total-o.Count))
	}
	return strings.Join(lines, "\n")
}

// none says on which days nothing was found.
func (o *ListOut) none(env *tools.Env) string {
	days, last := dayText(env, o.first), o.end.AddDate(0, 0, -1)
	if last.After(o.first) {
		days += " – " + dayText(env, last)
	}
	if o.query != "" {
		return env.Localize("No events with this text: %s", days)
	}
	return env.Localize("No events: %s", days)
}

// agenda returns the events of each day that has some.
func (o *ListOut) agenda(env *tools.Env) (lines []string) {
	for d := o.first; d.Before(o.end); d = d.AddDate(0, 0, 1) {
		rows := o.rowsOf(env, d)
		if len(rows) == 0 {
			continue
		}
		lines = append(lines, "", dayText(env, d))
		for _, r := range rows {
			text := r.label + "  " + ics.OneLine(backend.TitleOrPlaceholder(env, r.o.Title)) + backend.ZoneText(env, r.o)
			if r.o.Location != "" {
				text += " @ " + ics.OneLine(r.o.Location)
			}
			lines = append(lines, "  "+text+backend.Labels(env, r.o)+backend.IDText(env, r.o.ID()))
		}
	}
	return lines
}

// dayText names a day, as in 2026-01-06 Tuesday (tomorrow).
func dayText(env *tools.Env, d time.Time) string {
	return d.Format(time.DateOnly) + " " + when.Weekday(env, d) + when.Near(env, d)
}

// dayRow is an occurrence on one day.
type dayRow struct {
	label string // its time on that day, 11 columns wide
	o     *event.Occurrence
}

// rowsOf returns the occurrences on a day, all-day events first.
func (o *ListOut) rowsOf(env *tools.Env, d time.Time) (rows []dayRow) {
	from, to := agenda.InstantAt(env, d), agenda.InstantAt(env, d.AddDate(0, 0, 1))
	var timed []dayRow
	for i := range o.occurrences {
		x := &o.occurrences[i]
		if !(x.From.Before(to) && (x.To.After(from) || x.From.Equal(x.To) && !x.From.Before(from))) {
			continue
		}
		if x.Form == event.AllDay {
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

// monthRows is the number of events of a day that the grid of a month shows.
const monthRows = 4

// grid returns a table with a row for each week and a column for each day.
func (o *ListOut) grid(env *tools.Env, month bool) []string {
	width := agenda.DayWidth(env)
	rule := "+" + strings.Repeat(strings.Repeat("-", width)+"+", 7)
	lines := []string{rule}
	monday := o.first.AddDate(0, 0, -(int(o.first.Weekday())+6)%7)
	if month {
		heads := make([][]string, 7)
		for i := range heads {
			heads[i] = []string{backend.ShortWeekdayName(env, monday.AddDate(0, 0, i))}
		}
		lines = append(append(lines, gridRow(heads, width)...), rule)
	}
	for ; monday.Before(o.end); monday = monday.AddDate(0, 0, 7) {
		heads, cells := make([][]string, 7), make([][]string, 7)
		for i := range cells {
			d := monday.AddDate(0, 0, i)
			switch {
			case !month:
				heads[i] = []string{dayHead(env, d, width)}
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

// dayHead returns the heading of a day: without its month in a grid that is too narrow for some.
func dayHead(env *tools.Env, d time.Time, width int) string {
	if longest := time.Date(2026, time.December, 30, 0, 0, 0, 0, time.UTC); columns.Width(
		backend.ShortDay(env, longest)) < width {
		return backend.ShortDay(env, d)
	}
	if env.Lang == tools.Japanese {
		return strconv.Itoa(d.Day()) + "(" + backend.ShortWeekdayName(env, d) + ")"
	}
	return d.Format("Mon 2")
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
		if r.o.Form == event.AllDay {
			label = "■"
		}
		lines = append(lines, label+" "+ics.OneLine(backend.TitleOrPlaceholder(env, r.o.Title)))
	}
	return lines
}
