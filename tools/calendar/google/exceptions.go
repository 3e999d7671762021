package google

import (
	"context"
	"encoding/json"
	"fmt"
	"net/url"
	"strings"
	"time"

	"techo/store/calendar"
	"techo/store/event"
)

// keepConference are the parameters for copies of events: no mail to guests, and the
// copy has the conference of the original.
var keepConference = url.Values{"sendUpdates": {"none"}, "conferenceDataVersion": {"1"}}

// exception is an occurrence of a series that was changed or deleted.
type exception struct {
	Event
	original string         // id within the series
	all      map[string]any // all fields
}

// exceptionsFrom returns the exceptions of a series from its chosen occurrence on.
func (s *series) exceptionsFrom(ctx context.Context) (all []exception, err error) {
	err = eachItem(ctx, s.at, asStored(), func(raw json.RawMessage) error {
		var x exception
		if err := json.Unmarshal(raw, &x.Event); err != nil {
			return fmt.Errorf("google: answer not understood: %w", err)
		}
		if x.RecurringEventID != s.master.ID {
			return nil
		}
		x.original = x.originalID(&s.event, s.home)
		if at, err := event.ReadOccurrence(x.original, s.home); err != nil || at.Before(s.wall) {
			return nil
		}
		all = append(all, x)
		return json.Unmarshal(raw, &all[len(all)-1].all)
	})
	return all, err
}

// originalID returns the id of an occurrence within its series.
func (g *Event) originalID(series *event.Event, home *time.Location) string {
	if t := g.OriginalStart; t != nil {
		if day, err := time.Parse(time.DateOnly, t.Date); err == nil {
			return series.OccurrenceID(day, home)
		}
		if at, err := time.Parse(time.RFC3339, t.DateTime); err == nil {
			return at.UTC().Format("20060102T150405Z")
		}
	}
	return strings.TrimPrefix(g.ID, g.RecurringEventID+"_")
}

// carryOver applies an exception to an occurrence of another series. If that series
// has no such occurrence, a changed one becomes an event of its own.
func (s *series) carryOver(ctx context.Context, x exception, id string) error {
	g := s.at
	if x.Status == event.Cancelled {
		err := g.api.call(ctx, request{method: "DELETE", path: g.events(id), query: noNotifications}, nil)
		if isMissing(err) {
			return nil
		}
		return err
	}
	body := x.all
	dropAssigned(body)
	for _, name := range []string{"id", "recurringEventId", "originalStartTime"} {
		delete(body, name)
	}
	err := g.api.call(ctx, request{method: "PATCH", path: g.events(id), query: keepConference, body: body}, nil)
	if isMissing(err) {
		return g.api.call(ctx, request{method: "POST", path: g.events(), query: keepConference, body: body}, nil)
	}
	return err
}

// dropExceptions deletes the exceptions of a part of a series that has ended.
func (s *series) dropExceptions(ctx context.Context, all []exception) error {
	g := s.at
	for _, x := range all {
		if x.Status == event.Cancelled {
			continue
		}
		err := g.api.call(ctx, request{method: "DELETE", path: g.events(x.ID), query: noNotifications}, nil)
		if err != nil && !isMissing(err) {
			return err
		}
		if o, ok := x.Occurrence(g.env, g.Calendar.Name); ok {
			s.made = append(s.made, calendar.EventChange{Before: o.Event})
		}
	}
	return nil
}

// dropAssigned removes the fields that Google assigns.
func dropAssigned(ev map[string]any) {
	for _, name := range []string{"etag", "iCalUID", "kind", "htmlLink", "created", "updated", "creator", "organizer",
		"sequence", "hangoutLink", "locked", "privateCopy", "attendeesOmitted"} {
		delete(ev, name)
	}
}
