package caldav

import (
	"context"
	"errors"
	"slices"

	"techo/export"
	"techo/store"
	"techo/store/event"
	"techo/store/todo"
	"techo/tools"
	"techo/tools/calendar/backend"
	"techo/tools/calendar/ics"
)

// importObjects writes events or to-dos to the server, object by object: those with one UID are one
// object there. add adds one to a content and returns it as an event. An object that the server refuses
// becomes a problem; another error ends the import.
func importObjects[T any](ctx context.Context, d Calendar, all []T, add func(*export.Calendar, T) *event.Event) (
	n event.Imported, problems []ics.Problem, err error) {
	if err := d.refreshed(ctx); err != nil {
		return n, nil, err
	}
	objects, err := d.objects(ctx)
	if err != nil {
		return n, nil, err
	}
	type object struct {
		export.Calendar
		title string
	}
	byUID := map[string]*object{}
	var order []string
	for _, one := range all {
		var c export.Calendar
		e := add(&c, one)
		o := byUID[e.UID]
		if o == nil {
			o = &object{title: e.Title}
			byUID[e.UID], order = o, append(order, e.UID)
		}
		o.Events, o.Todos = append(o.Events, c.Events...), append(o.Todos, c.Todos...)
	}
	for _, uid := range order {
		o := byUID[uid]
		size := len(o.Events) + len(o.Todos)
		before, err := d.copied(ctx, uid)
		if err != nil {
			return n, problems, err
		}
		if len(o.Events) == 0 { // an import of to-dos leaves events alone, and the other way round
			before.Events = nil
		} else {
			before.Todos = nil
		}
		_, exists := objects[uid]
		message := slices.ContainsFunc(o.Events, func(e event.Event) bool { return e.Method != "" }) ||
			slices.ContainsFunc(o.Todos, func(t todo.Todo) bool { return t.Method != "" })
		if exists && sameContent(before, o.Calendar, true) {
			n.Unchanged += size
			continue
		}
		if exists && (objects.divided(o.Events) || message && objects.apart(uid)) {
			problems = append(problems, backend.RefusedProblems(d.Env, []event.Refused{{UID: uid, Title: o.title,
				Line: o.Events[0].Line, Why: event.Divided}})...)
			continue
		}
		if exists || message { // the rules of the store tell what changes
			var done event.Imported
			err = d.rewrite(ctx, uid, false, func(st *store.Store) (err error) {
				if done, err = st.ImportEvents(ctx, d.Name, o.Events); err != nil {
					return err
				}
				todos, err := st.ImportTodos(ctx, d.Name, o.Todos)
				done.Add(todos)
				return err
			})
			problems = append(problems, backend.RefusedProblems(d.Env, done.Refused)...)
			if err == nil {
				n.Add(done)
				continue
			}
		} else {
			err = d.put(ctx, objects, uid, before, o.Calendar)
		}
		switch {
		case refusesObject(err):
			problems = append(problems, ics.Problem{Title: o.title, Message: d.Env.Cause(err)})
		case err != nil:
			return n, problems, err
		default:
			n.Added += size
		}
	}
	return n, problems, d.refreshed(ctx)
}

// divided reports whether a file replaces a series that a change through techo divided.
func (o objects) divided(events []event.Event) bool {
	if !slices.ContainsFunc(events, func(e event.Event) bool { return e.ReplacesSeries() }) {
		return false
	}
	for uid := range o {
		if event.IsDividedFrom(events[0].UID, uid) {
			return true
		}
	}
	return false
}

// apart reports whether a later part of a series is another resource, which a message about the series does not reach.
func (o objects) apart(series string) bool {
	for uid := range o {
		if event.IsLaterPart(series, uid) && o[uid].Href != o[series].Href {
			return true
		}
	}
	return false
}

// refusesObject reports whether an error concerns one object, so that others may be
// accepted.
func refusesObject(err error) bool {
	refused := new(tools.Error)
	return errors.As(err, &refused) && (refused.Code == tools.Upstream && !refused.Retryable ||
		refused.Code == tools.Conflict || refused.Code == tools.Forbidden)
}
