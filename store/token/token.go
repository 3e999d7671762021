// Package token has the tokens with which clients call a server.
package token

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"time"

	"golang.org/x/text/unicode/norm"

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
	ID        string
	User      string
	ReadOnly  bool     // only tools that change nothing
	Only      []string // families and tools that may be called; empty means all
	Spaces    []string // shared spaces that may be used, and OwnSpace for the user's own records; empty means all
	PerMinute int      // calls in a minute; 0 means unlimited
	AtOnce    int      // calls that run at once; 0 means unlimited
	CreatedAt time.Time
	UsedAt    time.Time // to the hour; zero means never
}

// tokenRecord is the record of a token.
type tokenRecord struct {
	User     string   `json:"user"`
	ReadOnly bool     `json:"read_only,omitempty"`
	Only     []string `json:"only,omitempty"`
	Spaces   []string `json:"spaces,omitempty"`
	Minute   int      `json:"per_minute,omitempty"`
	AtOnce   int      `json:"at_once,omitempty"`
	Created  int64    `json:"created"`        // milliseconds since 1970
	Used     int64    `json:"used,omitempty"` // likewise; 0 means never
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
	key := Key(secret)
	t.ID, t.UsedAt = ID(key), time.Time{}
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
		return ledger.Save(tx, key, tokenRecord{User: t.User, ReadOnly: t.ReadOnly, Only: t.Only, Spaces: t.Spaces,
			Minute: t.PerMinute, AtOnce: t.AtOnce, Created: t.CreatedAt.UnixMilli()})
	})
	return t, err
}

// FindToken returns the token with a secret, or fails with a NotFoundError.
func (s Tokens) FindToken(ctx context.Context, secret string) (t Token, err error) {
	err = s.View(ctx, func(tx *ledger.Tx) error {
		t, err = loadToken(tx, Key(secret))
		return err
	})
	return t, err
}

// UseToken records that the token with a secret was used now, at most once an
// hour. A missing token is no error.
func (s Tokens) UseToken(ctx context.Context, secret string) error {
	key := Key(secret)
	return s.Update(ctx, func(tx *ledger.Tx) error {
		now := s.Time()
		var r tokenRecord
		err := ledger.Load(tx, key, &r)
		switch {
		case errors.Is(err, kv.ErrNotFound):
			return nil
		case err != nil:
			return err
		case !(Token{UsedAt: time.UnixMilli(r.Used)}).Stale(now):
			return nil
		}
		r.Used = now.UnixMilli()
		return ledger.Save(tx, key, r)
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
	slices.SortFunc(all, func(a, b Token) int {
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
		for item, err := range tx.Scan(kv.Range{Prefix: Records.All()}) {
			if err != nil {
				return err
			}
			if ID(item.Key) != id {
				continue
			}
			key := slices.Clone(item.Key)
			if t, err = loadToken(tx, key); err != nil {
				return err
			}
			return tx.Delete(key)
		}
		return &ledger.NotFoundError{Kind: ledger.KindToken, Name: id}
	})
	return t, err
}

func tokens(tx *ledger.Tx) (all []Token, err error) {
	for item, err := range tx.Scan(kv.Range{Prefix: Records.All()}) {
		if err != nil {
			return nil, err
		}
		t, err := loadToken(tx, slices.Clone(item.Key))
		if err != nil {
			return nil, err
		}
		all = append(all, t)
	}
	return all, nil
}

func loadToken(tx *ledger.Tx, key []byte) (Token, error) {
	value, err := tx.Get(key)
	if errors.Is(err, kv.ErrNotFound) {
		return Token{}, &ledger.NotFoundError{Kind: ledger.KindToken}
	}
	if err != nil {
		return Token{}, err
	}
	return DecodeToken(key, value)
}

// DecodeToken decodes the record of a token.
func DecodeToken(key, value []byte) (Token, error) {
	if len(ledger.Rest(key)) != sha256.Size {
		return Token{}, ledger.Finding(ledger.UnknownKey, ledger.KindToken, string(key), nil)
	}
	var r tokenRecord
	if err := json.Unmarshal(value, &r); err != nil {
		return Token{}, ledger.Finding(ledger.Unreadable, ledger.KindToken, ID(key), err)
	}
	if !ledger.UserName(r.User) || strings.TrimSpace(r.User) == "" {
		return Token{}, ledger.Finding(ledger.Unreadable, ledger.KindToken, ID(key),
			&ledger.UserNameError{MaxBytes: ledger.MaxUserName})
	}
	t := Token{ID: ID(key), User: r.User, ReadOnly: r.ReadOnly, Only: r.Only, Spaces: r.Spaces,
		PerMinute: r.Minute, AtOnce: r.AtOnce, CreatedAt: time.UnixMilli(r.Created)}
	if r.Used != 0 {
		t.UsedAt = time.UnixMilli(r.Used)
	}
	return t, nil
}

// checkToken reports whether a record can be read.
func checkToken(key, value []byte) error {
	_, err := DecodeToken(key, value)
	return err
}

// Schema describes the keys of tokens.
func Schema() ledger.Schema {
	return ledger.Schema{Name: "tokens", Prefixes: []ledger.Prefix{Records}, Audit: ledger.NewReadAudit(checkToken),
		Repair: ledger.RepairReadable(Records, ledger.KindToken, checkToken)}
}
