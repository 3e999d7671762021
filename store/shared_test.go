package store

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"techo/store/history"
	"techo/store/ledger"
	"techo/store/memo"
	"techo/store/memory"
	"techo/store/space"
)

// person acts as a user.
func person(user string) space.Acting { return space.Acting{User: user} }

// newSpace returns a store with the space team: alice is an admin, bob writes, carol
// reads.
func newSpace(t *testing.T) *Store {
	t.Helper()
	s, ctx := newStore(t), t.Context()
	if _, err := space.Of(s.Ledger).Create(ctx, "team", person("alice")); err != nil {
		t.Fatal(err)
	}
	for user, role := range map[string]ledger.Role{"bob": ledger.WriteRole, "carol": ledger.ReadRole} {
		if _, err := space.Of(s.Ledger).Grant(ctx, "team", user, role, person("alice")); err != nil {
			t.Fatal(err)
		}
	}
	return s
}

// TestSpaceRoles does what each role may do, and what it may not.
func TestSpaceRoles(t *testing.T) {
	s, ctx := newSpace(t), t.Context()
	mustAdd(t, s, "own")
	mustAdd(t, In(s, "team", "bob"), "shared", "plan")
	for _, user := range []string{"alice", "bob", "carol"} {
		wantMemos(t, In(s, "team", user), "shared")
	}
	wantMemos(t, s, "own")
	var role *space.RoleError
	_, err := In(s, "team", "carol").AddMemo(ctx, memo.Memo{Name: "x", Content: "x", Priority: 1})
	if !errors.As(err, &role) || *role != (space.RoleError{Space: "team", Has: ledger.ReadRole,
		Needs: ledger.WriteRole}) {
		t.Errorf("a reader writes: %v", err)
	}
	for _, user := range []string{"bob", "carol"} {
		if _, err := space.Of(s.Ledger).Grant(ctx, "team", "dave", ledger.ReadRole, person(user)); !errors.As(err,
			&role) {
			t.Errorf("%s adds a member: %v", user, err)
		}
		if _, err := space.Of(s.Ledger).Remove(ctx, "team", true, person(user)); !errors.As(err, &role) {
			t.Errorf("%s removes the space: %v", user, err)
		}
	}
	wantSound(t, s)
}

// TestSpaceHidden compares the errors for a space of others with those for one that
// does not exist.
func TestSpaceHidden(t *testing.T) {
	s, ctx := newSpace(t), t.Context()
	for _, user := range []string{"dave", "", "ALICE", "alice ", "bob\x00"} {
		var texts []string
		for _, name := range []string{"team", "none"} {
			by := person(user)
			_, readErr := In(s, name, user).GetMemo(ctx, "x")
			_, addErr := In(s, name, user).AddMemo(ctx, memo.Memo{Name: "x", Content: "x", Priority: 1})
			_, spaceErr := space.Of(s.Ledger).Get(ctx, name, by)
			_, grantErr := space.Of(s.Ledger).Grant(ctx, name, "eve", ledger.AdminRole, by)
			_, removeErr := space.Of(s.Ledger).Remove(ctx, name, true, by)
			text := ""
			for _, err := range []error{readErr, addErr, spaceErr, grantErr, removeErr} {
				if !errors.As(err, new(*space.NoSpaceError)) {
					t.Errorf("%q in %s: %v", user, name, err)
				}
				text += strings.ReplaceAll(fmt.Sprint(err), name, "NAME") + "\n"
			}
			texts = append(texts, text)
		}
		if texts[0] != texts[1] {
			t.Errorf("%q: %s", user, texts)
		}
		if all, err := space.Of(s.Ledger).List(ctx, person(user)); err != nil || len(all) != 0 {
			t.Errorf("%q sees %v, %v", user, all, err)
		}
	}
}

// TestSpaceMembers changes members, also by undo, and keeps an admin.
func TestSpaceMembers(t *testing.T) {
	s, ctx := newSpace(t), t.Context()
	grant := func(by space.Acting, user string, role ledger.Role) error {
		_, err := space.Of(s.Ledger).Grant(ctx, "team", user, role, by)
		return err
	}
	if err := grant(person("alice"), "alice", ledger.WriteRole); !errors.As(err, new(*space.LastAdminError)) {
		t.Errorf("the last admin: %v", err)
	}
	if err := grant(person("carol"), "carol", ledger.NoRole); err != nil {
		t.Errorf("a member leaves: %v", err)
	}
	if _, err := In(s, "team", "carol").GetMemo(ctx, "x"); !errors.As(err, new(*space.NoSpaceError)) {
		t.Errorf("a former member reads: %v", err)
	}
	undo := func(user string) error {
		team := In(s, "team", user)
		_, err := history.Of(team.Ledger).Undo(ctx, "", history.Filter{Owner: "team"})
		return err
	}
	if err := undo("bob"); err == nil {
		t.Error("bob undoes a change of the members")
	}
	if err := undo("alice"); err != nil {
		t.Errorf("undo: %v", err)
	}
	sp, err := space.Of(s.Ledger).Answer(ctx, "team", true, person("carol")) // who left has to agree
	if err != nil || sp.Role != ledger.ReadRole || len(sp.Members) != 3 {
		t.Errorf("after the undo: %v, %v", sp, err)
	}
	if err := grant(space.Acting{Owner: true}, "dave", ledger.AdminRole); err != nil {
		t.Errorf("the owner of the store: %v", err)
	}
	if err := grant(person("dave"), "alice", ledger.NoRole); err != nil {
		t.Errorf("another admin: %v", err)
	}
	wantSound(t, s)
}

// TestSpaceUndo: a writer undoes own changes only, an admin all.
func TestSpaceUndo(t *testing.T) {
	s, ctx := newSpace(t), t.Context()
	add := func(user, name string) string {
		t.Helper()
		team := In(s, "team", user)
		if _, err := team.AddMemo(ledger.WithOrigin(ctx, ledger.Origin{By: user}), memo.Memo{Name: name, Content: "x",
			Priority: 1}); err != nil {
			t.Fatal(err)
		}
		c, err := history.Of(In(s, "team", "alice").Ledger).FindUndo(ctx, "", history.Filter{})
		if err != nil {
			t.Fatal(err)
		}
		return ledger.ChangeID(c.ID)
	}
	ofBob := add("bob", "bob's")
	ofAlice := add("alice", "alice's")
	for _, c := range []struct {
		user, id string
		ok       bool
	}{{"bob", ofAlice, false}, {"carol", ofAlice, false}, {"carol", ofBob, false}, {"bob", ofBob, true},
		{"alice", ofAlice, true}} {
		_, err := history.Of(In(s, "team", c.user).Ledger).Undo(ctx, c.id, history.Filter{})
		if role := new(space.RoleError); (err == nil) != c.ok || err != nil && !errors.As(err, &role) {
			t.Errorf("%s undoes %s: %v", c.user, c.id, err)
		}
	}
	wantMemos(t, In(s, "team", "carol"))
	wantSound(t, s)
}

// TestSpaceMove moves a memo and a memory into a space and back by undo, from either
// side.
func TestSpaceMove(t *testing.T) {
	s := newSpace(t)
	ctx := ledger.WithOrigin(t.Context(), ledger.Origin{By: "bob"})
	team := In(s, "team", "bob")
	note := mustAdd(t, s, "ramen", "food")
	fact, err := s.AddMemory(ctx, memory.Memory{User: "bob", FullText: "Tanaka likes ramen", Topic: "food"})
	if err != nil {
		t.Fatal(err)
	}
	for _, side := range []*Store{s, team} {
		owner, other, otherOwner := "bob", team, "team"
		if side == team {
			owner, other, otherOwner = "team", s, "bob"
		}
		moved, err := memo.Move(ctx, s.Ledger, team.Ledger, "ramen")
		if err != nil || !sameMemo(moved, note) {
			t.Fatalf("%v %v", moved, err)
		}
		wantMemos(t, s)
		wantMemos(t, team, "ramen")
		m, err := memory.Move(ctx, s.Ledger, team.Ledger, "bob", "team", fact.ID)
		if err != nil || m.ID != fact.ID || !m.CreatedAt.Equal(fact.CreatedAt) || m.Topic != "food" {
			t.Fatalf("%+v %v", m, err)
		}
		if _, err := s.GetMemory(ctx, "bob", m.ID); !errors.As(err, new(*ledger.NotFoundError)) {
			t.Errorf("still there: %v", err)
		}
		for range 2 {
			if _, err := history.UndoMove(ctx, side.Ledger, other.Ledger, "", history.Filter{Owner: owner},
				otherOwner); err != nil {
				t.Fatal(err)
			}
		}
		wantMemos(t, s, "ramen")
		wantMemos(t, team)
		if back, err := s.GetMemory(ctx, "bob", m.ID); err != nil || back.FullText != m.FullText {
			t.Errorf("%v %v", back, err)
		}
		wantSound(t, s)
	}
	if _, err := memo.Move(ctx, s.Ledger, In(s, "team", "carol").Ledger, "ramen"); !errors.As(err,
		new(*space.RoleError)) {
		t.Errorf("a reader moves: %v", err)
	}
	mustAdd(t, team, "ramen")
	if _, err := memo.Move(ctx, s.Ledger, team.Ledger, "ramen"); !errors.As(err, new(*ledger.TakenError)) {
		t.Errorf("a taken name: %v", err)
	}
	wantMemos(t, s, "ramen")
}

// TestSpaceRemove removes a space with contents, and creates another one with its name.
func TestSpaceRemove(t *testing.T) {
	s, ctx := newSpace(t), t.Context()
	team := In(s, "team", "alice")
	mustAdd(t, s, "own")
	mustAdd(t, team, "shared")
	if _, err := space.Of(s.Ledger).Remove(ctx, "team", false, person("alice")); !errors.As(err,
		new(*space.FullError)) {
		t.Errorf("a full space: %v", err)
	}
	if _, err := space.Of(s.Ledger).Remove(ctx, "team", true, person("alice")); err != nil {
		t.Fatal(err)
	}
	if _, err := team.GetMemo(ctx, "shared"); !errors.As(err, new(*space.NoSpaceError)) {
		t.Errorf("after the removal: %v", err)
	}
	if numbers, err := s.Ledger.SpacesWithKeys(ctx); err != nil || len(numbers) != 0 {
		t.Errorf("keys remain of %v, %v", numbers, err)
	}
	if _, err := space.Of(s.Ledger).Create(ctx, "team", person("eve")); err != nil {
		t.Fatal(err)
	}
	wantMemos(t, In(s, "team", "eve"))
	if _, err := team.GetMemo(ctx, "shared"); !errors.As(err, new(*space.NoSpaceError)) {
		t.Errorf("alice reads the new space: %v", err)
	}
	wantMemos(t, s, "own")
	wantSound(t, s)
}

// TestSpaceNames takes and refuses names of spaces.
func TestSpaceNames(t *testing.T) {
	s, ctx := newStore(t), t.Context()
	for _, name := range []string{"", "own", "a b", "a/b", "-x", ".x", "a\x00", strings.Repeat("a", 41), "a,b", "*"} {
		if _, err := space.Of(s.Ledger).Create(ctx, name, person("alice")); !errors.As(err, new(*space.NameError)) {
			t.Errorf("%q: %v", name, err)
		}
	}
	for _, name := range []string{"チーム", "team-1", "か\u3099", strings.Repeat("a", 40)} {
		if _, err := space.Of(s.Ledger).Create(ctx, name, person("alice")); err != nil {
			t.Errorf("%q: %v", name, err)
		}
	}
	if _, err := space.Of(s.Ledger).Create(ctx, "が", person("alice")); !errors.As(err, new(*ledger.TakenError)) {
		t.Errorf("another form: %v", err)
	}
	mustAdd(t, In(s, "か\u3099", "alice"), "x")
	wantMemos(t, In(s, "が", "alice"), "x")
	wantSound(t, s)
}

// TestSpaceJoin refuses a transaction while another space has one.
func TestSpaceJoin(t *testing.T) {
	s := newSpace(t)
	_, err := In(s, "team", "bob").Once(t.Context(), "bob", "key", "digest",
		func(ctx context.Context) ([]byte, error) {
			_, err := s.AddMemo(ctx, memo.Memo{Name: "x", Content: "x", Priority: 1})
			return nil, err
		})
	if !errors.Is(err, ledger.ErrOtherSpace) {
		t.Errorf("%v", err)
	}
	wantMemos(t, s)
}
