package calendar

import (
	"fmt"
	"strings"
	"time"

	"techo/store"
	"techo/tools"
)

// shortDay is 01/05 (Mon), 1/5(月).
func shortDay(env *tools.Env, t time.Time) string {
	if env.Lang == tools.Japanese {
		return fmt.Sprintf("%d/%d(%s)", t.Month(), t.Day(), [...]string{"日", "月", "火", "水", "木", "金", "土"}[t.Weekday()])
	}
	return t.Format("Mon 2 Jan")
}

// spanText is the time from one instant to another, as short as it can be.
func spanText(env *tools.Env, from, to time.Time) string {
	a, b := from.In(env.Zone), to.In(env.Zone)
	text := a.Format(time.DateOnly) + " " + a.Format("15:04")
	if b.Format(time.DateOnly) == a.Format(time.DateOnly) {
		return text + "–" + b.Format("15:04")
	}
	return text + " – " + b.Format(time.DateOnly) + " " + b.Format("15:04")
}

// when is when an occurrence is, with its weekday.
func when(env *tools.Env, o *store.Occurrence) string {
	if o.Form == store.AllDay {
		text := o.Wall.Format(time.DateOnly) + " " + weekdayName(env, o.Wall)
		if o.Days > 1 {
			last := o.Wall.AddDate(0, 0, o.Days-1)
			text += " – " + last.Format(time.DateOnly) + " " + weekdayName(env, last)
		}
		return text + env.Say(tools.Say{EN: ", all day", JA: "、終日"})
	}
	return weekdayName(env, o.From.In(env.Zone)) + " " + spanText(env, o.From, o.To)
}

// line is an occurrence in one line.
func line(env *tools.Env, o *store.Occurrence) string {
	text := oneLine(titleOf(env, o.Title)) + ", " + when(env, o)
	if o.Location != "" {
		text += " @ " + oneLine(o.Location)
	}
	return text
}

func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }

// marks are what is particular about an occurrence.
func marks(env *tools.Env, o *store.Occurrence) string {
	var all []string
	switch o.Status {
	case store.Cancelled:
		all = append(all, env.Say(tools.Say{EN: "cancelled", JA: "中止"}))
	case store.Tentative:
		all = append(all, env.Say(tools.Say{EN: "tentative", JA: "仮"}))
	}
	if o.Status != store.Cancelled && !o.Busy() {
		all = append(all, env.Say(tools.Say{EN: "free", JA: "空き扱い"}))
	}
	if o.Calendar != store.DefaultCalendar {
		all = append(all, o.Calendar)
	}
	if len(all) == 0 {
		return ""
	}
	return " [" + strings.Join(all, ", ") + "]"
}

// Text writes an agenda, a heading for each day, or a grid of a week.
func (o ListOut) Text(env *tools.Env) string {
	if o.week {
		return o.grid(env)
	}
	lines := []string{o.Message}
	for d := o.first; d.Before(o.end); d = d.AddDate(0, 0, 1) {
		rows := o.ofDay(env, d)
		if len(rows) == 0 {
			continue
		}
		lines = append(lines, "", fmt.Sprintf("%s %s", d.Format(time.DateOnly), weekdayName(env, d)))
		for _, r := range rows {
			text := r.label + "  " + oneLine(titleOf(env, r.o.Title))
			if r.o.Location != "" {
				text += " @ " + oneLine(r.o.Location)
			}
			lines = append(lines, "  "+text+marks(env, r.o))
		}
	}
	for _, p := range o.Problems {
		lines = append(lines, env.Say(tools.Say{EN: "! %s: %s", JA: "! %s: %s"}, titleOf(env, p.Title), p.Message))
	}
	for _, u := range o.Unchecked {
		lines = append(lines, env.Say(tools.Say{EN: "! not read: %s: %s", JA: "! 読めません: %s: %s"}, u.Calendar, u.Reason))
	}
	if o.Truncated {
		lines = append(lines, env.Say(tools.Say{EN: "… and %d more; see --limit", JA: "…他%d件（--limit で増やせます）"}, o.Total-o.Count))
	}
	return strings.Join(lines, "\n")
}

// row is an occurrence on one day.
type row struct {
	label string // its time on that day, eleven columns wide
	o     *store.Occurrence
}

// ofDay are the occurrences that touch a day, those of whole days first.
func (o *ListOut) ofDay(env *tools.Env, d time.Time) (rows []row) {
	from, to := at(env, d), at(env, d.AddDate(0, 0, 1))
	var timed []row
	for i := range o.occurrences {
		x := &o.occurrences[i]
		if !(x.From.Before(to) && (x.To.After(from) || x.From.Equal(x.To) && !x.From.Before(from))) {
			continue
		}
		if x.Form == store.AllDay {
			rows = append(rows, row{pad(env.Say(tools.Say{EN: "all day", JA: "終日"}), 11), x})
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
		timed = append(timed, row{a + "–" + b, x})
	}
	return append(rows, timed...)
}

// gridColumn is how wide a day of the grid is.
const gridColumn = 16

// grid writes a week: a column for each day, its events below each other.
func (o *ListOut) grid(env *tools.Env) string {
	var cells [7][]string
	high := 0
	for i := range cells {
		for _, r := range o.ofDay(env, o.first.AddDate(0, 0, i)) {
			label, _, _ := strings.Cut(strings.TrimSpace(r.label), "–")
			if label == "" {
				label = "…"
			}
			if r.o.Form == store.AllDay {
				label = "■"
			}
			cells[i] = append(cells[i], label+" "+oneLine(titleOf(env, r.o.Title)))
		}
		high = max(high, len(cells[i]))
	}
	rule := "+" + strings.Repeat(strings.Repeat("-", gridColumn)+"+", 7)
	lines := []string{o.Message, rule, "|", rule}
	for i := range cells {
		lines[2] += pad(" "+shortDay(env, o.first.AddDate(0, 0, i)), gridColumn) + "|"
	}
	for n := range high {
		text := "|"
		for i := range cells {
			cell := ""
			if n < len(cells[i]) {
				cell = cells[i][n]
			}
			text += pad(" "+cell, gridColumn) + "|"
		}
		lines = append(lines, text)
	}
	return strings.Join(append(lines, rule), "\n")
}

// Text writes the answer, then what is in the way and what is free.
func (o CheckOut) Text(env *tools.Env) string {
	lines := []string{o.Message}
	for i := range o.conflicts {
		lines = append(lines, env.Say(tools.Say{EN: "- busy: %s", JA: "- 予定: %s"}, line(env, &o.conflicts[i])))
	}
	if o.CheckType == "range" {
		for _, d := range o.FreeDays {
			lines = append(lines, env.Say(tools.Say{EN: "- free: %s", JA: "- 空き: %s"}, d))
		}
	} else {
		for _, s := range o.free {
			lines = append(lines, env.Say(tools.Say{EN: "- free: %s", JA: "- 空き: %s"}, spanText(env, s.from, s.to)))
		}
	}
	for _, s := range o.near {
		lines = append(lines, env.Say(tools.Say{EN: "- free instead: %s", JA: "- 代わりの空き: %s"}, spanText(env, s.from, s.to)))
	}
	for _, u := range o.Unchecked {
		lines = append(lines, env.Say(tools.Say{EN: "! not read: %s: %s", JA: "! 読めません: %s: %s"}, u.Calendar, u.Reason))
	}
	return strings.Join(lines, "\n")
}
