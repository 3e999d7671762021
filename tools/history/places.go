package history

import (
	"cmp"
	"context"
	"slices"

	"techo/store"
	"techo/tools"
)

// places are the rights of the caller in the two places of a move.
type places struct {
	env   *tools.Env
	roles map[string]store.Role // by space
}

// placesOf returns the places of the caller. Without a move among the changes it reads
// nothing.
func placesOf(ctx context.Context, env *tools.Env, st *store.Store, changes ...store.Change) (p places, err error) {
	p.env = env
	if slices.ContainsFunc(changes, func(c store.Change) bool { return c.Moved.ID != 0 }) {
		p.roles, err = store.SpacesOf(st.Ledger).Roles(ctx, env.User)
	}
	return p, err
}

// roleAt returns the role of the caller in the other place of a move. Memos and calendars
// outside of spaces belong to all users of the store, memories to who moved them.
func (p places) roleAt(c store.Change) store.Role {
	space := c.Moved.Space
	switch {
	case !p.env.Sharing.Allows(cmp.Or(space, store.OwnSpace)):
		return store.NoRole
	case space != "":
		return p.roles[space]
	case c.Family() == "memory" && !store.SameUser(c.By, p.env.User):
		return store.NoRole
	}
	return store.WriteRole
}

// mayChange reports whether the caller may write in all places of a change.
func (p places) mayChange(c store.Change) bool {
	return c.Moved.ID == 0 || p.roleAt(c) >= store.WriteRole
}

// change describes a change. It names only a place that the caller may see.
func (p places) change(c store.Change, title string) Change {
	out := Change{ID: store.ChangeID(c.ID), Tool: c.Tool, Family: c.Family(), About: c.Records[0].ID, Title: title,
		Records: len(c.Records), By: c.By, Client: c.Client, Session: c.Session, At: p.env.Time(c.At),
		Undone: c.UndoneBy != 0, Space: tools.Space(p.env)}
	if c.UndoneBy != 0 {
		out.UndoneBy = store.ChangeID(c.UndoneBy)
	}
	if c.Undoes != 0 {
		out.Undoes = store.ChangeID(c.Undoes)
	}
	if c.Moved.ID != 0 && p.roleAt(c) != store.NoRole {
		out.Moved, out.left = cmp.Or(c.Moved.Space, store.OwnSpace), !c.Records[0].Exists
	}
	return out
}
