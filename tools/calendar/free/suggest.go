package free

import (
	"context"
	"strings"
	"time"

	"techo/tools"
	"techo/tools/calendar/agenda"
	"techo/tools/calendar/backend"
	"techo/tools/calendar/ics"
	"techo/tools/when"
)

// Suggest is the tool suggest_schedule.
var Suggest = &tools.Tool{
	Name:    "suggest_schedule",
	For:     tools.Agents,
	Command: "cal suggest",
	About:   "Suggest free times",
	More: "Returns up to limit free times between date_from and date_to in the preferred hours, " +
		"with reasons. Without a result, reason explains it and alternatives lists the nearest " +
		"free times.",
	Details: "A preferred_time_to before preferred_time_from is on the next day. Starts are at " +
		"multiples of step minutes; step must divide 60 (default: 30, or 15 for less than half " +
		"an hour); with align auto, other starts are used if none of these fits. all_day decides " +
		"what all-day events count as: transparency (what each event says), block (busy) or " +
		"ignore. The calendars of your shared spaces are among all, named as in team/default.",
	Effect:      tools.Reads,
	Sharing:     tools.AllSpaces,
	Preapproved: true,
	World:       true,
	Words:       []string{"date_from", "date_to", "duration_minutes"},
	Refused:     "Could not suggest times: %s",
	Examples: []tools.Example{
		{Does: "One hour in the next days",
			Line: `cal suggest --date-from tomorrow --date-to +7d --duration-minutes 60`},
		{Does: "Half an hour in the morning of a working day",
			Line: `cal suggest today +14d 30 --preferred-time-to 12:00 --days work --buffer 10 -o text`},
	},
	Run: tools.Func[SuggestIn, SuggestOut](suggestSchedule),
}

// SuggestIn is the input of suggest_schedule.
type SuggestIn struct {
	DateFrom  string `json:"date_from" minLength:"1" doc:"The first day, e.g. 2026-01-05, next mon"`
	DateTo    string `json:"date_to" minLength:"1" doc:"The last day, included, e.g. 2026-01-09"`
	Duration  int    `json:"duration_minutes" format:"minutes" minimum:"1" maximum:"1440" doc:"Minutes, or 1h30"`
	TimeFrom  string `json:"preferred_time_from,omitempty" doc:"Earliest start on a day (default: 09:00)"`
	TimeTo    string `json:"preferred_time_to,omitempty" doc:"Latest end on a day, up to 24:00 (default: 18:00)"`
	Limit     int    `json:"limit" default:"5" minimum:"1" maximum:"50" doc:"Maximum number of suggestions" list:"bare"`
	Step      int    `json:"step,omitempty" minimum:"5" maximum:"60" doc:"Start at multiples of this many minutes"`
	Align     string `json:"align" default:"auto" enum:"auto,strict" doc:"Whether starts must fit step" list:"-"`
	Days      string `json:"days,omitempty" doc:"all, work (Monday to Friday; the default), or weekdays: mon,tue"`
	Buffer    *int   `json:"buffer" minimum:"0" maximum:"480" doc:"Free minutes around other events (default: 0)"`
	Notice    int    `json:"notice" default:"0" minimum:"0" maximum:"525600" doc:"Minutes from now to leave out"`
	Strategy  string `json:"strategy" default:"spread" enum:"spread,earliest,compact" doc:"How to choose the times" list:"bare"`
	Tentative string `json:"tentative" default:"busy" enum:"busy,free" doc:"What tentative events count as" list:"bare"`
	AllDay    string `json:"all_day" default:"transparency" enum:"transparency,block,ignore" doc:"All-day events" list:"bare"`
	Calendar  string `json:"calendar,omitempty" doc:"The calendar's name, or all (default: default)"`
	agenda.Among
	Optional []string `json:"optional,omitempty" doc:"Calendars that should be free, but need not be"`
	Partial  bool     `json:"allow_partial,omitempty" doc:"Ignore calendars that could not be read" list:"-"`
}

// Suggestion is a free time.
type Suggestion struct {
	Date            string   `json:"date"`
	Weekday         string   `json:"weekday"`
	Start           string   `json:"start"`
	End             string   `json:"end"`
	Timezone        string   `json:"timezone"`
	FreeFrom        string   `json:"free_from"`
	FreeUntil       string   `json:"free_until"`
	DurationMinutes int      `json:"duration_minutes"`
	Aligned         bool     `json:"aligned"`
	Score           int      `json:"score"`
	Label           string   `json:"label,omitempty"` // for an alternative: the condition that it breaks
	Why             []string `json:"why"`
}

// SuggestOut is the result of suggest_schedule.
type SuggestOut struct {
	Suggestions  []Suggestion       `json:"suggestions" compact:"keep"`
	Count        int                `json:"count"`
	Reason       string             `json:"reason"` // "" if there are suggestions
	Longest      int                `json:"longest_free_minutes"`
	Alternatives []Suggestion       `json:"alternatives"`
	BlockedBy    []agenda.Event     `json:"blocked_by"`
	DateFrom     string             `json:"date_from"`
	DateTo       string             `json:"date_to"`
	Timezone     string             `json:"timezone"`
	Strategy     string             `json:"strategy"`
	GeneratedAt  string             `json:"generated_at"`
	Checked      []string           `json:"checked"`
	Unchecked    []agenda.Unchecked `json:"unchecked"`
	Problems     []ics.Problem      `json:"problems"`
	when.Meaning
	Message string `json:"message"`
}

// Limits in days. Alternatives may lie up to alternativeDays behind the range; the
// first prefetchDays of them are read together with the range, because most
// alternatives are there.
const (
	maxSuggestDays  = 92
	alternativeDays = 14
	prefetchDays    = 2
)

func suggestSchedule(ctx context.Context, env *tools.Env, in SuggestIn) (out SuggestOut, err error) {
	s, err := newSearch(env, in)
	if err != nil {
		return out, err
	}
	g, err := agenda.Find(ctx, env, s.queryFor(s.first, s.end.AddDate(0, 0, prefetchDays)))
	if err != nil {
		return out, backend.Explain(env, err)
	}
	out = SuggestOut{
		Suggestions: []Suggestion{}, Alternatives: []Suggestion{}, BlockedBy: []agenda.Event{},
		DateFrom: s.first.Format(time.DateOnly), DateTo: s.end.AddDate(0, 0, -1).Format(time.DateOnly),
		Timezone: when.ZoneName(env),
		Strategy: in.Strategy, GeneratedAt: env.Time(env.Now()), Checked: g.Checked, Unchecked: g.Unchecked,
		Problems: backend.ToProblems(env, g.Problems), Meaning: s.meaning,
	}
	if len(g.Unchecked) > 0 && (!in.Partial || len(g.Checked) == 0) {
		out.Reason = "calendar_unchecked"
		out.Message = env.Localize(reasons[out.Reason])
		return out, nil
	}
	s.addBusy(s.policy.busyEvents(g.Occurrences))
	if err := s.addOptional(ctx, in.Optional, &out); err != nil {
		return out, backend.Explain(env, err)
	}
	windows := s.windows(s.first, s.end, s.from, s.to)
	var all []slot
	for _, w := range windows {
		all = append(all, s.slots(w, s.busy)...)
		for _, b := range s.freeSpans(w, s.busy) {
			out.Longest = max(out.Longest, b.Minutes())
		}
	}
	for _, c := range s.choose(all) {
		out.Suggestions = append(out.Suggestions, s.suggestion(c))
	}
	out.Count = len(out.Suggestions)
	out.Message = env.Localize("Found %s", env.Count(out.Count, "%d suggestion", "%d suggestions"))
	if out.Count == 0 {
		out.Reason = s.reason(windows, out.Longest)
		out.BlockedBy = agenda.ToEvents(env, s.blockers(windows))
		if out.Alternatives, err = s.alternatives(ctx); err != nil {
			return out, backend.Explain(env, err)
		}
		out.Message = env.Localize("No suggestion: %s", env.Localize(reasons[out.Reason]))
	}
	return out, nil
}

// reasons explain a result without suggestions.
var reasons = map[string]tools.Text{
	"calendar_unchecked":           "a calendar could not be read",
	"window_shorter_than_duration": "the preferred hours are shorter than the duration",
	"window_in_past":               "all of these times are in the past or too soon",
	"no_working_days":              "no day in the range is one of the weekdays",
	"all_busy":                     "all of these times are taken",
	"no_block_long_enough":         "no free time is long enough",
	"no_aligned_start":             "no free time is long enough from a start at the step",
}

// alternatives returns the first times outside of the preferred hours, then the
// first times in the preferred hours of later days.
func (s *search) alternatives(ctx context.Context) ([]Suggestion, error) {
	all := []Suggestion{}
	add := func(windows []window, limit int, label tools.Text) {
		q := *s
		q.maxSlots, q.strategy, q.strict = limit, "earliest", false
		var slots []slot
		for _, w := range windows {
			slots = append(slots, q.slots(w, s.busy)...)
		}
		for _, c := range q.choose(slots) {
			g := s.suggestion(c)
			g.Label = s.env.Localize(label)
			all = append(all, g)
		}
	}
	add(s.windows(s.first, s.end, 0, 24*time.Hour), 2, "outside the preferred hours")
	after := tools.Text("after these days")
	near, far := s.end.AddDate(0, 0, prefetchDays), s.end.AddDate(0, 0, alternativeDays)
	if add(s.windows(s.end, near, s.from, s.to), 3-len(all), after); len(all) == 3 {
		return all, nil
	}
	g, err := agenda.Find(ctx, s.env, s.queryFor(near, far))
	if err != nil || len(g.Unchecked) > 0 && !s.partial { // an unread calendar is not free
		return all, err
	}
	s.addBusy(s.policy.busyEvents(g.Occurrences))
	add(s.windows(near, far, s.from, s.to), 3-len(all), after)
	return all, nil
}

func (s *search) suggestion(c slot) Suggestion {
	env := s.env
	from := c.From.In(env.Zone)
	g := Suggestion{
		Date: from.Format(time.DateOnly), Weekday: from.Weekday().String(), Start: env.Time(c.From),
		End: env.Time(c.To), Timezone: when.ZoneName(env),
		FreeFrom: env.Time(c.block.From), FreeUntil: env.Time(c.block.To), DurationMinutes: c.Minutes(),
		Aligned: c.aligned, Score: c.score, Why: []string{},
	}
	why := func(t tools.Text, args ...any) { g.Why = append(g.Why, env.Localize(t, args...)) }
	switch {
	case from.Minute() == 0:
		why("starts on the hour")
	case from.Minute() == 30:
		why("starts at half past")
	case !c.aligned:
		why("no aligned start fits")
	}
	if len(s.busy) == 0 || c.block.From.Equal(c.window.From) && c.block.To.Equal(c.window.To) {
		why("no other events in these hours")
	} else {
		before, after := int(c.From.Sub(c.block.From)/time.Minute), int(c.block.To.Sub(c.To)/time.Minute)
		why("free for %s before and %d after", env.Count(before, "%d minute", "%d minutes"), after)
	}
	if c.touches {
		why("next to another event")
	}
	if c.optionalBusy {
		why("an optional calendar is busy")
	} else if len(s.optional) > 0 {
		why("optional calendars are free too")
	}
	if !s.overlapsLunch(&c) {
		why("not over lunch")
	}
	return g
}

// Text returns the suggestions, or the reason for having none and the
// alternatives.
func (o SuggestOut) Text(env *tools.Env) string {
	lines := []string{o.Message}
	show := func(all []Suggestion) {
		for _, g := range all {
			from, err1 := time.Parse(time.RFC3339, g.Start)
			to, err2 := time.Parse(time.RFC3339, g.End)
			if err1 != nil || err2 != nil {
				continue // cannot happen: env.Time wrote it
			}
			text := "- " + when.Weekday(env, from.In(env.Zone)) + " " + backend.SpanText(env, from, to) + " (" +
				strings.Join(g.Why, env.Localize(", ")) + ")"
			if g.Label != "" {
				text += " [" + g.Label + "]"
			}
			lines = append(lines, text)
		}
	}
	show(o.Suggestions)
	if len(o.Alternatives) > 0 {
		lines = append(lines, env.Localize("Alternatives:"))
		show(o.Alternatives)
	}
	for _, u := range o.Unchecked {
		lines = append(lines, env.Localize("! could not read %s: %s", u.Calendar, u.Reason))
	}
	return strings.Join(lines, "\n")
}
