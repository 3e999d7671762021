package caldav

import (
	"context"
	"encoding/xml"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"
	"unicode"

	"techo/export"
	"techo/internal/ical"
	"techo/internal/sorting"
	"techo/store/event"
	"techo/tools"
	"techo/tools/calendar/backend"
	"techo/tools/when"
)

// Limits of an answer with busy times.
const (
	maxBusyAnswer  = 4 << 20 // bytes
	maxBusyPeriods = 50_000
)

// onlyFreeBusy reports whether a server refused to show events, which a person with the
// privilege read-free-busy alone cannot read.
func onlyFreeBusy(err error) bool {
	refused := new(backend.StatusError)
	return errors.As(err, &refused) && refused.Status == http.StatusForbidden
}

// FindTimes returns the events of a calendar, or, if its server does not show them, the
// busy times there, without titles.
func FindTimes(ctx context.Context, d Calendar, q event.Query) (event.Found, error) {
	stale := updateCopy(ctx, d)
	if onlyFreeBusy(stale) {
		found, err := busyTimes(ctx, d, q.From, q.To)
		return found, backend.ServiceError(d.Env, err)
	}
	found, err := d.Local.Find(ctx, q)
	return found, errors.Join(backend.ServiceError(d.Env, stale), err)
}

// busyTimes asks the server for the busy times between two instants (RFC 4791, 7.10).
func busyTimes(ctx context.Context, d Calendar, from, to time.Time) (found event.Found, err error) {
	from, to = from.UTC().Truncate(time.Second), to.UTC().Add(time.Second-1).Truncate(time.Second)
	data, err := d.client.freeBusy(ctx, d.calendar.Remote, from, to)
	if err != nil {
		return found, err
	}
	all, err := readFreeBusy(data, backend.Span{From: from, To: to})
	if err != nil {
		fail := backend.Failure(d.Env, err)
		return found, fail(tools.Upstream, "The busy times of the calendar's server cannot be read", false)
	}
	for _, p := range all {
		e := &event.Event{Calendar: d.Name, Status: event.Confirmed, Zone: when.ZoneName(d.Env)}
		if p.tentative {
			e.Status = event.Tentative
		}
		found.Occurrences = append(found.Occurrences, event.Occurrence{Event: e, From: p.From, To: p.To})
	}
	return found, nil
}

func (c *client) freeBusy(ctx context.Context, href string, from, to time.Time) ([]byte, error) {
	instant := func(t time.Time) string { return ical.Time{Wall: t.UTC(), UTC: true}.Form() }
	a, err := c.send(ctx, request{method: "REPORT", href: href, depth: "1", limit: maxBusyAnswer,
		kind: "application/xml; charset=utf-8", body: xml.Header + `<c:free-busy-query ` + davNames +
			`><c:time-range start="` + instant(from) + `" end="` + instant(to) + `"/></c:free-busy-query>`})
	if err == nil && a.status != http.StatusOK {
		err = &backend.StatusError{Status: a.status}
	}
	return a.body, err
}

// answersFreeBusy reports whether the server gives the busy times of the calendar at the
// address of the client.
func (c *client) answersFreeBusy(ctx context.Context) bool {
	from := c.env.Now().UTC().Truncate(time.Second)
	data, err := c.freeBusy(ctx, c.base.String(), from, from.Add(time.Hour))
	if err != nil {
		return false
	}
	_, err = readFreeBusy(data, backend.Span{From: from, To: from.Add(time.Hour)})
	return err == nil
}

// busyPeriod is a time that is not free.
type busyPeriod struct {
	backend.Span
	tentative bool
}

// readFreeBusy reads the busy periods of a VCALENDAR that overlap within, sorted. An
// answer that is not understood as a whole, or does not cover within, is an error,
// because what it leaves out would count as free.
func readFreeBusy(data []byte, within backend.Span) (all []busyPeriod, err error) {
	if len(data) > maxBusyAnswer {
		return nil, fmt.Errorf("more than %d bytes", maxBusyAnswer)
	}
	components, problems := ical.Parse(data)
	if len(problems) > 0 || len(components) != 1 || components[0].Name != "VCALENDAR" {
		return nil, backend.ErrNoCalendar
	}
	for _, c := range components[0].Components {
		if c.Name != "VFREEBUSY" {
			continue
		}
		if all, err = appendBusy(all, c, within); err != nil {
			return nil, err
		}
	}
	sorting.By(all, func(a, b busyPeriod) int { return a.From.Compare(b.From) })
	return all, nil
}

var errBusy = errors.New("free-busy: not a busy time")

// appendBusy appends the busy periods of a VFREEBUSY. Some servers, such as Radicale,
// answer with a component for each period, from its start to its end.
func appendBusy(all []busyPeriod, c *ical.Component, within backend.Span) ([]busyPeriod, error) {
	if kind := c.Property("FBTYPE"); kind != nil {
		start, end := c.Property("DTSTART"), c.Property("DTEND")
		if start == nil || end == nil {
			return nil, errBusy
		}
		return appendPeriod(all, start.Value+"/"+end.Value, kind.Value, within)
	}
	if !covers(c, within) {
		return nil, errors.New("free-busy: not the whole time that was asked for")
	}
	for i := range c.Properties {
		p := &c.Properties[i]
		if p.Name != "FREEBUSY" {
			continue
		}
		for period := range strings.SplitSeq(p.Value, ",") {
			var err error
			if all, err = appendPeriod(all, period, p.Param("FBTYPE"), within); err != nil {
				return nil, err
			}
		}
	}
	return all, nil
}

// covers reports whether a VFREEBUSY describes the whole of a span. Without a start or
// an end it describes what was asked for.
func covers(c *ical.Component, within backend.Span) bool {
	edge := func(name string, other time.Time) (time.Time, bool) {
		p := c.Property(name)
		if p == nil {
			return other, true
		}
		t, err := ical.ParseTime(p.Value)
		return t.Wall, err == nil && t.UTC
	}
	from, ok1 := edge("DTSTART", within.From)
	to, ok2 := edge("DTEND", within.To)
	return ok1 && ok2 && !from.After(within.From) && !to.Before(within.To)
}

// appendPeriod appends a period of a type if it is busy and overlaps within. A type that
// is not in RFC 5545 means busy.
func appendPeriod(all []busyPeriod, text, kind string, within backend.Span) ([]busyPeriod, error) {
	s, err := parsePeriod(text)
	if err != nil {
		return nil, err
	}
	kind = strings.ToUpper(strings.TrimSpace(kind))
	if kind == "FREE" || !s.From.Before(within.To) || !within.From.Before(s.To) {
		return all, nil
	}
	if len(all) == maxBusyPeriods {
		return nil, fmt.Errorf("free-busy: more than %d busy times", maxBusyPeriods)
	}
	return append(all, busyPeriod{s, kind == "BUSY-TENTATIVE"}), nil
}

// Limits of the text of a period, so that the sum of its duration's parts does not
// overflow.
const (
	maxPeriodText = 36 // bytes
	maxDigits     = 6  // of a number in a duration
)

// parsePeriod parses START/END or START/DURATION, in UTC.
func parsePeriod(text string) (s backend.Span, err error) {
	start, end, ok := strings.Cut(strings.TrimSpace(text), "/")
	from, err := ical.ParseTime(start)
	if !ok || err != nil || !from.UTC || len(text) > maxPeriodText {
		return s, errBusy
	}
	s.From = from.Wall
	if strings.HasPrefix(strings.ToUpper(end), "P") {
		tooLong := func(digits string) bool { return len(digits) > maxDigits }
		if slices.ContainsFunc(strings.FieldsFunc(end, func(r rune) bool { return !unicode.IsDigit(r) }), tooLong) {
			return s, errBusy
		}
		d, err := ical.ParseDuration(end)
		if err != nil || d.Days < 0 || d.Time < 0 {
			return s, errBusy
		}
		s.To = s.From.AddDate(0, 0, d.Days).Add(d.Time)
	} else if to, err := ical.ParseTime(end); err == nil && to.UTC {
		s.To = to.Wall
	}
	if !s.From.Before(s.To) {
		return s, errBusy
	}
	return s, nil
}

// addUnread adds an event to a calendar whose server does not show its events. The busy
// times there are the conflicts of the event. It is not in the copy.
func addUnread(ctx context.Context, d Calendar, e event.Event, how event.Write) (w event.Written, err error) {
	mine := event.Expand(e, d.Env.Zone)
	first, last := mine[0], mine[len(mine)-1]
	busy, err := busyTimes(ctx, d, first.From, last.To.Add(time.Second))
	if err != nil {
		return w, backend.ServiceError(d.Env, err)
	}
	if w, err = d.St.AddEvent(ctx, e, event.Write{Zone: how.Zone, DryRun: true}); err != nil {
		return w, err
	}
	w.Conflicts = nil
	for _, o := range busy.Occurrences {
		overlaps := func(m event.Occurrence) bool { return o.From.Before(m.To) && m.From.Before(o.To) }
		if e.Busy() && len(w.Conflicts) < event.MaxConflicts && slices.ContainsFunc(mine, overlaps) {
			w.Conflicts = append(w.Conflicts, o)
		}
	}
	if how.IfFree && len(w.Conflicts) > 0 {
		return w, &event.ConflictError{Conflicts: w.Conflicts}
	}
	if how.DryRun {
		return w, nil
	}
	return w, d.create(ctx, e.UID, export.Calendar{Events: []event.Event{*w.Event}})
}
