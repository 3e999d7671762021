package backend

import (
	"fmt"
	"strings"
	"time"

	"techo/internal/zone"
	"techo/store/event"
	"techo/tools"
	"techo/tools/calendar/ics"
	"techo/tools/when"
)

// shortWeekday returns the weekday as one Japanese character.
func shortWeekday(t time.Time) string {
	return [...]string{"日", "月", "火", "水", "木", "金", "土"}[t.Weekday()]
}

// ShortDay returns "Mon 5 Jan" or "1/5(月)".
func ShortDay(env *tools.Env, t time.Time) string {
	if env.Lang == tools.Japanese {
		return fmt.Sprintf("%d/%d(%s)", t.Month(), t.Day(), shortWeekday(t))
	}
	return t.Format("Mon 2 Jan")
}

// MonthDay returns "5 May" or "5月5日".
func MonthDay(env *tools.Env, t time.Time) string {
	if env.Lang == tools.Japanese {
		return fmt.Sprintf("%d月%d日", t.Month(), t.Day())
	}
	return t.Format("2 January")
}

// MonthName returns the name of a month.
func MonthName(env *tools.Env, m time.Month) string {
	if env.Lang == tools.Japanese {
		return fmt.Sprintf("%d月", m)
	}
	return m.String()
}

// SpanText returns a span as a short text.
func SpanText(env *tools.Env, from, to time.Time) string {
	a, b := from.In(env.Zone), to.In(env.Zone)
	text := a.Format(time.DateOnly) + " " + a.Format("15:04")
	if b.Format(time.DateOnly) == a.Format(time.DateOnly) {
		return text + "–" + b.Format("15:04")
	}
	return text + " – " + b.Format(time.DateOnly) + " " + b.Format("15:04")
}

// WhenText returns the time of an occurrence with its weekday, and how it repeats.
func WhenText(env *tools.Env, o *event.Occurrence) string {
	text := MomentText(env, o)
	if o.Recurs() {
		text += env.Localize(", ") + RecurrenceText(env, o.Recurrence)
	}
	return text
}

// MomentText is WhenText without the repetition.
func MomentText(env *tools.Env, o *event.Occurrence) string {
	if o.Form == event.AllDay {
		text := o.Wall.Format(time.DateOnly) + " " + when.Weekday(env, o.Wall)
		if o.Days > 1 {
			last := o.Wall.AddDate(0, 0, o.Days-1)
			text += " – " + last.Format(time.DateOnly) + " " + when.Weekday(env, last)
		}
		return text + env.Localize(", all day")
	}
	return when.Weekday(env, o.From.In(env.Zone)) + " " + SpanText(env, o.From, o.To) + ZoneText(env, o)
}

// ZoneText returns what the clock times of an event leave open, or "": the start in its zone, if clocks there
// differ from the reader's, and the names of the offsets of times that the reader's clocks show twice.
func ZoneText(env *tools.Env, o *event.Occurrence) string {
	if from, to := o.From.In(env.Zone), o.To.In(env.Zone); isTwice(from) || isTwice(to) {
		return " (" + from.Format("15:04 MST") + "–" + to.Format("15:04 MST") + ")"
	}
	if loc := ics.ZoneOf(o.Event, env.Zone); loc != env.Zone && loc != time.UTC && o.ID() != "" {
		_, there := o.From.In(loc).Zone()
		if _, here := o.From.In(env.Zone).Zone(); there != here {
			return " (" + o.From.In(loc).Format("15:04 ") + loc.String() + ")"
		}
	}
	return ""
}

// isTwice reports whether clocks show a time twice, since they are put back.
func isTwice(t time.Time) bool {
	wall := zone.Wall(t, t.Location())
	return !zone.Instant(wall, t.Location()).Equal(zone.Latest(wall, t.Location()))
}

// SummaryLine describes an occurrence in one line.
func SummaryLine(env *tools.Env, o *event.Occurrence) string {
	return summaryLine(env, o, WhenText(env, o))
}

func summaryLine(env *tools.Env, o *event.Occurrence, at string) string {
	text := ics.OneLine(TitleOrPlaceholder(env, o.Title)) + env.Localize(", ") + at
	if o.Location != "" {
		text += " @ " + ics.OneLine(o.Location)
	}
	return text
}

// ListedLine describes an occurrence in one line of a list, with its id.
func ListedLine(env *tools.Env, o *event.Occurrence) string {
	day := o.Wall
	if o.Form != event.AllDay {
		day = o.From.In(env.Zone)
	}
	return summaryLine(env, o, MomentText(env, o)) + when.Near(env, day) + Labels(env, o) + IDText(env, o.ID())
}

// IDText returns an id as the end of a line.
func IDText(env *tools.Env, id string) string { return env.Localize(" (id: %s)", id) }

// Labels returns the unusual properties of an occurrence.
func Labels(env *tools.Env, o *event.Occurrence) string {
	var all []string
	switch o.Status {
	case event.Cancelled:
		all = append(all, env.Localize("cancelled"))
	case event.Tentative:
		all = append(all, env.Localize("tentative"))
	}
	if !o.Expires.IsZero() {
		all = append(all, env.Localize("held"))
	}
	if o.Status != event.Cancelled && !o.Busy() {
		all = append(all, env.Localize("free"))
	}
	if o.Original != "" || o.Recurs() {
		all = append(all, env.Localize("repeats"))
	}
	if o.HasAlarm() {
		all = append(all, env.Localize("alarm"))
	}
	if o.Calendar != event.DefaultCalendar || o.Space != "" {
		all = append(all, Label(o.Space, o.Calendar))
	}
	if len(all) == 0 {
		return ""
	}
	return " [" + strings.Join(all, ", ") + "]"
}

// ShortWeekdayName returns "Mon" or "月".
func ShortWeekdayName(env *tools.Env, t time.Time) string {
	if env.Lang == tools.Japanese {
		return shortWeekday(t)
	}
	return t.Format("Mon")
}

// Label names a calendar and its space: team/default.
func Label(space, name string) string {
	if space == "" {
		return name
	}
	return space + "/" + name
}
