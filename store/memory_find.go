package store

import (
	"context"
	"errors"
	"slices"
	"time"

	"golang.org/x/text/unicode/norm"

	"techo/store/kv"
)

// MemoryFilter selects memories of a user.
type MemoryFilter struct {
	Session string    // "" selects all
	Topic   string    // likewise; for lists only
	Scope   string    // likewise: PersonScope or ProjectScope
	Since   time.Time // inclusive; zero is unlimited
	Until   time.Time // exclusive; zero is unlimited
	Offset  int
	Limit   int

	// Named is the period that the question of a search names, such as last week.
	// Memories of that time match better.
	Named Period
}

// Period is a half-open range of time; zero is unlimited.
type Period struct{ Since, Until time.Time }

func (f MemoryFilter) span() span { return Period{f.Since, f.Until}.span() }

func (p Period) span() (s span) {
	if !p.Since.IsZero() {
		since := p.Since.UnixMilli()
		s.since = &since
	}
	if !p.Until.IsZero() {
		until := p.Until.UnixMilli()
		s.until = &until
	}
	return s
}

// GetMemory returns a memory of a user, or the one that superseded it.
func (s *Store) GetMemory(ctx context.Context, user, id string) (m Memory, err error) {
	err = s.view(ctx, func(tx *Tx) error {
		_, r, err := findMemory(tx, user, id)
		m = r.memory()
		return err
	})
	return m, err
}

// GetMemories returns the memories with some ids, in the order of the ids and each
// once, and the ids without a memory. The id of a superseded memory stands for its
// replacement.
func (s *Store) GetMemories(ctx context.Context, user string, ids []string) (found []Memory, missing []string,
	err error) {
	all, missing, err := GetMemoriesIn(ctx, s, Sources{User: user, Own: true}, ids)
	for _, m := range all {
		found = append(found, m.Memory)
	}
	return found, missing, err
}

// MemoryUsers returns the users that have memories.
func (s *Store) MemoryUsers(ctx context.Context) (users []string, err error) {
	err = s.view(ctx, func(tx *Tx) error {
		users = nil
		return eachMemoryUser(tx, func(u memoryUser) { users = append(users, u.Name) })
	})
	return users, err
}

// AllMemories returns the numbers of memories and of users that have any.
func (s *Store) AllMemories(ctx context.Context) (memories, users int, err error) {
	err = s.view(ctx, func(tx *Tx) error {
		memories, users = 0, 0
		return eachMemoryUser(tx, func(u memoryUser) {
			memories += u.Memories
			users++
		})
	})
	return memories, users, err
}

// eachMemoryUser calls use for each user that has memories, with their number.
func eachMemoryUser(tx *Tx, use func(memoryUser)) error {
	return scanMemoryUsers(tx, func(u memoryUser) error {
		if u.Memories > 0 {
			use(u)
		}
		return nil
	})
}

// scanMemoryUsers calls use for each user that has ever had memories.
func scanMemoryUsers(tx *Tx, use func(memoryUser) error) error {
	for p, err := range kv.Pairs(tx, kv.Range{Prefix: memoryUserKey("")}) {
		if err != nil {
			return err
		}
		var u memoryUser
		if err := decode(p.Key, p.Value, &u); err != nil {
			return err
		}
		if err := use(u); err != nil {
			return err
		}
	}
	return nil
}

// CountMemories returns the number of memories of a user.
func (s *Store) CountMemories(ctx context.Context, user string) (n int, err error) {
	err = s.view(ctx, func(tx *Tx) error {
		u, err := loadMemoryUser(tx, norm.NFC.String(user), false)
		n = u.Memories
		return err
	})
	return n, err
}

// line returns the timeline that a filter selects; ok is false without one.
func (f MemoryFilter) line(tx *Tx, u memoryUser) (l timeline, ok bool, err error) {
	if u.Number == 0 {
		return l, false, nil
	}
	if f.Session == "" {
		return u.line(), true, nil
	}
	var s memorySession
	err = load(tx, memorySessionKey(u.Number, norm.NFC.String(f.Session)), &s)
	if errors.Is(err, kv.ErrNotFound) {
		return l, false, nil
	}
	return timeline{user: u.Number, session: s.Number}, err == nil, err
}

// total returns the number of memories in the timeline that a filter selects.
func (f MemoryFilter) total(tx *Tx, u memoryUser) (int, error) {
	if f.Session == "" {
		return u.Memories, nil
	}
	var s memorySession
	err := load(tx, memorySessionKey(u.Number, norm.NFC.String(f.Session)), &s)
	return s.Memories, ignoreMissing(err)
}

// FindMemories returns memories of a user, the newest first, and their total
// number without offset and limit. Expired memories are left out.
func (s *Store) FindMemories(ctx context.Context, user string, f MemoryFilter) (memories []Memory, total int,
	err error) {
	err = s.view(ctx, func(tx *Tx) error {
		memories, total = nil, 0
		u, err := loadMemoryUser(tx, norm.NFC.String(user), false)
		if err != nil {
			return err
		}
		var ids []string
		if f.Topic != "" {
			ids, total, err = u.withTopic(tx, f, s.time())
		} else {
			ids, total, err = u.listed(tx, f, s.time())
		}
		if err != nil {
			return err
		}
		records, err := indexedMemories(tx, u.Number, ids)
		for i := range records {
			memories = append(memories, records[i].memory())
		}
		return err
	})
	return memories, total, err
}

// listed returns the ids of the memories that a filter selects, and their total
// number.
func (u memoryUser) listed(tx *Tx, f MemoryFilter, now time.Time) (ids []string, total int, err error) {
	line, ok, err := f.line(tx, u)
	if err != nil || !ok {
		return nil, 0, err
	}
	keep, err := u.visible(tx, f, now)
	if err != nil {
		return nil, 0, err
	}
	counted := f.span().all() && keep == nil
	err = line.within(tx, f.span(), true, func(m moment) error {
		if keep != nil && !keep(m.text) {
			return nil
		}
		if total >= f.Offset && len(ids) < f.Limit {
			ids = append(ids, m.id)
		}
		total++
		if counted && len(ids) == f.Limit {
			return errStop
		}
		return nil
	})
	if counted && err == nil {
		total, err = f.total(tx, u)
	}
	return ids, total, err
}

// withTopic is listed for a filter with a topic: one memory of each scope has it.
func (u memoryUser) withTopic(tx *Tx, f MemoryFilter, now time.Time) (ids []string, total int, err error) {
	var found []memoryRecord
	for _, scope := range []string{PersonScope, ProjectScope} {
		id, err := topicHolder(tx, u.Number, scope, norm.NFC.String(f.Topic))
		if err != nil {
			return nil, 0, err
		}
		if id == "" || f.Scope != "" && f.Scope != scope {
			continue
		}
		r, err := indexedMemory(tx, u.Number, id)
		if err != nil {
			return nil, 0, err
		}
		dead := r.Expires != 0 && r.Expires <= now.UnixMilli()
		if !dead && f.span().has(r.Created) && (f.Session == "" || r.Session == norm.NFC.String(f.Session)) {
			found = append(found, r)
		}
	}
	slices.SortFunc(found, func(a, b memoryRecord) int { return b.moment().compare(a.moment()) })
	for i, r := range found {
		if i >= f.Offset && len(ids) < f.Limit {
			ids = append(ids, r.ID)
		}
	}
	return ids, len(found), nil
}

// EachMemory calls use for each memory of a user created at or after since, the
// oldest first. It reads a snapshot: others may write meanwhile.
func (s *Store) EachMemory(ctx context.Context, user string, since time.Time, use func(Memory) error) error {
	return EachMemoryAfter(ctx, s, user, since, MemoryPlace{}, func(_ MemoryPlace, m Memory) error { return use(m) })
}

// memoriesAtOnce is the number of memories that EachMemoryAfter reads together.
const memoriesAtOnce = 256

// useMemories calls use for memories of a user.
func useMemories(ctx context.Context, tx *Tx, user uint32, ids []string, use func(Memory) error) error {
	records, err := indexedMemories(tx, user, ids)
	if err != nil {
		return err
	}
	for i := range records {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if err := use(records[i].memory()); err != nil {
			return err
		}
	}
	return nil
}
