package memory

import (
	"context"
	"slices"
	"time"

	"golang.org/x/text/unicode/norm"

	"techo/store/ledger"
)

// The most superseded memories that a memory keeps, and the bytes of their texts, which every search
// that finds it reads.
const (
	maxFormer     = 20
	maxFormerText = 1 << 20
)

// Superseding is the result of superseding memories.
type Superseding struct {
	Memory
	Old     []Memory // in the order of their ids
	Related []Memory // others about the same matter, the nearest first
}

// Supersede replaces memories by one with a new text, in the session, the scope and the topic of the first.
// The replacement keeps the old memories, and is found by the words and the ids of all. It may be a memory
// that has the text already. It expires at the given time; with nil, when the first old memory was to
// expire, unless that is over.
func Supersede(ctx context.Context, s *ledger.Ledger, user string, ids []string, text string, expires *time.Time) (
	done Superseding, err error) {
	related, err := relatedTo(ctx, s, NewDrafter().Draft(Memory{User: user, FullText: text}), ids...)
	if err != nil {
		return done, err
	}
	err = s.Update(ctx, func(tx *ledger.Tx) error {
		done = Superseding{Related: memoriesOf(related)}
		u, old, err := changeableMemories(tx, user, ids)
		if err != nil {
			return err
		}
		first := old[0].memory()
		m := Memory{User: u.Name, FullText: text, Session: first.Session, Scope: first.Scope,
			Topic: topicOf(first.Scope, old), Near: nearOf(related)}
		if expires != nil {
			m.ExpiresAt = *expires
		} else if first.ExpiresAt.After(s.Time()) {
			m.ExpiresAt = first.ExpiresAt
		}
		d := NewDrafter().Draft(m)
		other, err := memoryWithText(tx, u.Number, d.FullText, d.digest)
		if err != nil {
			return err
		}
		if old = slices.DeleteFunc(old, func(r Record) bool { return r.ID == other }); len(old) == 0 {
			return &SameTextError{other}
		}
		former, err := retire(tx, &u, old)
		if err != nil {
			return err
		}
		for i := range old {
			done.Old = append(done.Old, old[i].memory())
		}
		done.Memory, err = replacement(tx, &u, m, other, former, expires)
		return err
	})
	return done, err
}

// changeableMemories loads memories that a caller wants to change, each once. It fails as
// changeableMemory does.
func changeableMemories(tx *ledger.Tx, user string, ids []string) (u UserRecord, all []Record, err error) {
	for i, id := range ids {
		if slices.Contains(ids[:i], id) {
			continue
		}
		owner, r, err := changeableMemory(tx, user, id)
		if err != nil {
			return u, nil, err
		}
		u, all = owner, append(all, r)
	}
	return u, all, nil
}

// topicOf returns the topic of the first memory in a scope that has one.
func topicOf(scope string, all []Record) string {
	i := slices.IndexFunc(all, func(r Record) bool { return r.Topic != "" && r.scope() == scope })
	if i < 0 {
		return ""
	}
	return all[i].Topic
}

// retire removes memories, and returns them as the superseded ones of another.
func retire(tx *ledger.Tx, u *UserRecord, old []Record) (former []Former, err error) {
	if err := dropMemories(tx, u, old...); err != nil {
		return nil, err
	}
	for i := range old {
		former = append(former, asFormer(old[i].memory())...)
	}
	return former, u.save(tx)
}

// replacement adds a memory, or changes the other one with its text, so that it
// keeps superseded memories. The other one expires at the given time, or as before.
func replacement(tx *ledger.Tx, u *UserRecord, m Memory, other string, former []Former, expires *time.Time) (
	Memory, error) {
	former = withoutText(former, m.FullText)
	if other == "" {
		m.Supersedes = newestFormer(former)
		added, err := addDraft(tx, u.Name, NewDrafter().Draft(m))
		return added.Memory, err
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
		if slices.ContainsFunc(former, func(f Former) bool { return !now.CreatedAt.After(f.CreatedAt) }) {
			now.CreatedAt = at // it was not said later
		}
		if expires == nil && !now.ExpiresAt.After(at) {
			now.ExpiresAt = time.Time{}
		}
		now.Supersedes = newestFormer(former, now.Supersedes)
	})
}

// stateInstead states a draft in place of the memories with some ids, whose topic and scope it has unless
// they were given.
func stateInstead(tx *ledger.Tx, d Draft, ids []string) (added Added, err error) {
	u, old, err := changeableMemories(tx, d.User, ids)
	if err != nil {
		return added, err
	}
	if !d.scoped {
		d.Scope, d.scoped = old[0].scope(), true
	}
	if d.Topic == "" {
		d.Topic = topicOf(d.Scope, old)
	}
	same := func(r Record) bool { return sameText(r.Full) == sameText(d.FullText) }
	if old = slices.DeleteFunc(old, same); len(old) == 0 {
		return added, &SameTextError{ids[0]}
	}
	former, err := retire(tx, &u, old)
	if err != nil {
		return added, err
	}
	if added, err = state(tx, d, false); err != nil || added.Err != nil {
		return added, err
	}
	if u, err = LoadUser(tx, u.Name, false); err != nil {
		return added, err
	}
	r, err := IndexedMemory(tx, u.Number, added.ID)
	if err != nil {
		return added, err
	}
	for i := range old {
		added.Superseded = append(added.Superseded, old[i].ID)
	}
	added.Memory, err = changeMemory(tx, &u, r, func(m *Memory) {
		m.UpdatedAt = added.UpdatedAt
		m.Supersedes = newestFormer(withoutText(former, m.FullText), m.Supersedes)
	})
	return added, err
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
		m.User, m.Near = norm.NFC.String(newUser), nil // which are not there
		added, err := addDraft(there, m.User, NewDrafter().Draft(m))
		if m = added.Memory; err == nil && !added.Created {
			err = &SameTextError{m.ID}
		}
		return err
	})
	return m, err
}
