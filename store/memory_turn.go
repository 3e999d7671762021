package store

import (
	"context"
	"errors"
	"slices"
	"time"

	"golang.org/x/text/unicode/norm"

	"techo/store/kv"
)

// turnLifetime is the time after the last call at which a turn may be deleted.
const turnLifetime = 7 * 24 * time.Hour

// memoryTurn counts the calls in one turn of a conversation, or of one client.
type memoryTurn struct {
	Calls  int     `json:"calls"`
	Last   int64   `json:"last"`             // milliseconds since 1970
	Recent []int64 `json:"recent,omitempty"` // times of a client's calls, likewise
}

// TakeTurn counts a call in a turn of a user. It fails with a LimitError after
// most calls.
func (s *Store) TakeTurn(ctx context.Context, user, turn string, most int) error {
	user = norm.NFC.String(user)
	if !UserName(user) {
		return &UserNameError{maxUserName}
	}
	return s.update(ctx, func(tx kv.Tx) error {
		prefix := turnPrefix(user)
		key := turnKey(user, turn)
		var t memoryTurn
		if err := load(tx, key, &t); err != nil && !errors.Is(err, kv.ErrNotFound) {
			return err
		}
		if t.Calls >= most {
			return &LimitError{What: "calls", Max: most, Got: t.Calls + 1}
		}
		t.Calls++
		t.Last = s.time().UnixMilli()
		if t.Calls == 1 {
			if err := dropOldTurns(tx, prefix, s.time().Add(-turnLifetime).UnixMilli()); err != nil {
				return err
			}
		}
		return save(tx, key, t)
	})
}

// dropOldTurns removes some of the turns that ended before a time.
func dropOldTurns(tx kv.Tx, prefix []byte, before int64) error {
	var old [][]byte
	n := 0
	for item, err := range tx.Scan(kv.Range{Prefix: prefix}) {
		if err != nil {
			return err
		}
		var t memoryTurn
		if err := load(tx, item.Key, &t); err != nil {
			return err
		}
		if t.Last < before {
			old = append(old, append([]byte{}, item.Key...))
		}
		if n++; n >= 64 {
			break
		}
	}
	for _, key := range old {
		if err := tx.Delete(key); err != nil {
			return err
		}
	}
	return nil
}

// TakeRecent counts a call of a user's client. It fails with a LimitError after
// most calls within a time. A call in the future, from before the clock was set
// back, does not count.
func (s *Store) TakeRecent(ctx context.Context, user, client string, within time.Duration, most int) error {
	user = norm.NFC.String(user)
	if !UserName(user) {
		return &UserNameError{maxUserName}
	}
	return s.update(ctx, func(tx kv.Tx) error {
		key := clientKey(user, client)
		var t memoryTurn
		err := load(tx, key, &t)
		if err != nil && !errors.Is(err, kv.ErrNotFound) {
			return err
		}
		isNew, now := err != nil, s.time().UnixMilli()
		t.Recent = slices.DeleteFunc(t.Recent,
			func(at int64) bool { return at > now || now-at >= within.Milliseconds() })
		if len(t.Recent) >= most {
			return &LimitError{What: "calls", Max: most, Got: len(t.Recent) + 1}
		}
		t.Recent, t.Last = append(t.Recent, now), now
		if isNew {
			if err := dropOldTurns(tx, turnPrefix(user), s.time().Add(-turnLifetime).UnixMilli()); err != nil {
				return err
			}
		}
		return save(tx, key, t)
	})
}
