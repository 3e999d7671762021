package memory

import (
	"context"
	"time"

	"golang.org/x/text/unicode/norm"

	"techo/store/ledger"
)

// maxFormer limits the superseded memories that a memory keeps. The history has
// the older ones.
const maxFormer = 20

// Supersede replaces a memory by one with a new text, in the same session,
// scope and topic. The replacement keeps the old memory, and is found by the words
// and the id of both. It may be a memory that has the text already. It expires at the
// given time; with nil, when the old memory was to expire, unless that is over.
func Supersede(ctx context.Context, s *ledger.Ledger, user, id, text string, expires *time.Time) (
	m, old Memory, err error) {
	like, err := alikeInstead(ctx, s, user, id, text)
	if err != nil {
		return m, old, err
	}
	err = s.Update(ctx, func(tx *ledger.Tx) error {
		u, r, err := changeableMemory(tx, user, id)
		if err != nil {
			return err
		}
		old = r.memory()
		m = Memory{User: u.Name, FullText: text, Session: old.Session, Scope: old.Scope, Topic: old.Topic,
			Alike: like.ids()}
		if expires != nil {
			m.ExpiresAt = *expires
		} else if old.ExpiresAt.After(s.Time()) {
			m.ExpiresAt = old.ExpiresAt
		}
		d := NewDrafter().Draft(m)
		other, err := memoryWithText(tx, u.Number, d.FullText, d.digest)
		if err != nil {
			return err
		}
		if other == id {
			return &SameTextError{other}
		}
		if err := dropMemories(tx, &u, r); err != nil {
			return err
		}
		if err := u.save(tx); err != nil {
			return err
		}
		former := withoutText(asFormer(old), m.FullText)
		m, err = replacement(tx, &u, m, other, former, expires)
		return err
	})
	return m, old, err
}

// replacement adds a memory, or changes the other one with its text, so that it
// keeps superseded memories. The other one expires at the given time, or as before.
func replacement(tx *ledger.Tx, u *UserRecord, m Memory, other string, former []Former, expires *time.Time) (
	Memory, error) {
	if other == "" {
		m.Supersedes = newestFormer(former)
		all, err := addDrafts(tx, u.Name, []Draft{NewDrafter().Draft(m)})
		if err != nil {
			return m, err
		}
		return all[0].Memory, all[0].Err
	}
	r, err := IndexedMemory(tx, u.Number, other)
	if err != nil {
		return m, err
	}
	return changeMemory(tx, u, r, func(now *Memory) {
		if now.Topic == "" && now.Scope == m.Scope {
			now.Topic = m.Topic
		}
		if expires != nil {
			now.ExpiresAt = *expires
		}
		at := tx.Ledger.Time()
		if len(former) == 0 || !now.CreatedAt.After(former[0].CreatedAt) { // it was not said later
			now.CreatedAt = at
		}
		if expires == nil && !now.ExpiresAt.After(at) {
			now.ExpiresAt = time.Time{}
		}
		now.Supersedes = newestFormer(former, now.Supersedes)
	})
}

// Move moves a memory of a user to another one, in another space.
func Move(ctx context.Context, from, to *ledger.Ledger, user, newUser, id string) (m Memory, err error) {
	err = ledger.UpdateBoth(ctx, from, to, func(here, there *ledger.Tx) error {
		u, r, err := changeableMemory(here, user, id)
		if err != nil {
			return err
		}
		if err := dropMemories(here, &u, r); err != nil {
			return err
		}
		if err := u.save(here); err != nil {
			return err
		}
		m = r.memory()
		m.User, m.Alike = norm.NFC.String(newUser), nil // which are not there
		added, err := addDrafts(there, m.User, []Draft{NewDrafter().Draft(m)})
		if err != nil {
			return err
		}
		if m = added[0].Memory; added[0].Err == nil && !added[0].Created {
			return &SameTextError{m.ID}
		}
		return added[0].Err
	})
	return m, err
}
