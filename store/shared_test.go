package store

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"techo/store/ledger"
	"techo/store/memo"
	"techo/store/space"
)

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
