package calendar

import (
	"context"
	"errors"
	"strings"
	"time"

	"techo/internal/legible"
	"techo/internal/sorting"
	"techo/store/event"
	todostore "techo/store/todo"
	"techo/tools"
	"techo/tools/calendar/agenda"
	"techo/tools/calendar/backend"
	"techo/tools/calendar/ics"
	"techo/tools/calendar/todo"
	"techo/tools/when"
)

// DueIn is the input of cal due.
type DueIn struct {
	Within   string `json:"within" default:"0" doc:"Also alarms due within this time, e.g. 10m; a number is seconds"`
	Since    string `json:"since,omitempty" doc:"Only alarms since then, e.g. 2026-01-05T14:00, 1 minute ago"`
	Watch    bool   `json:"watch,omitempty" doc:"Keep running, and print each alarm when it is due, one per line"`
	Calendar string `json:"calendar" default:"all" doc:"The calendar's name, or all"`
}

// DueOut is the result of cal due.
type DueOut struct {
	Due       []Due              `json:"due"`
	Unchecked []agenda.Unchecked `json:"unchecked"`
	Message   string             `json:"message"`
}

// Due is an alarm that is due, of an event or a to-do.
type Due struct {
	Event   *agenda.Event `json:"event,omitempty"`
	Todo    *todo.Todo    `json:"todo,omitempty"`
	AlarmAt string        `json:"alarm_at"`

	at   time.Time
	when string
}

// Text returns one line per alarm.
func (o DueOut) Text(env *tools.Env) string {
	lines := []string{o.Message}
	for _, d := range o.Due {
		lines = append(lines, "- "+env.MinuteOf(d.AlarmAt)+"  "+d.when)
	}
	for _, u := range o.Unchecked {
		lines = append(lines, env.Localize("! could not read %s: %s", u.Calendar, u.Reason))
	}
	return strings.Join(lines, "\n")
}

// ListDue returns the alarms that are due, by time. An alarm before its event is due
// until the event starts, another one until the event ends.
func ListDue(ctx context.Context, env *tools.Env, in DueIn) (out DueOut, err error) {
	within, err := when.ParseDuration(in.Within)
	if err != nil {
		f := &agenda.Checker{Env: env}
		f.Add("within", "must be a length such as 10m, not %q", legible.Clip(in.Within))
		e := tools.AsError(env, f.Err())
		e.Hint = env.Hint("Examples of lengths: 10m, 2h, 1d, 1w")
		return out, e
	}
	since := when.NewTimes(env)
	from := since.Read("since", in.Since, false)
	if err := since.Err(); err != nil {
		return out, err
	}
	now := env.Now()
	until := now.Add(within)
	lead, err := alarmLead(ctx, env, in.Calendar)
	if err != nil {
		return out, backend.Explain(env, err)
	}
	g, err := agenda.Find(ctx, env, agenda.Query{
		Query: event.Query{From: now, To: until.Add(lead), Alarms: true},
		Names: []string{in.Calendar}})
	if err != nil {
		return out, backend.Explain(env, err)
	}
	out = DueOut{Due: []Due{}, Unchecked: g.Unchecked}
	seen := map[string]bool{} // a series rings once at an instant
	for i := range g.Occurrences {
		o := &g.Occurrences[i]
		if len(o.Extra) == 0 || o.Status == event.Cancelled || o.Declined {
			continue
		}
		for _, a := range ics.AlarmsOf(o.Event, ics.ExtraLines(o.Event)) {
			at := a.Time(o, ics.ZoneOf(o.Event, env.Zone))
			key := o.Space + "/" + o.Event.ID + at.String()
			if at.After(until) || at.Before(from) || !isDue(o, at, now) || seen[key] {
				continue
			}
			seen[key] = true
			e := agenda.ToEvent(env, o)
			out.Due = append(out.Due, Due{Event: &e, AlarmAt: env.Time(at), at: at, when: backend.ListedLine(env, o)})
		}
	}
	if err := out.addTodos(ctx, env, in.Calendar, from, until); err != nil {
		return out, err
	}
	sorting.By(out.Due, func(a, b Due) int { return a.at.Compare(b.at) })
	out.Message = env.Localize("%s due", env.Count(len(out.Due), "%d alarm", "%d alarms"))
	return out, nil
}

// addTodos adds the alarms of open to-dos. One is due until the to-do is due.
func (o *DueOut) addTodos(ctx context.Context, env *tools.Env, name string, from, until time.Time) error {
	list := todo.ListOut{}
	found, err := list.Find(ctx, env, []string{name}, todostore.Query{Open: true})
	if refused := new(tools.Error); errors.As(err, &refused) && refused.Code == tools.InvalidInput {
		return nil // a calendar at Google has none
	}
	if err != nil {
		return agenda.ExplainTodo(env, err)
	}
	for i := range found.Todos {
		t := &found.Todos[i]
		if !t.Open() || !t.HasDue || len(t.Extra) == 0 {
			continue
		}
		at := event.Occurrence{Event: &t.Event, From: t.From, To: t.To, Wall: t.Wall}
		for _, a := range ics.AlarmsOf(&t.Event, ics.ExtraLines(&t.Event)) {
			rings := a.Time(&at, ics.ZoneOf(&t.Event, env.Zone))
			if rings.After(until) || rings.Before(from) || !env.Now().Before(t.To) {
				continue
			}
			item := todo.ToTodo(env, t)
			o.Due = append(o.Due, Due{Todo: &item, AlarmAt: env.Time(rings), at: rings, when: todo.TodoSummary(env, t)})
		}
	}
	return nil
}

// alarmLead returns how far ahead the alarms of calendars may be.
func alarmLead(ctx context.Context, env *tools.Env, asked string) (lead time.Duration, err error) {
	all, err := agenda.Requested(ctx, env, []string{asked})
	if err != nil {
		return 0, err
	}
	for _, c := range all {
		lead = max(lead, c.AlarmLead())
	}
	return lead, nil
}

// isDue reports whether an alarm that has begun, or will, still matters.
func isDue(o *event.Occurrence, at, now time.Time) bool {
	if at.Before(o.From) {
		return now.Before(o.From)
	}
	return now.Before(o.To) || now.Before(at.Add(time.Minute))
}
