package store

import (
	"errors"
	"testing"

	"techo/store/history"
	"techo/store/ledger"
	"techo/store/space"
)

// asking acts as alice through a server.
var asking = space.Acting{User: "alice", Asks: true}

// wantHidden fails if dave reaches the space team.
func wantHidden(t *testing.T, s *Store, when string) {
	t.Helper()
	_, err := In(s, "team", "dave").GetMemo(t.Context(), "x")
	if !errors.As(err, new(*space.NoSpaceError)) {
		t.Errorf("%s, dave: %v", when, err)
	}
	if names, err := space.Of(s.Ledger).Names(t.Context(), "dave"); err != nil || len(names) > 0 {
		t.Errorf("%s, dave has %v, %v", when, names, err)
	}
	wantSound(t, s)
}

// TestSpaceInvite invites a user, who has no right before accepting.
func TestSpaceInvite(t *testing.T) {
	s, ctx := newSpace(t), t.Context()
	spaces := space.Of(s.Ledger)
	for _, accept := range []bool{false, true} {
		sp, err := spaces.Grant(ctx, "team", "dave", ledger.WriteRole, asking)
		if err != nil || len(sp.Members) != 3 || len(sp.Invited) != 1 {
			t.Fatalf("%+v %v", sp, err)
		}
		wantHidden(t, s, "invited")
		if _, err := spaces.Answer(ctx, "team", true, person("eve")); !errors.As(err, new(*space.NoSpaceError)) {
			t.Errorf("another user accepts: %v", err)
		}
		if all, err := spaces.Invitations(ctx, "dave"); err != nil || len(all) != 1 || all[0].Role != ledger.WriteRole {
			t.Errorf("%v %v", all, err)
		}
		if _, err := spaces.Answer(ctx, "team", accept, person("dave")); err != nil {
			t.Fatal(err)
		}
		_, err = spaces.Answer(ctx, "team", true, person("dave"))
		if errors.As(err, new(*space.MemberError)) != accept || errors.As(err, new(*space.NoSpaceError)) == accept {
			t.Errorf("answered twice: %v", err)
		}
		if !accept {
			wantHidden(t, s, "declined")
		}
	}
	mustAdd(t, In(s, "team", "dave"), "from dave")
	if sp, err := spaces.Grant(ctx, "team", "dave", ledger.ReadRole, asking); err != nil || len(sp.Invited) > 0 {
		t.Errorf("a member gets another role: %+v %v", sp, err)
	}
	wantSound(t, s)
}

// TestSpaceComeBack: a user who left comes back only by accepting, whoever undoes the
// change. An invitation ends when it is withdrawn, and with the space.
func TestSpaceComeBack(t *testing.T) {
	s, ctx := newSpace(t), t.Context()
	spaces := space.Of(s.Ledger)
	for _, step := range []struct {
		role ledger.Role
		by   space.Acting
	}{{ledger.WriteRole, person("alice")}, {ledger.NoRole, person("dave")}} {
		if _, err := spaces.Grant(ctx, "team", "dave", step.role, step.by); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := history.Of(spaces.In("team", "alice")).Undo(ctx, "", history.Filter{}); err != nil {
		t.Fatal(err)
	}
	wantHidden(t, s, "undone")
	if _, err := spaces.Grant(ctx, "team", "dave", ledger.NoRole, asking); err != nil { // withdraws the invitation
		t.Fatal(err)
	}
	if all, err := spaces.Invitations(ctx, "dave"); err != nil || len(all) > 0 {
		t.Errorf("%v %v", all, err)
	}
	if _, err := spaces.Grant(ctx, "team", "dave", ledger.ReadRole, asking); err != nil {
		t.Fatal(err)
	}
	if _, err := spaces.Remove(ctx, "team", true, person("alice")); err != nil {
		t.Fatal(err)
	}
	if _, err := spaces.Answer(ctx, "team", true, person("dave")); !errors.As(err, new(*space.NoSpaceError)) {
		t.Errorf("of a removed space: %v", err)
	}
	wantSound(t, s)
}
