package store

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"techo/store/ledger"
	"techo/store/token"
)

// TestToken adds, finds, lists and removes tokens. The secret is nowhere in the
// store.
func TestToken(t *testing.T) {
	s := newStore(t)
	const secret = "techo_0123456789abcdef"
	added, err := s.AddToken(t.Context(), secret,
		token.Token{User: "ハ\u309aン", ReadOnly: true, Only: []string{"memo"}})
	if err != nil || added.User != "パン" || !strings.HasPrefix(added.ID, "tok_") || added.CreatedAt.IsZero() ||
		!added.UsedAt.IsZero() {
		t.Fatalf("%+v, %v", added, err)
	}
	if _, err := s.AddToken(t.Context(), secret, token.Token{User: "b"}); !errors.As(err, new(*ledger.TakenError)) {
		t.Errorf("the same secret for another user: %v", err)
	}
	other, err := s.AddToken(t.Context(), secret+"0", token.Token{User: "b"})
	if err != nil {
		t.Fatal(err)
	}
	found, err := s.FindToken(t.Context(), secret)
	if err != nil || found.ID != added.ID || found.User != "パン" || !found.ReadOnly ||
		!slices.Equal(found.Only, added.Only) {
		t.Errorf("%+v, %v", found, err)
	}
	for _, wrong := range []string{"", secret[:10], secret + " ", strings.ToUpper(secret), added.ID} {
		if _, err := s.FindToken(t.Context(), wrong); !errors.As(err, new(*ledger.NotFoundError)) {
			t.Errorf("%q: %v", wrong, err)
		}
	}
	for key, value := range keysOf(t, s) {
		if strings.Contains(key+value, "0123456789") {
			t.Errorf("the secret is in the store: %q %q", key, value)
		}
	}
	wantSound(t, s)
	if removed, err := s.RemoveToken(t.Context(), added.ID); err != nil || removed.User != "パン" {
		t.Errorf("%+v, %v", removed, err)
	}
	if _, err := s.RemoveToken(t.Context(), added.ID); !errors.As(err, new(*ledger.NotFoundError)) {
		t.Errorf("removed twice: %v", err)
	}
	if _, err := s.FindToken(t.Context(), secret); !errors.As(err, new(*ledger.NotFoundError)) {
		t.Errorf("a removed token is found: %v", err)
	}
	if all, err := s.ListTokens(t.Context()); err != nil || len(all) != 1 || all[0].ID != other.ID {
		t.Errorf("%+v, %v", all, err)
	}
	wantSound(t, s)
}

// TestTokenUsers refuses what can be no user.
func TestTokenUsers(t *testing.T) {
	s := newStore(t)
	for _, user := range []string{"", " ", "\u3000", "\xff", strings.Repeat("x", ledger.MaxUserName+1)} {
		if _, err := s.AddToken(t.Context(), "secret", token.Token{User: user}); !errors.As(err,
			new(*ledger.UserNameError)) {
			t.Errorf("%.20q: %v", user, err)
		}
	}
}

// TestTokenUsed writes the time of use once an hour.
func TestTokenUsed(t *testing.T) {
	now := time.Date(2025, 3, 1, 9, 0, 0, 0, time.UTC)
	s := open(t, newPlace(t), Options{Write: true, Now: func() time.Time { return now }})
	if _, err := s.AddToken(t.Context(), "secret", token.Token{User: "a"}); err != nil {
		t.Fatal(err)
	}
	used := func() time.Time {
		t.Helper()
		if err := s.UseToken(t.Context(), "secret"); err != nil {
			t.Fatal(err)
		}
		found, err := s.FindToken(t.Context(), "secret")
		if err != nil {
			t.Fatal(err)
		}
		return found.UsedAt
	}
	first := now
	for _, c := range []struct {
		pass time.Duration
		want time.Duration // after the first use
	}{{0, 0}, {59 * time.Minute, 0}, {time.Minute, time.Hour}, {-24 * time.Hour, -23 * time.Hour}} {
		now = now.Add(c.pass)
		if got := used(); !got.Equal(first.Add(c.want)) {
			t.Errorf("after %v: %v", c.pass, got)
		}
	}
	if err := s.UseToken(t.Context(), "another"); err != nil {
		t.Errorf("a token that is gone: %v", err)
	}
	wantSound(t, s)
}
