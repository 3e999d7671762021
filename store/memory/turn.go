package memory

import (
	"bytes"
	"context"
	"errors"
	"math"
	"slices"
	"time"

	"golang.org/x/text/unicode/norm"

	"techo/store/kv"
	"techo/store/ledger"
)

// turnLifetime is the time after the last call at which a turn may be deleted.
const turnLifetime = 7 * 24 * time.Hour

// callCount counts the calls in one turn of a conversation, or of one client.
type callCount struct {
	Calls  int     `json:"calls"`
	Last   int64   `json:"last"`             // milliseconds since 1970
	Recent []int64 `json:"recent,omitempty"` // times of a client's calls, likewise
}

// TakeTurn counts a call in a turn of a user. It fails with a LimitError after
// most calls.
func (s Memories) TakeTurn(ctx context.Context, user, turn string, most int) error {
	return s.take(ctx, user, turn, most, func(t *callCount) int {
		t.Calls++
		return t.Calls
	})
}

// TakeRecent counts a call of a user's client. It fails with a LimitError after
// most calls within a time. A call in the future, from before the clock was set
// back, does not count.
func (s Memories) TakeRecent(ctx context.Context, user, client string, within time.Duration, most int) error {
	return s.take(ctx, user, ofClient+client, most, func(t *callCount) int {
		t.Recent = slices.DeleteFunc(t.Recent,
			func(at int64) bool { return at > t.Last || t.Last-at >= within.Milliseconds() })
		t.Recent = append(t.Recent, t.Last)
		return len(t.Recent)
	})
}

// take counts a call in a turn of a user. count adds one that is made now, at t.Last, and returns how many count.
func (s Memories) take(ctx context.Context, user, turn string, most int, count func(t *callCount) int) error {
	user = norm.NFC.String(user)
	if !ledger.UserName(user) {
		return &ledger.UserNameError{MaxBytes: ledger.MaxUserName}
	}
	return s.Update(ctx, func(tx *ledger.Tx) error {
		key, now := turnKey(user, turn), s.Time()
		var t callCount
		err := ledger.Load(tx, key, &t)
		isNew := errors.Is(err, kv.ErrNotFound)
		if err != nil && !isNew {
			return err
		}
		t.Last = now.UnixMilli()
		if n := count(&t); n > most {
			return &ledger.LimitError{What: "calls", Max: most, Got: n}
		}
		if isNew {
			if err := dropOldTurns(tx, turnPrefix(user), key, now.Add(-turnLifetime).UnixMilli()); err != nil {
				return err
			}
		}
		return ledger.Save(tx, key, t)
	})
}

// sweptTurns is how many turns one call looks at, from the first and from its own.
const sweptTurns = 64

// dropOldTurns removes some of the turns that ended before a time: among the first,
// which are the oldest ones if their ids ascend, and among the ones from a key on,
// which are any if the ids are random.
func dropOldTurns(tx *ledger.Tx, prefix, from []byte, before int64) error {
	var old [][]byte
	for _, r := range []kv.Range{{Prefix: prefix}, {Prefix: prefix, From: from}} {
		some, err := oldTurns(tx, r, before, sweptTurns)
		if err != nil {
			return err
		}
		old = append(old, some...)
	}
	return tx.DeleteKeys(old)
}

// oldTurns returns the keys of the turns in a range that ended before a time. It
// looks at most turns.
func oldTurns(tx *ledger.Tx, r kv.Range, before int64, most int) (old [][]byte, err error) {
	n := 0
	for item, err := range tx.Scan(r) {
		if err != nil {
			return nil, err
		}
		var t callCount
		if err := ledger.Load(tx, item.Key, &t); err != nil {
			return nil, err
		}
		if t.Last < before {
			old = append(old, bytes.Clone(item.Key))
		}
		if n++; n == most {
			break
		}
	}
	return old, nil
}

// DropOldTurns removes the turns that ended a week ago, and returns their number.
func DropOldTurns(ctx context.Context, s *ledger.Ledger) (dropped int, err error) {
	err = s.Update(ledger.WithoutHistory(ctx), func(tx *ledger.Tx) error {
		before := s.Time().Add(-turnLifetime).UnixMilli()
		old, err := oldTurns(tx, kv.Range{Prefix: Turns.All()}, before, math.MaxInt)
		if err != nil {
			return err
		}
		dropped = len(old)
		return tx.DeleteKeys(old)
	})
	return dropped, err
}
