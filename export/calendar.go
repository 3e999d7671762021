package export

import (
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"techo/internal/ical"
	"techo/internal/zone"
	"techo/store/event"
	"techo/store/todo"
)

// Calendar is the content of a calendar file. It has no METHOD: that would make it a
// message about the events to their attendees.
type Calendar struct {
	Of     From
	Name   string // "" leaves out the name and the zone: the resource of a CalDAV server has none
	Events []event.Event
	Todos  []todo.Todo
}

// String returns the calendar in the format of RFC 5545, with the time zones in use.
func (c Calendar) String() string {
	var text strings.Builder
	_ = writeCalendar(&text, c.Name, c.each) // a Builder takes all
	return text.String()
}

// each calls the functions with the records, events first.
func (c Calendar) each(event func(*event.Event) error, todo func(*todo.Todo) error) error {
	for i := range c.Events {
		if err := event(&c.Events[i]); err != nil {
			return err
		}
	}
	for i := range c.Todos {
		if err := todo(&c.Todos[i]); err != nil {
			return err
		}
	}
	return nil
}

// linesAtOnce is the number of bytes from which a calendar is written on.
const linesAtOnce = 64 << 10

// writeCalendar writes a calendar in whole lines. each calls its functions with the records, in the order of the file;
// it is called twice, since the time zones of all records come first.
func writeCalendar(to io.Writer, name string,
	each func(func(*event.Event) error, func(*todo.Todo) error) error) error {
	used := usedZones{number: map[string]int{}, first: map[string]time.Time{}, rules: map[string]string{},
		endless: map[string]bool{}}
	err := each(func(e *event.Event) error { used.add(e); return nil },
		func(t *todo.Todo) error { used.add(&t.Event); return nil })
	if err != nil {
		return err
	}
	var w ical.Writer
	w.Begin("VCALENDAR")
	w.Line("VERSION:2.0")
	w.Line("PRODID:-//techo//techo//EN")
	w.Line("CALSCALE:GREGORIAN")
	if name != "" {
		w.Text("X-WR-CALNAME", name)
		w.Text("X-WR-TIMEZONE", used.common())
	}
	x := exporter{w: &w, zones: map[string]*time.Location{}}
	x.writeZones(&used)
	flush := func() (err error) {
		if w.Len() >= linesAtOnce {
			_, err = w.WriteTo(to)
		}
		return err
	}
	err = each(func(e *event.Event) error { x.event(e); return flush() },
		func(t *todo.Todo) error { x.todo(t); return flush() })
	if err != nil {
		return err
	}
	w.End("VCALENDAR")
	_, err = w.WriteTo(to)
	return err
}

// usedZones collects the time zones of the events of a calendar.
type usedZones struct {
	floating bool // there are times without a zone
	utc      bool // there are times in UTC that repeat
	number   map[string]int
	first    map[string]time.Time // the first start in a zone but UTC
	rules    map[string]string
	endless  map[string]bool // an event may reach any year
}

func (z *usedZones) add(e *event.Event) {
	if e.Form == event.Floating && e.Start.Unix() != 0 { // not a to-do without times
		z.floating = true
	}
	if e.Form != event.Timed {
		return
	}
	if e.ZoneRules == "" {
		z.utc = z.utc || e.Zone == "UTC" && e.Recurs()
		z.number[e.Zone]++
	}
	if e.Zone == "UTC" {
		return
	}
	if at, ok := z.first[e.Zone]; !ok || e.Start.Before(at) {
		z.first[e.Zone] = e.Start
	}
	if e.ZoneRules != "" {
		z.rules[e.Zone] = e.ZoneRules
	}
	if e.Recurs() || e.End().Year() >= zonesUntil-1 {
		z.endless[e.Zone] = true
	}
}

// common returns the time zone of the most events, which programs show as the zone
// of the calendar. It is "" if there are floating times, or times in UTC that repeat: readers would move
// them into that zone.
func (z *usedZones) common() (name string) {
	for _, zone := range slices.Sorted(maps.Keys(z.number)) {
		if z.number[zone] > z.number[name] {
			name = zone
		}
	}
	if z.floating || z.utc && name != "UTC" {
		return ""
	}
	return name
}

type exporter struct {
	w     *ical.Writer
	zones map[string]*time.Location
}

// zonesUntil is the year up to which zones list their changes of clocks. Later ones follow by rules, for
// events that may reach them.
const zonesUntil = 2038

// writeZones writes the zones in use, each from its first event on.
func (x *exporter) writeZones(z *usedZones) {
	for _, name := range slices.Sorted(maps.Keys(z.first)) {
		loc, ok := (*time.Location)(nil), false
		if z.rules[name] != "" {
			if loc, ok = event.CustomZone(z.rules[name]); ok {
				x.zones[name] = loc
				for l := range strings.SplitSeq(strings.TrimSuffix(strings.ReplaceAll(z.rules[name], "\r\n ", ""),
					"\r\n"), "\r\n") {
					x.w.Line(l)
				}
				continue
			}
		}
		if loc, ok = zone.Find(name); !ok {
			loc = time.UTC
		}
		x.zones[name] = loc
		from := z.first[name].AddDate(-1, 0, 0)
		until := time.Date(max(zonesUntil, from.Year()+2), 1, 1, 0, 0, 0, 0, time.UTC)
		x.w.WriteZone(name, loc, from, until, z.endless[name])
	}
}

// instant writes a property with an instant as a local time of the event, or in UTC
// if that local time means another instant: the second of two equal ones.
func (x *exporter) instant(name string, e *event.Event, at time.Time) {
	loc := x.home(e)
	if wall := zone.Wall(at, loc); zone.Instant(wall, loc).Equal(at) {
		x.moment(name, e, wall)
		return
	}
	x.w.Line(name + ":" + at.UTC().Format("20060102T150405Z"))
}

// exact writes the start or the end of a single event as a local time, or in UTC if
// clocks show that time twice: programs disagree about the instant that it means.
func (x *exporter) exact(name string, e *event.Event, at time.Time) {
	loc := x.home(e)
	wall := zone.Wall(at, loc)
	if zone.Latest(wall, loc).Equal(zone.Instant(wall, loc)) {
		x.moment(name, e, wall)
		return
	}
	x.w.Line(name + ":" + at.UTC().Format("20060102T150405Z"))
}

// moment writes a property with a local time of the event.
func (x *exporter) moment(name string, e *event.Event, wall time.Time) {
	switch {
	case e.Form == event.AllDay:
		x.w.Line(name + ";VALUE=DATE:" + wall.Format("20060102"))
	case e.Form == event.Floating:
		x.w.Line(name + ":" + wall.Format("20060102T150405"))
	case e.Zone == "UTC":
		x.w.Line(name + ":" + wall.Format("20060102T150405Z"))
	default:
		x.w.Line(name + ";TZID=" + ical.ParamValue(e.Zone) + ":" + wall.Format("20060102T150405"))
	}
}

// original writes a property that identifies an occurrence.
func (x *exporter) original(name string, e *event.Event, text string) {
	if t, err := time.Parse("20060102T150405Z", text); err == nil {
		if e.Form == event.Timed {
			x.instant(name, e, t)
		} else {
			x.moment(name, e, t)
		}
		return
	}
	if len(text) == 8 {
		name += ";VALUE=DATE"
	}
	x.w.Line(name + ":" + text)
}

func (x *exporter) home(e *event.Event) *time.Location {
	if loc := x.zones[e.Zone]; e.Form == event.Timed && loc != nil {
		return loc
	}
	return time.UTC
}

// event writes an event. A series that starts at the second of two equal local
// times cannot say so: its rule needs a local start, which means the first one. An
// override then moves the first occurrence.
func (x *exporter) event(e *event.Event) {
	x.component(e)
	if e.Later && e.Recurs() && !slices.Contains(e.Exceptions, e.OccurrenceID(e.Start, x.home(e))) {
		first := *e
		first.Recurrence, first.Later = nil, false
		first.RecurrenceID = first.OccurrenceID(first.Start, x.home(e))
		first.Later = true
		x.component(&first)
	}
}

func (x *exporter) component(e *event.Event) {
	w := x.w
	w.Begin("VEVENT")
	x.head(e)
	x.start(e)
	x.end(e)
	x.content(e)
	w.Line("TRANSP:" + map[bool]string{true: "TRANSPARENT", false: "OPAQUE"}[e.Free])
	x.extra(e)
	w.End("VEVENT")
}

func (x *exporter) todo(t *todo.Todo) {
	w, e := x.w, &t.Event
	w.Begin("VTODO")
	x.head(e)
	if t.Starts {
		x.start(e)
	}
	if t.HasDue && e.Form == event.Timed && !e.Recurs() {
		_, to := e.Span(e.Start, x.home(e))
		x.exact("DUE", e, to)
	} else if t.HasDue {
		x.moment("DUE", e, e.End())
	}
	x.content(e)
	for _, n := range []struct {
		name  string
		value int
	}{{"PRIORITY", t.Priority}, {"PERCENT-COMPLETE", t.Percent}} {
		if n.value != 0 {
			w.Line(n.name + ":" + strconv.Itoa(n.value))
		}
	}
	if !t.CompletedAt.IsZero() {
		w.Line("COMPLETED:" + t.CompletedAt.UTC().Format("20060102T150405Z"))
	}
	x.extra(e)
	w.End("VTODO")
}

// extra writes the lines that techo does not use.
func (x *exporter) extra(e *event.Event) {
	for _, l := range e.Extra {
		if !strings.HasPrefix(l, "SUMMARY;") && !strings.HasPrefix(l, "LOCATION;") && !strings.HasPrefix(l, "DESCRIPTION;") {
			x.w.Line(l)
		}
	}
}

// text writes a text, with the parameters that it came with if it is the same still.
func (x *exporter) text(name, value string, e *event.Event) {
	for _, l := range e.Extra {
		if strings.HasPrefix(l, name+";") && strings.HasSuffix(l, ":"+ical.Escape(value)) {
			x.w.Line(l)
			return
		}
	}
	x.w.Text(name, value)
}

// head writes what identifies an event or a to-do and its version.
func (x *exporter) head(e *event.Event) {
	w := x.w
	w.Text("UID", e.UID)
	w.Line("DTSTAMP:" + e.UpdatedAt.UTC().Format("20060102T150405Z"))
	w.Line("CREATED:" + e.CreatedAt.UTC().Format("20060102T150405Z"))
	w.Line("LAST-MODIFIED:" + e.UpdatedAt.UTC().Format("20060102T150405Z"))
	w.Line("SEQUENCE:" + strconv.Itoa(e.Sequence))
	if e.RecurrenceID != "" {
		x.original("RECURRENCE-ID", e, e.RecurrenceID)
	}
}

// content writes the recurrence, the texts and the status.
func (x *exporter) content(e *event.Event) {
	w := x.w
	for _, l := range e.Recurrence {
		name, list, _ := strings.Cut(l, ":")
		if bare, _, _ := strings.Cut(name, ";"); bare == "RDATE" || bare == "EXDATE" {
			for text := range strings.SplitSeq(list, ",") {
				x.original(bare, e, text)
			}
			continue
		}
		w.Line(event.StrictRule(e, l, x.home(e)))
	}
	x.text("SUMMARY", e.Title, e)
	x.text("LOCATION", e.Location, e)
	x.text("DESCRIPTION", e.Description, e)
	w.Line("STATUS:" + strings.ToUpper(e.Status))
}

func (x *exporter) start(e *event.Event) {
	if e.Form != event.Timed || e.Recurs() {
		x.moment("DTSTART", e, e.Start)
		return
	}
	from, _ := e.Span(e.Start, x.home(e))
	x.exact("DTSTART", e, from)
}

func (x *exporter) end(e *event.Event) {
	switch {
	case e.Form == event.AllDay:
		x.moment("DTEND", e, e.Start.AddDate(0, 0, e.Days))
	case e.Days != 0: // calendar days, of any length
		text := "P" + strconv.Itoa(e.Days) + "D"
		if e.Length > 0 {
			text += "T" + strconv.Itoa(int(e.Length/time.Second)) + "S"
		}
		x.w.Line("DURATION:" + text)
	case e.Length == 0:
	default:
		loc := x.home(e)
		_, to := e.Span(e.Start, loc)
		wall := zone.Wall(to, loc)
		switch {
		case e.Form != event.Timed:
			x.moment("DTEND", e, wall)
		case e.Recurs() && (e.Later || wall.Sub(e.Start) != e.Length):
			// Some readers subtract the wall clocks, and others the instants.
			x.w.Line("DURATION:PT" + strconv.Itoa(int(e.Length/time.Second)) + "S")
		default:
			x.exact("DTEND", e, to)
		}
	}
}
