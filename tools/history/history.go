// Package history is the family of tools for the history of changes.
package history

import (
	"cmp"
	"context"
	"errors"
	"slices"

	"techo/store"
	"techo/store/history"
	"techo/store/ledger"
	"techo/store/memory"
	"techo/store/question"
	"techo/store/space"
	"techo/tools"
)

// Families gives access to the families whose changes need more than the store.
type Families struct {
	Files Files

	// UndoElsewhere undoes a change of a calendar at a service. done is false for other
	// changes.
	UndoElsewhere func(context.Context, *tools.Env, *store.Store, ledger.Change) (done bool, err error)

	// PermitQuestion returns an error unless the caller may undo a change of a
	// question.
	PermitQuestion func(context.Context, *tools.Env, question.Question) error
}

// Files is the family of tools for files, whose content is not in the store.
type Files interface {
	// Diff returns a unified diff of two texts.
	Diff(name, before, after string) string

	// Visible returns what reports whether the caller may use the files of a change, nil if they may use all files.
	Visible(*tools.Env) func(ledger.Change) bool

	// Show returns the diff of a change, if the files did not change since.
	Show(context.Context, *tools.Env, *store.Store, ledger.Change) (string, error)

	// Undo undoes a change.
	Undo(context.Context, *tools.Env, *store.Store, ledger.Change) error
}

// Tools returns the family in the order of the help.
func Tools(f Families) []*tools.Tool { return []*tools.Tool{f.list(), f.show(), f.undo()} }

// Change is a change in the results of this family.
type Change struct {
	ID       string `json:"id"`
	Tool     string `json:"tool"` // that made the change
	Family   string `json:"family"`
	About    string `json:"about"`   // id of the first record, or the path of a file
	Title    string `json:"title"`   // of the first record; "" when it is not known
	Records  int    `json:"records"` // number of changed records
	By       string `json:"by"`
	Client   string `json:"client"`
	Session  string `json:"session"`
	At       string `json:"at"`
	Undone   bool   `json:"undone"`
	UndoneBy string `json:"undone_by,omitempty"`
	Undoes   string `json:"undoes,omitempty"`
	Space    string `json:"space,omitempty"` // the shared space whose history has the change
	Moved    string `json:"moved,omitempty"` // the other place of a move between spaces, or own

	// Assurance is what shows that the person did it: for answers and guarded acts only.
	Assurance string `json:"assurance,omitempty"`

	left bool // the move took the record away from here
}

// naming names a command about a change in a place.
func naming(command, place string, number uint64) tools.Reference {
	id := ledger.ChangeID(number)
	if place == "" {
		return tools.Use(command, id)
	}
	return tools.Use(command, id, tools.Field("space", place))
}

func (f Families) filter(env *tools.Env) history.Filter {
	return history.Filter{Owner: tools.Owner(env), Visible: f.Files.Visible(env)}
}

// explain converts the store's errors to sentences about changes.
func explain(env *tools.Env, err error) error {
	var (
		missing  *ledger.NotFoundError
		undone   *history.UndoneError
		newer    *history.NewerChangeError
		lost     *history.LostChangeError
		lostPart *history.LostPartError
		created  *space.CreatedError
		same     *memory.SameTextError
	)
	switch {
	case errors.As(err, &missing) && missing.Kind == ledger.KindChange:
		if missing.Name == "" {
			return env.Fail(tools.NotFound, "There is no change to undo").
				WithHint(env.Hint("See %s", tools.Use("history")))
		}
		return env.Fail(tools.NotFound, "Change not found (id: %s)", missing.Name).
			WithHint(env.Hint("See %s", tools.Use("history")))
	case errors.As(err, &undone):
		return env.Fail(tools.Conflict, "%s was already undone by %s", ledger.ChangeID(undone.ID),
			ledger.ChangeID(undone.By)).
			WithHint(env.Hint("To make the change again: %s",
				naming("undo", tools.Space(env), undone.By)))
	case errors.As(err, &newer):
		e := env.Fail(tools.Conflict, "%s %s changed after %s; nothing was undone", env.KindName(newer.Kind),
			newer.About, ledger.ChangeID(newer.ID))
		if newer.Newer == 0 {
			return e.WithHint(env.Hint("The history does not have that change; edit the record instead"))
		}
		return e.WithHint(env.Hint("The newer change is %s: see %s, or undo it first: %s", ledger.ChangeID(newer.Newer),
			naming("history show", newer.Space, newer.Newer), naming("undo", newer.Space, newer.Newer)))
	case errors.As(err, &lost):
		return env.Fail(tools.LimitExceeded, "The previous values of %s were not kept: it cannot be undone",
			ledger.ChangeID(lost.ID))
	case errors.As(err, &lostPart):
		return env.Fail(tools.Conflict, "The history of the other place does not have its part of %s any more: it "+
			"cannot be undone", ledger.ChangeID(lostPart.ID)).
			WithHint(env.Hint("Move it back instead"))
	case errors.As(err, &created):
		return env.Fail(tools.Conflict, "%s created the space %s; an undo does not remove it",
			ledger.ChangeID(created.ID), created.Space).
			WithHint(env.Hint("To remove it: %s", tools.Use("space remove", created.Space)))
	case errors.As(err, &same):
		return env.Fail(tools.AlreadyExists, "Another memory has this text (id: %s)", same.ID).
			WithHint(env.Hint("Remove one of the two"))
	}
	return err
}

// places are the rights of the caller in the two places of a move.
type places struct {
	env   *tools.Env
	roles map[string]ledger.Role // by space
}

// placesOf returns the places of the caller. Without a move among the changes it reads
// nothing.
func placesOf(ctx context.Context, env *tools.Env, st *store.Store, changes ...ledger.Change) (p places, err error) {
	p.env = env
	if slices.ContainsFunc(changes, func(c ledger.Change) bool { return c.Moved.ID != 0 }) {
		p.roles, err = space.Of(st.Ledger).Roles(ctx, env.User)
	}
	return p, err
}

// roleAt returns the role of the caller in the other place of a move. Memos and calendars
// outside of spaces belong to all users of the store, memories to who moved them.
func (p places) roleAt(c ledger.Change) ledger.Role {
	place := c.Moved.Space
	switch {
	case !p.env.Sharing.Allows(cmp.Or(place, space.Own)):
		return ledger.NoRole
	case place != "":
		return p.roles[place]
	case c.Family() == "memory" && !ledger.SameUser(c.By, p.env.User):
		return ledger.NoRole
	}
	return ledger.WriteRole
}

// mayChange reports whether the caller may write in all places of a change.
func (p places) mayChange(c ledger.Change) bool {
	return c.Moved.ID == 0 || p.roleAt(c) >= ledger.WriteRole
}

// change describes a change. It names only a place that the caller may see.
func (p places) change(c ledger.Change, title string) Change {
	out := Change{ID: ledger.ChangeID(c.ID), Tool: c.Tool, Family: c.Family(), About: c.Records[0].ID, Title: title,
		Records: len(c.Records), By: c.By, Client: c.Client, Session: c.Session, At: p.env.Time(c.At),
		Undone: c.UndoneBy != 0, Space: tools.Space(p.env), Assurance: c.Assurance}
	if c.UndoneBy != 0 {
		out.UndoneBy = ledger.ChangeID(c.UndoneBy)
	}
	if c.Undoes != 0 {
		out.Undoes = ledger.ChangeID(c.Undoes)
	}
	if c.Moved.ID != 0 && p.roleAt(c) != ledger.NoRole {
		out.Moved, out.left = cmp.Or(c.Moved.Space, space.Own), !c.Records[0].Exists
	}
	return out
}
