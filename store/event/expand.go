package event

import (
	"errors"
	"slices"
	"strings"
	"time"

	"techo/internal/ical"
	"techo/internal/recur"
	"techo/internal/zone"
)

// expander computes the occurrences of a series in the local time of the event.
type expander struct {
	event    *Event
	home     *time.Location
	Rules    []*recur.Series
	except   []*recur.Series
	dates    []time.Time // of RDATE, sorted
	left     map[int64]bool
	leftDays map[int64]bool
	last     time.Time // the latest UNTIL; zero without one
	Err      error
	budget   *recur.Budget
}

// Expander parses the recurrence of an event. If a rule cannot be followed, err is
// set and the event counts as a single one.
func (t *Tx) Expander(e *Event, home *time.Location) *expander {
	x := &expander{event: e, home: home, budget: t.budget}
	for _, l := range e.Recurrence {
		name, value, _ := strings.Cut(l, ":")
		name, params, _ := strings.Cut(name, ";")
		switch name {
		case "RRULE":
			if s, err := x.series(t, value); err != nil {
				x.Err = err
			} else {
				x.Rules = append(x.Rules, s)
			}
		case "EXRULE":
			if s, err := x.series(t, value); err == nil {
				x.except = append(x.except, s)
			}
		case "RDATE":
			x.addDates(value)
		case "EXDATE":
			x.leave(value, strings.Contains(params, "DATE"))
		}
	}
	slices.SortFunc(x.dates, time.Time.Compare)
	return x
}

func (x *expander) series(t *Tx, text string) (*recur.Series, error) {
	r := t.rules[text]
	if r == nil {
		var err error
		if r, err = recur.Parse(text); err != nil {
			return nil, err
		}
		t.rules[text] = r
	}
	until := UntilWall(r, x.event, x.home)
	if until.After(x.last) {
		x.last = until
	}
	if x.event.Never {
		return nil, errNever
	}
	s := recur.New(r, x.event.Start, x.event.Form == AllDay, until).Limit(x.budget)
	if r.Freq >= recur.Hourly && x.event.Form == Timed && x.home != time.UTC {
		// The hour that clocks skip is the next one, which the rule has already.
		s.Without(func(w time.Time) bool { return !x.event.shown(w, x.home).Equal(w) && !w.Equal(x.event.Start) })
	}
	return s, nil
}

// UntilWall returns the last local time that a rule of an event allows, zero without an end.
func UntilWall(r *recur.Rule, e *Event, home *time.Location) time.Time {
	switch {
	case r.Until.IsZero():
	case r.Form == recur.UntilUTC && e.Form == Timed:
		return zone.Wall(r.Until, home)
	case r.Form == recur.UntilDate, e.Form == AllDay:
		return r.Until.Truncate(24 * time.Hour).Add(24*time.Hour - time.Second)
	}
	return r.Until
}

// StrictRule returns a line of a recurrence with the end that RFC 5545 requires:
// an instant for a timed event, a date for an all-day event. Programs disagree
// about other ends.
func StrictRule(e *Event, line string, home *time.Location) string {
	name, value, _ := strings.Cut(line, ":")
	r, err := recur.Parse(value)
	if err != nil || r.Until.IsZero() {
		return line
	}
	until := UntilWall(r, e, home)
	switch e.Form {
	case AllDay:
		r.Until, r.Form = until, recur.UntilDate
	case Floating:
		r.Until, r.Form = until, recur.UntilLocal
	default:
		r.Until, r.Form = zone.Instant(until, home).UTC(), recur.UntilUTC
	}
	return name + ":" + r.String()
}

// errNever reports a rule that no time matches. The event is shown at its start,
// instead of never.
var errNever = errors.New("no time matches its rule")

// never reports whether no time matches a rule of the event, within a limit of
// steps. Since this takes long, it runs only when the event is written.
func (t *Tx) never(e *Event) bool {
	if !e.Recurs() {
		return false
	}
	one := *e
	one.Never = false
	for _, s := range t.Expander(&one, t.Location(e, time.UTC)).Rules {
		enough, none := t.budget.Steps >= maxEventSteps, s.Rule().MayBeEmpty()
		if none && !s.Rule().Impossible() {
			withOwnBudget(t.budget, s, func() {
				s.Walk(e.Start, endOfTime, func(time.Time) bool {
					none = false
					return false
				})
			})
			none = none && enough
		}
		if none {
			return true
		}
	}
	return false
}

// withOwnBudget runs walk with the steps of one event instead of the steps of the
// transaction.
func withOwnBudget(all *recur.Budget, s *recur.Series, walk func()) {
	b := recur.Budget{Steps: min(all.Steps, maxEventSteps)}
	all.Steps -= b.Steps
	s.Limit(&b)
	walk()
	s.Limit(all)
	all.Steps += max(0, b.Steps)
}

// Limits of the steps that rules may take when one event is written, and in one
// transaction. A step takes some 50 ns.
const (
	maxEventSteps = 60_000
	maxTxSteps    = 6_000_000
)

func (x *expander) addDates(list string) {
	for text := range strings.SplitSeq(list, ",") {
		if w, err := ReadOccurrence(text, x.home); err == nil {
			x.dates = append(x.dates, w)
		}
	}
}

func (x *expander) leave(list string, days bool) {
	for text := range strings.SplitSeq(list, ",") {
		w, err := ReadOccurrence(text, x.home)
		if err != nil {
			continue
		}
		if days || len(text) == 8 {
			x.leftDays = with(x.leftDays, w.Unix()/86400)
		} else {
			x.left = with(x.left, w.Unix())
		}
	}
}

// with adds to a set, which is nil for most series.
func with(set map[int64]bool, n int64) map[int64]bool {
	if set == nil {
		set = map[int64]bool{}
	}
	set[n] = true
	return set
}

// Slack exceeds any difference that a change of clocks makes in one place.
const Slack = 26 * time.Hour

// maxOccurrences limits the occurrences of one series that a query examines.
const maxOccurrences = 10_000

// Walk yields the occurrences in a range of local times, without excluded and
// replaced ones. It returns false if the limits cut the result short.
func (x *expander) Walk(from, to time.Time, yield func(time.Time) bool) bool {
	var walls []time.Time
	whole := true
	gather := func(w time.Time) bool {
		walls = append(walls, w)
		return len(walls) < maxOccurrences
	}
	for _, s := range x.Rules {
		whole = s.Walk(from, to, gather) && whole
	}
	whole = whole && len(walls) < maxOccurrences
	in := func(w time.Time) bool { return !w.Before(from) && w.Before(to) }
	if len(x.Rules) == 0 && in(x.event.Start) {
		walls = append(walls, x.event.Start)
	}
	for _, w := range x.dates {
		if in(w) {
			walls = append(walls, w)
		}
	}
	if len(x.Rules)+len(x.dates) > 1 {
		slices.SortFunc(walls, time.Time.Compare)
		walls = slices.CompactFunc(walls, time.Time.Equal)
	}
	gone := x.gone(from, to)
	some := len(gone)+len(x.left) > 0
	for _, w := range walls {
		if some {
			if n := x.event.shown(w, x.home).Unix(); gone[n] || x.left[n] {
				continue
			}
		}
		if !x.leftDays[w.Unix()/86400] && !yield(w) {
			break
		}
	}
	return whole
}

// First returns the first occurrence from a local time on that is wanted.
func (x *expander) First(from time.Time, wanted func(time.Time) bool) (wall time.Time, ok bool) {
	for _, days := range []int{31, 400, 4000, 40_000} { // it is near, most times
		x.Walk(from, from.AddDate(0, 0, days), func(w time.Time) bool {
			if wanted(w) {
				wall, ok = w, true
			}
			return !ok
		})
		if ok {
			return wall, true
		}
	}
	return wall, false
}

// shown returns the local time that clocks show at an occurrence: a later one for a time that they skip.
func (e *Event) shown(wall time.Time, home *time.Location) time.Time {
	if e.Form != Timed || home == time.UTC {
		return wall
	}
	return zone.Wall(zone.Instant(wall, home), home)
}

// gone returns the occurrences in a range that EXRULE excludes or another event
// replaces.
func (x *expander) gone(from, to time.Time) map[int64]bool {
	var gone map[int64]bool
	for _, s := range x.except {
		n := 0
		s.Walk(from, to, func(w time.Time) bool {
			gone = with(gone, x.event.shown(w, x.home).Unix())
			n++
			return n < maxOccurrences
		})
	}
	for _, original := range x.event.Exceptions {
		if w, err := ReadOccurrence(original, x.home); err == nil {
			gone = with(gone, w.Unix())
		}
	}
	return gone
}

// spans yields the occurrences that overlap a range of instants.
func (x *expander) spans(from, to time.Time, yield func(wall, from, to time.Time) bool) bool {
	e := x.event
	length := time.Duration(e.Days)*24*time.Hour + e.Length + Slack
	return x.Walk(zone.Wall(from, x.home).Add(-length), zone.Wall(to, x.home).Add(Slack), func(w time.Time) bool {
		a, b := e.Span(w, x.home)
		if !Overlaps(a, b, from, to) {
			return true
		}
		return yield(w, a, b)
	})
}

// Overlaps reports whether two half-open ranges overlap. An empty range overlaps a
// range that starts with it.
func Overlaps(a, b, from, to time.Time) bool {
	return a.Before(to) && (b.After(from) || a.Equal(b) && !a.Before(from))
}

// bounds returns the range that can hold occurrences of the series. filter is nil
// if the dates have no regular pattern.
func (x *expander) bounds(from, to int64) (first, last int64, filter *recur.Filter) {
	e := x.event
	end := e.Start
	for _, s := range x.Rules {
		r := s.Rule()
		switch {
		case r.Count > 0:
			n, whole := 0, false
			withOwnBudget(x.budget, s, func() {
				whole = s.Walk(e.Start, endOfTime, func(w time.Time) bool {
					if w.After(end) {
						end = w
					}
					n++
					return n < maxCounted
				})
			})
			if !whole || n >= maxCounted {
				end = endOfTime
			}
		case !r.Until.IsZero():
			if x.last.After(end) {
				end = x.last
			}
		default:
			end = endOfTime
		}
	}
	for _, w := range x.dates {
		from = min(from, w.Unix()-int64(Slack/time.Second))
		if w.After(end) {
			end = w
		}
	}
	if end.Equal(endOfTime) && x.Err == nil {
		to = forever
	} else {
		to = max(to, end.Unix()+int64((time.Duration(e.Days)*24*time.Hour+e.Length+Slack)/time.Second))
	}
	if x.Err == nil && len(x.Rules) == 1 && len(x.dates) == 0 {
		f := x.Rules[0].Filter()
		filter = &f
	}
	return from, to, filter
}

// maxCounted limits the occurrences that are counted to find the end of a rule
// with COUNT. Longer rules count as endless.
const maxCounted = 100_000

var endOfTime = time.Date(10000, 1, 1, 0, 0, 0, 0, time.UTC)

// Expand returns the occurrences of an event that is not in the store, for one
// year from its start and at most as many as conflicts are checked for. loc is the
// reader's zone.
func Expand(e Event, loc *time.Location) []Occurrence {
	return withoutStore().expandYear(e, loc)
}

// maxCompared limits the occurrences of an event that are compared with other
// events.
const maxCompared = 1000

func (t *Tx) expandYear(e Event, loc *time.Location) []Occurrence {
	first := t.First(e, loc)
	if !e.Recurs() {
		return []Occurrence{first}
	}
	var all []Occurrence
	home := t.Location(&e, loc)
	t.Expander(&e, home).spans(first.From, first.From.AddDate(1, 0, 0), func(wall, from, to time.Time) bool {
		all = append(all, Occurrence{Event: &e, From: from, To: to, Wall: wall, Original: e.OccurrenceID(wall, home)})
		return len(all) < maxCompared
	})
	if len(all) == 0 {
		return []Occurrence{first}
	}
	return all
}

// CheckRecurrence parses a line of a recurrence, with or without its name, and
// returns it in the stored form.
func CheckRecurrence(line string) (string, error) {
	name, value, ok := strings.Cut(line, ":")
	if !ok {
		name, value = "RRULE", line
	}
	name = strings.ToUpper(name)
	bare, _, _ := strings.Cut(name, ";")
	switch bare {
	case "RRULE", "EXRULE":
		r, err := recur.Parse(value)
		if err != nil {
			return "", err
		}
		return bare + ":" + r.String(), nil
	}
	for text := range strings.SplitSeq(value, ",") {
		if _, err := ical.ParseTime(text); err != nil {
			return "", err
		}
	}
	return name + ":" + strings.ToUpper(value), nil
}
