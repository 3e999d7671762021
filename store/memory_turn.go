package store

import (
	"context"
	"encoding/binary"
	"errors"
	"time"

	"golang.org/x/text/unicode/norm"

	"techo/store/kv"
)

// turnKept is how long a turn is remembered.
const turnKept = 7 * 24 * time.Hour

// memoryTurn counts the calls of one turn.
type memoryTurn struct {
	Calls int   `json:"calls"`
	Last  int64 `json:"last"` // milliseconds since 1970
}

// turnPrefix is where the turns of a user begin. A length keeps the name apart
// from what follows.
func turnPrefix(user string) []byte {
	return append(binary.AppendUvarint([]byte("pt"), uint64(len(user))), user...)
}

// TakeTurn counts a call of a user's turn, unless that has had most calls
// already: then it is a LimitError.
func (s *Store) TakeTurn(ctx context.Context, user, turn string, most int) error {
	user = norm.NFC.String(user)
	if !UserName(user) {
		return &UserNameError{maxUserName}
	}
	return s.update(ctx, func(tx kv.Tx) error {
		prefix := turnPrefix(user)
		key := append(prefix[:len(prefix):len(prefix)], turn...)
		var t memoryTurn
		if err := load(tx, key, &t); err != nil && !errors.Is(err, kv.ErrNotFound) {
			return err
		}
		if t.Calls >= most {
			return &LimitError{What: "calls", Most: most, Got: t.Calls + 1}
		}
		t.Calls++
		t.Last = s.time().UnixMilli()
		if t.Calls == 1 {
			if err := forgetTurns(tx, prefix, s.time().Add(-turnKept).UnixMilli()); err != nil {
				return err
			}
		}
		return save(tx, key, t)
	})
}

// forgetTurns removes turns of long ago, a few at a time.
func forgetTurns(tx kv.Tx, prefix []byte, before int64) error {
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
