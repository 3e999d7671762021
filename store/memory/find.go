package memory

import (
	"context"
	"slices"
	"time"

	"golang.org/x/text/unicode/norm"

	"techo/internal/sorting"
	"techo/store/kv"
	"techo/store/ledger"
	"techo/store/search"
	"techo/store/space"
)

// Filter selects memories of a user.
type Filter struct {
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

	// TimeName is the name of that period if other memories may name it in the same words, such as winter: they match
	// as well as those of the time.
	TimeName string

	By search.By // of a search: words, meaning or both

	// Models are vectors of the question by models of endpoints.
	Models map[string][]float32

	// Observe is called with all candidates of a search before they are ranked, if it is not nil.
	Observe func([]search.Hit)

	// Within is the time that the question of a search is about, such as since June. Other
	// memories match worse.
	Within Period

	// AsOf is a time whose memories a search finds: what was said before it and superseded or expired
	// later. Zero is now.
	AsOf time.Time
}

// Period is a half-open range of time; zero is unlimited.
type Period struct{ Since, Until time.Time }

// Has reports whether a time is in the period.
func (p Period) Has(at time.Time) bool {
	return (p.Since.IsZero() || !at.Before(p.Since)) && (p.Until.IsZero() || at.Before(p.Until))
}

func (f Filter) span() span { return Period{f.Since, f.Until}.span() }

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
func (s Memories) GetMemory(ctx context.Context, user, id string) (m Memory, err error) {
	err = s.View(ctx, func(tx *ledger.Tx) error {
		r, err := findMemory(tx, user, id)
		m = r.memory()
		return err
	})
	return m, err
}

// GetMemories returns the memories with some ids, in the order of the ids and each
// once, and the ids without a memory. The id of a superseded memory stands for its
// replacement.
func (s Memories) GetMemories(ctx context.Context, user string, ids []string) (found []Memory, missing []string,
	err error) {
	all, missing, err := GetIn(ctx, s.Ledger, space.Sources{User: user, Own: true}, ids)
	for _, m := range all {
		found = append(found, m.Memory)
	}
	return found, missing, err
}

// MemoryUsers returns the users that have memories.
func (s Memories) MemoryUsers(ctx context.Context) (users []string, err error) {
	err = s.View(ctx, func(tx *ledger.Tx) error {
		users = nil
		return eachMemoryUser(tx, func(u UserRecord) { users = append(users, u.Name) })
	})
	return users, err
}

// AllMemories returns the numbers of memories and of users that have any.
func (s Memories) AllMemories(ctx context.Context) (memories, users int, err error) {
	err = s.View(ctx, func(tx *ledger.Tx) error {
		memories, users = 0, 0
		return eachMemoryUser(tx, func(u UserRecord) {
			memories += u.Memories
			users++
		})
	})
	return memories, users, err
}

// eachMemoryUser calls use for each user that has memories, with their number.
func eachMemoryUser(tx *ledger.Tx, use func(UserRecord)) error {
	return scanMemoryUsers(tx, func(u UserRecord) error {
		if u.Memories > 0 {
			use(u)
		}
		return nil
	})
}

// scanMemoryUsers calls use for each user that has ever had memories.
func scanMemoryUsers(tx *ledger.Tx, use func(UserRecord) error) error {
	for p, err := range kv.Pairs(tx, kv.Range{Prefix: UserKey("")}) {
		if err != nil {
			return err
		}
		var u UserRecord
		if err := ledger.Decode(p.Key, p.Value, &u); err != nil {
			return err
		}
		if err := use(u); err != nil {
			return err
		}
	}
	return nil
}

// CountMemories returns the number of memories of a user.
func (s Memories) CountMemories(ctx context.Context, user string) (n int, err error) {
	err = s.View(ctx, func(tx *ledger.Tx) error {
		u, err := LoadUser(tx, norm.NFC.String(user), false)
		n = u.Memories
		return err
	})
	return n, err
}

// line returns the timeline that a filter selects and the number of memories in it; ok is false without one.
func (f Filter) line(tx *ledger.Tx, u UserRecord) (l Timeline, memories int, ok bool, err error) {
	if u.Number == 0 {
		return l, 0, false, nil
	}
	if f.Session == "" {
		return u.line(), u.Memories, true, nil
	}
	var s SessionRecord
	err = ledger.Load(tx, memorySessionKey(u.Number, norm.NFC.String(f.Session)), &s)
	return Timeline{User: u.Number, Session: s.Number}, s.Memories, err == nil, ledger.IgnoreMissing(err)
}

// FindMemories returns memories of a user, the newest first, and their total
// number without offset and limit. Expired memories are left out.
func (s Memories) FindMemories(ctx context.Context, user string, f Filter) (memories []Memory, total int,
	err error) {
	found, total, err := List(ctx, s.Ledger, user, f, false)
	for i := range found {
		memories = append(memories, found[i].Memory)
	}
	return memories, total, err
}

// Listed is a memory of a list, with what superseded it and when.
type Listed struct {
	Memory
	SupersededBy string
	SupersededAt time.Time
}

// List is FindMemories, or with superseded also of what the memories superseded.
func List(ctx context.Context, s *ledger.Ledger, user string, f Filter, superseded bool) (
	all []Listed, total int, err error) {
	first := 0
	if superseded { // any number of them may lie between two memories
		first, f.Offset, f.Limit = f.Offset, 0, f.Offset+f.Limit
	}
	err = s.View(ctx, func(tx *ledger.Tx) error {
		all, total = nil, 0
		u, err := LoadUser(tx, norm.NFC.String(user), false)
		if err != nil {
			return err
		}
		var ids []string
		if f.Topic != "" {
			ids, total, err = u.withTopic(tx, f, s.Time())
		} else {
			ids, total, err = u.listed(tx, f, s.Time())
		}
		if err != nil {
			return err
		}
		records, err := indexedMemories(tx, u.Number, ids)
		for i := range records {
			all = append(all, Listed{Memory: records[i].memory()})
		}
		if err != nil || !superseded || u.Number == 0 {
			return err
		}
		records, err = u.superseding(tx)
		for i := range records {
			m := records[i].memory()
			for _, old := range m.Supersedes {
				if was := old.of(&m); f.selects(&was) {
					all, total = append(all, Listed{was, old.SupersededBy, old.SupersededAt}), total+1
				}
			}
		}
		sorting.By(all, func(a, b Listed) int { return b.CreatedAt.Compare(a.CreatedAt) })
		all = all[min(first, len(all)):min(f.Limit, len(all))]
		return err
	})
	return all, total, err
}

// selects reports whether a list has a memory.
func (f Filter) selects(m *Memory) bool {
	return (f.Session == "" || m.Session == norm.NFC.String(f.Session)) && (f.Scope == "" || m.Scope == f.Scope) &&
		(f.Topic == "" || sameTopic(m.Topic) == sameTopic(f.Topic)) && f.span().has(m.CreatedAt.UnixMilli())
}

// listed returns the ids of the memories that a filter selects, and their total
// number.
func (u UserRecord) listed(tx *ledger.Tx, f Filter, now time.Time) (ids []string, total int, err error) {
	line, memories, ok, err := f.line(tx, u)
	if err != nil || !ok {
		return nil, 0, err
	}
	keep, err := u.visible(tx, f, now)
	if err != nil {
		return nil, 0, err
	}
	counted := f.span().all() && keep == nil
	err = line.within(tx, f.span(), true, func(m Moment) error {
		if keep != nil && !keep(m.Text) {
			return nil
		}
		if total >= f.Offset && len(ids) < f.Limit {
			ids = append(ids, m.ID)
		}
		total++
		if counted && len(ids) == f.Limit {
			return ledger.ErrStop
		}
		return nil
	})
	if counted {
		total = memories
	}
	return ids, total, err
}

// withTopic is listed for a filter with a topic: one memory of each scope has it.
func (u UserRecord) withTopic(tx *ledger.Tx, f Filter, now time.Time) (ids []string, total int, err error) {
	var found []Record
	for _, scope := range []string{PersonScope, ProjectScope} {
		id, err := topicHolder(tx, u.Number, scope, norm.NFC.String(f.Topic))
		if err != nil {
			return nil, 0, err
		}
		if id == "" || f.Scope != "" && f.Scope != scope {
			continue
		}
		r, err := IndexedMemory(tx, u.Number, id)
		if err != nil {
			return nil, 0, err
		}
		dead := r.Expires != 0 && r.Expires <= now.UnixMilli()
		if !dead && f.span().has(r.Created) && (f.Session == "" || r.Session == norm.NFC.String(f.Session)) {
			found = append(found, r)
		}
	}
	slices.SortFunc(found, func(a, b Record) int { return b.moment().compare(a.moment()) })
	for i, r := range found {
		if i >= f.Offset && len(ids) < f.Limit {
			ids = append(ids, r.ID)
		}
	}
	return ids, len(found), nil
}

// EachMemory calls use for each memory of a user created at or after since, the
// oldest first. It reads a snapshot: others may write meanwhile.
func (s Memories) EachMemory(ctx context.Context, user string, since time.Time, use func(Memory) error) error {
	return EachAfter(ctx, s.Ledger, user, since, Place{}, func(_ Place, m Memory) error { return use(m) })
}
