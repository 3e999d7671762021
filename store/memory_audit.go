package store

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"techo/store/search"
)

// memoryAudit checks memories, their indexes and counts, and the search index.
// The keys of one user are neighbours.
type memoryAudit struct {
	drafter  *Drafter
	users    map[uint32]*memoryUser // by number
	assigned uint32                 // numbers of users so far
	indexes  map[uint32]bool        // users with a search index
	seen     map[uint32]*userTotals
	checked  uint32 // the user whose memories are read now
	check    *search.Check
	total    int
}

// userTotals sums up the memories of one user.
type userTotals struct {
	memories    int
	want, found setHash // of texts, sessions and moments
}

func newMemoryAudit() audit {
	return &memoryAudit{
		drafter: NewDrafter(),
		users:   map[uint32]*memoryUser{}, indexes: map[uint32]bool{}, seen: map[uint32]*userTotals{},
	}
}

func (a *memoryAudit) user(number uint32) *userTotals {
	s := a.seen[number]
	if s == nil {
		s = &userTotals{}
		s.want, s.found = newSetHashes()
		a.seen[number] = s
	}
	return s
}

func (a *memoryAudit) visit(tx *Tx, key, value []byte) error {
	switch spaceOf(key) {
	case memoryTurns:
		return nil
	case memoryUserCount:
		if err := json.Unmarshal(value, &a.assigned); err != nil {
			return finding(Unreadable, KindUser, "", err)
		}
		return nil
	case memoryUsers:
		return a.visitUser(string(rest(key)), value)
	}
	number, tail, ok := cutUser(key)
	if !ok {
		return finding(UnknownKey, KindMemory, string(key), nil)
	}
	switch spaceOf(key) {
	case memoryRecords:
		return a.visitMemory(tx, number, key, value)
	case memorySessions:
		return a.visitSession(number, string(tail), value)
	case memoryTimelines:
		return a.visitTimeline(number, key, value)
	case memoryDigests, memoryTopics, memoryReplacements, memoryExpiries, projectMemories:
		a.user(number).found.add(key, value)
	default:
		a.indexes[number] = true
	}
	return nil
}

func (a *memoryAudit) visitUser(name string, value []byte) error {
	var u memoryUser
	if err := json.Unmarshal(value, &u); err != nil {
		return finding(Unreadable, KindUser, name, err)
	}
	if u.Name != name || a.users[u.Number] != nil {
		return finding(WrongKey, KindUser, name, nil)
	}
	a.users[u.Number] = &u
	return nil
}

// visitSession adds one index entry for each memory that the session counts.
func (a *memoryAudit) visitSession(number uint32, name string, value []byte) error {
	var s memorySession
	if err := json.Unmarshal(value, &s); err != nil || s.Number == 0 {
		return finding(Unreadable, KindSession, name, err)
	}
	for range s.Memories {
		a.user(number).found.add(memorySessionKey(number, name), binary.BigEndian.AppendUint32(nil, s.Number))
	}
	return nil
}

// visitMemory checks one record and adds the index entries that it requires.
func (a *memoryAudit) visitMemory(tx *Tx, number uint32, key, value []byte) error {
	r, err := decodeMemory(key, value)
	if err != nil {
		return err
	}
	if a.checked != number {
		if err := a.beginIndex(tx, number); err != nil {
			return err
		}
	}
	m := r.memory()
	d := a.drafter.Draft(m)
	if a.check != nil {
		if err := a.check.Add(tx, r.doc(d.bag)); err != nil {
			return err
		}
	}
	u := a.user(number)
	u.memories++
	a.total++
	if m.ID != idOfText(d.digest) {
		u.want.add(memoryTextKey(number, d.digest), []byte(m.ID))
	}
	for _, e := range memoryEntries(number, &r) {
		u.want.add(e.key, e.value)
	}
	at := r.moment()
	u.want.add(timeline{user: number}.key(at), []byte(at.id))
	if r.Group != 0 {
		u.want.add(timeline{user: number, session: r.Group}.key(at), []byte(at.id))
		u.want.add(memorySessionKey(number, r.Session), binary.BigEndian.AppendUint32(nil, r.Group))
	}
	return nil
}

// decodeMemory decodes the record of a memory.
func decodeMemory(key, value []byte) (r memoryRecord, err error) {
	_, tail, ok := cutUser(key)
	if !ok {
		return r, finding(UnknownKey, KindMemory, string(key), nil)
	}
	id := string(tail)
	if err := json.Unmarshal(value, &r); err != nil {
		return r, finding(Unreadable, KindMemory, id, err)
	}
	if r.ID != id || r.User == "" || (r.Session == "") != (r.Group == 0) {
		return r, finding(WrongKey, KindMemory, id, nil)
	}
	return r, nil
}

// visitTimeline checks one run of a timeline.
func (a *memoryAudit) visitTimeline(number uint32, key, value []byte) error {
	l, moments, err := readTimeline(key, value)
	if err != nil {
		return err
	}
	if len(moments) == 0 || !bytes.Equal(l.key(moments[0]), key) || !slices.IsSortedFunc(moments, moment.compare) {
		return finding(WrongOrder, KindMemory, string(key), nil)
	}
	for _, m := range moments {
		a.user(number).found.add(l.key(m), []byte(m.id))
	}
	return nil
}

// beginIndex ends the check of one user's search index and begins the next. An
// index that has to be built again is not checked.
func (a *memoryAudit) beginIndex(tx *Tx, number uint32) error {
	if err := a.finishIndex(tx); err != nil {
		return err
	}
	a.checked, a.check = number, nil
	err := search.At(number).Ready(tx)
	if err == nil {
		a.check = search.At(number).NewCheck()
	}
	if errors.Is(err, search.ErrOutdated) {
		return nil
	}
	return err
}

// finishIndex ends the check of the search index of the user that was read.
func (a *memoryAudit) finishIndex(tx *Tx) error {
	if a.check == nil {
		return nil
	}
	return a.check.Done(tx)
}

func (a *memoryAudit) finish(tx *Tx) (int, error) {
	if err := a.finishIndex(tx); err != nil {
		return 0, err
	}
	for number, s := range a.seen {
		u := a.users[number]
		switch {
		case u == nil:
			return 0, finding(NoRecord, KindUser, fmt.Sprint(number), nil)
		case u.Memories != s.memories:
			return 0, finding(WrongCount, KindUser, u.Name, miscount(u.Memories, s.memories))
		case s.want != s.found:
			return 0, finding(WrongIndex, KindUser, u.Name, nil)
		}
	}
	for number, u := range a.users {
		if number > a.assigned { // the next user would get it as well
			return 0, finding(WrongCount, KindUser, u.Name, miscount(a.assigned, number))
		}
		if a.seen[number] == nil && u.Memories != 0 {
			return 0, finding(WrongCount, KindUser, u.Name, miscount(u.Memories, 0))
		}
	}
	for number := range a.indexes {
		if number != search.Memos && a.users[number] == nil {
			return 0, finding(NoRecord, KindUser, fmt.Sprint(number), nil)
		}
		if number != search.Memos && a.seen[number] == nil { // must be empty
			if err := search.At(number).NewCheck().Done(tx); err != nil {
				return 0, err
			}
		}
	}
	return a.total, nil
}

// memoryPrefixes returns the spaces of memories and of the search index, which
// memories and memos share.
func memoryPrefixes() []space {
	all := []space{memoryUserCount, memoryUsers, memoryRecords, memoryDigests, memorySessions, memoryTimelines,
		memoryTurns, memoryTopics, memoryReplacements, memoryExpiries, projectMemories}
	for _, s := range search.Spaces() {
		all = append(all, space(s))
	}
	return slices.Clip(all)
}
