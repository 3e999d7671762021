package store

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"slices"

	"techo/store/kv"
	"techo/store/search"
)

// memorySpaces are the spaces of memories and of what they, and the memos, are
// found by.
func memorySpaces() []string {
	return []string{"pk", "pu", "pm", "ph", "ps", "pl", "pt", "sn", "sq", "st", "sb", "sl", "si"}
}

// memoryAudit checks memories, their indexes and their counts, and the search
// index. The keys of one user come one after the other.
type memoryAudit struct {
	drafter *Drafter
	users   map[uint32]*memoryUser // by number
	spaces  map[uint32]bool        // of the search index
	seen    map[uint32]*userSeen
	checked uint32 // the user whose memories are being read
	check   *search.Check
	total   int
}

// userSeen is what was seen of a user.
type userSeen struct {
	memories    int
	want, found tally // of texts, sessions and moments
}

func newMemoryAudit() audit {
	return &memoryAudit{
		drafter: NewDrafter(),
		users:   map[uint32]*memoryUser{}, spaces: map[uint32]bool{}, seen: map[uint32]*userSeen{},
	}
}

func (a *memoryAudit) user(number uint32) *userSeen {
	s := a.seen[number]
	if s == nil {
		s = &userSeen{}
		s.want, s.found = newTallies()
		a.seen[number] = s
	}
	return s
}

func (a *memoryAudit) see(tx kv.Tx, key, value []byte) error {
	space := string(key[:2])
	switch space {
	case "pk", "pt":
		return nil
	case "pu":
		var u memoryUser
		if err := json.Unmarshal(value, &u); err != nil || u.Name != string(key[2:]) || a.users[u.Number] != nil {
			return bad("user %q: not what its key says", key[2:])
		}
		a.users[u.Number] = &u
		return nil
	}
	if len(key) < 6 {
		return bad("unknown key %q", key)
	}
	number := binary.BigEndian.Uint32(key[2:])
	switch {
	case space[0] == 's':
		a.spaces[number] = true
		return nil
	case space == "pm":
		return a.memory(tx, number, key, value)
	case space == "ps":
		var s memorySession
		if err := json.Unmarshal(value, &s); err != nil || s.Number == 0 {
			return bad("session %q: not well formed", key[6:])
		}
		for range s.Memories {
			a.user(number).found.add(memorySessionKey(number, string(key[6:])), binary.BigEndian.AppendUint32(nil, s.Number))
		}
	case space == "pl":
		return a.moments(number, key, value)
	default: // ph
		a.user(number).found.add(key, value)
	}
	return nil
}

// memory checks one record, and what it says that the indexes hold.
func (a *memoryAudit) memory(tx kv.Tx, number uint32, key, value []byte) error {
	r, err := memoryOf(key, value)
	if err != nil {
		return err
	}
	if a.check == nil || a.checked != number {
		if err := a.done(tx); err != nil {
			return err
		}
		a.checked, a.check = number, search.At(number).NewCheck()
	}
	m := r.memory()
	d := a.drafter.Draft(m)
	if err := a.check.Add(tx, search.Doc{Num: r.Text, ID: r.ID, Group: r.Group, Bag: d.bag}); err != nil {
		return err
	}
	u := a.user(number)
	u.memories++
	a.total++
	if m.ID != homeID(d.digest) {
		u.want.add(memoryTextKey(number, d.digest), []byte(m.ID))
	}
	at := moment{r.Created, r.Text, r.ID}
	u.want.add(timeline{number, 0}.key(at), []byte(at.id))
	if r.Group != 0 {
		u.want.add(timeline{number, r.Group}.key(at), []byte(at.id))
		u.want.add(memorySessionKey(number, r.Session), binary.BigEndian.AppendUint32(nil, r.Group))
	}
	return nil
}

// memoryOf reads a memory out of its record.
func memoryOf(key, value []byte) (r memoryRecord, err error) {
	if err := json.Unmarshal(value, &r); err != nil {
		return r, bad("memory %q: %v", key[6:], err)
	}
	if r.ID != string(key[6:]) || r.User == "" || (r.Session == "") != (r.Group == 0) {
		return r, bad("memory %q: not what its key says", key[6:])
	}
	return r, nil
}

// moments checks one run of a timeline.
func (a *memoryAudit) moments(number uint32, key, value []byte) error {
	if len(key) < 10 {
		return bad("unknown key %q", key)
	}
	l := timeline{number, binary.BigEndian.Uint32(key[6:])}
	ms, err := l.read(key, value)
	if err != nil {
		return err
	}
	if len(ms) == 0 || !bytes.Equal(l.key(ms[0]), key) || !slices.IsSortedFunc(ms, moment.compare) {
		return bad("timeline %q: not in order", key)
	}
	for _, m := range ms {
		a.user(number).found.add(l.key(m), []byte(m.id))
	}
	return nil
}

// done ends the check of a user's index.
func (a *memoryAudit) done(tx kv.Tx) error {
	if a.check == nil {
		return nil
	}
	return a.check.Done(tx)
}

func (a *memoryAudit) finish(tx kv.Tx) (int, error) {
	if err := a.done(tx); err != nil {
		return 0, err
	}
	for number, s := range a.seen {
		u := a.users[number]
		switch {
		case u == nil:
			return 0, bad("memories of user %d, who is not there", number)
		case u.Memories != s.memories:
			return 0, bad("user %q: counts %d memories, there are %d", u.Name, u.Memories, s.memories)
		case s.want != s.found:
			return 0, bad("user %q: an index is not what the memories make it", u.Name)
		}
	}
	for number, u := range a.users {
		if a.seen[number] == nil && u.Memories != 0 {
			return 0, bad("user %q: counts %d memories, there are none", u.Name, u.Memories)
		}
	}
	for space := range a.spaces {
		if space != memoSpace && a.users[space] == nil {
			return 0, bad("a search index of user %d, who is not there", space)
		}
	}
	return a.total, checkMemoIndex(tx)
}
