package memory

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"techo/store/ledger"
	"techo/store/search"
)

// audit checks memories, their indexes and counts, and the search index.
// The keys of one user are neighbours.
type audit struct {
	ledger.Ahead
	drafter  *Drafter
	users    map[uint32]*UserRecord // by number
	assigned uint32                 // numbers of users so far
	indexes  map[uint32]bool        // users with a search index
	seen     map[uint32]*userTotals
	checked  uint32 // the user whose memories are read now
	check    *search.Check
	total    int
}

type userTotals struct {
	memories    int
	removed     int
	want, found ledger.SetHash // of texts, sessions and moments
}

func newAudit() ledger.Audit {
	return &audit{
		drafter: NewDrafter(),
		users:   map[uint32]*UserRecord{}, indexes: map[uint32]bool{}, seen: map[uint32]*userTotals{},
	}
}

func (a *audit) user(number uint32) *userTotals {
	s := a.seen[number]
	if s == nil {
		s = &userTotals{}
		s.want, s.found = ledger.NewSetHashes()
		a.seen[number] = s
	}
	return s
}

func (a *audit) Visit(tx *ledger.Tx, key, value []byte) error {
	switch ledger.PrefixOf(key) {
	case Turns:
		return nil
	case UserCount:
		if err := json.Unmarshal(value, &a.assigned); err != nil {
			return ledger.Finding(ledger.Unreadable, ledger.KindUser, "", err)
		}
		return nil
	case Users:
		return a.visitUser(string(ledger.Rest(key)), value)
	}
	number, tail, ok := ledger.CutUser(key)
	if !ok {
		return ledger.Finding(ledger.UnknownKey, ledger.KindMemory, string(key), nil)
	}
	switch ledger.PrefixOf(key) {
	case Records:
		return a.visitMemory(tx, number, key, value)
	case Sessions:
		return a.visitSession(number, string(tail), value)
	case Timelines:
		return a.visitTimeline(number, key, value)
	case digests, topics, replacements, expiries, ofProjects, Reviews:
		if ledger.PrefixOf(key) != Reviews || !bytes.HasPrefix(tail, []byte{againstLetter}) {
			a.user(number).found.Add(key, value)
		}
	case removedTexts:
		a.user(number).removed++
	default:
		a.indexes[number] = true
	}
	return nil
}

func (a *audit) visitUser(name string, value []byte) error {
	var u UserRecord
	if err := json.Unmarshal(value, &u); err != nil {
		return ledger.Finding(ledger.Unreadable, ledger.KindUser, name, err)
	}
	if u.Name != name || a.users[u.Number] != nil {
		return ledger.Finding(ledger.WrongKey, ledger.KindUser, name, nil)
	}
	a.users[u.Number] = &u
	return nil
}

// visitSession adds one index entry for each memory that the session counts.
func (a *audit) visitSession(number uint32, name string, value []byte) error {
	var s SessionRecord
	if err := json.Unmarshal(value, &s); err != nil || s.Number == 0 {
		return ledger.Finding(ledger.Unreadable, ledger.KindSession, name, err)
	}
	for range s.Memories {
		a.user(number).found.Add(memorySessionKey(number, name), binary.BigEndian.AppendUint32(nil, s.Number))
	}
	return nil
}

// visitMemory checks one record and adds the index entries that it requires.
func (a *audit) visitMemory(tx *ledger.Tx, number uint32, key, value []byte) error {
	r, err := Decode(key, value)
	if err != nil {
		return err
	}
	if a.checked != number {
		if err := a.beginIndex(tx, number); err != nil {
			return err
		}
	}
	m := r.memory()
	a.Note(m.UpdatedAt)
	d := a.drafter.Draft(m)
	if a.check != nil {
		if err := a.check.Add(tx, r.doc(d)); err != nil {
			return err
		}
	}
	u := a.user(number)
	u.memories++
	a.total++
	if m.ID != IdOfText(d.digest) {
		u.want.Add(memoryTextKey(number, d.digest), []byte(m.ID))
	}
	for _, e := range memoryEntries(number, &r) {
		u.want.Add(e.key, e.value)
	}
	at := r.moment()
	u.want.Add(Timeline{User: number}.Key(at), []byte(at.ID))
	if r.Group != 0 {
		u.want.Add(Timeline{User: number, Session: r.Group}.Key(at), []byte(at.ID))
		u.want.Add(memorySessionKey(number, r.Session), binary.BigEndian.AppendUint32(nil, r.Group))
	}
	return nil
}

// Decode decodes the record of a memory.
func Decode(key, value []byte) (r Record, err error) {
	_, tail, ok := ledger.CutUser(key)
	if !ok {
		return r, ledger.Finding(ledger.UnknownKey, ledger.KindMemory, string(key), nil)
	}
	id := string(tail)
	if err := json.Unmarshal(value, &r); err != nil {
		return r, ledger.Finding(ledger.Unreadable, ledger.KindMemory, id, err)
	}
	if r.ID != id || r.User == "" || (r.Session == "") != (r.Group == 0) {
		return r, ledger.Finding(ledger.WrongKey, ledger.KindMemory, id, nil)
	}
	return r, nil
}

// visitTimeline checks one run of a timeline.
func (a *audit) visitTimeline(number uint32, key, value []byte) error {
	l, moments, err := ReadTimeline(key, value)
	if err != nil {
		return err
	}
	if len(moments) == 0 || !bytes.Equal(l.Key(moments[0]), key) || !slices.IsSortedFunc(moments, Moment.compare) {
		return ledger.Finding(ledger.WrongOrder, ledger.KindMemory, string(key), nil)
	}
	for _, m := range moments {
		a.user(number).found.Add(l.Key(m), []byte(m.ID))
	}
	return nil
}

// beginIndex ends the check of one user's search index and begins the next. An
// index that has to be built again is not checked.
func (a *audit) beginIndex(tx *ledger.Tx, number uint32) error {
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
func (a *audit) finishIndex(tx *ledger.Tx) error {
	if a.check == nil {
		return nil
	}
	return a.check.Done(tx)
}

func (a *audit) Finish(tx *ledger.Tx) (int, error) {
	if err := a.finishIndex(tx); err != nil {
		return 0, err
	}
	for number, s := range a.seen {
		u := a.users[number]
		switch {
		case u == nil:
			return 0, ledger.Finding(ledger.NoRecord, ledger.KindUser, fmt.Sprint(number), nil)
		case u.Memories != s.memories:
			return 0, ledger.Finding(ledger.WrongCount, ledger.KindUser, u.Name,
				ledger.Miscount(u.Memories, s.memories))
		case u.Removed != s.removed:
			return 0, ledger.Finding(ledger.WrongCount, ledger.KindUser, u.Name, ledger.Miscount(u.Removed, s.removed))
		case s.want != s.found:
			return 0, ledger.Finding(ledger.WrongIndex, ledger.KindUser, u.Name, nil)
		}
	}
	for number, u := range a.users {
		if number > a.assigned { // the next user would get it as well
			return 0, ledger.Finding(ledger.WrongCount, ledger.KindUser, u.Name, ledger.Miscount(a.assigned, number))
		}
		if a.seen[number] == nil && u.Memories+u.Removed != 0 {
			return 0, ledger.Finding(ledger.WrongCount, ledger.KindUser, u.Name, ledger.Miscount(u.Memories+u.Removed, 0))
		}
	}
	for number := range a.indexes {
		if number == search.Memos || number == search.Files {
			continue
		}
		if a.users[number] == nil {
			return 0, ledger.Finding(ledger.NoRecord, ledger.KindUser, fmt.Sprint(number), nil)
		}
		if a.seen[number] == nil { // must be empty
			if err := search.At(number).NewCheck().Done(tx); err != nil {
				return 0, err
			}
		}
	}
	return a.total, nil
}

// prefixes returns the spaces of memories and of the search index, which
// memories and memos share.
func prefixes() []ledger.Prefix {
	all := []ledger.Prefix{UserCount, Users, Records, digests, Sessions, Timelines,
		Turns, topics, replacements, expiries, ofProjects, Reviews, removedTexts}
	for _, s := range search.Prefixes() {
		all = append(all, ledger.Prefix(s))
	}
	return slices.Clip(all)
}
