package calendar

import (
	"context"
	"slices"

	"techo/export"
	"techo/store"
	"techo/tools"
)

// UndoElsewhere undoes a change of a calendar at Google or a CalDAV server, and records
// that. done is false for other changes. It refuses if an event changed since at the server.
func UndoElsewhere(ctx context.Context, env *tools.Env, st *store.Store, c store.Change) (done bool, err error) {
	if c.Elsewhere() {
		return true, undoAtGoogle(ctx, env, st, c)
	}
	records, err := store.HistoryOf(st).CalendarRecords(ctx, c)
	if err != nil || len(records) == 0 {
		return false, err
	}
	found, err := st.FindCalendar(ctx, records[0].Calendar)
	if err != nil || found.Kind != store.CalDAVCalendar {
		return false, nil // the store restores it, or explains why not
	}
	d := newCalDAV(env, st, found)
	if err := d.sync(ctx); err != nil {
		return true, err
	}
	if err := store.HistoryOf(st).CheckUndo(ctx, c); err != nil {
		return true, err
	}
	var uids []string
	for _, r := range records {
		if !slices.Contains(uids, r.UID) {
			uids = append(uids, r.UID)
		}
	}
	for _, uid := range uids {
		if err := d.restore(ctx, uid, records); err != nil {
			return true, err
		}
	}
	return true, d.refreshed(store.WithUndoing(ctx, c))
}

// restore gives the events and to-dos with a UID their previous values at the server.
func (d calDAV) restore(ctx context.Context, uid string, records []store.CalendarRecord) error {
	copied := store.NewMirror(d.st, d.name)
	events, err := copied.EventsOf(ctx, uid)
	if err != nil {
		return err
	}
	todos, err := copied.TodosOf(ctx, uid)
	if err != nil {
		return err
	}
	objects, err := copied.Objects(ctx)
	if err != nil {
		return err
	}
	sequence := 0 // a new version, for programs that compare them
	for _, e := range events {
		sequence = max(sequence, e.Sequence+1)
	}
	for _, t := range todos {
		sequence = max(sequence, t.Sequence+1)
	}
	changed := func(id string) bool {
		return slices.ContainsFunc(records, func(r store.CalendarRecord) bool { return r.ID == id })
	}
	events = slices.DeleteFunc(events, func(e store.Event) bool { return changed(e.ID) })
	todos = slices.DeleteFunc(todos, func(t store.Todo) bool { return changed(t.ID) })
	for _, r := range records {
		if r.Event != nil && r.UID == uid {
			r.Event.Sequence = max(r.Event.Sequence, sequence)
			events = append(events, *r.Event)
		}
		if r.Todo != nil && r.UID == uid {
			r.Todo.Sequence = max(r.Todo.Sequence, sequence)
			todos = append(todos, *r.Todo)
		}
	}
	if len(events)+len(todos) == 0 {
		return d.delete(ctx, uid, objects[uid])
	}
	return d.put(ctx, uid, export.Calendar{Events: events, Todos: todos}, objects[uid])
}
