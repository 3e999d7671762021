package calendar

import (
	"context"
	"slices"
	"time"

	"techo/store"
	"techo/tools"
)

// Check is the tool check_availability.
var Check = &tools.Tool{
	Name:    "check_availability",
	For:     tools.Agents,
	Command: "cal check",
	About:   "Check whether a day, a time or a range of days is free",
	More: "day (date): is the whole day free? time_slot (date, time_from, time_to): is that time free? range " +
		"(date_from, date_to): which days are free? available is null if a calendar could not be read; do not treat " +
		"null as free. all_day decides what all-day events count as: transparency (what each event says), block " +
		"(busy) or ignore." +
		" The calendars of your shared spaces are among all, named as in team/default.",
	Effect:      tools.Reads,
	Sharing:     tools.AllSpaces,
	Preapproved: true,
	World:       true,
	Words:       []string{"check_type", "date"},
	Refused:     "Could not check: %s",
	Examples: []tools.Example{
		{Does: "Is tomorrow afternoon free?",
			Line: `cal check --check-type time_slot --date tomorrow --time-from 13:00 --time-to 17:00`},
		{Does: "Which days of next week are free?", Line: `cal check range --date-from "next mon" --date-to +11d`},
	},
	Run: tools.Func[CheckIn, CheckOut](checkAvailability),
}

// CheckIn is the input of check_availability.
type CheckIn struct {
	CheckType string   `json:"check_type" enum:"day,time_slot,range" doc:"What to check"`
	Date      string   `json:"date,omitempty" doc:"The day, for day and time_slot, e.g. 2026-01-05, tomorrow"`
	DateFrom  string   `json:"date_from,omitempty" doc:"The first day, for range, e.g. 2026-01-05"`
	DateTo    string   `json:"date_to,omitempty" doc:"The last day, included, for range, e.g. 2026-01-09"`
	TimeFrom  string   `json:"time_from,omitempty" doc:"Start, for time_slot, e.g. 13:00"`
	TimeTo    string   `json:"time_to,omitempty" doc:"End, for time_slot; next day if before time_from"`
	Tentative string   `json:"tentative" default:"busy" enum:"busy,free" doc:"What tentative events count as"`
	AllDay    string   `json:"all_day" default:"transparency" enum:"transparency,block,ignore" doc:"All-day events"`
	Partial   bool     `json:"allow_partial,omitempty" doc:"Ignore calendars that cannot be read"`
	Calendar  string   `json:"calendar,omitempty" doc:"The calendar's name, or all (default: default)"`
	Calendars []string `json:"calendars,omitempty" doc:"More calendars to check"`
}

// Span is a span of time.
type Span struct {
	Start   string `json:"start"`
	End     string `json:"end"`
	Minutes int    `json:"minutes"`
}

// CheckOut is the result of check_availability.
type CheckOut struct {
	Available   *bool    `json:"available"`
	CheckType   string   `json:"check_type"`
	DateFrom    string   `json:"date_from"`
	DateTo      string   `json:"date_to"`
	Weekday     string   `json:"weekday"`
	Timezone    string   `json:"timezone"`
	Busy        []Span   `json:"busy"`
	Free        []Span   `json:"free"`
	FreeDays    []string `json:"free_days"`
	FreeMinutes int      `json:"free_minutes"`
	Longest     int      `json:"longest_free_minutes"`
	// for a time slot that is taken: the nearest free times of the same length, from
	// now on
	NearestBefore *Span       `json:"nearest_free_before,omitempty"`
	NearestAfter  *Span       `json:"nearest_free_after,omitempty"`
	Conflicts     []Event     `json:"conflicts"`
	Touching      []Event     `json:"touching"`
	BusyFree      []Event     `json:"busy_free_all_day"` // all-day events that do not block time
	Checked       []string    `json:"checked"`
	Unchecked     []Unchecked `json:"unchecked"`
	Problems      []Problem   `json:"problems"`
	tools.Meaning
	Message string `json:"message"`

	conflicts []store.Occurrence
	free      []span
	near      []span // nearest free times
}

// maxRange limits the days of a query.
const maxRange = 366

func checkAvailability(ctx context.Context, env *tools.Env, in CheckIn) (out CheckOut, err error) {
	f := &inputChecker{env: env}
	first, end, within := f.checkedSpan(in)
	if err := f.err(); err != nil {
		return out, err
	}
	names := calendars(in.Calendar, in.Calendars)
	// includes events that touch the range
	around := multiQuery{EventQuery: store.EventQuery{From: within.from.Add(-time.Second),
		To: within.to.Add(time.Second)}, names: names, timesOnly: true, complete: true}
	if in.CheckType == "range" {
		around.timesOnly = false // the specification requires the events themselves
	}
	g, err := query(ctx, env, around)
	if err != nil {
		return out, Explain(env, err)
	}
	policy := busyRules{tentativeIsFree: in.Tentative == "free", allDay: in.AllDay}
	out = CheckOut{
		CheckType: in.CheckType, DateFrom: first.Format(time.DateOnly),
		DateTo:  end.AddDate(0, 0, -1).Format(time.DateOnly),
		Weekday: first.Weekday().String(), Timezone: zoneName(env), FreeDays: []string{},
		Checked: g.checked, Unchecked: g.unchecked, Problems: toProblems(env, g.Problems),
		Meaning: f.meanings.Meaning(),
	}
	out.BusyFree = toEvents(env, nonBlockingDays(g.Occurrences, within))
	busy := out.addBusy(env, policy.busyEvents(g.Occurrences), within)
	known := len(g.unchecked) == 0 || in.Partial && len(g.checked) > 0
	if known && in.CheckType != "time_slot" {
		out.addFreeDays(env, busy, first, end)
	}
	available := len(busy) == 0
	if in.CheckType == "range" {
		available = len(out.FreeDays) > 0
	}
	if known {
		out.Available = &available
	}
	if known && !available && in.CheckType == "time_slot" {
		if err := out.nearest(ctx, env, around, policy, within); err != nil {
			return out, Explain(env, err)
		}
	}
	out.Message = out.message(env, first, end, within)
	return out, nil
}

// addBusy adds the events that block time, and the free spans between them. It
// returns the merged busy spans.
func (o *CheckOut) addBusy(env *tools.Env, taken []store.Occurrence, within span) (busy []span) {
	var touching []store.Occurrence
	for _, x := range taken {
		switch {
		case x.From.Before(within.to) && within.from.Before(x.To):
			if busy = append(busy, span{x.From, x.To}); x.Event.ID != "" { // busy times from Google have no event
				o.conflicts = append(o.conflicts, x)
			}
		case x.Event.ID == "":
		case x.From.Equal(within.to) || x.To.Equal(within.from):
			touching = append(touching, x)
		}
	}
	busy = mergeSpans(busy, within)
	o.free = gaps(busy, within)
	o.Busy, o.Free = toSpans(env, busy), toSpans(env, o.free)
	o.Conflicts, o.Touching = toEvents(env, o.conflicts), toEvents(env, touching)
	for _, s := range o.free {
		o.FreeMinutes += s.minutes()
		o.Longest = max(o.Longest, s.minutes())
	}
	return busy
}

// addFreeDays adds the days without busy times.
func (o *CheckOut) addFreeDays(env *tools.Env, busy []span, first, end time.Time) {
	for d := first; d.Before(end); d = d.AddDate(0, 0, 1) {
		day := span{instantAt(env, d), instantAt(env, d.AddDate(0, 0, 1))}
		if len(mergeSpans(slices.Clone(busy), day)) == 0 && day.from.Before(day.to) {
			o.FreeDays = append(o.FreeDays, d.Format(time.DateOnly))
		}
	}
}

// busyRules decides which events block time.
type busyRules struct {
	tentativeIsFree bool
	allDay          string // block, ignore or transparency
}

func (p busyRules) busyEvents(all []store.Occurrence) []store.Occurrence {
	return slices.DeleteFunc(all, func(o store.Occurrence) bool {
		busy := o.Busy()
		if o.Form == store.AllDay {
			busy = p.allDay != "ignore" && (busy || p.allDay == "block" && !o.Declined && o.Status != store.Cancelled)
		}
		return !busy || !o.From.Before(o.To) || p.tentativeIsFree && o.Status == store.Tentative
	})
}

// nonBlockingDays returns the all-day events that block no time, such as holidays.
// The caller decides whether they matter.
func nonBlockingDays(all []store.Occurrence, within span) (free []store.Occurrence) {
	for _, o := range all {
		if o.Form == store.AllDay && o.Free && o.Status != store.Cancelled && o.From.Before(within.to) &&
			within.from.Before(o.To) {
			free = append(free, o)
		}
	}
	return free
}

// nearestDays is the distance, in days, of the search for a free time around a
// busy one.
const nearestDays = 7

// nearest finds the nearest free times of the same length.
func (o *CheckOut) nearest(ctx context.Context, env *tools.Env, q multiQuery, policy busyRules, slot span) error {
	around := span{slot.from.AddDate(0, 0, -nearestDays), slot.to.AddDate(0, 0, nearestDays)}
	if now := env.Now(); around.from.Before(now) {
		around.from = now.Truncate(time.Minute).Add(time.Minute)
	}
	q.From, q.To = around.from, around.to
	if !around.from.Before(around.to) {
		return nil
	}
	g, err := query(ctx, env, q)
	if err != nil {
		return err
	}
	var busy []span
	for _, x := range policy.busyEvents(g.Occurrences) {
		busy = append(busy, span{x.From, x.To})
	}
	length := slot.to.Sub(slot.from)
	for _, f := range gaps(mergeSpans(busy, around), around) {
		if f.to.Sub(f.from) < length {
			continue
		}
		if last := (span{f.to.Add(-length), f.to}); last.to.Before(slot.to) {
			o.NearestBefore, o.near = &toSpans(env, []span{last})[0], []span{last}
		}
		if first := (span{f.from, f.from.Add(length)}); first.from.After(slot.from) && o.NearestAfter == nil {
			o.NearestAfter, o.near = &toSpans(env, []span{first})[0], append(o.near, first)
		}
	}
	return nil
}

// checkedSpan returns the days and the span of a check.
func (f *inputChecker) checkedSpan(in CheckIn) (first, end time.Time, within span) {
	if in.CheckType == "range" {
		for _, need := range []struct{ name, value string }{{"date_from", in.DateFrom}, {"date_to", in.DateTo}} {
			if need.value == "" {
				f.required(need.name)
			}
		}
		first, end = f.dateRange("", in.DateFrom, in.DateTo)
		if end.Sub(first) > maxRange*24*time.Hour {
			f.add("date_to", "must be within %d days of date_from", maxRange)
		}
		checkLatestDay(f, "date_to", end.AddDate(0, 0, -1))
		return first, end, span{instantAt(f.env, first), instantAt(f.env, end)}
	}
	if in.Date == "" {
		f.required("date")
	}
	first, _ = f.days("date", in.Date, today(f.env))
	checkLatestDay(f, "date", first)
	end = first.AddDate(0, 0, 1)
	if in.CheckType == "day" {
		return first, end, span{instantAt(f.env, first), instantAt(f.env, end)}
	}
	if in.TimeFrom == "" {
		f.required("time_from")
	}
	if in.TimeTo == "" {
		f.required("time_to")
	}
	from, to := f.clock("time_from", in.TimeFrom, 0), f.clock("time_to", in.TimeTo, 24*time.Hour)
	if from == to && in.TimeFrom != "" && in.TimeTo != "" && len(f.problems) == 0 {
		f.add("time_to", "must differ from time_from")
	}
	if to < from {
		to += 24 * time.Hour
	}
	within = wallSpan(f.env, first.Add(from), first.Add(to))
	if !within.from.Before(within.to) && len(f.problems) == 0 {
		f.add("time_from", "and time_to: the clocks skip %s–%s on %s", in.TimeFrom, in.TimeTo,
			first.Format(time.DateOnly))
	}
	return first, end, within
}

func toSpans(env *tools.Env, all []span) []Span {
	out := []Span{}
	for _, s := range all {
		out = append(out, Span{env.Time(s.from), env.Time(s.to), s.minutes()})
	}
	return out
}

func (o *CheckOut) message(env *tools.Env, first, end time.Time, within span) string {
	what := dayRange(first, end)
	if o.CheckType == "time_slot" {
		what = spanText(env, within.from, within.to)
	}
	switch {
	case o.Available == nil:
		return env.Localize("%s: unknown, because a calendar could not be read", what)
	case o.CheckType == "range":
		return env.Localize("%s: %s free", what, env.Count(len(o.FreeDays), "%d day", "%d days"))
	case *o.Available:
		return env.Localize("%s is free", what)
	}
	return env.Localize("%s is not free: %s", what,
		env.Count(max(len(o.Conflicts), len(o.Busy)), "%d event", "%d events"))
}
