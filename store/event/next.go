package event

import (
	"time"

	"techo/internal/recur"
	"techo/internal/zone"
)

// NextOccurrence returns the first occurrence of an event that ends after a time. The
// result for an event that is over is the occurrence at its start. loc is the zone for floating and all-day
// events.
func NextOccurrence(e Event, after time.Time, loc *time.Location) Occurrence {
	t := &Tx{zones: map[string]*time.Location{}, budget: &recur.Budget{Steps: maxTxSteps}}
	o := t.First(e, loc)
	if !e.Recurs() {
		return o
	}
	home := t.Location(&e, loc)
	x := t.Expander(&e, home)
	if x.Err != nil {
		return o
	}
	from := zone.Wall(after, home).Add(-o.To.Sub(o.From) - Slack)
	for _, days := range []int{31, 400, 4000, 40_000} {
		found := false
		x.Walk(from, from.AddDate(0, 0, days), func(w time.Time) bool {
			start, end := e.Span(w, home)
			if end.After(after) {
				o.Wall, o.From, o.To, o.Original, found = w, start, end, e.OccurrenceID(w, home), true
			}
			return !found
		})
		if found {
			return o
		}
	}
	return o
}
