package memo

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"golang.org/x/text/unicode/norm"

	"techo/store/kv"
	"techo/store/ledger"
)

// ImportResult is the result of importing one record.
type ImportResult struct {
	Created bool  // false: the same record already existed
	Err     error // of a refused record
}

// OtherError reports that a memo with the name exists and has another content,
// priority, detail or other tags.
type OtherError struct{ Name string }

func (e *OtherError) Error() string {
	return fmt.Sprintf("memo %q: exists with another content", e.Name)
}

// TakenIDError reports that another memo has the id.
type TakenIDError struct{ ID string }

func (e *TakenIDError) Error() string { return "memo " + e.ID + ": the id is taken" }

// Import adds memos in one transaction. It keeps their ids and times, where
// they have any, and never changes a stored memo. A refused memo has an
// OtherError, TakenIDError, TakenError or LimitError in ImportResult.Err
// and does not affect the others.
func Import(ctx context.Context, s *ledger.Ledger, memos []Memo) (results []ImportResult, err error) {
	err = s.Update(ctx, func(tx *ledger.Tx) error {
		results = make([]ImportResult, len(memos))
		times := make([]time.Time, len(memos))
		for i := range times {
			times[i] = s.Time()
		}
		if err := readMemosNamed(tx, memos, times); err != nil {
			return err
		}
		for i, m := range memos {
			created, err := importMemo(tx, m, times[i])
			if err != nil && !refusesMemo(err) {
				return err
			}
			results[i] = ImportResult{created, err}
		}
		return nil
	})
	return results, err
}

// readMemosNamed reads together what has the names and ids of many memos, so that a database
// answers at once.
func readMemosNamed(tx *ledger.Tx, memos []Memo, times []time.Time) error {
	var keys [][]byte
	for i, m := range memos {
		m.Name = norm.NFC.String(m.Name)
		if m.ID == "" { // the one that newMemoID tries first
			m.CreatedAt = createdAt(&m, times[i])
			m.ID = memoIDOf(memoSeed(m))
		}
		for _, name := range []string{m.Name, m.ID} {
			keys = append(keys, NameKey(name), Key(name))
		}
	}
	values, err := tx.GetMany(keys)
	if err != nil {
		return err
	}
	keys = keys[:0]
	for i, id := range values {
		if i%2 == 0 && id != nil {
			keys = append(keys, Key(string(id)))
		}
	}
	_, err = tx.GetMany(keys)
	return err
}

// refusesMemo reports whether an error concerns only the memo that was added.
func refusesMemo(err error) bool {
	return errors.As(err, new(*OtherError)) || errors.As(err, new(*TakenIDError)) ||
		errors.As(err, new(*ledger.TakenError)) || errors.As(err, new(*ledger.LimitError))
}

// importMemo adds a memo unless the same one exists. If it refuses the memo, it has
// written nothing.
func importMemo(tx *ledger.Tx, m Memo, now time.Time) (created bool, err error) {
	m.Name, m.Tags = norm.NFC.String(m.Name), tidyTags(m.Tags)
	id, err := tx.Get(NameKey(m.Name))
	if err == nil {
		old, err := indexedMemo(tx, string(id))
		if err == nil && !equalMemos(&old, &m) {
			err = &OtherError{m.Name}
		}
		return false, err
	}
	if !errors.Is(err, kv.ErrNotFound) {
		return false, err
	}
	if err := memoNameFree(tx, m.Name, m.ID); err != nil {
		return false, err
	}
	if err := dateMemo(tx, &m, now); err != nil {
		return false, err
	}
	if m.ID == "" {
		m.ID, err = newMemoID(tx, m)
	} else if err = memoNameFree(tx, m.ID, ""); errors.As(err, new(*ledger.TakenError)) {
		err = &TakenIDError{m.ID}
	}
	if err != nil {
		return false, err
	}
	return true, table.Put(tx, nil, &m)
}

// dateMemo sets the times that an imported memo lacks.
func dateMemo(tx *ledger.Tx, m *Memo, now time.Time) (err error) {
	created := createdAt(m, now)
	switch {
	case m.CreatedAt.IsZero() && m.UpdatedAt.IsZero():
		m.UpdatedAt, err = changeTime(tx, now)
	case m.UpdatedAt.IsZero():
		m.UpdatedAt = created
	}
	m.CreatedAt, m.UpdatedAt = created, m.UpdatedAt.Truncate(time.Millisecond)
	return err
}

// createdAt returns when a memo that is imported now was created.
func createdAt(m *Memo, now time.Time) time.Time {
	at := m.CreatedAt
	switch {
	case !at.IsZero():
	case !m.UpdatedAt.IsZero():
		at = m.UpdatedAt
	default:
		at = now
	}
	return at.Truncate(time.Millisecond)
}

// equalMemos reports whether two memos differ at most in their ids and times.
func equalMemos(a, b *Memo) bool {
	return a.Name == b.Name && a.Content == b.Content && a.Priority == b.Priority && a.Detail == b.Detail &&
		slices.Equal(a.Tags, b.Tags)
}
