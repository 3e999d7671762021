// Package token has the tokens with which clients call a server.
package token

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"golang.org/x/text/unicode/norm"

	"techo/internal/sorting"
	"techo/store/kv"
	"techo/store/ledger"
)

// MaxTokens is the largest number of tokens in a store.
const MaxTokens = 1000

// usedEvery is the precision of a token's UsedAt: most reads must not cost a
// write.
const usedEvery = time.Hour

// Token authorizes programs to call a server as one user. It does not contain the
// secret that they send: the store has only its SHA-256.
type Token struct {
	ID        string    `json:"-"`
	User      string    `json:"user"`
	Audience  string    `json:"audience,omitempty"`   // whose tools may be called: "agent", "host" or "person"
	ReadOnly  bool      `json:"read_only,omitempty"`  // only tools that change nothing
	Only      []string  `json:"only,omitempty"`       // families and tools that may be called; empty means all
	Spaces    []string  `json:"spaces,omitempty"`     // shared spaces, and OwnSpace for the user's own records; empty means all
	PerMinute int       `json:"per_minute,omitempty"` // calls in a minute; 0 means unlimited
	AtOnce    int       `json:"at_once,omitempty"`    // calls that run at once; 0 means unlimited
	CreatedAt time.Time `json:"-"`
	UsedAt    time.Time `json:"-"` // to the hour; zero means never

	key []byte
}

// Tokens are the tokens of a store.
type Tokens struct{ *ledger.Ledger }

// AddToken adds a token. It fails with a UserNameError, with a LimitError if there
// are too many, and with a TakenError if the secret is in use.
func (s Tokens) AddToken(ctx context.Context, secret string, t Token) (Token, error) {
	t.User = norm.NFC.String(t.User)
	if !ledger.UserName(t.User) || strings.TrimSpace(t.User) == "" {
		return Token{}, &ledger.UserNameError{MaxBytes: ledger.MaxUserName}
	}
	if t.Audience == "" {
		t.Audience = agent
	}
	t.key = Key(secret)
	t.ID, t.UsedAt = ID(t.key), time.Time{}
	err := s.Update(ctx, func(tx *ledger.Tx) error {
		t.CreatedAt = s.Time()
		all, err := tokens(tx)
		if err != nil {
			return err
		}
		if len(all) >= MaxTokens {
			return &ledger.LimitError{What: "tokens", Max: MaxTokens, Got: len(all) + 1}
		}
		if slices.ContainsFunc(all, func(other Token) bool { return other.ID == t.ID }) {
			return &ledger.TakenError{Kind: ledger.KindToken, Name: t.ID}
		}
		return table.Put(tx, nil, &t)
	})
	return t, err
}

// FindToken returns the token with a secret, or fails with a NotFoundError.
func (s Tokens) FindToken(ctx context.Context, secret string) (t Token, err error) {
	err = s.View(ctx, func(tx *ledger.Tx) error {
		if t, err = table.Load(tx, Key(secret)); errors.Is(err, kv.ErrNotFound) {
			err = &ledger.NotFoundError{Kind: ledger.KindToken}
		}
		return err
	})
	return t, err
}

// UseToken records that the token with a secret was used now, at most once an
// hour. A missing token is no error.
func (s Tokens) UseToken(ctx context.Context, secret string) error {
	return s.Update(ctx, func(tx *ledger.Tx) error {
		old, err := table.Load(tx, Key(secret))
		if err != nil || !old.Stale(s.Time()) {
			return ledger.IgnoreMissing(err)
		}
		used := old
		used.UsedAt = s.Time()
		return table.Put(tx, &old, &used)
	})
}

// Stale reports whether UsedAt needs an update.
func (t Token) Stale(now time.Time) bool { return now.Sub(t.UsedAt).Abs() >= usedEvery }

// ListTokens returns all tokens, the oldest first.
func (s Tokens) ListTokens(ctx context.Context) (all []Token, err error) {
	err = s.View(ctx, func(tx *ledger.Tx) error {
		all, err = tokens(tx)
		return err
	})
	sorting.By(all, func(a, b Token) int {
		if c := a.CreatedAt.Compare(b.CreatedAt); c != 0 {
			return c
		}
		return strings.Compare(a.ID, b.ID)
	})
	return all, err
}

// RemoveToken removes the token with an id and returns it, or fails with a
// NotFoundError.
func (s Tokens) RemoveToken(ctx context.Context, id string) (t Token, err error) {
	err = s.Update(ctx, func(tx *ledger.Tx) error {
		for t, err = range table.Scan(tx, kv.Range{Prefix: Records.All()}) {
			if err != nil {
				return err
			}
			if t.ID == id {
				return table.Put(tx, &t, nil)
			}
		}
		return &ledger.NotFoundError{Kind: ledger.KindToken, Name: id}
	})
	return t, err
}

func tokens(tx *ledger.Tx) (all []Token, err error) {
	for t, err := range table.Scan(tx, kv.Range{Prefix: Records.All()}) {
		if err != nil {
			return nil, err
		}
		all = append(all, t)
	}
	return all, nil
}
