package store

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
)

// person acts as a user.
func person(user string) Acting { return Acting{User: user} }

// newSpace returns a store with the space team: alice is an admin, bob writes, carol
// reads.
func newSpace(t *testing.T) *Store {
	t.Helper()
	s, ctx := newStore(t), t.Context()
	if _, err := SpacesOf(s.Ledger).Create(ctx, "team", person("alice")); err != nil {
		t.Fatal(err)
	}
	for user, role := range map[string]Role{"bob": WriteRole, "carol": ReadRole} {
		if _, err := SpacesOf(s.Ledger).Grant(ctx, "team", user, role, person("alice")); err != nil {
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
	var role *SpaceRoleError
	_, err := In(s, "team", "carol").AddMemo(ctx, Memo{Name: "x", Content: "x", Priority: 1})
	if !errors.As(err, &role) || *role != (SpaceRoleError{"team", ReadRole, WriteRole}) {
		t.Errorf("a reader writes: %v", err)
	}
	for _, user := range []string{"bob", "carol"} {
		if _, err := SpacesOf(s.Ledger).Grant(ctx, "team", "dave", ReadRole, person(user)); !errors.As(err, &role) {
			t.Errorf("%s adds a member: %v", user, err)
		}
		if _, err := SpacesOf(s.Ledger).Remove(ctx, "team", true, person(user)); !errors.As(err, &role) {
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
			_, addErr := In(s, name, user).AddMemo(ctx, Memo{Name: "x", Content: "x", Priority: 1})
			_, spaceErr := SpacesOf(s.Ledger).Get(ctx, name, by)
			_, grantErr := SpacesOf(s.Ledger).Grant(ctx, name, "eve", AdminRole, by)
			_, removeErr := SpacesOf(s.Ledger).Remove(ctx, name, true, by)
			text := ""
			for _, err := range []error{readErr, addErr, spaceErr, grantErr, removeErr} {
				if !errors.As(err, new(*NoSpaceError)) {
					t.Errorf("%q in %s: %v", user, name, err)
				}
				text += strings.ReplaceAll(fmt.Sprint(err), name, "NAME") + "\n"
			}
			texts = append(texts, text)
		}
		if texts[0] != texts[1] {
			t.Errorf("%q: %s", user, texts)
		}
		if all, err := SpacesOf(s.Ledger).List(ctx, person(user)); err != nil || len(all) != 0 {
			t.Errorf("%q sees %v, %v", user, all, err)
		}
	}
}

// TestSpaceMembers changes members, also by undo, and keeps an admin.
func TestSpaceMembers(t *testing.T) {
	s, ctx := newSpace(t), t.Context()
	grant := func(by Acting, user string, role Role) error {
		_, err := SpacesOf(s.Ledger).Grant(ctx, "team", user, role, by)
		return err
	}
	if err := grant(person("alice"), "alice", WriteRole); !errors.As(err, new(*LastAdminError)) {
		t.Errorf("the last admin: %v", err)
	}
	if err := grant(person("carol"), "carol", NoRole); err != nil {
		t.Errorf("a member leaves: %v", err)
	}
	if _, err := In(s, "team", "carol").GetMemo(ctx, "x"); !errors.As(err, new(*NoSpaceError)) {
		t.Errorf("a former member reads: %v", err)
	}
	undo := func(user string) error {
		team := In(s, "team", user)
		_, err := HistoryOf(team.Ledger).Undo(ctx, "", HistoryFilter{Owner: "team"})
		return err
	}
	if err := undo("bob"); err == nil {
		t.Error("bob undoes a change of the members")
	}
	if err := undo("alice"); err != nil {
		t.Errorf("undo: %v", err)
	}
	sp, err := SpacesOf(s.Ledger).Answer(ctx, "team", true, person("carol")) // who left has to agree
	if err != nil || sp.Role != ReadRole || len(sp.Members) != 3 {
		t.Errorf("after the undo: %v, %v", sp, err)
	}
	if err := grant(Acting{Owner: true}, "dave", AdminRole); err != nil {
		t.Errorf("the owner of the store: %v", err)
	}
	if err := grant(person("dave"), "alice", NoRole); err != nil {
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
		if _, err := team.AddMemo(WithOrigin(ctx, Origin{By: user}), Memo{Name: name, Content: "x",
			Priority: 1}); err != nil {
			t.Fatal(err)
		}
		c, err := HistoryOf(In(s, "team", "alice").Ledger).FindUndo(ctx, "", HistoryFilter{})
		if err != nil {
			t.Fatal(err)
		}
		return ChangeID(c.ID)
	}
	ofBob := add("bob", "bob's")
	ofAlice := add("alice", "alice's")
	for _, c := range []struct {
		user, id string
		ok       bool
	}{{"bob", ofAlice, false}, {"carol", ofAlice, false}, {"carol", ofBob, false}, {"bob", ofBob, true},
		{"alice", ofAlice, true}} {
		_, err := HistoryOf(In(s, "team", c.user).Ledger).Undo(ctx, c.id, HistoryFilter{})
		if role := new(SpaceRoleError); (err == nil) != c.ok || err != nil && !errors.As(err, &role) {
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
	ctx := WithOrigin(t.Context(), Origin{By: "bob"})
	team := In(s, "team", "bob")
	note := mustAdd(t, s, "ramen", "food")
	fact, _, err := s.AddMemory(ctx, Memory{User: "bob", FullText: "Tanaka likes ramen", Topic: "food"})
	if err != nil {
		t.Fatal(err)
	}
	for _, side := range []*Store{s, team} {
		owner, other, otherOwner := "bob", team, "team"
		if side == team {
			owner, other, otherOwner = "team", s, "bob"
		}
		moved, err := MoveMemo(ctx, s.Ledger, team.Ledger, "ramen")
		if err != nil || !sameMemo(moved, note) {
			t.Fatalf("%v %v", moved, err)
		}
		wantMemos(t, s)
		wantMemos(t, team, "ramen")
		m, err := MoveMemory(ctx, s.Ledger, team.Ledger, "bob", "team", fact.ID)
		if err != nil || m.ID != fact.ID || !m.CreatedAt.Equal(fact.CreatedAt) || m.Topic != "food" {
			t.Fatalf("%+v %v", m, err)
		}
		if _, err := s.GetMemory(ctx, "bob", m.ID); !errors.As(err, new(*NotFoundError)) {
			t.Errorf("still there: %v", err)
		}
		for range 2 {
			if _, err := UndoMove(ctx, side.Ledger, other.Ledger, "", HistoryFilter{Owner: owner}, otherOwner); err != nil {
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
	if _, err := MoveMemo(ctx, s.Ledger, In(s, "team", "carol").Ledger, "ramen"); !errors.As(err, new(*SpaceRoleError)) {
		t.Errorf("a reader moves: %v", err)
	}
	mustAdd(t, team, "ramen")
	if _, err := MoveMemo(ctx, s.Ledger, team.Ledger, "ramen"); !errors.As(err, new(*TakenError)) {
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
	if _, err := SpacesOf(s.Ledger).Remove(ctx, "team", false, person("alice")); !errors.As(err, new(*FullSpaceError)) {
		t.Errorf("a full space: %v", err)
	}
	if _, err := SpacesOf(s.Ledger).Remove(ctx, "team", true, person("alice")); err != nil {
		t.Fatal(err)
	}
	if _, err := team.GetMemo(ctx, "shared"); !errors.As(err, new(*NoSpaceError)) {
		t.Errorf("after the removal: %v", err)
	}
	if numbers, err := spacesWithKeys(ctx, s.Ledger); err != nil || len(numbers) != 0 {
		t.Errorf("keys remain of %v, %v", numbers, err)
	}
	if _, err := SpacesOf(s.Ledger).Create(ctx, "team", person("eve")); err != nil {
		t.Fatal(err)
	}
	wantMemos(t, In(s, "team", "eve"))
	if _, err := team.GetMemo(ctx, "shared"); !errors.As(err, new(*NoSpaceError)) {
		t.Errorf("alice reads the new space: %v", err)
	}
	wantMemos(t, s, "own")
	wantSound(t, s)
}

// TestSpaceNames takes and refuses names of spaces.
func TestSpaceNames(t *testing.T) {
	s, ctx := newStore(t), t.Context()
	for _, name := range []string{"", "own", "a b", "a/b", "-x", ".x", "a\x00", strings.Repeat("a", 41), "a,b", "*"} {
		if _, err := SpacesOf(s.Ledger).Create(ctx, name, person("alice")); !errors.As(err, new(*SpaceNameError)) {
			t.Errorf("%q: %v", name, err)
		}
	}
	for _, name := range []string{"チーム", "team-1", "か\u3099", strings.Repeat("a", 40)} {
		if _, err := SpacesOf(s.Ledger).Create(ctx, name, person("alice")); err != nil {
			t.Errorf("%q: %v", name, err)
		}
	}
	if _, err := SpacesOf(s.Ledger).Create(ctx, "が", person("alice")); !errors.As(err, new(*TakenError)) {
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
			_, err := s.AddMemo(ctx, Memo{Name: "x", Content: "x", Priority: 1})
			return nil, err
		})
	if !errors.Is(err, errOtherSpace) {
		t.Errorf("%v", err)
	}
	wantMemos(t, s)
}
