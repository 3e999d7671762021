package calendar

import (
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strconv"
	"strings"
	"time"

	"techo/internal/ical"
	"techo/internal/recur"
	"techo/internal/zone"
	"techo/store"
	"techo/tools"
)

// learn keeps the zone that a VTIMEZONE defines, under the database's name
// when it has one.
func (r *reader) learn(c *ical.Component) {
	id := c.Property("TZID")
	if id == nil {
		return
	}
	tzid := strings.TrimSpace(id.Text())
	if _, ok := r.zones[tzid]; ok {
		return
	}
	if loc, ok := zone.Find(tzid); ok {
		r.zones[tzid] = named{loc, loc.String(), "", true}
		return
	}
	if p := c.Property("X-LIC-LOCATION"); p != nil {
		if loc, ok := zone.Find(p.Text()); ok {
			r.zones[tzid] = named{loc, loc.String(), "", true}
			return
		}
	}
	var w ical.Writer
	writeComponent(&w, c)
	if r.customs++; r.customs > maxCustoms || len(w.String()) > maxExtra {
		return // then it is unknown
	}
	if loc, ok := store.CustomZone(w.String()); ok {
		r.zones[tzid] = named{loc, tzid, w.String(), true}
	}
}

// maxCustoms is how many zones of a file's own are followed.
const maxCustoms = 100

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

// zone finds the zone of a property.
func (r *reader) zone(p *ical.Property, title string) (named, bool) {
	tzid := strings.TrimSpace(p.Param("TZID"))
	if tzid == "" {
		return named{}, false
	}
	z := r.zoneNamed(tzid, p.Line, title)
	return z, z.ok
}

// zoneNamed finds a zone by its name in the file.
func (r *reader) zoneNamed(tzid string, line int, title string) named {
	if z, ok := r.zones[tzid]; ok {
		return z
	}
	z := named{}
	if loc, ok := zone.Find(tzid); ok {
		z = named{loc, loc.String(), "", true}
	} else {
		r.problem(line, title, tools.Say{EN: "unknown time zone %q, read without one", JA: "不明なタイムゾーン「%s」のため、タイムゾーンなしで読みました"}, tzid)
	}
	r.zones[tzid] = z
	return z
}

// uidOf is the UID of an event, "" when it has none.
func uidOf(c *ical.Component) string {
	uid := strings.Map(printable, textOf(c, "UID"))
	if strings.TrimSpace(uid) == "" {
		return ""
	}
	return uid
}

// event reads one event.
func (r *reader) event(c *ical.Component) {
	e := store.Event{Status: store.Confirmed, Title: textOf(c, "SUMMARY"), Location: textOf(c, "LOCATION"), Description: textOf(c, "DESCRIPTION")}
	start := c.Property("DTSTART")
	if start == nil {
		r.problem(c.Line, e.Title, tools.Say{EN: "an event without DTSTART, left out", JA: "DTSTART のない予定を除外しました"})
		return
	}
	at, err := ical.ParseTime(start.Value)
	if err != nil || at.Wall.Year() < 1 {
		r.problem(start.Line, e.Title, tools.Say{EN: "DTSTART %q is no time; the event is left out", JA: "DTSTART「%s」は時刻ではないため、予定を除外しました"}, clip(start.Value))
		return
	}
	home := r.begin(&e, start, at)
	r.end(&e, c, home)
	if e.UID = uidOf(c); e.UID == "" {
		digest := sha256.Sum256([]byte(e.Title + "\x00" + e.Location + "\x00" + at.Form()))
		e.UID = store.NoUID + hex.EncodeToString(digest[:10])
	}
	r.details(&e, c)
	if id := c.Property("RECURRENCE-ID"); id != nil {
		if e.RecurrenceID = r.original(&e, id, home); e.RecurrenceID == "" {
			r.problem(id.Line, e.Title, tools.Say{EN: "RECURRENCE-ID %q is no time; the event is kept on its own", JA: "RECURRENCE-ID「%s」は時刻ではないため、独立した予定として残しました"}, clip(id.Value))
			e.UID += "#" + at.Form()
		} else if master := r.masters[e.UID]; master != nil && slices.Contains(master.Recurrence, "EXDATE:"+e.RecurrenceID) {
			r.problem(id.Line, e.Title, tools.Say{EN: "an occurrence that its series leaves out (EXDATE)", JA: "繰り返しから除外（EXDATE）された回です"})
			return
		} else if strings.EqualFold(id.Param("RANGE"), "THISANDFUTURE") && len(r.future) < maxFutures {
			r.future[e.UID+"\x00"+e.RecurrenceID] = true
		}
	} else {
		r.recurrence(&e, c, home)
	}
	r.keep(e, c.Line)
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

func clip(s string) string {
	if r := []rune(s); len(r) > 60 {
		return string(r[:60]) + "…"
	}
	return s
}

// begin reads when the event starts, and returns the zone of its clock, UTC
// for one that has none.
func (r *reader) begin(e *store.Event, p *ical.Property, at ical.Time) *time.Location {
	e.Start = at.Wall
	z, ok := r.zone(p, e.Title)
	switch {
	case at.Date || strings.EqualFold(p.Param("VALUE"), "DATE"):
		e.Form, e.Start = store.AllDay, at.Wall.Truncate(24*time.Hour)
	case at.UTC:
		e.Zone = "UTC"
	case ok:
		e.Zone, e.ZoneRules = z.name, z.rules
		return z.loc
	case r.home.ok:
		e.Zone, e.ZoneRules = r.home.name, r.home.rules
		return r.home.loc
	default:
		e.Form = store.Floating
	}
	return time.UTC
}

// end reads how long the event lasts.
func (r *reader) end(e *store.Event, c *ical.Component, home *time.Location) {
	if p := c.Property("DURATION"); p != nil && c.Property("DTEND") == nil {
		d, err := ical.ParseDuration(p.Value)
		if err == nil && d.Days >= 0 && d.Time >= 0 {
			e.Days, e.Length = d.Days, d.Time
			if e.Form == store.AllDay {
				e.Days, e.Length = max(1, d.Days+int(d.Time/(24*time.Hour))), 0
			}
			return
		}
		r.problem(p.Line, e.Title, tools.Say{EN: "DURATION %q is no length", JA: "DURATION「%s」は長さではありません"}, clip(p.Value))
	}
	if e.Form == store.AllDay {
		e.Days = 1
	}
	p := c.Property("DTEND")
	if p == nil {
		return
	}
	at, err := ical.ParseTime(p.Value)
	if err != nil {
		r.problem(p.Line, e.Title, tools.Say{EN: "DTEND %q is no time", JA: "DTEND「%s」は時刻ではありません"}, clip(p.Value))
		return
	}
	var length time.Duration
	if e.Form == store.AllDay {
		length = at.Wall.Truncate(24 * time.Hour).Sub(e.Start)
		e.Days = max(1, int(length/(24*time.Hour)))
	} else {
		length = r.instant(p, at, e, home).Sub(zone.Instant(e.Start, home))
		e.Length = max(0, length)
	}
	if length < 0 {
		r.problem(p.Line, e.Title, tools.Say{EN: "the event ends before it starts; only its start is kept", JA: "終了が開始より前のため、開始だけを残しました"})
	}
}

// instant is when a property of an event says, whatever zone it is written in.
func (r *reader) instant(p *ical.Property, at ical.Time, e *store.Event, home *time.Location) time.Time {
	if at.UTC {
		if e.Form == store.Timed {
			return at.Wall
		}
		return zone.Wall(at.Wall, r.env.Zone)
	}
	if z, ok := r.zone(p, e.Title); ok && e.Form == store.Timed {
		return zone.Instant(at.Wall, z.loc)
	}
	return zone.Instant(at.Wall, home)
}

// details reads what an event is like.
func (r *reader) details(e *store.Event, c *ical.Component) {
	size := 0
	for i := range c.Properties {
		p := &c.Properties[i]
		switch p.Name {
		case "STATUS":
			switch strings.ToUpper(strings.TrimSpace(p.Value)) {
			case "CANCELLED":
				e.Status = store.Cancelled
			case "TENTATIVE":
				e.Status = store.Tentative
			}
		case "TRANSP":
			e.Free = strings.EqualFold(strings.TrimSpace(p.Value), "TRANSPARENT")
		case "SEQUENCE":
			if n, err := strconv.Atoi(strings.TrimSpace(p.Value)); err == nil {
				e.Sequence = n
			}
		case "DTSTAMP", "LAST-MODIFIED", "SUMMARY", "LOCATION", "DESCRIPTION", "UID", "DTSTART", "DTEND", "DURATION",
			"RRULE", "RDATE", "EXDATE", "EXRULE", "RECURRENCE-ID":
		case "CREATED":
			if at, err := ical.ParseTime(p.Value); err == nil && at.UTC {
				e.CreatedAt = at.Wall
			}
		default:
			if p.Name == "ATTENDEE" && r.me != "" && strings.TrimPrefix(strings.ToLower(strings.TrimSpace(p.Value)), "mailto:") == r.me {
				e.Declined = strings.EqualFold(p.Param("PARTSTAT"), "DECLINED")
				e.Pending = strings.EqualFold(p.Param("PARTSTAT"), "NEEDS-ACTION")
			}
			if line := p.String(); size+len(line) < maxExtra {
				size += len(line)
				e.Extra = append(e.Extra, line)
			}
		}
	}
	for _, sub := range c.Components {
		var w ical.Writer
		if writeComponent(&w, sub); size+len(w.String()) < maxExtra {
			size += len(w.String())
			unfolded := strings.ReplaceAll(w.String(), "\r\n ", "")
			e.Extra = append(e.Extra, strings.Split(strings.TrimSuffix(unfolded, "\r\n"), "\r\n")...)
		}
	}
}

// maxExtra is how many bytes are kept of what techo itself does not use.
const maxExtra = 32 << 10

// original says which occurrence an event stands for.
func (r *reader) original(e *store.Event, p *ical.Property, home *time.Location) string {
	at, err := ical.ParseTime(p.Value)
	if err != nil {
		return ""
	}
	shape := e
	if master := r.masters[e.UID]; master != nil {
		shape = master
		home = r.homeOf(master)
	}
	switch {
	case shape.Form == store.AllDay:
		return at.Wall.Format("20060102")
	case at.Date: // the day of an occurrence at a time
		clock := shape.Start.Sub(shape.Start.Truncate(24 * time.Hour))
		return shape.OccurrenceID(at.Wall.Add(clock), home)
	case shape.Form == store.Floating:
		return at.Wall.Format("20060102T150405")
	}
	return r.instant(p, at, shape, home).UTC().Format("20060102T150405Z")
}

func (r *reader) homeOf(e *store.Event) *time.Location {
	if e.Form == store.Timed {
		if e.ZoneRules != "" {
			if loc, ok := store.CustomZone(e.ZoneRules); ok {
				return loc
			}
		}
		if loc, ok := zone.Find(e.Zone); ok {
			return loc
		}
	}
	return time.UTC
}

// recurrence reads when the event comes again.
func (r *reader) recurrence(e *store.Event, c *ical.Component, home *time.Location) {
	for i := range c.Properties {
		p := &c.Properties[i]
		switch p.Name {
		case "RRULE", "EXRULE":
			rule, err := recur.Parse(p.Value)
			if err != nil {
				r.problem(p.Line, e.Title, tools.Say{EN: "%s is not followed: %v; the event is kept as a single one", JA: "%s は解釈できないため（%v）、単独の予定として残しました"}, p.Name, err)
				continue
			}
			e.Recurrence = append(e.Recurrence, p.Name+":"+rule.String())
		case "RDATE", "EXDATE":
			r.dates(e, p, home)
		}
	}
}

func (r *reader) dates(e *store.Event, p *ical.Property, home *time.Location) {
	for text := range strings.SplitSeq(p.Value, ",") {
		text, _, _ = strings.Cut(text, "/") // a period's length is the event's
		if strings.TrimSpace(text) == "" {
			continue
		}
		at, err := ical.ParseTime(text)
		if err != nil {
			r.problem(p.Line, e.Title, tools.Say{EN: "%s %q is no time", JA: "%s「%s」は時刻ではありません"}, p.Name, clip(text))
			continue
		}
		form := ""
		switch {
		case e.Form == store.AllDay:
			form = at.Wall.Format("20060102")
		case at.Date && p.Name == "EXDATE":
			form = at.Wall.Format("20060102")
		case at.Date:
			form = e.OccurrenceID(at.Wall.Add(e.Start.Sub(e.Start.Truncate(24*time.Hour))), home)
		case e.Form == store.Floating:
			form = at.Wall.Format("20060102T150405")
		default:
			form = r.instant(p, at, e, home).UTC().Format("20060102T150405Z")
		}
		e.Recurrence = append(e.Recurrence, p.Name+":"+form)
	}
}

// publicUID is an event's UID as it was given.
func publicUID(e *store.Event) string {
	if strings.HasPrefix(e.UID, store.NoUID) {
		return ""
	}
	return e.UID
}
