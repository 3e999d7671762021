package googletest

import (
	"net/http"
	"strings"
	"time"

	"techo/internal/recur"
	"techo/internal/zone"
)

func (c *calendar) location() *time.Location {
	if loc, ok := zone.Find(c.zone); ok {
		return loc
	}
	return time.UTC
}

// instantOf returns the instant of a start or an end; loc is the zone of days.
func instantOf(t Event, loc *time.Location) time.Time {
	if day, err := time.Parse(time.DateOnly, t.text("date")); err == nil {
		return zone.Instant(day, loc)
	}
	at, _ := time.Parse(time.RFC3339, t.text("dateTime")) // valid checked it
	return at
}

// overlaps reports whether an event lies in a range: timeMin applies to its end,
// timeMax to its start. A series lies in every range.
func (c *calendar) overlaps(e Event, from, to time.Time) bool {
	if len(e.lines()) > 0 || e.sub("start") == nil {
		return true
	}
	return instantOf(e.sub("start"), c.location()).Before(to) && instantOf(e.sub("end"), c.location()).After(from)
}

// walls returns the starts of a series in local time, without excluded ones.
func (c *calendar) walls(e Event) (all []time.Time, home *time.Location) {
	start, home := c.startOf(e)
	day := e.sub("start").text("date") != ""
	left := map[time.Time]bool{}
	for _, l := range e.lines() {
		name, value, _ := strings.Cut(l, ":")
		switch bare, _, _ := strings.Cut(name, ";"); bare {
		case "RRULE":
			r, err := recur.Parse(value)
			if err != nil {
				continue
			}
			until := r.Until
			if r.Form == recur.UntilUTC && !until.IsZero() {
				until = zone.Wall(until, home)
			}
			recur.New(r, start, day, until).Walk(start, start.AddDate(2, 0, 0), func(w time.Time) bool {
				all = append(all, w)
				return len(all) < 1000
			})
		case "RDATE", "EXDATE":
			for text := range strings.SplitSeq(value, ",") {
				if bare == "RDATE" {
					all = append(all, wallOf(text, home))
				} else {
					left[wallOf(text, home)] = true
				}
			}
		}
	}
	kept := all[:0]
	for _, w := range all {
		if !left[w] {
			kept = append(kept, w)
		}
	}
	return kept, home
}

func wallOf(text string, home *time.Location) time.Time {
	if at, err := time.Parse("20060102T150405Z", text); err == nil {
		return zone.Wall(at, home)
	}
	if at, err := time.Parse("20060102T150405", text); err == nil {
		return at
	}
	at, _ := time.Parse("20060102", text)
	return at
}

func (c *calendar) startOf(e Event) (wall time.Time, home *time.Location) {
	start := e.sub("start")
	if day, err := time.Parse(time.DateOnly, start.text("date")); err == nil {
		return day, c.location()
	}
	home = c.location()
	if loc, ok := zone.Find(start.text("timeZone")); ok {
		home = loc
	}
	return zone.Wall(instantOf(start, home), home), home
}

// expand returns the occurrences of a series in a range that no stored exception
// replaces.
func (c *calendar) expand(e Event, from, to time.Time) (all []Event) {
	if len(e.lines()) == 0 || e.text("status") == "cancelled" {
		return nil
	}
	walls, home := c.walls(e)
	for _, w := range walls {
		o := c.occurrence(e, w, home)
		if c.events[o.text("id")] == nil && c.overlaps(o, from, to) {
			all = append(all, o)
		}
	}
	return all
}

func (c *calendar) occurrence(e Event, wall time.Time, home *time.Location) Event {
	o := e.clone()
	delete(o, "recurrence")
	o["recurringEventId"] = e.text("id")
	length := instantOf(e.sub("end"), home).Sub(instantOf(e.sub("start"), home))
	if e.sub("start").text("date") != "" {
		days := int(length / (23 * time.Hour))
		o["id"] = e.text("id") + "_" + wall.Format("20060102")
		o["start"] = map[string]any{"date": wall.Format(time.DateOnly)}
		o["end"] = map[string]any{"date": wall.AddDate(0, 0, days).Format(time.DateOnly)}
	} else {
		at := zone.Instant(wall, home)
		o["id"] = e.text("id") + "_" + at.UTC().Format("20060102T150405Z")
		name := e.sub("start").text("timeZone")
		o["start"] = map[string]any{"dateTime": at.Format(time.RFC3339), "timeZone": name}
		o["end"] = map[string]any{"dateTime": at.Add(length).Format(time.RFC3339), "timeZone": name}
	}
	o["originalStartTime"] = o["start"]
	return o
}

// instance returns the occurrence of a series with an id, nil without one.
func (c *calendar) instance(id string) Event {
	i := strings.LastIndexByte(id, '_')
	if i < 0 || c.events[id[:i]] == nil {
		return nil
	}
	for _, o := range c.expand(c.events[id[:i]], time.Time{}, time.Date(2200, 1, 1, 0, 0, 0, 0, time.UTC)) {
		if o.text("id") == id {
			return o
		}
	}
	return nil
}

// instances answers events.instances, with stored exceptions.
func (s *Server) instances(c *calendar, id string, r *http.Request) answer {
	master := c.events[id]
	if master == nil || master.text("status") == "cancelled" {
		return refuse(404, "notFound", "Not Found")
	}
	q := r.URL.Query()
	from, to := time.Time{}, time.Date(2200, 1, 1, 0, 0, 0, 0, time.UTC)
	if t, err := time.Parse(time.RFC3339, q.Get("timeMin")); err == nil {
		from = t
	}
	items := c.expand(master, from, to)
	for _, e := range c.events {
		if e.text("recurringEventId") == id && (e.text("status") != "cancelled" || q.Get("showDeleted") == "true") {
			items = append(items, e.clone())
		}
	}
	c.sort(items)
	return s.page(items, q.Get("pageToken"), q.Get("maxResults"))
}

// freeBusy answers freebusy.query.
func (s *Server) freeBusy(account map[string]*calendar, body Event) answer {
	from, err1 := time.Parse(time.RFC3339, body.text("timeMin"))
	to, err2 := time.Parse(time.RFC3339, body.text("timeMax"))
	if err1 != nil || err2 != nil || !from.Before(to) {
		return refuse(400, "timeRangeEmpty", "The specified time range is empty.")
	}
	items, _ := body["items"].([]any)
	switch {
	case to.Sub(from) > 61*24*time.Hour:
		return refuse(400, "timeRangeTooLong", "The requested time range is too long.")
	case len(items) > 50:
		return refuse(400, "tooManyCalendarsRequested", "Too many calendars were requested.")
	}
	calendars := map[string]any{}
	for _, item := range items {
		one, _ := item.(map[string]any)
		id := Event(one).text("id")
		c := account[id]
		if c == nil {
			calendars[id] = map[string]any{"errors": []map[string]string{{"domain": "global", "reason": "notFound"}}}
			continue
		}
		calendars[id] = map[string]any{"busy": c.busy(from, to)}
	}
	return answer{200, map[string]any{"calendars": calendars}}
}

func (c *calendar) busy(from, to time.Time) []map[string]string {
	all := []map[string]string{}
	for _, e := range c.events {
		list := c.expand(e, from, to)
		if len(e.lines()) == 0 && c.overlaps(e, from, to) {
			list = append(list, e)
		}
		for _, o := range list {
			if o.text("status") == "cancelled" || o.text("transparency") == "transparent" {
				continue
			}
			all = append(all, map[string]string{
				"start": instantOf(o.sub("start"), c.location()).Format(time.RFC3339),
				"end":   instantOf(o.sub("end"), c.location()).Format(time.RFC3339)})
		}
	}
	return all
}
