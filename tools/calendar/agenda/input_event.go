package agenda

import (
	"cmp"
	"strings"
	"time"

	"techo/internal/dates"
	"techo/internal/legible"
	"techo/internal/repeat"
	"techo/internal/zone"
	"techo/store/event"
	"techo/tools/calendar/backend"
	"techo/tools/calendar/ics"
	"techo/tools/when"
)

// Calendar returns the normalized name of a calendar; "" is the chosen default.
func (f *Checker) Calendar(name string) string {
	if name == "" {
		return ""
	}
	tidy := event.CalendarName(name)
	if tidy == "" {
		f.Add("calendar", "must be a name of at most %d bytes, not %q", event.MaxCalendarName, legible.Clip(name))
	}
	return tidy
}

// Recurrence parses the lines of a recurrence.
func (f *Checker) Recurrence(lines []string) (kept []string) {
	for l := range strings.SplitSeq(strings.Join(lines, "\n"), "\n") {
		if strings.TrimSpace(l) == "" {
			continue
		}
		if rule, ok := repeat.Parse(l); ok && rule.Until == "" {
			l = rule.String()
			f.Meanings.Repeats(f.Env, backend.RuleText(f.Env, rule))
		}
		line, err := event.CheckRecurrence(strings.TrimSpace(l))
		if err != nil {
			f.Add("recurrence", "has an invalid rule %q: %v", legible.Clip(l), err)
			continue
		}
		kept = append(kept, line)
	}
	return kept
}

// SetTimes sets the start and end of an event. Without an end, it has the given
// length.
func (f *Checker) SetTimes(e *event.Event, start dates.Moment, end string, length time.Duration) {
	e.Start, e.Later, e.Days, e.Length, e.ZoneRules = start.Wall, false, 0, 0, ""
	if !start.Timed {
		e.Form, e.Zone, e.Days = event.AllDay, "", int(start.Last.Sub(start.Wall)/(24*time.Hour))+1
		f.setLastDay(e, end)
		return
	}
	from := when.InstantOf(f.Env, start)
	e.Form, e.Zone = event.Timed, when.ZoneName(f.Env)
	if named(start.Zone) { // the zone in the words of the start
		e.Zone = start.Zone.String()
		e.SetStart(from, start.Zone)
	} else if start.Offset { // otherwise a start that the clocks skip keeps its wall clock time, for a series
		e.SetStart(from, f.Env.Zone)
	}
	switch {
	case end == "" && start.End != nil:
		e.Length = max(0, when.InstantOf(f.Env, *start.End).Sub(from))
		return
	case end == "" && start.Length > 0:
		e.Length = start.Length
		return
	case end == "":
		e.Length = length
		return
	}
	f.setEnd(e, from, start.Zone, end)
}

// setEnd sets the length of a timed event from its end, which may be a length. An end without a zone is in the
// one in the words of the start, if any.
func (f *Checker) setEnd(e *event.Event, from time.Time, in *time.Location, end string) {
	text := strings.TrimPrefix(strings.TrimSpace(end), "+")
	if d, err := time.ParseDuration(text); err == nil && d >= 0 {
		e.Length = d
		return
	}
	if d, ok := dates.Length(text); ok {
		e.Length = d
		return
	}
	there := cmp.Or(in, f.Env.Zone)
	to, ok := f.endOf(end, zone.Wall(from, there))
	if !ok {
		return
	}
	if !to.Offset && to.Zone == nil {
		to.Zone = in
	}
	if !to.Timed {
		f.Add("end", "must have a time, like start")
		return
	}
	e.Length = when.InstantOf(f.Env, to).Sub(from)
	if e.Length > 0 {
		return
	}
	for _, wall := range []time.Time{e.Start, to.Wall} {
		if change, skipped := zone.Reached(wall, there); skipped && e.Form == event.Timed {
			f.Add("end", "must be after start; the clocks skip %s and go on at %s", wall.Format("2006-01-02 15:04"),
				change.Format("15:04"))
			return
		}
	}
	if e.Length < 0 {
		f.Add("end", "must be after start")
	}
}

// endOf parses the end of an event that begins at a wall clock time, and adds its
// meaning.
func (f *Checker) endOf(text string, start time.Time) (dates.Moment, bool) {
	if m, ok := dates.ParseEnd(text, start, callerNow(f.Env)); ok && !m.Timed {
		f.Meanings.Add(f.Env, m)
		return m, f.checkLatest("end", m)
	}
	m, ok := f.Moment("end", text, start)
	if ok {
		f.Meanings.Add(f.Env, m)
	}
	return m, ok
}

func (f *Checker) setLastDay(e *event.Event, end string) {
	if end == "" {
		return
	}
	to, ok := f.endOf(end, e.Start)
	switch {
	case !ok:
	case to.Timed:
		f.Add("end", "must be a day, like start; or give start a time")
	case to.Last.Before(e.Start):
		f.Add("end", "must not be before start")
	default:
		e.Days = int(to.Last.Sub(e.Start)/(24*time.Hour)) + 1
	}
}

// Expiry parses a length from now, or a time.
func (f *Checker) Expiry(text string) time.Time {
	at := f.Env.Now()
	if d, err := time.ParseDuration(text); err == nil && d > 0 {
		return at.Add(d)
	}
	m, ok := f.Moment("expires", text, time.Time{})
	if !ok {
		return at
	}
	until := when.InstantOf(f.Env, m)
	if !until.After(at) {
		f.Add("expires", "must be in the future")
	}
	return until
}

// Move sets new times; nil is not given. A new start keeps the length, a new end keeps the
// start.
func (f *Checker) Move(e *event.Event, newStart, newEnd *string) {
	home := ics.ZoneOf(e, f.Env.Zone)
	was := *e
	end := ""
	if newEnd != nil {
		end = *newEnd
	}
	if newStart == nil {
		f.moveEnd(e, home, end)
		return
	}
	start, ok := f.Start("start", *newStart, was.Start)
	if !ok {
		return
	}
	f.SetTimes(e, start, end, max(was.Length, 0))
	several := start.End != nil || start.Length > 0 || !start.Timed && start.Last.After(start.Wall)
	switch {
	case end != "" || several:
	case (e.Form == event.AllDay) == (was.Form == event.AllDay):
		e.Days, e.Length = was.Days, was.Length
	case e.Form != event.AllDay:
		e.Length = time.Hour
	}
	if was.Form == event.Timed && e.Form == event.Timed && was.Zone != e.Zone { // keep the event's zone
		from, _ := e.Span(e.Start, f.Env.Zone)
		e.Zone, e.ZoneRules = was.Zone, was.ZoneRules
		e.SetStart(from, home)
	}
	if was.Form == event.Floating && e.Form == event.Timed {
		e.Form, e.Zone = event.Floating, ""
	}
}

// moveEnd sets a new end and keeps the start.
func (f *Checker) moveEnd(e *event.Event, home *time.Location, end string) {
	if e.Form == event.AllDay {
		e.Days = 1
		f.setLastDay(e, end)
		return
	}
	from, _ := e.Span(e.Start, home)
	f.Meanings.Add(f.Env, dates.Moment{Instant: from, Offset: true, Timed: true})
	e.Days = 0
	f.setEnd(e, from, nil, end)
}
