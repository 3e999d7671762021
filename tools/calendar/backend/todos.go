package backend

import (
	"context"

	"techo/store/event"
	"techo/store/todo"
	"techo/tools/calendar/ics"
)

// Todos is a calendar that has to-dos.
type Todos interface {
	All(ctx context.Context) ([]todo.Occurrence, error)
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

func (l LocalTodos) All(ctx context.Context) ([]todo.Occurrence, error) {
	return todo.Of(l.at.St.Ledger).In(ctx, l.at.Name, l.at.Env.Zone)
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
	return n, nil, err
}

func (l LocalTodos) Each(ctx context.Context, fn func(todo.Todo) error) error {
	return todo.Of(l.at.St.Ledger).Each(ctx, l.at.Name, fn)
}
