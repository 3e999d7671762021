package google

import (
	"context"
	"errors"
	"net/http"
	"time"

	"techo/store/event"
	"techo/tools/when"
)

// Limits of one freeBusy request.
const (
	freeBusyDays      = 60
	freeBusyCalendars = 50
)

// busyAnswer has the busy times of a calendar, or the error.
type busyAnswer struct {
	Found event.Found
	Err   error
}

// FreeBusy reads the busy times of calendars, split into requests of
// freeBusyDays. A calendar that is missing in Google's answer, or has an error
// there, counts as unread.
func FreeBusy(ctx context.Context, calendars []Calendar, q event.Query) []busyAnswer {
	all := make([]busyAnswer, len(calendars))
	for i := 0; i < len(calendars); i += freeBusyCalendars {
		end := min(i+freeBusyCalendars, len(calendars))
		for from := q.From; from.Before(q.To); from = from.AddDate(0, 0, freeBusyDays) {
			to := from.AddDate(0, 0, freeBusyDays)
			if to.After(q.To) {
				to = q.To
			}
			queryFreeBusyPage(ctx, calendars[i:end], from, to, all[i:end])
		}
	}
	for i := range all {
		all[i].Err = errorFor(calendars[i].env, "", all[i].Err)
	}
	return all
}

// queryFreeBusyPage sends one request and adds to the answers.
func queryFreeBusyPage(ctx context.Context, calendars []Calendar, from, to time.Time, all []busyAnswer) {
	var items []map[string]string
	for _, g := range calendars {
		items = append(items, map[string]string{"id": g.Calendar.Remote})
	}
	var answer struct {
		Calendars map[string]struct {
			Errors []struct{ Reason string }
			Busy   []struct{ Start, End time.Time }
		}
	}
	body := map[string]any{"timeMin": from.UTC().Format(time.RFC3339), "timeMax": to.UTC().Format(time.RFC3339),
		"items": items}
	failed := calendars[0].api.call(ctx, request{method: "POST", path: "/freeBusy", body: body}, &answer)
	for i, g := range calendars {
		c, ok := answer.Calendars[g.Calendar.Remote]
		switch {
		case failed != nil:
			all[i].Err = failed
		case !ok:
			all[i].Err = errors.New("google: the calendar is not in the answer")
		case len(c.Errors) > 0:
			all[i].Err = &apiError{Status: http.StatusNotFound, Reason: c.Errors[0].Reason, Text: "free and busy: " +
				c.Errors[0].Reason}
		}
		for _, b := range c.Busy {
			all[i].Found.Occurrences = append(all[i].Found.Occurrences, event.Occurrence{
				Event: &event.Event{Calendar: g.Calendar.Name, Status: event.Confirmed, Zone: when.ZoneName(g.env)},
				From:  b.Start, To: b.End,
			})
		}
	}
}
