package history

import (
	"cmp"
	"context"
	"slices"

	"techo/store"
	"techo/store/ledger"
	"techo/store/space"
	"techo/tools"
)

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
