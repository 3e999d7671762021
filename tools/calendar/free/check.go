// Package free has the tools that look for free time: check_availability and suggest_schedule.
package free

import (
	"context"
	"slices"
	"strings"
	"time"

	"techo/store/event"
	"techo/tools"
	"techo/tools/calendar/agenda"
	"techo/tools/calendar/backend"
	"techo/tools/calendar/ics"
	"techo/tools/when"
)

// Check is the tool check_availability.
var Check = &tools.Tool{
	Name:    "check_availability",
	For:     tools.Agents,
	Command: "cal check",
	About:   "Check whether a day, a time or a range of days is free",
	More:    "available is null if a calendar could not be read; do not treat null as free.",
	Details: "day (date): is the whole day free? time_slot (date, time_from, time_to): is that time " +
		"free? range (date_from, date_to): which days are free? all_day decides what all-day " +
		"events count as: transparency (what each event says), block (busy) or ignore. The " +
		"calendars of your shared spaces are among all, named as in team/default.",
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
	CheckType string `json:"check_type" enum:"day,time_slot,range" doc:"What to check" list:"bare"`
	Date      string `json:"date,omitempty" doc:"The day, for day and time_slot, e.g. 2026-01-05, tomorrow"`
	DateFrom  string `json:"date_from,omitempty" doc:"For range: the first day, e.g. 2026-01-05"`
	DateTo    string `json:"date_to,omitempty" doc:"For range: the last day, e.g. 2026-01-09"`
	TimeFrom  string `json:"time_from,omitempty" doc:"Start, for time_slot, e.g. 13:00"`
	TimeTo    string `json:"time_to,omitempty" doc:"End, for time_slot; next day if before time_from"`
	Tentative string `json:"tentative" default:"busy" enum:"busy,free" doc:"What tentative events count as" list:"bare"`
	AllDay    string `json:"all_day" default:"transparency" enum:"transparency,block,ignore" doc:"All-day events" list:"bare"`
	Partial   bool   `json:"allow_partial,omitempty" doc:"Ignore calendars that cannot be read" list:"-"`
	Calendar  string `json:"calendar,omitempty" doc:"The calendar's name, or all (default: default)"`
	agenda.Among
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
	Busy        []Span   `json:"busy" compact:"keep"`
	Free        []Span   `json:"free"`
	FreeDays    []string `json:"free_days"`
	FreeMinutes int      `json:"free_minutes"`
	Longest     int      `json:"longest_free_minutes"`
	// for a time slot that is taken: the nearest free times of the same length, from
	// now on
	NearestBefore *Span              `json:"nearest_free_before,omitempty"`
	NearestAfter  *Span              `json:"nearest_free_after,omitempty"`
	Conflicts     []agenda.Event     `json:"conflicts"`
	Touching      []agenda.Event     `json:"touching"`
	BusyFree      []agenda.Event     `json:"busy_free_all_day"` // all-day events that do not block time
	Checked       []string           `json:"checked"`
	Unchecked     []agenda.Unchecked `json:"unchecked"`
	Problems      []ics.Problem      `json:"problems"`
	when.Meaning
	Message string `json:"message"`

	conflicts []event.Occurrence
	free      []backend.Span
	near      []backend.Span // nearest free times
}

// maxRange limits the days of a query.
const maxRange = 366

func checkAvailability(ctx context.Context, env *tools.Env, in CheckIn) (out CheckOut, err error) {
	f := &agenda.Checker{Env: env}
	first, end, within := checkedSpan(f, in)
	names := f.Names(in.Calendar, in.Among)
	if err := f.Err(); err != nil {
		return out, err
	}
	// includes events that touch the range
	around := agenda.Query{Query: event.Query{From: within.From.Add(-time.Second),
		To: within.To.Add(time.Second)}, Names: names, TimesOnly: true, Complete: true}
	if in.CheckType == "range" {
		around.TimesOnly = false // the specification requires the events themselves
	}
	g, err := agenda.Find(ctx, env, around)
	if err != nil {
		return out, backend.Explain(env, err)
	}
	policy := busyRules{tentativeIsFree: in.Tentative == "free", allDay: in.AllDay}
	out = CheckOut{
		CheckType: in.CheckType, DateFrom: first.Format(time.DateOnly),
		DateTo:  end.AddDate(0, 0, -1).Format(time.DateOnly),
		Weekday: first.Weekday().String(), Timezone: when.ZoneName(env), FreeDays: []string{},
		Checked: g.Checked, Unchecked: g.Unchecked, Problems: backend.ToProblems(env, g.Problems),
		Meaning: f.Meanings.Meaning(),
	}
	out.BusyFree = agenda.ToEvents(env, nonBlockingDays(g.Occurrences, within))
	busy := out.addBusy(env, policy.busyEvents(g.Occurrences), within)
	known := len(g.Unchecked) == 0 || in.Partial && len(g.Checked) > 0
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
			return out, backend.Explain(env, err)
		}
	}
	out.Message = out.message(env, first, end, within)
	return out, nil
}

// addBusy adds the events that block time, and the free spans between them. It
// returns the merged busy spans.
func (o *CheckOut) addBusy(env *tools.Env, taken []event.Occurrence, within backend.Span) (busy []backend.Span) {
	var touching []event.Occurrence
	for _, x := range taken {
		switch {
		case x.From.Before(within.To) && within.From.Before(x.To):
			busy = append(busy, backend.Span{From: x.From, To: x.To})
			if x.Event.ID != "" { // busy times from Google have no event
				o.conflicts = append(o.conflicts, x)
			}
		case x.Event.ID == "":
		case x.From.Equal(within.To) || x.To.Equal(within.From):
			touching = append(touching, x)
		}
	}
	busy = backend.MergeSpans(busy, within)
	o.free = backend.Gaps(busy, within)
	o.Busy, o.Free = toSpans(env, busy), toSpans(env, o.free)
	o.Conflicts, o.Touching = agenda.ToEvents(env, o.conflicts), agenda.ToEvents(env, touching)
	for _, s := range o.free {
		o.FreeMinutes += s.Minutes()
		o.Longest = max(o.Longest, s.Minutes())
	}
	return busy
}

// addFreeDays adds the days without busy times.
func (o *CheckOut) addFreeDays(env *tools.Env, busy []backend.Span, first, end time.Time) {
	for d := first; d.Before(end); d = d.AddDate(0, 0, 1) {
		day := daysSpan(env, d, d.AddDate(0, 0, 1))
		if len(backend.MergeSpans(slices.Clone(busy), day)) == 0 && day.From.Before(day.To) {
			o.FreeDays = append(o.FreeDays, d.Format(time.DateOnly))
		}
	}
}

// busyRules decides which events block time.
type busyRules struct {
	tentativeIsFree bool
	allDay          string // block, ignore or transparency
}

func (p busyRules) busyEvents(all []event.Occurrence) []event.Occurrence {
	return slices.DeleteFunc(all, func(o event.Occurrence) bool {
		busy := o.Busy()
		if o.Form == event.AllDay {
			busy = p.allDay != "ignore" && (busy || p.allDay == "block" && !o.Declined && o.Status != event.Cancelled)
		}
		return !busy || !o.From.Before(o.To) || p.tentativeIsFree && o.Status == event.Tentative
	})
}

// nonBlockingDays returns the all-day events that block no time, such as holidays.
// The caller decides whether they matter.
func nonBlockingDays(all []event.Occurrence, within backend.Span) (free []event.Occurrence) {
	for _, o := range all {
		if o.Form == event.AllDay && o.Free && o.Status != event.Cancelled && o.From.Before(within.To) &&
			within.From.Before(o.To) {
			free = append(free, o)
		}
	}
	return free
}

// nearestDays is the distance, in days, of the search for a free time around a
// busy one.
const nearestDays = 7

// nearest finds the nearest free times of the same length.
func (o *CheckOut) nearest(ctx context.Context, env *tools.Env, q agenda.Query, policy busyRules,
	slot backend.Span) error {
	around := backend.Span{From: slot.From.AddDate(0, 0, -nearestDays), To: slot.To.AddDate(0, 0, nearestDays)}
	if now := env.Now(); around.From.Before(now) {
		around.From = now.Truncate(time.Minute).Add(time.Minute)
	}
	q.From, q.To = around.From, around.To
	if !around.From.Before(around.To) {
		return nil
	}
	g, err := agenda.Find(ctx, env, q)
	if err != nil {
		return err
	}
	var busy []backend.Span
	for _, x := range policy.busyEvents(g.Occurrences) {
		busy = append(busy, backend.Span{From: x.From, To: x.To})
	}
	length := slot.To.Sub(slot.From)
	for _, f := range backend.Gaps(backend.MergeSpans(busy, around), around) {
		if f.To.Sub(f.From) < length {
			continue
		}
		if last := (backend.Span{From: f.To.Add(-length), To: f.To}); last.To.Before(slot.To) {
			o.NearestBefore, o.near = &toSpans(env, []backend.Span{last})[0], []backend.Span{last}
		}
		first := backend.Span{From: f.From, To: f.From.Add(length)}
		if first.From.After(slot.From) && o.NearestAfter == nil {
			o.NearestAfter, o.near = &toSpans(env, []backend.Span{first})[0], append(o.near, first)
		}
	}
	return nil
}

func toSpans(env *tools.Env, all []backend.Span) []Span {
	out := []Span{}
	for _, s := range all {
		out = append(out, Span{env.Time(s.From), env.Time(s.To), s.Minutes()})
	}
	return out
}

func (o *CheckOut) message(env *tools.Env, first, end time.Time, within backend.Span) string {
	what := agenda.DayRange(first, end)
	if o.CheckType == "time_slot" {
		what = backend.SpanText(env, within.From, within.To)
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

// Text returns the answer, the conflicts and the free times.
func (o CheckOut) Text(env *tools.Env) string {
	lines := []string{o.Message}
	for i := range o.conflicts {
		lines = append(lines, env.Localize("- busy: %s", backend.ListedLine(env, &o.conflicts[i])))
	}
	if o.CheckType == "range" {
		for _, d := range o.FreeDays {
			lines = append(lines, env.Localize("- free: %s", d))
		}
	} else {
		for _, s := range o.free {
			lines = append(lines, env.Localize("- free: %s", backend.SpanText(env, s.From, s.To)))
		}
	}
	for _, s := range o.near {
		lines = append(lines, env.Localize("- free instead: %s", backend.SpanText(env, s.From, s.To)))
	}
	for _, u := range o.Unchecked {
		lines = append(lines, env.Localize("! could not read %s: %s", u.Calendar, u.Reason))
	}
	return strings.Join(lines, "\n")
}

// checkedSpan returns the days and the span of a check.
func checkedSpan(f *agenda.Checker, in CheckIn) (first, end time.Time, within backend.Span) {
	if in.CheckType == "range" {
		for _, need := range []struct{ name, value string }{{"date_from", in.DateFrom}, {"date_to", in.DateTo}} {
			if need.value == "" {
				f.Required(need.name)
			}
		}
		first, end = f.DateRange("", in.DateFrom, in.DateTo)
		if end.Sub(first) > maxRange*24*time.Hour {
			f.Add("date_to", "must be within %d days of date_from", maxRange)
		}
		agenda.CheckLatestDay(f, "date_to", end.AddDate(0, 0, -1))
		return first, end, daysSpan(f.Env, first, end)
	}
	if in.Date == "" {
		f.Required("date")
	}
	first = f.Day("date", in.Date, agenda.Today(f.Env))
	agenda.CheckLatestDay(f, "date", first)
	end = first.AddDate(0, 0, 1)
	if in.CheckType == "day" {
		return first, end, daysSpan(f.Env, first, end)
	}
	if in.TimeFrom == "" {
		f.Required("time_from")
	}
	if in.TimeTo == "" {
		f.Required("time_to")
	}
	from, to := f.Clock("time_from", in.TimeFrom, 0), f.Clock("time_to", in.TimeTo, 24*time.Hour)
	if from == to && in.TimeFrom != "" && in.TimeTo != "" && len(f.Problems) == 0 {
		f.Add("time_to", "must differ from time_from")
	}
	if to < from {
		to += 24 * time.Hour
	}
	within = backend.WallSpan(f.Env, first.Add(from), first.Add(to))
	if !within.From.Before(within.To) && len(f.Problems) == 0 {
		f.Add("time_from", "and time_to: the clocks skip %s–%s on %s", in.TimeFrom, in.TimeTo,
			first.Format(time.DateOnly))
	}
	return first, end, within
}

// daysSpan returns the time between the beginnings of two days.
func daysSpan(env *tools.Env, first, end time.Time) backend.Span {
	return backend.Span{From: agenda.InstantAt(env, first), To: agenda.InstantAt(env, end)}
}
