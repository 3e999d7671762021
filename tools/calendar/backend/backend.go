// Package backend defines where the events and to-dos of a calendar are kept, implements the
// calendars of the store, and explains the errors of all of them.
package backend

import (
	"context"
	"time"

	"techo/internal/sorting"
	"techo/internal/zone"
	"techo/store"
	"techo/store/calendar"
	"techo/store/event"
	"techo/store/todo"
	"techo/tools"
	"techo/tools/calendar/ics"
)

// Calendar is a place where events are kept: the store, Google, a CalDAV server, or the address of
// a subscription.
type Calendar interface {
	Find(ctx context.Context, q event.Query) (event.Found, error)
	Get(ctx context.Context, id string) (event.Occurrence, error)
	Add(ctx context.Context, e event.Event, how event.Write) (event.Written, error)
	Edit(ctx context.Context, id string, scope event.Scope, how event.Write,
		change func(*event.Event) error) (event.Written, error)
	Remove(ctx context.Context, id string, scope event.Scope) (event.Occurrence, error)

	// ImportEvents adds events, or replaces those with the same UID. An event that the
	// calendar refuses becomes a problem.
	ImportEvents(ctx context.Context, all []event.Event) (event.Imported, []ics.Problem, error)
	// Each yields the events as they are stored: single events, series, and events that
	// replace an occurrence.
	Each(ctx context.Context, fn func(event.Event) error) error
}

// Local is a calendar in the store.
type Local struct {
	St   *store.Store
	Env  *tools.Env
	Name string
	Into *calendar.Import // what an import writes to
}

// InStore returns a calendar in a store. One that does not exist has only a name.
func InStore(st *store.Store, env *tools.Env, c event.Calendar, exists bool) Local {
	return Local{st, env, c.Name, calendar.NewImport(st.Ledger, c, exists)}
}

func (l Local) Find(ctx context.Context, q event.Query) (event.Found, error) {
	return l.St.FindEvents(ctx, q)
}

func (l Local) Get(ctx context.Context, id string) (event.Occurrence, error) {
	return l.St.GetEvent(ctx, id, l.Env.Zone)
}

func (l Local) Add(ctx context.Context, e event.Event, how event.Write) (event.Written, error) {
	return l.St.AddEvent(ctx, e, how)
}

func (l Local) Edit(ctx context.Context, id string, scope event.Scope, how event.Write,
	change func(*event.Event) error) (event.Written, error) {
	return l.St.EditEvent(ctx, id, scope, how, change)
}

func (l Local) Remove(ctx context.Context, id string, scope event.Scope) (event.Occurrence, error) {
	return l.St.RemoveEvent(ctx, id, scope, l.Env.Zone)
}

func (l Local) ImportEvents(ctx context.Context, all []event.Event) (event.Imported, []ics.Problem, error) {
	n, err := l.Into.Events(ctx, all)
	return n, RefusedProblems(l.Env, n.Refused), err
}

func (l Local) Each(ctx context.Context, fn func(event.Event) error) error {
	return l.St.EachEvent(ctx, l.Name, fn)
}

// Lock makes writes with IfFree to a calendar at a service wait for each other on this machine, so that each
// sees the event of the last one.
func Lock(ctx context.Context, env *tools.Env, remote string, how event.Write) (unlock func(), err error) {
	if !how.IfFree || how.DryRun || env.Calendars.Google.Lock == nil {
		return func() {}, nil
	}
	return env.Calendars.Google.Lock(ctx, remote)
}

// ToProblems describes the events whose occurrences are incomplete.
func ToProblems(env *tools.Env, all []event.Problem) []ics.Problem {
	texts := map[event.ProblemCode]tools.Text{
		event.TooManyOccurrences: "too many occurrences",
		event.NoMatchingTime:     "no time matches its rule",
		event.NoTime:             "no time",
	}
	problems := []ics.Problem{}
	for _, p := range all {
		message := env.Localize(texts[p.Code])
		switch p.Code {
		case event.UnreadableRule:
			message = env.Localize("its rule cannot be read: %v", p.Cause)
		case event.PartUnread:
			message = UnreadText(env, &p.Unread)
		}
		problems = append(problems, ics.Problem{EventID: p.ID, Title: p.Title, Calendar: p.Calendar, UID: p.UID,
			What: message, Message: message})
	}
	return problems
}

// RefusedProblems describes the events of a file that changed nothing.
func RefusedProblems(env *tools.Env, all []event.Refused) (problems []ics.Problem) {
	texts := map[event.Refusal]tools.Text{
		event.NoSuchEvent:      "a message with METHOD:%s for an event that the calendar does not have changes nothing",
		event.UnknownMethod:    "a message with METHOD:%s changes no event",
		event.NoSuchTodo:       "a message with METHOD:%s for a to-do that the calendar does not have changes nothing",
		event.NoSuchOccurrence: "a message with METHOD:%s for an occurrence that the series does not have changes nothing",
		event.OtherForm:        "a message with METHOD:%s that adds a day to times, or a time to days, changes nothing",
		event.RepeatsAdded:     "a message that adds a repetition (METHOD:ADD) changes no event",
		event.NoSuchRule:       "a message with METHOD:%s moves a series to times that no rule has, and changes nothing",
		event.NotAtService:     "a message with METHOD:%s changes nothing: the service follows invitations itself",
	}
	for _, r := range all {
		message := env.Localize(texts[r.Why], r.Method)
		switch r.Why {
		case event.Divided:
			message = env.Localize("the series was divided here, and the file cannot tell its parts apart; " +
				"nothing was changed. Change or delete each part")
		case event.RepeatsAdded:
			message = env.Localize(texts[r.Why])
		}
		problems = append(problems, ics.Problem{Line: r.Line, UID: r.UID, Title: r.Title, Message: message})
	}
	return problems
}

// UnreadText describes what could not be read.
func UnreadText(env *tools.Env, u *event.Unread) string {
	var args []any
	for _, a := range u.Args {
		args = append(args, a)
	}
	return env.Localize(tools.Text(u.Text), args...)
}

// Todos is a calendar that has to-dos.
type Todos interface {
	Find(ctx context.Context, q todo.Query) (todo.Found, error)
	Get(ctx context.Context, id string) (todo.Occurrence, error)
	Add(ctx context.Context, t todo.Todo) (todo.Occurrence, error)
	Edit(ctx context.Context, id string, change func(*todo.Occurrence) error) (todo.Occurrence, error)
	Complete(ctx context.Context, id string, how todo.How) (todo.Completion, error)
	Remove(ctx context.Context, id string) (todo.Occurrence, error)

	ImportAll(ctx context.Context, all []todo.Todo) (event.Imported, []ics.Problem, error)
	Each(ctx context.Context, fn func(todo.Todo) error) error
}

// LocalTodos are the to-dos of a calendar in the store.
type LocalTodos struct{ at Local }

// Todos returns the to-dos of the calendar.
func (l Local) Todos() LocalTodos { return LocalTodos{l} }

func (l LocalTodos) Find(ctx context.Context, q todo.Query) (todo.Found, error) {
	return todo.Of(l.at.St.Ledger).Find(ctx, l.at.Name, q, l.at.Env.Zone)
}

func (l LocalTodos) Get(ctx context.Context, id string) (todo.Occurrence, error) {
	return todo.Of(l.at.St.Ledger).Get(ctx, id, l.at.Env.Zone)
}

func (l LocalTodos) Add(ctx context.Context, t todo.Todo) (todo.Occurrence, error) {
	return todo.Of(l.at.St.Ledger).Add(ctx, t, l.at.Env.Zone)
}

func (l LocalTodos) Edit(ctx context.Context, id string, change func(*todo.Occurrence) error) (
	todo.Occurrence, error) {
	return todo.Of(l.at.St.Ledger).Edit(ctx, id, l.at.Env.Zone, change)
}

func (l LocalTodos) Complete(ctx context.Context, id string, how todo.How) (todo.Completion, error) {
	return todo.Of(l.at.St.Ledger).Complete(ctx, id, how, l.at.Env.Zone)
}

func (l LocalTodos) Remove(ctx context.Context, id string) (todo.Occurrence, error) {
	return todo.Of(l.at.St.Ledger).Remove(ctx, id, l.at.Env.Zone)
}

func (l LocalTodos) ImportAll(ctx context.Context, all []todo.Todo) (event.Imported, []ics.Problem, error) {
	n, err := l.at.Into.Todos(ctx, all)
	return n, RefusedProblems(l.at.Env, n.Refused), err
}

func (l LocalTodos) Each(ctx context.Context, fn func(todo.Todo) error) error {
	return todo.Of(l.at.St.Ledger).Each(ctx, l.at.Name, fn)
}

// Span is the time between two instants.
type Span struct{ From, To time.Time }

func (s Span) Minutes() int { return int(s.To.Sub(s.From) / time.Minute) }

// WallSpan returns the span between two wall clock times of the caller. It starts or
// ends with a change of clocks that skips one of them.
func WallSpan(env *tools.Env, from, to time.Time) Span {
	a, _ := zone.Reached(from, env.Zone)
	b, _ := zone.Reached(to, env.Zone)
	return Span{a, b}
}

// MergeSpans joins spans that overlap or touch, sorts them, and clips them to
// within.
func MergeSpans(all []Span, within Span) []Span {
	sorting.By(all, func(a, b Span) int { return a.From.Compare(b.From) })
	var out []Span
	for _, s := range all {
		if s.From.Before(within.From) {
			s.From = within.From
		}
		if s.To.After(within.To) {
			s.To = within.To
		}
		if !s.From.Before(s.To) {
			continue
		}
		if n := len(out); n > 0 && !s.From.After(out[n-1].To) {
			if s.To.After(out[n-1].To) {
				out[n-1].To = s.To
			}
			continue
		}
		out = append(out, s)
	}
	return out
}

// Gaps returns the parts of within that busy, a result of mergeSpans, leaves free.
func Gaps(busy []Span, within Span) []Span {
	var free []Span
	from := within.From
	for _, b := range busy {
		if from.Before(b.From) {
			free = append(free, Span{from, b.From})
		}
		from = b.To
	}
	if from.Before(within.To) {
		free = append(free, Span{from, within.To})
	}
	return free
}
