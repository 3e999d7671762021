package free

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"

	"techo/internal/dates"
	"techo/internal/legible"
	"techo/store/event"
	"techo/tools"
	"techo/tools/calendar/agenda"
	"techo/tools/calendar/backend"
	"techo/tools/when"
)

// search is a parsed query.
type search struct {
	slotQuery
	env        *tools.Env
	first, end time.Time // midnights as wall clock times
	from, to   time.Duration
	days       [7]bool
	busy       []backend.Span
	taken      []event.Occurrence
	names      []string
	policy     busyRules
	partial    bool
	meaning    when.Meaning
}

func newSearch(env *tools.Env, in SuggestIn) (*search, error) {
	f := &agenda.Checker{Env: env}
	s := &search{env: env, names: f.Names(in.Calendar, in.Among),
		policy: busyRules{in.Tentative == "free", in.AllDay}, partial: in.Partial}
	s.first, s.end = f.DateRange("", in.DateFrom, in.DateTo)
	if s.end.Sub(s.first) > maxSuggestDays*24*time.Hour {
		f.Add("date_to", "must be within %d days of date_from", maxSuggestDays)
	}
	agenda.CheckLatestDay(f, "date_to", s.end.AddDate(0, 0, -1))
	work := env.Calendars.Work
	if work.From == work.To {
		work.From, work.To = 9*time.Hour, 18*time.Hour
	}
	if in.Buffer != nil {
		work.Buffer = *in.Buffer
	}
	s.from, s.to = f.Clock("preferred_time_from", in.TimeFrom, work.From),
		f.Clock("preferred_time_to", in.TimeTo, work.To)
	if s.from == s.to {
		f.Add("preferred_time_to", "must differ from preferred_time_from")
	}
	if s.to < s.from {
		s.to += 24 * time.Hour
	}
	step := in.Step
	switch {
	case step == 0 && in.Duration < 30:
		step = 15
	case step == 0:
		step = 30
	case 60%step != 0:
		f.Add("step", "must divide 60: 5, 6, 10, 12, 15, 20, 30 or 60")
	}
	s.days = weekdays(f, cmp.Or(in.Days, work.Days, "work"))
	if asked := in.Days + work.Days; asked == "" && !s.hasWorkingDay() { // a weekend was asked for
		s.days = weekdays(f, "all")
	}
	s.slotQuery = slotQuery{
		zone: env.Zone, length: time.Duration(in.Duration) * time.Minute, step: step, strict: in.Align == "strict",
		maxSlots: in.Limit, strategy: in.Strategy,
		earliest: env.Now().Add(time.Duration(in.Notice) * time.Minute),
		buffer:   time.Duration(work.Buffer) * time.Minute,
	}
	s.meaning = f.Meanings.Meaning()
	return s, f.Err()
}

func (s *search) hasWorkingDay() bool {
	for d := s.first; d.Before(s.end); d = d.AddDate(0, 0, 1) {
		if s.days[d.Weekday()] {
			return true
		}
	}
	return false
}

// windows returns the windows of the days between two midnights.
func (s *search) windows(first, end time.Time, from, to time.Duration) (all []window) {
	for d, n := first, 0; d.Before(end); d, n = d.AddDate(0, 0, 1), n+1 {
		if s.days[d.Weekday()] {
			all = append(all, window{n, backend.WallSpan(s.env, d.Add(from), d.Add(to))})
		}
	}
	return all
}

// reason returns the reason for a result without slots.
func (s *search) reason(windows []window, longest int) string {
	if len(windows) == 0 {
		return "no_working_days"
	}
	fits, future := false, false
	for _, w := range windows {
		fits = fits || w.To.Sub(w.From) >= s.length
		from := w.From
		if from.Before(s.earliest) {
			from = s.earliest
		}
		future = future || w.To.Sub(from) >= s.length
	}
	switch {
	case !fits:
		return "window_shorter_than_duration"
	case !future:
		return "window_in_past"
	case longest == 0:
		return "all_busy"
	case s.strict && time.Duration(longest)*time.Minute >= s.length:
		return "no_aligned_start"
	}
	return "no_block_long_enough"
}

// blockers returns the three events that block most of the time.
func (s *search) blockers(windows []window) []event.Occurrence {
	taken := make([]time.Duration, len(s.taken))
	order := make([]int, len(s.taken))
	for i, o := range s.taken {
		order[i] = i
		for _, w := range windows {
			for _, part := range backend.MergeSpans([]backend.Span{{From: o.From, To: o.To}}, w.Span) {
				taken[i] += part.To.Sub(part.From)
			}
		}
	}
	slices.SortStableFunc(order, func(a, b int) int { return int((taken[b] - taken[a]) / time.Second) })
	var top []event.Occurrence
	for _, i := range order[:min(3, len(order))] {
		if taken[i] > 0 && s.taken[i].Event.ID != "" { // busy times from Google have no event
			s.taken[i].Identify()
			top = append(top, s.taken[i])
		}
	}
	return top
}

// queryFor returns the query for events between two midnights, including the
// buffer.
func (s *search) queryFor(first, end time.Time) agenda.Query {
	q := event.Query{From: agenda.InstantAt(s.env, first).Add(-s.buffer),
		To: agenda.InstantAt(s.env, end.Add(max(0, s.to-24*time.Hour))).Add(s.buffer), Busy: s.policy.allDay != "block"}
	return agenda.Query{Query: q, Names: s.names, TimesOnly: true, Complete: true}
}

// addOptional reads the optional calendars. One that could not be read is reported
// and otherwise ignored.
func (s *search) addOptional(ctx context.Context, names []string, out *SuggestOut) error {
	if len(names) == 0 {
		return nil
	}
	q := s.queryFor(s.first, s.end.AddDate(0, 0, prefetchDays))
	q.Names = names
	g, err := agenda.Find(ctx, s.env, q)
	if err != nil {
		return err
	}
	for _, o := range s.policy.busyEvents(g.Occurrences) {
		s.optional = append(s.optional, backend.Span{From: o.From, To: o.To})
	}
	s.optional = backend.MergeSpans(s.optional, s.allTime())
	out.Checked, out.Unchecked = append(out.Checked, g.Checked...), append(out.Unchecked, g.Unchecked...)
	return nil
}

func (s *search) addBusy(busy []event.Occurrence) {
	if s.taken == nil {
		s.taken = busy
	} else {
		s.taken = append(s.taken, busy...)
	}
	for i := range busy {
		s.busy = append(s.busy, backend.Span{From: busy[i].From, To: busy[i].To})
	}
	s.busy = backend.MergeSpans(s.busy, s.allTime())
}

// weekdays parses "all", "work" or names of weekdays.
func weekdays(f *agenda.Checker, text string) (days [7]bool) {
	switch strings.ToLower(strings.TrimSpace(text)) {
	case "all", "":
		return [7]bool{true, true, true, true, true, true, true}
	case "work":
		return [7]bool{false, true, true, true, true, true, false}
	}
	for name := range strings.FieldsFuncSeq(text, func(r rune) bool { return r == ',' || r == ' ' || r == '、' }) {
		d, ok := dates.Weekday(name)
		if !ok {
			f.Add("days", "must be all, work or weekdays such as mon,tue, not %q", legible.Clip(text))
			return days
		}
		days[d] = true
	}
	return days
}

// allTime returns a span that has all times near the days of the search.
func (s *search) allTime() backend.Span {
	return backend.Span{From: s.first.AddDate(-100, 0, 0), To: s.end.AddDate(100, 0, 0)}
}
