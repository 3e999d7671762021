package store

import (
	"cmp"
	"context"
	"crypto/sha256"
	"maps"
	"slices"
	"strconv"
	"strings"

	"techo/internal/sorting"
	"techo/store/calendar"
	"techo/store/edit"
	"techo/store/event"
	"techo/store/kv"
	"techo/store/kv/rescue"
	"techo/store/ledger"
	"techo/store/memo"
	"techo/store/memory"
	"techo/store/question"
	"techo/store/receipt"
	"techo/store/space"
	"techo/store/todo"
	"techo/store/token"
)

// RecordChange is a record that a rescue could not keep as it was last written.
type RecordChange struct {
	Kind    ledger.Kind
	ID      string // "" when only the name is known
	Space   string // the shared space that it is in, or ""
	Name    string // of a memo, title of an event, text of a question, …; "" when unknown
	State   rescue.State
	Certain bool // false when the record may be unchanged, or may never have existed
}

// namedChanges returns the records that the changes of a rescue concern, and
// the number of keys in the new store. It must run before the new store is
// repaired: it compares records with their old indexes.
func namedChanges(ctx context.Context, fresh string, o Options, r rescue.Rescued) (all []RecordChange, keys int,
	err error) {
	o.Write = false
	s, err := Open(fresh, o)
	if err != nil {
		return nil, 0, err
	}
	defer s.Close()
	err = s.View(ctx, func(tx *ledger.Tx) error {
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
			within := tx.In(ledger.Place{Number: number})
			all = append(all, n.shared[number].inSpace(space.NameOf(within, number), r.Unnamed > 0)...)
		}
		return nil
	})
	return all, keys, err
}

// maxNameShown is the longest name in a RecordChange, in characters. The name
// of a question is its text.
const maxNameShown = 80

// namer finds the names of changed records in the records and the indexes that
// can be read.
type namer struct {
	changes map[ledger.RecordID]*RecordChange

	names   map[ledger.RecordID]string // of the existing records
	byName  map[string]string          // ids of memos by name, from the index
	wanted  map[ledger.RecordID]bool   // records that an index names
	latest  map[string]int64           // of memos by id: time of the last change, from the index
	updated map[string]int64           // of memos by id: time of the last change, from the record
	indexed map[string]bool            // ids of memos in an index
	unnamed map[string]rescue.Change   // names of memos that the index has lost
	last    uint64                     // the greatest number of a question that a folder has numbered
	removed map[string]bool            // ids of questions that an undo removed

	shared map[uint64]*namer // of the shared spaces, by number
}

func newNamer() *namer {
	return &namer{
		changes: map[ledger.RecordID]*RecordChange{},
		names:   map[ledger.RecordID]string{}, byName: map[string]string{}, wanted: map[ledger.RecordID]bool{},
		latest: map[string]int64{}, updated: map[string]int64{}, indexed: map[string]bool{},
		unnamed: map[string]rescue.Change{}, removed: map[string]bool{}, shared: map[uint64]*namer{},
	}
}

func (n *namer) read(tx *ledger.Tx) (keys int, err error) {
	for item, err := range tx.Scan(kv.Range{}) {
		if err != nil {
			return keys, err
		}
		keys++
		at, key := n.of(item.Key)
		if !isNaming(ledger.PrefixOf(key)) {
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
func isNaming(s ledger.Prefix) bool {
	switch s {
	case memo.Records, memo.Names, memo.ByTime, memory.Records, memory.Timelines,
		event.SingleRecords, event.SeriesRecords,
		event.Places, todo.Records, todo.Places, todo.FormerPlaces, event.Calendars, question.Records, question.Pendings, question.Keys,
		question.CountKey, edit.Records, token.Records, ledger.HistoryChanges:
		return true
	}
	return false
}

// readRecord notes the name of a record. A record that cannot be read has none;
// its repair drops it.
func (n *namer) readRecord(key, value []byte) {
	name := func(err error, kind ledger.Kind, id, name string) {
		if err == nil {
			n.names[ledger.RecordID{Kind: kind, ID: id}] = name
		}
	}
	switch ledger.PrefixOf(key) {
	case memo.Records:
		m, err := memo.Decode(key, value)
		name(err, ledger.KindMemo, m.ID, m.Name)
		if err == nil {
			n.updated[m.ID] = m.UpdatedAt.UnixMilli()
		}
	case memory.Records:
		r, err := memory.Decode(key, value)
		name(err, ledger.KindMemory, string(ledger.Rest(key)), r.Caption)
	case event.SingleRecords, event.SeriesRecords:
		e, _, err := calendar.Decode(key, value)
		name(err, ledger.KindEvent, e.ID, e.Title)
	case todo.Records:
		t, err := todo.Decode(key, value)
		name(err, ledger.KindTodo, t.ID, t.Title)
	case event.Calendars:
		name(nil, ledger.KindCalendar, string(ledger.Rest(key)), string(ledger.Rest(key)))
	case question.Records:
		q, err := question.Decode(key, value)
		name(err, ledger.KindQuestion, q.ID, q.Text)
		if err == nil {
			n.last = max(n.last, question.Number(q.ID))
		}
	case token.Records:
		t, err := token.DecodeToken(key, value)
		name(err, ledger.KindToken, t.ID, t.User)
	case ledger.HistoryChanges:
		c, err := ledger.DecodeChange(key, value)
		for _, r := range c.Records {
			if err == nil && r.Kind == ledger.KindQuestion && !r.Exists {
				n.removed[r.ID] = true
			}
		}
	case edit.Records:
		e, err := edit.Decode(key, value)
		name(err, ledger.KindEdit, strconv.FormatUint(e.ID, 10), e.Tool)
	}
}

// readIndex notes the record that an index entry names.
func (n *namer) readIndex(key, value []byte) {
	want := func(kind ledger.Kind, id string) { n.wanted[ledger.RecordID{Kind: kind, ID: id}] = true }
	switch ledger.PrefixOf(key) {
	case memo.Names:
		n.byName[string(ledger.Rest(key))] = string(value)
		want(ledger.KindMemo, string(value))
		n.indexed[string(value)] = true
	case memo.ByTime:
		if len(ledger.Rest(key)) >= 8 {
			n.latest[string(value)] = max(n.latest[string(value)], memo.ReadTime(ledger.Rest(key)).UnixMilli())
			want(ledger.KindMemo, string(value))
			n.indexed[string(value)] = true
		}
	case memory.Timelines:
		_, moments, err := memory.ReadTimeline(key, value)
		for _, m := range moments {
			if err == nil {
				want(ledger.KindMemory, string(ledger.Rest(key)[:4])+m.ID)
			}
		}
	case event.Places:
		want(ledger.KindEvent, string(ledger.Rest(key)))
	case todo.Places, todo.FormerPlaces:
		want(ledger.KindTodo, string(ledger.Rest(key)))
	case question.Pendings, question.Keys:
		if number, ok := ledger.CutNumber(value); ok && len(value) == 8 {
			want(ledger.KindQuestion, question.ID(number))
		}
	}
}

// add adds the change of a key as the change of its record.
func (n *namer) add(c rescue.Change) {
	n, c.Key = n.of(c.Key)
	if ledger.PrefixOf(c.Key) == memo.Names && c.State == rescue.Lost {
		n.unnamed[string(ledger.Rest(c.Key))] = c
		return
	}
	if id, ok := recordOfKey(c.Key); ok {
		n.note(id, c.State, c.Certain)
	}
}

// note adds a change of a record. A record may have one change for each of its
// keys; an event that exists under another key is not lost.
func (n *namer) note(id ledger.RecordID, state rescue.State, certain bool) {
	name, there := n.names[id]
	if text := []rune(name); len(text) > maxNameShown {
		name = string(text[:maxNameShown]) + "…"
	}
	if there && state == rescue.Lost {
		state = rescue.RolledBack
	}
	c := n.changes[id]
	if c == nil {
		c = &RecordChange{Kind: id.Kind, ID: id.ID, Name: name, State: state}
		n.changes[id] = c
		if id.Kind == ledger.KindMemory {
			c.ID = id.ID[4:]
		}
	}
	if c.State != state {
		c.State = rescue.RolledBack // part of it is old
	}
	c.Certain = c.Certain || certain
}

// recordOfKey returns the record that a key belongs to; ok is false for a key
// that is rebuilt from records.
func recordOfKey(key []byte) (id ledger.RecordID, ok bool) {
	b := ledger.Rest(key)
	switch ledger.PrefixOf(key) {
	case event.Calendars:
		return ledger.RecordID{Kind: ledger.KindCalendar, ID: string(b)}, true
	case edit.Records, edit.UndoData:
		number, ok := ledger.CutNumber(b)
		return ledger.RecordID{Kind: ledger.KindEdit, ID: strconv.FormatUint(number, 10)}, ok
	case token.Records:
		if len(b) == sha256.Size {
			return ledger.RecordID{Kind: ledger.KindToken, ID: token.ID(key)}, true
		}
	case receipt.Records:
		_, name, ok := ledger.CutNamed(key)
		return ledger.RecordID{Kind: ledger.KindReceipt, ID: string(name)}, ok
	}
	return schemas().Record(key)
}

// addSuspects adds records that the indexes lack, or have in a newer version.
// It serves damage whose keys are unknown.
func (n *namer) addSuspects() {
	note := func(id ledger.RecordID, state rescue.State) {
		if n.changes[id] == nil {
			n.note(id, state, false)
		}
	}
	for id := range n.wanted {
		if _, ok := n.names[id]; !ok {
			note(id, rescue.Lost)
		}
	}
	for id, updated := range n.updated {
		switch {
		case !n.indexed[id]:
			note(ledger.RecordID{Kind: ledger.KindMemo, ID: id}, rescue.Resurrected)
		case n.latest[id] > updated:
			note(ledger.RecordID{Kind: ledger.KindMemo, ID: id}, rescue.RolledBack)
		}
	}
	for number := uint64(1); number < n.last && number < 1<<20; number++ {
		id := ledger.RecordID{Kind: ledger.KindQuestion, ID: question.ID(number)}
		if _, ok := n.names[id]; !ok && !n.removed[id.ID] { // only an undo removes a question
			note(id, rescue.Lost)
		}
	}
	for id := range n.names {
		if (id.Kind == ledger.KindEvent || id.Kind == ledger.KindTodo) && !n.wanted[id] {
			note(id, rescue.Resurrected)
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
		if c.Kind == ledger.KindMemo && c.Name == "" {
			if c.Name = nameOf[c.ID]; c.Name == "" {
				nameless = append(nameless, *c)
				continue
			}
		}
		if c.Kind != ledger.KindCalendar || c.State == rescue.Lost || !n.ofEvents() {
			all = append(all, *c)
		}
	}
	all = append(all, n.named(nameless)...)
	sorting.By(all, func(a, b RecordChange) int {
		return cmp.Or(cmp.Compare(a.Kind, b.Kind), strings.Compare(a.Name, b.Name), strings.Compare(a.ID, b.ID))
	})
	return all
}

// named adds the lost names of memos to lost memos, if only their ids are
// known. Only a single name and a single id certainly belong together.
func (n *namer) named(lost []RecordChange) (all []RecordChange) {
	for id, name := range n.names {
		if id.Kind == ledger.KindMemo {
			delete(n.unnamed, name) // only its index entry is lost
		}
	}
	if len(n.unnamed) < len(lost) {
		all = lost // the index still has some of the names, or never had them
	}
	for name, c := range n.unnamed {
		change := RecordChange{Kind: ledger.KindMemo, Name: name, State: rescue.Lost, Certain: c.Certain}
		switch {
		case len(lost) == 0: // an older version of the memo, with an older name, came back
			change.State = rescue.RolledBack
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
		if id.Kind == ledger.KindEvent {
			return true
		}
	}
	return false
}
