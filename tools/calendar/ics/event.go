package ics

import (
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strconv"
	"strings"
	"time"

	"techo/internal/ical"
	"techo/internal/legible"
	"techo/internal/recur"
	"techo/internal/zone"
	"techo/store/event"
)

// addZone records the zone that a VTIMEZONE defines, under the database's name if
// it has one.
func (r *reader) addZone(c *ical.Component) {
	id := c.Property("TZID")
	if id == nil {
		return
	}
	tzid := strings.TrimSpace(id.Text())
	if _, ok := r.zones[tzid]; ok {
		return
	}
	if loc, ok := zone.Find(tzid); ok {
		r.zones[tzid] = fileZone{loc: loc, name: loc.String(), ok: true}
		return
	}
	if p := c.Property("X-LIC-LOCATION"); p != nil {
		if loc, ok := zone.Find(p.Text()); ok {
			r.zones[tzid] = fileZone{loc: loc, name: loc.String(), ok: true}
			return
		}
	}
	var w ical.Writer
	writeComponent(&w, c)
	if r.customZones++; r.customZones > maxCustomZones || len(w.String()) > MaxExtra {
		return // the zone stays unknown
	}
	if loc, ok := event.CustomZone(w.String()); ok {
		r.zones[tzid] = fileZone{loc: loc, name: tzid, rules: w.String(), ok: true}
	}
}

// maxCustomZones limits the zones that a file may define.
const maxCustomZones = 100

func writeComponent(w *ical.Writer, c *ical.Component) {
	w.Begin(c.Name)
	for _, p := range c.Properties {
		w.Line(p.String())
	}
	for _, sub := range c.Components {
		writeComponent(w, sub)
	}
	w.End(c.Name)
}

func (r *reader) zoneOf(p *ical.Property, e *event.Event) (fileZone, bool) {
	tzid := strings.TrimSpace(p.Param("TZID"))
	if tzid == "" {
		return fileZone{}, false
	}
	z := r.findZone(tzid, p.Line, e)
	return z, z.ok
}

// findZone returns a zone by its name in the file.
func (r *reader) findZone(tzid string, line int, e *event.Event) fileZone {
	z, met := r.zones[tzid]
	if !met {
		z.unknown = true
		if loc, ok := zone.Find(tzid); ok {
			z = fileZone{loc: loc, name: loc.String(), ok: true}
		}
		r.zones[tzid] = z
	}
	if z.unknown && (!met || e.UID != z.reported) { // once for each event
		z.reported = e.UID
		r.zones[tzid] = z
		r.lost(line, e, "unknown time zone %q; times are read without a zone", tzid)
	}
	return z
}

// uidOf returns the UID of an event, or "".
func uidOf(c *ical.Component) string {
	uid := strings.Map(printable, textOf(c, "UID"))
	if strings.TrimSpace(uid) == "" {
		return ""
	}
	return uid
}

// readEvent converts a VEVENT.
func (r *reader) readEvent(c *ical.Component) {
	r.component = c
	e := event.Event{Status: event.Confirmed, Title: textOf(c, "SUMMARY"), Location: textOf(c, "LOCATION"),
		Description: textOf(c, "DESCRIPTION"), UID: uidOf(c), Line: c.Line}
	e.Method = r.method
	if r.method == event.MethodCancel {
		e.Status = event.Cancelled
	}
	start := c.Property("DTSTART")
	if start == nil && (r.method == event.MethodCancel || r.method == event.MethodReply) && uidOf(c) != "" {
		r.readBare(&e, c)
		return
	}
	if start == nil {
		r.lost(c.Line, &e, "an event without DTSTART is left out")
		return
	}
	at, err := ical.ParseTime(start.Value)
	if err != nil || at.Wall.Year() < 1 {
		r.lost(start.Line, &e, "DTSTART %q is not a time; the event is left out", legible.Clip(start.Value))
		return
	}
	home := r.readStart(&e, start, at)
	r.readEnd(&e, c, home)
	if e.UID == "" {
		digest := sha256.Sum256([]byte(e.Title + "\x00" + e.Location + "\x00" + at.Form()))
		e.UID = event.NoUID + hex.EncodeToString(digest[:10])
	}
	r.readDetails(&e, c)
	if id := c.Property("RECURRENCE-ID"); id != nil {
		if e.RecurrenceID = r.overriddenID(&e, id, home); e.RecurrenceID == "" {
			r.lost(id.Line, &e, "RECURRENCE-ID %q is not a time; the event is kept as a separate event",
				legible.Clip(id.Value))
			e.UID += "#" + at.Form()
		} else if master := r.masters[e.UID]; master != nil &&
			slices.Contains(master.Recurrence, "EXDATE:"+e.RecurrenceID) {
			r.lost(id.Line, &e, "an occurrence that its series excludes (EXDATE)")
			return
		} else if e.Alone = master == nil; strings.EqualFold(id.Param("RANGE"), "THISANDFUTURE") {
			if e.Alone {
				e.Future = true // the series may be in the store
			} else if len(r.thisAndFuture) < maxThisAndFuture {
				r.thisAndFuture[e.UID+"\x00"+e.RecurrenceID] = true
			}
		} else if scope := id.Param("RANGE"); scope != "" {
			if e.Method != "" {
				r.problem(id.Line, e.Title, "a message with RANGE=%s changes nothing", legible.Clip(scope))
				return
			}
			r.lost(id.Line, &e, "RANGE=%s is ignored; the event replaces one occurrence", legible.Clip(scope))
		}
	} else {
		r.readRecurrence(&e, c, home)
	}
	r.emitOrDefer(e, c.Line)
}

// readBare reads a cancellation or an answer that names an event or an occurrence without
// its times.
func (r *reader) readBare(e *event.Event, c *ical.Component) {
	e.UID = uidOf(c)
	r.readDetails(e, c)
	e.Start = time.Unix(0, 0).UTC()
	if id := c.Property("RECURRENCE-ID"); id != nil {
		e.Alone = r.masters[e.UID] == nil
		e.Future = strings.EqualFold(id.Param("RANGE"), "THISANDFUTURE")
		if e.RecurrenceID = r.overriddenID(e, id, time.UTC); e.RecurrenceID == "" {
			r.lost(id.Line, e, "RECURRENCE-ID %q is not a time; the event is left out", legible.Clip(id.Value))
			return
		}
	}
	r.emitOrDefer(*e, c.Line)
}

func printable(c rune) rune {
	if c < ' ' || c == 0x7f {
		return -1
	}
	return c
}

func textOf(c *ical.Component, name string) string {
	if p := c.Property(name); p != nil {
		return p.Text()
	}
	return ""
}

// readStart sets the start of an event. It returns the zone of the start, or UTC
// for a start without a zone.
func (r *reader) readStart(e *event.Event, p *ical.Property, at ical.Time) *time.Location {
	e.Start = at.Wall
	z, ok := r.zoneOf(p, e)
	switch {
	case at.Date || strings.EqualFold(p.Param("VALUE"), "DATE"):
		e.Form, e.Start = event.AllDay, at.Wall.Truncate(24*time.Hour)
	case at.UTC:
		e.Zone = "UTC"
	case ok:
		e.Zone, e.ZoneRules = z.name, z.rules
		return z.loc
	case r.defaultZone.ok:
		e.Zone, e.ZoneRules = r.defaultZone.name, r.defaultZone.rules
		return r.defaultZone.loc
	default:
		e.Form = event.Floating
	}
	return time.UTC
}

func (r *reader) readEnd(e *event.Event, c *ical.Component, home *time.Location) {
	if p := c.Property("DURATION"); p != nil && c.Property("DTEND") == nil {
		d, err := ical.ParseDuration(p.Value)
		if err == nil && d.Days >= 0 && d.Time >= 0 {
			e.Days, e.Length = d.Days, d.Time
			if e.Form == event.AllDay {
				e.Days, e.Length = max(1, d.Days+int(d.Time/(24*time.Hour))), 0
			}
			return
		}
		r.lost(p.Line, e, "DURATION %q is not a length", legible.Clip(p.Value))
	}
	if e.Form == event.AllDay {
		e.Days = 1
	}
	p := c.Property("DTEND")
	if p == nil {
		return
	}
	at, err := ical.ParseTime(p.Value)
	if err != nil {
		r.lost(p.Line, e, "DTEND %q is not a time", legible.Clip(p.Value))
		return
	}
	var length time.Duration
	if e.Form == event.AllDay {
		length = at.Wall.Truncate(24 * time.Hour).Sub(e.Start)
		e.Days = max(1, int(length/(24*time.Hour)))
	} else {
		length = r.instant(p, at, e, home).Sub(zone.Instant(e.Start, home))
		e.Length = max(0, length)
	}
	if length < 0 {
		r.lost(p.Line, e, "the event ends before it starts; only its start is kept")
	}
}

// instant returns the instant of a property, in whatever zone it is written.
func (r *reader) instant(p *ical.Property, at ical.Time, e *event.Event, home *time.Location) time.Time {
	if at.UTC {
		if e.Form == event.Timed {
			return at.Wall
		}
		return zone.Wall(at.Wall, r.env.Zone)
	}
	if z, ok := r.zoneOf(p, e); ok && e.Form == event.Timed {
		return zone.Instant(at.Wall, z.loc)
	}
	return zone.Instant(at.Wall, home)
}

// readDetails sets the status and other details of an event. Lines that techo does
// not use are kept for the export.
func (r *reader) readDetails(e *event.Event, c *ical.Component) {
	size := 0
	for i := range c.Properties {
		p := &c.Properties[i]
		switch p.Name {
		case "STATUS":
			switch strings.ToUpper(strings.TrimSpace(p.Value)) {
			case "CANCELLED":
				e.Status = event.Cancelled
			case "TENTATIVE":
				if e.Status != event.Cancelled { // by the method
					e.Status = event.Tentative
				}
			}
		case "TRANSP":
			e.Free = strings.EqualFold(strings.TrimSpace(p.Value), "TRANSPARENT")
		case "SEQUENCE":
			if n, err := strconv.Atoi(strings.TrimSpace(p.Value)); err == nil {
				e.Sequence, e.Sequenced = n, true
			}
		case "LAST-MODIFIED":
			if at, err := ical.ParseTime(p.Value); err == nil && at.UTC {
				e.UpdatedAt = at.Wall
			}
		case "DTSTAMP":
			if at, err := ical.ParseTime(p.Value); err == nil && at.UTC && r.method != "" {
				e.Stamp = at.Wall
			}
		case "SUMMARY", "LOCATION", "DESCRIPTION":
			if line := withParams(p); line != "" && p == c.Property(p.Name) && size+len(line) < MaxExtra {
				size += len(line)
				e.Extra = append(e.Extra, line)
			}
		case "UID", "DTSTART", "DTEND", "DURATION",
			"RRULE", "RDATE", "EXDATE", "EXRULE", "RECURRENCE-ID":
		case "CREATED":
			if at, err := ical.ParseTime(p.Value); err == nil && at.UTC {
				e.CreatedAt = at.Wall
			}
		default:
			if p.Name == "ATTENDEE" && r.me != "" &&
				strings.TrimPrefix(strings.ToLower(strings.TrimSpace(p.Value)), "mailto:") == r.me {
				e.Declined = strings.EqualFold(p.Param("PARTSTAT"), "DECLINED")
				e.Pending = strings.EqualFold(p.Param("PARTSTAT"), "NEEDS-ACTION")
			}
			if line := p.String(); size+len(line) < MaxExtra {
				size += len(line)
				e.Extra = append(e.Extra, line)
			}
		}
	}
	for _, sub := range c.Components {
		var w ical.Writer
		if writeComponent(&w, sub); size+len(w.String()) < MaxExtra {
			size += len(w.String())
			unfolded := strings.ReplaceAll(w.String(), "\r\n ", "")
			e.Extra = append(e.Extra, strings.Split(strings.TrimSuffix(unfolded, "\r\n"), "\r\n")...)
		}
	}
}

// withParams returns the line of a text that has parameters, such as its language, or "".
func withParams(p *ical.Property) string {
	kept := *p
	kept.Params = slices.DeleteFunc(slices.Clone(p.Params), func(q ical.Param) bool {
		return slices.Contains([]string{"ENCODING", "CHARSET", "VALUE"}, q.Name) || len(q.Values) == 0
	})
	if len(kept.Params) == 0 {
		return ""
	}
	kept.Value = ical.Escape(p.Text())
	return kept.String()
}

// MaxExtra limits the unused lines that are kept for an event, in bytes.
const MaxExtra = 32 << 10

// overriddenID returns the ID of the occurrence that an event replaces. Without its series in the file, it
// has the form in which the file names the occurrence.
func (r *reader) overriddenID(e *event.Event, p *ical.Property, home *time.Location) string {
	at, err := ical.ParseTime(p.Value)
	if err != nil {
		return ""
	}
	shape := r.masters[e.UID]
	if shape == nil {
		z, zoned := r.zoneOf(p, e)
		shape = &event.Event{Form: event.Floating}
		switch {
		case at.Date:
			shape.Form = event.AllDay
		case zoned:
			shape.Form, home = event.Timed, z.loc
		case r.defaultZone.ok:
			shape.Form, home = event.Timed, r.defaultZone.loc
		case at.UTC:
			shape.Form = event.Timed
		}
	} else {
		home = ZoneOf(shape, time.UTC)
	}
	switch {
	case shape.Form == event.AllDay:
		return at.Wall.Format("20060102")
	case at.Date: // a day for an occurrence with a time
		clock := shape.Start.Sub(shape.Start.Truncate(24 * time.Hour))
		return shape.OccurrenceID(at.Wall.Add(clock), home)
	case shape.Form == event.Floating:
		return at.Wall.Format("20060102T150405")
	}
	return r.instant(p, at, shape, home).UTC().Format("20060102T150405Z")
}

func (r *reader) readRecurrence(e *event.Event, c *ical.Component, home *time.Location) {
	for i := range c.Properties {
		p := &c.Properties[i]
		switch p.Name {
		case "RRULE", "EXRULE":
			rule, err := recur.Parse(p.Value)
			if err != nil {
				if rule = firstEnd(p.Value, e, home); rule == nil {
					r.lost(p.Line, e, "%s is ignored: %v; the event is kept as a single event", p.Name, err)
					continue
				}
				r.problem(p.Line, e.Title, "a rule with COUNT and UNTIL ends with the first of them")
			}
			e.Recurrence = append(e.Recurrence, p.Name+":"+rule.String())
		case "RDATE", "EXDATE":
			r.readDates(e, p, home)
		}
	}
}

func (r *reader) readDates(e *event.Event, p *ical.Property, home *time.Location) {
	for text := range strings.SplitSeq(p.Value, ",") {
		text, end, period := strings.Cut(text, "/")
		if strings.TrimSpace(text) == "" {
			continue
		}
		at, err := ical.ParseTime(text)
		if err != nil {
			r.lost(p.Line, e, "%s %q is not a time", p.Name, legible.Clip(text))
			continue
		}
		form := ""
		switch {
		case e.Form == event.AllDay:
			form = at.Wall.Format("20060102")
		case at.Date && p.Name == "EXDATE":
			form = at.Wall.Format("20060102")
		case at.Date:
			form = e.OccurrenceID(at.Wall.Add(e.Start.Sub(e.Start.Truncate(24*time.Hour))), home)
		case e.Form == event.Floating:
			form = at.Wall.Format("20060102T150405")
		default:
			form = r.instant(p, at, e, home).UTC().Format("20060102T150405Z")
		}
		e.Recurrence = append(e.Recurrence, p.Name+":"+form)
		if period && p.Name == "RDATE" && e.Form != event.AllDay {
			r.addPeriod(e, p, at, end, form, home)
		}
	}
}

// firstEnd returns a rule with COUNT and UNTIL with the one that ends first, or nil for another
// invalid rule.
func firstEnd(text string, e *event.Event, home *time.Location) *recur.Rule {
	var ends [2]*recur.Rule // without UNTIL, without COUNT
	for i, name := range []string{"UNTIL=", "COUNT="} {
		var parts []string
		for part := range strings.SplitSeq(text, ";") {
			if !strings.HasPrefix(strings.ToUpper(strings.TrimSpace(part)), name) {
				parts = append(parts, part)
			}
		}
		r, err := recur.Parse(strings.Join(parts, ";"))
		if err != nil {
			return nil
		}
		ends[i] = r
	}
	if ends[0].Count == 0 || ends[1].Until.IsZero() {
		return nil
	}
	n := 0
	until := event.UntilWall(ends[1], e, home)
	recur.New(ends[1], e.Start, e.Form == event.AllDay, until).Walk(e.Start, until.Add(time.Second),
		func(time.Time) bool { n++; return n <= ends[0].Count })
	if n > ends[0].Count {
		return ends[0]
	}
	return ends[1]
}

// addPeriod adds the occurrence of an RDATE that has a length of its own, as an event that replaces
// it.
func (r *reader) addPeriod(e *event.Event, p *ical.Property, start ical.Time, end, original string,
	home *time.Location) {
	one := *e
	one.Recurrence, one.RecurrenceID, one.Days = nil, original, 0
	wall, err := event.ReadOccurrence(original, home)
	if err != nil {
		return
	}
	one.Start = wall
	if d, err := ical.ParseDuration(end); err == nil && d.Days >= 0 && d.Time >= 0 {
		one.Days, one.Length = d.Days, d.Time
	} else if to, err := ical.ParseTime(end); err == nil {
		one.Length = r.instant(p, to, e, home).Sub(r.instant(p, start, e, home))
	} else {
		one.Length = -1
	}
	if one.Length < 0 {
		r.lost(p.Line, e, "%s %q is not a time", p.Name, legible.Clip(end))
		return
	}
	if one.Days != e.Days || one.Length != e.Length {
		r.periods = append(r.periods, &one)
	}
}

// addPeriods adds the occurrences with lengths of their own that nothing else replaces.
func (r *reader) addPeriods() {
	for _, e := range r.periods {
		key := e.UID + "\x00" + e.RecurrenceID
		master := r.masters[e.UID]
		if _, replaced := r.seen[key]; replaced || master == nil || master.Line != e.Line {
			continue
		}
		e.Title, e.Location, e.Description, e.Extra = master.Title, master.Location, master.Description, master.Extra
		r.seen[key] = len(r.deferred)
		r.deferred = append(r.deferred, e)
	}
}

// PublicUID returns the UID that the event came with, or "" if techo generated it.
func PublicUID(e *event.Event) string {
	if strings.HasPrefix(e.UID, event.NoUID) {
		return ""
	}
	return e.UID
}
