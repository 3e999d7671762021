package history

import (
	"cmp"
	"context"
	"errors"
	"reflect"
	"slices"

	"techo/store"
	"techo/store/history"
	"techo/store/ledger"
	"techo/store/space"
	"techo/tools"
)

// UndoIn is the input of undo_change.
type UndoIn struct {
	ID changeID `json:"id,omitempty" doc:"Id of the change (default: the last one that can be undone)"`
}

type changeID string

// FieldTags limits the length of an id.
func (changeID) FieldTags() reflect.StructTag { return `maxLength:"40" record:"change"` }

// UndoOut is the result of undo_change.
type UndoOut struct {
	Undone  Change `json:"undone"`
	Message string `json:"message"`
}

func (f Families) undo() *tools.Tool {
	return tools.Define(tools.Tool{
		Name:    "undo_change",
		For:     tools.Persons,
		Command: "undo",
		About:   "Undo a change",
		More: "Gives all records of the change their previous values, or none. It refuses if one of " +
			"them changed since. Without an id it undoes the last change that is not undone; repeat " +
			"it to undo earlier ones. An undo is a change itself: undo its id to make the first " +
			"change again. In a shared space only an admin may undo changes of others.",
		Notes: []tools.Note{
			{Text: "--purge undoes nothing: it removes the change, and all other changes of the same records, from the history.", Shell: true},
		},
		Effect:  tools.Changes,
		Sharing: tools.OneSpace,
		Words:   []string{"id"},
		Examples: []tools.Example{
			{Does: "Undo the last change", Line: "undo"},
		},
	}, f.undoChange)
}

func (f Families) undoChange(ctx context.Context, env *tools.Env, in UndoIn) (out UndoOut, err error) {
	if env.Purge && in.ID == "" {
		return out, tools.InvalidField(env, "/id", "is required with --purge")
	}
	st, err := env.Store(ctx, tools.Changes)
	if err != nil {
		return out, err
	}
	if env.Purge {
		return f.purge(ctx, env, st, string(in.ID))
	}
	filter := f.filter(env)
	if in.ID != "" {
		out.Undone, err = f.undoOne(ctx, env, st, string(in.ID), filter)
	} else {
		out.Undone, err = f.undoLast(ctx, env, st, filter)
	}
	if err != nil {
		return out, explain(env, err)
	}
	out.Message = env.Localize("Undid %s", out.Undone.ID)
	if out.Undone.UndoneBy != "" {
		number, err := ledger.ChangeNumber(out.Undone.UndoneBy)
		if err != nil {
			return out, err
		}
		out.Message = env.Hint("Undid %s; to make it again: %s", out.Undone.ID, naming("undo", tools.Space(env), number))
	}
	return out, nil
}

// undoLast undoes the last change that the caller can undo.
func (f Families) undoLast(ctx context.Context, env *tools.Env, st *store.Store, filter history.Filter) (
	undone Change, err error) {
	roles, err := space.Of(st.Ledger).Roles(ctx, env.User)
	if err != nil {
		return undone, err
	}
	filter.Undoable = places{env, roles}.mayChange
	var skipped []ledger.ChangeLink
	for {
		c, err := history.Of(st.Ledger).FindUndo(ctx, "", filter)
		if err != nil {
			return undone, err
		}
		undone, err = f.undoOne(ctx, env, st, ledger.ChangeID(c.ID), filter)
		if err == nil {
			return undone, nil
		}
		if errors.As(err, new(*history.UndoneError)) {
			continue // another process undid it meanwhile: now it is the one before
		}
		if blocked, e := f.blocked(ctx, env, filter, skipped, err); e != nil || !blocked {
			return undone, cmp.Or(e, err)
		}
		skipped = append(skipped, ledger.ChangeLink{Space: tools.Space(env), ID: c.ID})
		filter.Before = c.ID
	}
}

// blocked reports whether an undo failed because the caller can never undo that change, or
// not before a newer one that they cannot undo.
func (f Families) blocked(ctx context.Context, env *tools.Env, filter history.Filter, skipped []ledger.ChangeLink,
	err error) (bool, error) {
	newer := new(history.NewerChangeError)
	switch {
	case errors.As(err, new(*space.RoleError)), errors.As(err, new(*space.NoSpaceError)),
		errors.As(err, new(*history.LostPartError)):
		return true, nil
	case !errors.As(err, &newer) || newer.Newer == 0:
		return false, nil
	case slices.Contains(skipped, ledger.ChangeLink{Space: newer.Space, ID: newer.Newer}):
		return true, nil
	}
	there, owner, err := tools.StoreOf(ctx, env, newer.Space, tools.Changes)
	if err != nil {
		return false, err
	}
	filter.Owner = owner
	able, err := history.Of(there.Ledger).MayUndo(ctx, newer.Newer, filter)
	return !able, err
}

func (f Families) undoOne(ctx context.Context, env *tools.Env, st *store.Store, id string,
	filter history.Filter) (undone Change, err error) {
	c, err := history.Of(st.Ledger).FindUndo(ctx, id, filter)
	if err != nil {
		return undone, err
	}
	if err := f.permit(ctx, env, st, c); err != nil {
		return undone, err
	}
	shown, err := history.Of(st.Ledger).Show(ctx, id, filter)
	if err != nil {
		return undone, err
	}
	at, err := placesOf(ctx, env, st, c)
	if err != nil {
		return undone, err
	}
	if c, err = f.revert(ctx, at, st, c, filter); err != nil {
		return undone, err
	}
	return at.change(c, shown.Title), nil
}

// purge removes a change from the history.
func (f Families) purge(ctx context.Context, env *tools.Env, st *store.Store, id string) (out UndoOut, err error) {
	c, removed, err := history.Of(st.Ledger).Purge(ctx, id, f.filter(env))
	if err != nil {
		return out, explain(env, err)
	}
	at, err := placesOf(ctx, env, st, c)
	if err != nil {
		return out, err
	}
	out.Undone = at.change(c, "")
	out.Message = env.Localize("Removed from the history: %s; run techo store compact to erase them from the disk",
		env.Count(removed, "%d change", "%d changes"))
	out.Message = tools.AfterPurge(ctx, env, out.Message)
	return out, nil
}

// permit returns an error unless the caller may undo a change.
func (f Families) permit(ctx context.Context, env *tools.Env, st *store.Store, c ledger.Change) error {
	for _, r := range c.Records {
		if r.Kind != ledger.KindQuestion || !r.Existed || !r.Exists {
			continue // of questions, those that existed before and exist now
		}
		q, err := st.GetQuestion(ctx, r.ID)
		if err == nil {
			err = f.PermitQuestion(ctx, env, q)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (f Families) revert(ctx context.Context, at places, st *store.Store, c ledger.Change,
	filter history.Filter) (ledger.Change, error) {
	id, env := ledger.ChangeID(c.ID), at.env
	if c.Edit == 0 && c.UndoneBy == 0 && f.UndoElsewhere != nil {
		if done, err := f.UndoElsewhere(ctx, env, st, c); err != nil {
			return c, err
		} else if done {
			return history.Of(st.Ledger).FindUndo(ctx, id, filter)
		}
	}
	if c.Moved.ID != 0 && c.UndoneBy == 0 {
		if at.roleAt(c) == ledger.NoRole {
			return c, env.Fail(tools.Forbidden, "%s moved a record between this place and one that you cannot use", id).
				WithHint(env.Hint("Who may change records in both places can undo it"))
		}
		other, owner, err := tools.StoreOf(ctx, env, c.Moved.Space, tools.Changes)
		if err != nil {
			return c, err
		}
		return history.UndoMove(ctx, st.Ledger, other.Ledger, id, filter, owner)
	}
	if c.UndoneBy != 0 {
		return c, &history.UndoneError{ID: c.ID, By: c.UndoneBy}
	}
	if c.Edit == 0 {
		return history.Of(st.Ledger).Undo(ctx, id, filter)
	}
	if err := f.Files.Undo(ctx, env, st, c); err != nil {
		return c, err
	}
	return history.Of(st.Ledger).FindUndo(ctx, id, filter)
}

// Text shows the message and the change.
func (o UndoOut) Text(env *tools.Env) string { return o.Message + "\n" + o.Undone.line(env) }
