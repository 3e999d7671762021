package store

import (
	"cmp"
	"context"
	"crypto/sha256"
	"maps"
	"slices"
	"strconv"
	"strings"

	"techo/store/kv"
)

// RecordChange is a record that a rescue could not keep as it was last written.
type RecordChange struct {
	Kind    Kind
	ID      string // "" when only the name is known
	Space   string // the shared space that it is in, or ""
	Name    string // of a memo, title of an event, text of a question, …; "" when unknown
	State   kv.State
	Certain bool // false when the record may be unchanged, or may never have existed
}

// namedChanges returns the records that the changes of a rescue concern, and
// the number of keys in the new store. It must run before the new store is
// repaired: it compares records with their old indexes.
func namedChanges(ctx context.Context, fresh string, o Options, r kv.Rescued) (all []RecordChange, keys int,
	err error) {
	o.Write = false
	s, err := Open(fresh, o)
	if err != nil {
		return nil, 0, err
	}
	defer s.Close()
	err = s.view(ctx, func(tx *Tx) error {
		n := newNamer()
		if keys, err = n.read(tx); err != nil {
			return err
		}
		for _, c := range r.Changes {
			n.add(c)
		}
		if r.Unnamed > 0 {
			n.addSuspects()
		}
		all = n.result()
		for _, number := range slices.Sorted(maps.Keys(n.shared)) {
			space := tx.in(sharedPlace{number: number})
			all = append(all, inSpace(n.shared[number], spaceName(space, number), r.Unnamed > 0)...)
		}
		return nil
	})
	return all, keys, err
}

// maxNameShown is the longest name in a RecordChange, in characters. The name
// of a question is its text.
const maxNameShown = 80

// recordID identifies a record in the store. The id of a memory includes the
// number of its user.
type recordID struct {
	kind Kind
	id   string
}

func (id recordID) compare(other recordID) int {
	return cmp.Or(cmp.Compare(id.kind, other.kind), strings.Compare(id.id, other.id))
}

// namer finds the names of changed records in the records and the indexes that
// can be read.
type namer struct {
	changes map[recordID]*RecordChange

	names   map[recordID]string  // of the existing records
	byName  map[string]string    // ids of memos by name, from the index
	wanted  map[recordID]bool    // records that an index names
	latest  map[string]int64     // of memos by id: time of the last change, from the index
	updated map[string]int64     // of memos by id: time of the last change, from the record
	indexed map[string]bool      // ids of memos in an index
	unnamed map[string]kv.Change // names of memos that the index has lost
	last    uint64               // the greatest number of a question that a folder has numbered
	removed map[string]bool      // ids of questions that an undo removed

	shared map[uint64]*namer // of the shared spaces, by number
}

func newNamer() *namer {
	return &namer{
		changes: map[recordID]*RecordChange{},
		names:   map[recordID]string{}, byName: map[string]string{}, wanted: map[recordID]bool{},
		latest: map[string]int64{}, updated: map[string]int64{}, indexed: map[string]bool{},
		unnamed: map[string]kv.Change{}, removed: map[string]bool{}, shared: map[uint64]*namer{},
	}
}

// read reads all keys, and returns their number.
func (n *namer) read(tx *Tx) (keys int, err error) {
	for item, err := range tx.Scan(kv.Range{}) {
		if err != nil {
			return keys, err
		}
		keys++
		at, key := n.of(item.Key)
		if !isNaming(spaceOf(key)) {
			continue
		}
		value, err := item.Value()
		if err != nil {
			return keys, err
		}
		at.readRecord(key, value)
		at.readIndex(key, value)
	}
	return keys, nil
}

// isNaming reports whether keys of a space name records.
func isNaming(s space) bool {
	switch s {
	case memoRecords, memoNames, memosByTime, memoryRecords, memoryTimelines, singleRecords, seriesRecords,
		eventPlaces, todoRecords, todoPlaces, calendarRecords, questionRecords, pendingQuestions, questionKeys,
		questionCountKey, editRecords, tokenRecords, historyChanges:
		return true
	}
	return false
}

// readRecord notes the name of a record. A record that cannot be read has none;
// its repair drops it.
func (n *namer) readRecord(key, value []byte) {
	name := func(err error, kind Kind, id, name string) {
		if err == nil {
			n.names[recordID{kind, id}] = name
		}
	}
	switch spaceOf(key) {
	case memoRecords:
		m, err := decodeMemo(key, value)
		name(err, KindMemo, m.ID, m.Name)
		if err == nil {
			n.updated[m.ID] = m.UpdatedAt.UnixMilli()
		}
	case memoryRecords:
		r, err := decodeMemory(key, value)
		name(err, KindMemory, string(rest(key)), r.Caption)
	case singleRecords, seriesRecords:
		e, _, err := decodeEvent(key, value)
		name(err, KindEvent, e.ID, e.Title)
	case todoRecords:
		t, err := decodeTodo(key, value)
		name(err, KindTodo, t.ID, t.Title)
	case calendarRecords:
		name(nil, KindCalendar, string(rest(key)), string(rest(key)))
	case questionRecords:
		q, err := decodeQuestion(key, value)
		name(err, KindQuestion, q.ID, q.Text)
		if number := questionNumber(q.ID); err == nil {
			n.last = max(n.last, number)
		}
	case tokenRecords:
		t, err := decodeToken(key, value)
		name(err, KindToken, t.ID, t.User)
	case historyChanges:
		c, err := decodeChange(key, value)
		for _, r := range c.Records {
			if err == nil && r.Kind == KindQuestion && !r.Exists {
				n.removed[r.ID] = true
			}
		}
	case editRecords:
		e, err := decodeFileEdit(key, value)
		name(err, KindEdit, strconv.FormatUint(e.ID, 10), e.Tool)
	}
}

// readIndex notes the record that an index entry names.
func (n *namer) readIndex(key, value []byte) {
	want := func(kind Kind, id string) { n.wanted[recordID{kind, id}] = true }
	switch spaceOf(key) {
	case memoNames:
		n.byName[string(rest(key))] = string(value)
		want(KindMemo, string(value))
		n.indexed[string(value)] = true
	case memosByTime:
		if len(rest(key)) >= 8 {
			n.latest[string(value)] = max(n.latest[string(value)], readTime(rest(key)).UnixMilli())
			want(KindMemo, string(value))
			n.indexed[string(value)] = true
		}
	case memoryTimelines:
		_, moments, err := readTimeline(key, value)
		for _, m := range moments {
			if err == nil {
				want(KindMemory, string(rest(key)[:4])+m.id)
			}
		}
	case eventPlaces:
		want(KindEvent, string(rest(key)))
	case todoPlaces:
		want(KindTodo, string(rest(key)))
	case pendingQuestions, questionKeys:
		if number, ok := cutNumber(value); ok && len(value) == 8 {
			want(KindQuestion, questionID(number))
		}
	}
}

// add adds the change of a key as the change of its record.
func (n *namer) add(c kv.Change) {
	n, c.Key = n.of(c.Key)
	if spaceOf(c.Key) == memoNames && c.State == kv.Lost {
		n.unnamed[string(rest(c.Key))] = c
		return
	}
	if id, ok := recordOfKey(c.Key); ok {
		n.note(id, c.State, c.Certain)
	}
}

// note adds a change of a record. A record may have one change for each of its
// keys; an event that exists under another key is not lost.
func (n *namer) note(id recordID, state kv.State, certain bool) {
	name, there := n.names[id]
	if text := []rune(name); len(text) > maxNameShown {
		name = string(text[:maxNameShown]) + "…"
	}
	if there && state == kv.Lost {
		state = kv.RolledBack
	}
	c := n.changes[id]
	if c == nil {
		c = &RecordChange{Kind: id.kind, ID: id.id, Name: name, State: state}
		n.changes[id] = c
		if id.kind == KindMemory {
			c.ID = id.id[4:]
		}
	}
	if c.State != state {
		c.State = kv.RolledBack // part of it is old
	}
	c.Certain = c.Certain || certain
}

// recordOfKey returns the record that a key belongs to; ok is false for a key
// that is rebuilt from records.
func recordOfKey(key []byte) (id recordID, ok bool) {
	b := rest(key)
	switch spaceOf(key) {
	case memoRecords:
		return recordID{KindMemo, string(b)}, len(b) > 0
	case memoryRecords:
		return recordID{KindMemory, string(b)}, len(b) > 4
	case singleRecords, seriesRecords:
		_, event, ok := cutPlace(key)
		return recordID{KindEvent, event}, ok && event != ""
	case todoRecords:
		_, id, ok := cutNamed(key)
		return recordID{KindTodo, string(id)}, ok && len(id) > 0
	case calendarRecords:
		return recordID{KindCalendar, string(b)}, true
	case questionRecords:
		number, ok := cutNumber(b)
		return recordID{KindQuestion, questionID(number)}, ok && len(b) == 8
	case editRecords, editUndoData:
		number, ok := cutNumber(b)
		return recordID{KindEdit, strconv.FormatUint(number, 10)}, ok
	case tokenRecords:
		if len(b) == sha256.Size {
			return recordID{KindToken, tokenID(key)}, true
		}
	case spaceMembers:
		return recordID{KindSpace, "members"}, true
	case receiptRecords:
		_, name, ok := cutNamed(key)
		return recordID{KindReceipt, string(name)}, ok
	}
	return id, false
}

// addSuspects adds records that the indexes lack, or have in a newer version.
// It serves damage whose keys are unknown.
func (n *namer) addSuspects() {
	note := func(id recordID, state kv.State) {
		if n.changes[id] == nil {
			n.note(id, state, false)
		}
	}
	for id := range n.wanted {
		if _, ok := n.names[id]; !ok {
			note(id, kv.Lost)
		}
	}
	for id, updated := range n.updated {
		switch {
		case !n.indexed[id]:
			note(recordID{KindMemo, id}, kv.Resurrected)
		case n.latest[id] > updated:
			note(recordID{KindMemo, id}, kv.RolledBack)
		}
	}
	for number := uint64(1); number < n.last && number < 1<<20; number++ {
		id := recordID{KindQuestion, questionID(number)}
		if _, ok := n.names[id]; !ok && !n.removed[id.id] { // only an undo removes a question
			note(id, kv.Lost)
		}
	}
	for id := range n.names {
		if (id.kind == KindEvent || id.kind == KindTodo) && !n.wanted[id] {
			note(id, kv.Resurrected)
		}
	}
}

// result returns all changes, sorted, with the names of lost memos.
func (n *namer) result() (all []RecordChange) {
	nameOf := map[string]string{}
	for name, id := range n.byName {
		nameOf[id] = name
	}
	var nameless []RecordChange // lost memos
	for _, c := range n.changes {
		if c.Kind == KindMemo && c.Name == "" {
			if c.Name = nameOf[c.ID]; c.Name == "" {
				nameless = append(nameless, *c)
				continue
			}
		}
		if c.Kind != KindCalendar || c.State == kv.Lost || !n.ofEvents() {
			all = append(all, *c)
		}
	}
	all = append(all, n.named(nameless)...)
	slices.SortFunc(all, func(a, b RecordChange) int {
		return cmp.Or(cmp.Compare(a.Kind, b.Kind), strings.Compare(a.Name, b.Name), strings.Compare(a.ID, b.ID))
	})
	return all
}

// named adds the lost names of memos to lost memos, if only their ids are
// known. Only a single name and a single id certainly belong together.
func (n *namer) named(lost []RecordChange) (all []RecordChange) {
	for id, name := range n.names {
		if id.kind == KindMemo {
			delete(n.unnamed, name) // only its index entry is lost
		}
	}
	if len(n.unnamed) < len(lost) {
		all = lost // the index still has some of the names, or never had them
	}
	for name, c := range n.unnamed {
		change := RecordChange{Kind: KindMemo, Name: name, State: kv.Lost, Certain: c.Certain}
		switch {
		case len(lost) == 0: // an older version of the memo, with an older name, came back
			change.State = kv.RolledBack
		case len(lost) == 1 && len(n.unnamed) == 1:
			change.ID = lost[0].ID
		}
		all = append(all, change)
	}
	return all
}

// ofEvents reports whether events have changed. If so, the records of their
// calendars, which count them, have changed too, and are rebuilt.
func (n *namer) ofEvents() bool {
	for id := range n.changes {
		if id.kind == KindEvent {
			return true
		}
	}
	return false
}
