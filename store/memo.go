package store

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
)

// Limits of memos.
const (
	MaxMemoTags  = 3  // tags of one memo
	MaxMemoKinds = 20 // different tags in the store
	TopPriority  = 5
)

// Memo is a short note of something worth keeping.
type Memo struct {
	ID        string
	Name      string // unique
	Content   string
	Priority  int // 1 to 5, 5 is the highest
	Tags      []string
	Detail    string
	CreatedAt time.Time
	UpdatedAt time.Time
}

// MemoChange says what of a memo is to change; nil leaves a field as it is.
type MemoChange struct {
	Name     *string
	Content  *string
	Priority *int
	Tags     []string // empty, not nil, takes all tags away
	Detail   *string
}

// TagCount tells how a tag is used.
type TagCount struct {
	Tag             string
	Count           int
	LatestUpdatedAt time.Time
}

// Counts are the numbers of memos: all, those with each tag, and those of each
// priority, the highest first.
type Counts struct {
	Memos int              `json:"memos"`
	Tags  map[string]int   `json:"tags"`
	Ranks [TopPriority]int `json:"ranks"`

	Latest int64 `json:"latest,omitempty"` // the last change, in milliseconds since 1970
}

// AddMemo keeps a new memo and returns it with its id and times. It fails with
// a TakenError or a LimitError.
func (s *Store) AddMemo(ctx context.Context, draft Memo) (Memo, error) {
	m := draft
	m.Name = norm.NFC.String(m.Name)
	m.Tags = tidyTags(m.Tags)
	m.CreatedAt = s.time()
	err := s.update(ctx, func(tx kv.Tx) error {
		if err := memoNameFree(tx, m.Name, ""); err != nil {
			return err
		}
		var err error
		if m.UpdatedAt, err = changeTime(tx, m.CreatedAt); err != nil {
			return err
		}
		if m.ID, err = newMemoID(tx, m); err != nil {
			return err
		}
		return replaceMemo(tx, nil, &m)
	})
	return m, err
}

// EditMemo changes a memo, named by name or id, and returns it as it is now.
func (s *Store) EditMemo(ctx context.Context, name string, c MemoChange) (Memo, error) {
	var m Memo
	err := s.update(ctx, func(tx kv.Tx) error {
		old, err := findMemo(tx, name)
		if err != nil {
			return err
		}
		m = old
		if m.UpdatedAt, err = changeTime(tx, s.time()); err != nil {
			return err
		}
		if m.UpdatedAt.Before(old.UpdatedAt) {
			m.UpdatedAt = old.UpdatedAt
		}
		if c.Name != nil {
			m.Name = norm.NFC.String(*c.Name)
		}
		if m.Name != old.Name {
			if err := memoNameFree(tx, m.Name, m.ID); err != nil {
				return err
			}
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
		return replaceMemo(tx, &old, &m)
	})
	return m, err
}

// RemoveMemo removes a memo, named by name or id, and returns what it was.
func (s *Store) RemoveMemo(ctx context.Context, name string) (Memo, error) {
	var m Memo
	err := s.update(ctx, func(tx kv.Tx) (err error) {
		if m, err = findMemo(tx, name); err != nil {
			return err
		}
		return replaceMemo(tx, &m, nil)
	})
	return m, err
}

// GetMemo returns a memo, named by name or id.
func (s *Store) GetMemo(ctx context.Context, name string) (Memo, error) {
	var m Memo
	err := s.view(ctx, func(tx kv.Tx) (err error) {
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

// findMemo returns the memo that has a name or, if none has, an id.
func findMemo(tx kv.Tx, name string) (Memo, error) {
	name = norm.NFC.String(name)
	id, err := tx.Get(memoNameKey(name))
	switch {
	case errors.Is(err, kv.ErrNotFound):
		id = []byte(name)
	case err != nil:
		return Memo{}, err
	}
	if err == nil {
		return indexedMemo(tx, string(id))
	}
	m, err := loadMemo(tx, string(id))
	if errors.Is(err, kv.ErrNotFound) {
		near, err := nearMemoNames(tx, name)
		if err != nil {
			return Memo{}, err
		}
		return Memo{}, &NotFoundError{Noun: "memo", Name: name, Near: near}
	}
	return m, err
}

// nearMemoNames looks for a misspelt name among the first few thousand.
func nearMemoNames(tx kv.Tx, name string) ([]string, error) {
	var names []string
	for item, err := range tx.Scan(kv.Range{Prefix: memoNameSpace}) {
		if err != nil {
			return nil, err
		}
		if names = append(names, string(item.Key[len(memoNameSpace):])); len(names) >= 3000 {
			break
		}
	}
	return nearest.Of(name, names), nil
}

// memoNameFree fails when another memo than id has a name, or has it for id.
func memoNameFree(tx kv.Tx, name, id string) error {
	for _, key := range [][]byte{memoNameKey(name), memoKey(name)} {
		_, err := tx.Get(key)
		if err == nil && name != id {
			return &TakenError{Noun: "memo", Name: name}
		}
		if err != nil && !errors.Is(err, kv.ErrNotFound) {
			return err
		}
	}
	return nil
}

// newMemoID derives an id from what the memo is made of, so that the same
// calls at the same times give the same ids in every store. It is neither
// another memo's id nor its name.
func newMemoID(tx kv.Tx, m Memo) (string, error) {
	seed := binary.BigEndian.AppendUint64([]byte(m.Name), uint64(m.CreatedAt.UnixMilli()))
	for {
		digest := sha256.Sum256(seed)
		id := strings.ToLower(base32.StdEncoding.EncodeToString(digest[:5])) // 8 characters
		switch err := memoNameFree(tx, id, ""); {
		case err == nil:
			return id, nil
		case !errors.As(err, new(*TakenError)):
			return "", err
		}
		seed = digest[:]
	}
}

// replaceMemo puts after in the place of before, nil for none, in the records,
// the indexes and the counts.
func replaceMemo(tx kv.Tx, before, after *Memo) error {
	counts, err := loadCounts(tx)
	if err != nil {
		return err
	}
	if before != nil {
		if err := unindexMemo(tx, before); err != nil {
			return err
		}
		counts.add(before, -1)
		for _, key := range memoIndex(before) {
			if err := tx.Delete(key); err != nil {
				return err
			}
		}
	}
	if after == nil {
		if err := tx.Delete(memoKey(before.ID)); err != nil {
			return err
		}
		return save(tx, memoCountsKey, counts)
	}
	if len(after.Tags) > MaxMemoTags {
		return &LimitError{What: "tags", Most: MaxMemoTags, Got: len(after.Tags)}
	}
	counts.add(after, 1)
	if len(counts.Tags) > MaxMemoKinds {
		return &LimitError{What: "kinds of tags", Most: MaxMemoKinds, Got: len(counts.Tags)}
	}
	for _, key := range memoIndex(after) {
		if err := tx.Put(key, []byte(after.ID)); err != nil {
			return err
		}
	}
	r := recordOf(after)
	if r.Text, err = indexMemo(tx, after); err != nil {
		return err
	}
	if err := save(tx, memoKey(after.ID), r); err != nil {
		return err
	}
	return save(tx, memoCountsKey, counts)
}

// setBack is how far a clock may have been set back and the order of changes
// still be kept. Further ahead lies only what a clock wrote that was wrong.
const setBack = 24 * time.Hour

// changeTime is the time of a change of memos: now or, when the clock was set
// back since the last one, just after that, so that what changed last is first.
func changeTime(tx kv.Tx, now time.Time) (time.Time, error) {
	counts, err := loadCounts(tx)
	if err != nil {
		return now, err
	}
	if last := time.UnixMilli(counts.Latest); counts.Latest != 0 && last.After(now) && last.Sub(now) <= setBack {
		return last.Add(time.Millisecond), nil
	}
	return now, nil
}

func (c *Counts) add(m *Memo, n int) {
	if n > 0 {
		c.Latest = m.UpdatedAt.UnixMilli()
	}
	c.Memos += n
	c.Ranks[TopPriority-m.Priority] += n
	for _, t := range m.Tags {
		if c.Tags[t] += n; c.Tags[t] == 0 {
			delete(c.Tags, t)
		}
	}
}

func loadCounts(tx kv.Tx) (Counts, error) {
	c := Counts{Tags: map[string]int{}}
	if err := load(tx, memoCountsKey, &c); err != nil && !errors.Is(err, kv.ErrNotFound) {
		return c, err
	}
	return c, nil
}
