package google

import (
	"context"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"techo/internal/zone"
	"techo/store/event"
	"techo/tools/calendar/ics"
)

// ImportEvents adds private copies of events, as Google calls them, under their
// UIDs. An event that replaces an occurrence changes that occurrence.
func (g Calendar) ImportEvents(ctx context.Context, all []event.Event) (_ event.Imported, problems []ics.Problem,
	err error) {
	run := importRun{at: g, series: map[string]Event{}}
	for i := range all {
		err := run.event(ctx, &all[i])
		if refused, ok := asRefusal(err); ok && refused.Status == http.StatusBadRequest {
			problems = append(problems, ics.Problem{Title: all[i].Title, Message: g.env.Cause(err)})
			continue
		}
		if err != nil {
			return run.n, problems, errorFor(g.env, "", err)
		}
	}
	return run.n, problems, nil
}

type importRun struct {
	at     Calendar
	series map[string]Event // imported so far, by UID
	n      event.Imported
}

// event adds or changes one event.
func (r *importRun) event(ctx context.Context, e *event.Event) error {
	master, known := r.series[e.UID]
	if !known {
		var err error
		if master, err = r.byUID(ctx, e.UID); err != nil {
			return err
		}
	}
	if e.RecurrenceID != "" && master.ID != "" {
		return r.exception(ctx, e, master.ID+"_"+e.RecurrenceID)
	}
	draft := toGoogle(r.at.env, e)
	if master.ID != "" && master.Status != event.Cancelled {
		r.series[e.UID] = master
		return r.replace(ctx, &master, draft)
	}
	draft.ICalUID, draft.Sequence = e.UID, e.Sequence
	if organizer := ics.DetailsOf(r.at.env, e).Organizer; organizer != "" {
		draft.Organizer = attendee{"email": organizer}
	}
	var made Event
	err := r.at.api.call(ctx, request{method: "POST", path: r.at.events("import"), body: draft}, &made)
	if err == nil {
		r.series[e.UID] = made
		r.n.Added++
	}
	return err
}

// exception changes an occurrence of a series.
func (r *importRun) exception(ctx context.Context, e *event.Event, id string) error {
	there, _, err := r.at.read(ctx, id)
	if err != nil {
		return err
	}
	draft := toGoogle(r.at.env, e)
	draft.Recurrence = nil
	return r.replace(ctx, &there, draft)
}

// replace gives an event the content of a draft.
func (r *importRun) replace(ctx context.Context, there, draft *Event) error {
	o, ok := there.Occurrence(r.at.env, r.at.Calendar.Name)
	if !ok {
		return &apiError{Status: http.StatusBadRequest, Text: "no time"}
	}
	changes := toGoogle(r.at.env, o.Event).changes(draft)
	if len(changes) == 0 {
		r.n.Unchanged++
		return nil
	}
	there.keepUnused(changes)
	_, err := r.at.sendPatch(ctx, there.ID, there.Etag, changes)
	if err == nil {
		r.n.Changed++
	}
	return err
}

// byUID returns the event or series with a UID; its ID is "" if it is missing.
func (r *importRun) byUID(ctx context.Context, uid string) (e Event, err error) {
	g := r.at
	var page struct{ Items []Event }
	query := url.Values{"iCalUID": {uid}, "showDeleted": {"true"}}
	if err := g.api.call(ctx, request{method: "GET", path: g.events(), query: query}, &page); err != nil {
		return e, err
	}
	for _, e := range page.Items {
		if e.ICalUID == uid && e.RecurringEventID == "" {
			return e, nil
		}
	}
	return e, nil
}

// Each yields the events as they are stored. A deleted occurrence becomes an EXDATE
// of its series.
func (g Calendar) Each(ctx context.Context, fn func(event.Event) error) error {
	var all []Event
	err := eachItem(ctx, g, asStored(), func(e Event) error {
		all = append(all, e)
		return nil
	})
	if err != nil {
		return errorFor(g.env, "", err)
	}
	events, exceptions := g.storedEvents(all)
	for i := range events {
		for _, x := range exceptions[events[i].ID] {
			if x.Status == event.Cancelled {
				events[i].Recurrence = append(events[i].Recurrence, "EXDATE:"+x.RecurrenceID)
			}
		}
		if err := fn(events[i]); err != nil {
			return err
		}
		for _, x := range exceptions[events[i].ID] {
			if x.Status != event.Cancelled {
				if err := fn(x); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// storedEvents converts events, and the exceptions of series by the id of the series.
func (g Calendar) storedEvents(all []Event) (events []event.Event, exceptions map[string][]event.Event) {
	exceptions = map[string][]event.Event{}
	bySeries := map[string]*event.Event{}
	for i := range all {
		if o, ok := all[i].Occurrence(g.env, g.Calendar.Name); ok && all[i].RecurringEventID == "" &&
			o.Status != event.Cancelled {
			o.Recurrence = plainDates(o.Event)
			events = append(events, *o.Event)
		}
	}
	for i := range events {
		bySeries[events[i].ID] = &events[i]
	}
	for i := range all {
		series := bySeries[all[i].RecurringEventID]
		if series == nil {
			continue
		}
		x := event.Event{Status: all[i].Status}
		if o, ok := all[i].Occurrence(g.env, g.Calendar.Name); ok {
			x = *o.Event
		} else if all[i].Status != event.Cancelled {
			continue
		}
		x.UID, x.RecurrenceID = series.UID, all[i].originalID(series, ics.ZoneOf(series, g.env.Zone))
		exceptions[series.ID] = append(exceptions[series.ID], x)
	}
	return events, exceptions
}

// plainDates returns the recurrence of a series with the dates of RDATE and EXDATE
// as the store has them: in UTC, or as days.
func plainDates(e *event.Event) (lines []string) {
	for _, l := range e.Recurrence {
		name, list, _ := strings.Cut(l, ":")
		bare, params, _ := strings.Cut(name, ";")
		if bare != "RDATE" && bare != "EXDATE" {
			lines = append(lines, l)
			continue
		}
		home := ics.ZoneOf(e, time.UTC)
		for param := range strings.SplitSeq(params, ";") {
			if tzid, ok := strings.CutPrefix(param, "TZID="); ok {
				if loc, ok := zone.Find(tzid); ok {
					home = loc
				}
			}
		}
		for text := range strings.SplitSeq(list, ",") {
			if at, err := time.Parse("20060102T150405", text); err == nil && e.Form == event.Timed {
				text = zone.Instant(at, home).UTC().Format("20060102T150405Z")
			}
			lines = append(lines, bare+":"+text)
		}
	}
	return slices.Clip(lines)
}
