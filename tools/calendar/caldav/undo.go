package caldav

import (
	"context"
	"errors"
	"slices"

	"techo/export"
	"techo/store/calendar"
	"techo/store/event"
	"techo/store/history"
	"techo/store/ledger"
	"techo/store/todo"
	"techo/tools"
)

// undo is the undo of a change at a CalDAV server. A server has no transactions, so
// it may fail half way. It can be repeated then, and restores the rest.
type undo struct {
	at      Calendar
	change  ledger.Change
	records []calendar.Record
}

// davTarget is the content of a resource before a change.
type davTarget struct {
	uid, title   string
	now, content export.Calendar // as it is, and as it was before
}

// Undo undoes a change of a calendar, whose copy is up to date, at its server.
func Undo(ctx context.Context, d Calendar, c ledger.Change, records []calendar.Record) error {
	return undo{d, c, records}.run(ctx)
}

func (u undo) run(ctx context.Context) error {
	left, restored, err := u.targets(ctx)
	if err != nil {
		return err
	}
	h := history.Of(u.at.St.Ledger)
	if err := h.CheckUndo(ctx, u.change, restored); err != nil {
		return err
	}
	if len(left) == 0 {
		return h.FinishUndoElsewhere(ctx, u.change)
	}
	failed, err := u.restore(ctx, left)
	if err == nil {
		return u.at.refreshed(ledger.WithUndoing(ctx, u.change))
	}
	if len(failed) < len(left) {
		_ = u.at.refreshed(ledger.WithPartOfUndo(ctx, u.change)) // the first error counts
	}
	return u.explain(err, failed, len(left))
}

// targets returns the resources that have to be restored, deletions last: no failure in
// between loses an event. restored reports whether a record has its previous content.
func (u undo) targets(ctx context.Context) (left []davTarget, restored func(id string) bool, err error) {
	seen, open := map[string]bool{}, map[string]bool{} // by UID; ids of records
	var gone []davTarget
	for _, r := range u.records {
		if seen[r.UID] {
			continue
		}
		seen[r.UID] = true
		target, done, err := u.target(ctx, r.UID)
		if err != nil {
			return nil, nil, err
		}
		if done {
			continue
		}
		for _, other := range u.records {
			open[other.ID] = open[other.ID] || other.UID == r.UID
		}
		if len(target.content.Events)+len(target.content.Todos) == 0 {
			gone = append(gone, target)
		} else {
			left = append(left, target)
		}
	}
	return append(left, gone...), func(id string) bool { return !open[id] }, nil
}

// target returns the previous content of the resource with a UID. done reports whether it
// has that.
func (u undo) target(ctx context.Context, uid string) (target davTarget, done bool, err error) {
	target = davTarget{uid: uid, title: uid}
	now := &target.now
	if *now, err = u.at.copied(ctx, uid); err != nil {
		return target, false, err
	}
	sequence := 0 // a new version, for programs that compare them
	for _, e := range now.Events {
		sequence, target.title = max(sequence, e.Sequence+1), e.Title
	}
	for _, t := range now.Todos {
		sequence, target.title = max(sequence, t.Sequence+1), t.Title
	}
	changed := func(id string) bool {
		return slices.ContainsFunc(u.records, func(r calendar.Record) bool { return r.ID == id })
	}
	before := &target.content
	before.Events = slices.DeleteFunc(slices.Clone(now.Events), func(e event.Event) bool { return changed(e.ID) })
	before.Todos = slices.DeleteFunc(slices.Clone(now.Todos), func(t todo.Todo) bool { return changed(t.ID) })
	for _, r := range u.records {
		if r.Event != nil && r.UID == uid {
			r.Event.Sequence, target.title = max(r.Event.Sequence, sequence), r.Event.Title
			before.Events = append(before.Events, *r.Event)
		}
		if r.Todo != nil && r.UID == uid {
			r.Todo.Sequence, target.title = max(r.Todo.Sequence, sequence), r.Todo.Title
			before.Todos = append(before.Todos, *r.Todo)
		}
	}
	return target, sameContent(target.now, target.content, false), nil
}

// restore gives resources their previous content, and returns the errors of those that it
// could not restore. err is the first one. A refused resource does not keep others from
// being restored; another error ends the undo.
func (u undo) restore(ctx context.Context, left []davTarget) (failed []tools.Detail, err error) {
	for i, target := range left {
		refused := u.put(ctx, target)
		if refused == nil {
			continue
		}
		if err == nil {
			err = refused
		}
		if !refusesObject(refused) {
			for _, t := range left[i:] {
				failed = append(failed, u.detail(t, refused))
			}
			return failed, refused
		}
		failed = append(failed, u.detail(target, refused))
	}
	return failed, err
}

func (u undo) put(ctx context.Context, t davTarget) error {
	objects, err := u.at.objects(ctx)
	if err != nil {
		return err
	}
	return u.at.put(ctx, objects, t.uid, t.now, t.content)
}

func (u undo) detail(t davTarget, err error) tools.Detail {
	return tools.Detail{Path: "/id", Message: u.at.Env.Localize("%s (uid %s): %s", t.title, t.uid, u.at.Env.Cause(err))}
}

// explain returns the error of an undo that restored some resources, or none.
func (u undo) explain(err error, failed []tools.Detail, all int) error {
	first := new(tools.Error)
	if !errors.As(err, &first) || all == 1 {
		return err
	}
	e := u.at.Env.Fail(first.Code, "Restored %d of %d at the calendar's server; the rest failed: %s",
		all-len(failed), all, first.Message)
	e.Retryable, e.RetryAfter, e.Details = first.Retryable, first.RetryAfter, failed
	return e.WithHint(u.at.Env.Hint("To restore the rest: %s", tools.Use("undo", ledger.ChangeID(u.change.ID))))
}
