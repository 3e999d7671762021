package store

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

// SameUser reports whether two names denote one user.
func SameUser(a, b string) bool { return norm.NFC.String(a) == norm.NFC.String(b) }

// AddToken adds a token. It fails with a UserNameError, with a LimitError if there
// are too many, and with a TakenError if the secret is in use.
func (s *Store) AddToken(ctx context.Context, secret string, t Token) (Token, error) {
	t.User = norm.NFC.String(t.User)
	if !UserName(t.User) || strings.TrimSpace(t.User) == "" {
		return Token{}, &UserNameError{maxUserName}
	}
	key := tokenKey(secret)
	t.ID, t.UsedAt = tokenID(key), time.Time{}
	err := s.update(ctx, func(tx *Tx) error {
		t.CreatedAt = s.time()
		all, err := tokens(tx)
		if err != nil {
			return err
		}
		if len(all) >= MaxTokens {
			return &LimitError{What: "tokens", Max: MaxTokens, Got: len(all) + 1}
		}
		if slices.ContainsFunc(all, func(other Token) bool { return other.ID == t.ID }) {
			return &TakenError{Kind: KindToken, Name: t.ID}
		}
		return save(tx, key, tokenRecord{User: t.User, ReadOnly: t.ReadOnly, Only: t.Only, Spaces: t.Spaces,
			Minute: t.PerMinute, AtOnce: t.AtOnce, Created: t.CreatedAt.UnixMilli()})
	})
	return t, err
}

// FindToken returns the token with a secret, or fails with a NotFoundError.
func (s *Store) FindToken(ctx context.Context, secret string) (t Token, err error) {
	err = s.view(ctx, func(tx *Tx) error {
		t, err = loadToken(tx, tokenKey(secret))
		return err
	})
	return t, err
}

// UseToken records that the token with a secret was used now, at most once an
// hour. A missing token is no error.
func (s *Store) UseToken(ctx context.Context, secret string) error {
	key := tokenKey(secret)
	return s.update(ctx, func(tx *Tx) error {
		now := s.time()
		var r tokenRecord
		err := load(tx, key, &r)
		switch {
		case errors.Is(err, kv.ErrNotFound):
			return nil
		case err != nil:
			return err
		case !(Token{UsedAt: time.UnixMilli(r.Used)}).Stale(now):
			return nil
		}
		r.Used = now.UnixMilli()
		return save(tx, key, r)
	})
}

// Stale reports whether UsedAt needs an update.
func (t Token) Stale(now time.Time) bool { return now.Sub(t.UsedAt).Abs() >= usedEvery }

// Tokens returns all tokens, the oldest first.
func (s *Store) Tokens(ctx context.Context) (all []Token, err error) {
	err = s.view(ctx, func(tx *Tx) error {
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
func (s *Store) RemoveToken(ctx context.Context, id string) (t Token, err error) {
	err = s.update(ctx, func(tx *Tx) error {
		for item, err := range tx.Scan(kv.Range{Prefix: tokenRecords.all()}) {
			if err != nil {
				return err
			}
			if tokenID(item.Key) != id {
				continue
			}
			key := slices.Clone(item.Key)
			if t, err = loadToken(tx, key); err != nil {
				return err
			}
			return tx.Delete(key)
		}
		return &NotFoundError{Kind: KindToken, Name: id}
	})
	return t, err
}

func tokens(tx *Tx) (all []Token, err error) {
	for item, err := range tx.Scan(kv.Range{Prefix: tokenRecords.all()}) {
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

func loadToken(tx *Tx, key []byte) (Token, error) {
	value, err := tx.Get(key)
	if errors.Is(err, kv.ErrNotFound) {
		return Token{}, &NotFoundError{Kind: KindToken}
	}
	if err != nil {
		return Token{}, err
	}
	return decodeToken(key, value)
}

// decodeToken decodes the record of a token.
func decodeToken(key, value []byte) (Token, error) {
	if len(rest(key)) != sha256.Size {
		return Token{}, finding(UnknownKey, KindToken, string(key), nil)
	}
	var r tokenRecord
	if err := json.Unmarshal(value, &r); err != nil {
		return Token{}, finding(Unreadable, KindToken, tokenID(key), err)
	}
	if !UserName(r.User) || strings.TrimSpace(r.User) == "" {
		return Token{}, finding(Unreadable, KindToken, tokenID(key), &UserNameError{maxUserName})
	}
	t := Token{ID: tokenID(key), User: r.User, ReadOnly: r.ReadOnly, Only: r.Only, Spaces: r.Spaces,
		PerMinute: r.Minute, AtOnce: r.AtOnce, CreatedAt: time.UnixMilli(r.Created)}
	if r.Used != 0 {
		t.UsedAt = time.UnixMilli(r.Used)
	}
	return t, nil
}

// checkToken reports whether a record can be read.
func checkToken(key, value []byte) error {
	_, err := decodeToken(key, value)
	return err
}
