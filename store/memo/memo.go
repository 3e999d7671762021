// Package memo has the memos of a store: their rules, indexes and search.
package memo

import (
	"context"
	"crypto/sha256"
	"encoding/base32"
	"encoding/binary"
	"errors"
	"slices"
	"strings"
	"time"

	"golang.org/x/text/unicode/norm"

	"techo/internal/nearest"
	"techo/store/kv"
	"techo/store/ledger"
)

// Limits of memos.
const (
	MaxTags         = 3  // tags of one memo
	MaxDistinctTags = 20 // different tags in the store
	TopPriority     = 5
)

// Memo is a short note with a unique name.
type Memo struct {
	ID        string    `json:"id"`
	Name      string    `json:"name"` // unique
	Content   string    `json:"content"`
	Priority  int       `json:"priority"` // 1 to 5, 5 is the highest
	Tags      []string  `json:"tags"`
	Detail    string    `json:"detail,omitempty"`
	CreatedAt time.Time `json:"-"`
	UpdatedAt time.Time `json:"-"`

	text uint32 // number in the search index, 0 outside of the store
}

// Change lists the fields of a memo to change; nil leaves a field unchanged.
type Change struct {
	Name     *string
	Content  *string
	Priority *int
	Tags     []string // empty, not nil, removes all tags
	Detail   *string

	ExpectedEtag string // fail with a ChangedError if the memo has another one; "" expects none
}

// TagCount sums up the memos with a tag.
type TagCount struct {
	Tag             string
	Count           int
	LatestUpdatedAt time.Time
}

// Counts counts all memos, the memos with each tag, and the memos of each
// priority, from the highest.
type Counts struct {
	Memos int              `json:"memos"`
	Tags  map[string]int   `json:"tags"`
	Ranks [TopPriority]int `json:"ranks"`

	Latest int64 `json:"latest,omitempty"` // time of the last change, in milliseconds since 1970
}

// Memos are the memos of a store.
type Memos struct{ *ledger.Ledger }

// AddMemo adds a memo and returns it with its id and times. It fails with a
// TakenError or a LimitError.
func (s Memos) AddMemo(ctx context.Context, m Memo) (Memo, error) {
	err := s.Update(ctx, func(tx *ledger.Tx) error { return s.add(tx, &m) })
	return m, err
}

// AddMemos adds memos as AddMemo does, all or none. It fails with a ledger.DraftError.
func (s Memos) AddMemos(ctx context.Context, drafts []Memo) (added []Memo, err error) {
	err = s.Update(ctx, func(tx *ledger.Tx) error {
		added = make([]Memo, len(drafts))
		for i, m := range drafts {
			if err := s.add(tx, &m); err != nil {
				return &ledger.DraftError{Index: i, Err: err}
			}
			added[i] = m
		}
		return nil
	})
	return added, err
}

func (s Memos) add(tx *ledger.Tx, m *Memo) (err error) {
	m.Name, m.Tags, m.CreatedAt = norm.NFC.String(m.Name), tidyTags(m.Tags), s.Time()
	if m.ID, err = newMemoID(tx, *m); err != nil {
		return err
	}
	if m.UpdatedAt, err = changeTime(tx, m.CreatedAt); err != nil {
		return err
	}
	return table.Put(tx, nil, m)
}

// EditMemo changes the memo with a name or an id, and returns the changed memo. A change that
// changes nothing leaves the memo with its time, and the history, as they are.
func (s Memos) EditMemo(ctx context.Context, name string, c Change) (Memo, error) {
	var m Memo
	err := s.Update(ctx, func(tx *ledger.Tx) error {
		old, err := findMemo(tx, name)
		if err != nil {
			return err
		}
		if err := ledger.CheckEtag(old.ID, c.ExpectedEtag, &old); err != nil {
			return err
		}
		m = c.of(old)
		if same, err := storedAlike(&m, &old); same || err != nil {
			return err
		}
		if m.Name != old.Name {
			if err := memoNameFree(tx, m.Name, m.ID); err != nil {
				return err
			}
		}
		if m.UpdatedAt, err = changeTime(tx, s.Time()); err != nil {
			return err
		}
		return table.Put(tx, &old, &m)
	})
	return m, err
}

// of returns the changed form of a memo, with the time that it had.
func (c *Change) of(m Memo) Memo {
	if c.Name != nil {
		m.Name = norm.NFC.String(*c.Name)
	}
	if c.Content != nil {
		m.Content = *c.Content
	}
	if c.Priority != nil {
		m.Priority = *c.Priority
	}
	if c.Tags != nil {
		m.Tags = tidyTags(c.Tags)
	}
	if c.Detail != nil {
		m.Detail = *c.Detail
	}
	return m
}

func storedAlike(a, b *Memo) (bool, error) {
	one, err := a.Etag()
	if err != nil {
		return false, err
	}
	other, err := b.Etag()
	return one == other, err
}

// RemoveMemo removes the memo with a name or an id, and returns the removed memo.
func (s Memos) RemoveMemo(ctx context.Context, name string) (Memo, error) {
	var m Memo
	err := s.Update(ctx, func(tx *ledger.Tx) (err error) {
		if m, err = findMemo(tx, name); err != nil {
			return err
		}
		return table.Put(tx, &m, nil)
	})
	return m, err
}

// GetMemo returns the memo with a name or an id.
func (s Memos) GetMemo(ctx context.Context, name string) (Memo, error) {
	var m Memo
	err := s.View(ctx, func(tx *ledger.Tx) (err error) {
		m, err = findMemo(tx, name)
		return err
	})
	return m, err
}

// tidyTags returns the tags in NFC, each once. It is never nil.
func tidyTags(tags []string) []string {
	tidy := []string{}
	for _, t := range tags {
		if t = norm.NFC.String(t); !slices.Contains(tidy, t) {
			tidy = append(tidy, t)
		}
	}
	return tidy
}

// findMemo returns the memo with a name or else with an id.
func findMemo(tx *ledger.Tx, name string) (Memo, error) {
	name = norm.NFC.String(name)
	id, err := tx.Get(NameKey(name))
	if err == nil {
		return indexedMemo(tx, string(id))
	}
	if !errors.Is(err, kv.ErrNotFound) {
		return Memo{}, err
	}
	m, err := loadMemo(tx, name)
	if errors.Is(err, kv.ErrNotFound) {
		near, err := nearMemoNames(tx, name)
		if err != nil {
			return Memo{}, err
		}
		return Memo{}, &ledger.NotFoundError{Kind: ledger.KindMemo, Name: name, Near: near}
	}
	return m, err
}

// nearMemoNames returns names similar to a misspelt one, from the first few
// thousand.
func nearMemoNames(tx *ledger.Tx, name string) ([]string, error) {
	var names []string
	for item, err := range tx.Scan(kv.Range{Prefix: Names.All()}) {
		if err != nil {
			return nil, err
		}
		if names = append(names, string(ledger.Rest(item.Key))); len(names) >= 3000 {
			break
		}
	}
	return nearest.Of(name, names), nil
}

// memoNameFree fails with a TakenError if a memo other than id has a name, or has
// it as its id.
func memoNameFree(tx *ledger.Tx, name, id string) error {
	keys := [][]byte{NameKey(name)}
	if IsID(name) {
		keys = append(keys, Key(name))
	}
	return memoKeysFree(tx, name, id, keys...)
}

// memoKeysFree fails with a TakenError for a name if there is anything under some keys, unless
// the memo with the name is id.
func memoKeysFree(tx *ledger.Tx, name, id string, keys ...[]byte) error {
	values, err := tx.GetMany(keys)
	if err != nil {
		return err
	}
	taken := slices.ContainsFunc(values, func(v []byte) bool { return v != nil })
	if taken && name != id {
		return &ledger.TakenError{Kind: ledger.KindMemo, Name: name}
	}
	return nil
}

// newMemoID derives an id from the name and the time of a new memo, so that the same calls at
// the same times give the same ids in every store. The id differs from the ids and
// names of all other memos. It fails with a TakenError if the name is in use.
func newMemoID(tx *ledger.Tx, m Memo) (string, error) {
	seed := memoSeed(m)
	id := memoIDOf(seed)
	// One round trip for everything that has to be free.
	if _, err := tx.GetMany([][]byte{NameKey(m.Name), Key(id), NameKey(id), CountKey.All()}); err != nil {
		return "", err
	}
	if err := memoNameFree(tx, m.Name, ""); err != nil {
		return "", err
	}
	for {
		id := memoIDOf(seed)
		switch err := memoKeysFree(tx, id, "", Key(id), NameKey(id)); {
		case err == nil:
			return id, nil
		case !errors.As(err, new(*ledger.TakenError)):
			return "", err
		}
		digest := sha256.Sum256(seed)
		seed = digest[:]
	}
}

// memoSeed returns what the id of a memo derives from.
func memoSeed(m Memo) []byte {
	return binary.BigEndian.AppendUint64([]byte(m.Name), uint64(m.CreatedAt.UnixMilli()))
}

// memoIDOf derives an id of 8 characters.
func memoIDOf(seed []byte) string {
	digest := sha256.Sum256(seed)
	return strings.ToLower(base32.StdEncoding.EncodeToString(digest[:5]))
}

// IsID reports whether a memo may have a text as its id.
func IsID(s string) bool {
	return len(s) == 8 && strings.Trim(s, "abcdefghijklmnopqrstuvwxyz0123456789") == ""
}

// moment is how far a clock may go back without being set.
const moment = time.Second

// changeTime returns the time of a change to a memo: now or, if an earlier change has a
// time a moment later, one millisecond after that. Lists sort by these times, so they keep
// the order of the changes. A clock that was wrong by more, once, dates no later change.
func changeTime(tx *ledger.Tx, now time.Time) (time.Time, error) {
	counts, err := LoadCounts(tx)
	return counts.changeTime(now), err
}

func (c *Counts) changeTime(now time.Time) time.Time {
	if last := time.UnixMilli(c.Latest); last.After(now) && last.Sub(now) <= moment {
		return last.Add(time.Millisecond)
	}
	return now
}

// Move moves the memo with a name or an id to another space, or between a space and
// the store.
func Move(ctx context.Context, from, to *ledger.Ledger, name string) (m Memo, err error) {
	err = ledger.UpdateBoth(ctx, from, to, func(here, there *ledger.Tx) error {
		if m, err = findMemo(here, name); err != nil {
			return err
		}
		if err := memoNameFree(there, m.Name, ""); err != nil {
			return err
		}
		if err := memoNameFree(there, m.ID, ""); err != nil {
			return err
		}
		if err := table.Put(here, &m, nil); err != nil {
			return err
		}
		return table.Put(there, nil, &m)
	})
	return m, err
}
