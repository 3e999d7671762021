package todo

import (
	"slices"
	"time"

	"techo/internal/sorting"
	"techo/store/event"
	"techo/store/kv"
	"techo/store/ledger"
)

// table keeps the to-dos with the keys of their calendars in place of the names.
var table = &ledger.Table[Todo, counts]{
	Kind: ledger.KindTodo, Records: Records, Indexes: []ledger.Prefix{Places, UIDs, ordered, waits}, CountKey: countKey,
	Key:    func(t *Todo) []byte { return Key(t.Calendar, t.ID) },
	ID:     func(t *Todo) string { return t.ID },
	Encode: func(t *Todo) ([]byte, error) { return RecordOf(t), nil },
	Decode: Decode, Written: func(t *Todo) time.Time { return t.UpdatedAt },
	Index: index, Count: (*counts).add, Settle: settle, Former: FormerPlaces,
	FormerRecord: func(entry kv.Pair) []byte { return Key(string(entry.Value), string(ledger.Rest(entry.Key))) },
}

// counts are the numbers of to-dos by the keys of their calendars.
type counts struct {
	Open map[string]int `json:"open,omitempty"`
	Done map[string]int `json:"done,omitempty"`
}

func (c *counts) add(t *Todo, n int) {
	of := &c.Open
	if !t.Open() {
		of = &c.Done
	}
	if *of == nil {
		*of = map[string]int{}
	}
	if (*of)[t.Calendar] += n; (*of)[t.Calendar] == 0 {
		delete(*of, t.Calendar)
	}
	if len(*of) == 0 {
		*of = nil
	}
}

// index returns the entries of a to-do.
func index(t *Todo) []kv.Pair {
	id := []byte(t.ID)
	entries := []kv.Pair{{Key: PlaceKey(t.ID), Value: []byte(t.Calendar)},
		{Key: UIDKey(t.Calendar, t.UID, t.RecurrenceID), Value: id}, {Key: orderKey(t), Value: id}}
	if t.Open() && !t.Recurs() && t.startsBefore() {
		entries = append(entries, kv.Pair{Key: startKey(t), Value: id})
	}
	if t.Open() && t.RecurrenceID == "" {
		uids := t.WaitsFor()
		slices.Sort(uids)
		for _, uid := range slices.Compact(uids) {
			entries = append(entries, kv.Pair{Key: waitKey(t.Calendar, uid, t.ID), Value: id})
		}
	}
	return entries
}

// current returns search.ErrOutdated if an earlier version of techo has written to-dos. The caller looks once.
func (d Tx) current() error {
	if d.Ev.TodosCurrent {
		return nil
	}
	err := table.Current(d.Ev.Tx)
	d.Ev.TodosCurrent = err == nil
	return err
}

// Current returns search.ErrOutdated if an earlier version of techo has written to-dos.
func Current(tx *ledger.Tx) error { return table.Current(tx) }

// stored returns a to-do as the table keeps it. It adds a missing calendar, which the caller saves.
func (d Tx) stored(t *Todo) (*Todo, error) {
	if t == nil {
		return nil, nil
	}
	c, err := d.Ev.Ensure(t.Calendar)
	if err != nil {
		return nil, err
	}
	stored := *t
	stored.Calendar = c.InKeys()
	return &stored, nil
}

// Put replaces before by after in the records and the indexes. Either may be nil.
// The caller saves the calendars.
func (d Tx) Put(before, after *Todo) error {
	if err := d.current(); err != nil {
		return err
	}
	old, err := d.stored(before)
	if err != nil {
		return err
	}
	fresh, err := d.stored(after)
	if err != nil {
		return err
	}
	for _, t := range []*Todo{old, fresh} {
		if t != nil && t.RecurrenceID != "" {
			event.ForgetReplaced(d.Ev, UIDKey(t.Calendar, t.UID, ""))
		}
	}
	if after != nil {
		after.Etag = ledger.Etag(RecordOf(after))
	}
	return table.Put(d.Ev.Tx, old, fresh)
}

// settle keeps the latest of several to-dos with one id, and adds the calendars that are missing.
func settle(tx *ledger.Tx, all []Todo) (settled []Todo, _ []ledger.Repair, err error) {
	d, seen := NewTx(tx), map[string]bool{}
	sorting.By(all, func(a, b Todo) int { return b.UpdatedAt.Compare(a.UpdatedAt) })
	for _, t := range all {
		if seen[t.ID] {
			continue
		}
		seen[t.ID] = true
		if t.Calendar, err = event.NameAt(d.Ev, t.Calendar); err != nil {
			return nil, nil, err
		}
		stored, err := d.stored(&t)
		if err != nil {
			return nil, nil, err
		}
		settled = append(settled, *stored)
	}
	return settled, nil, d.Ev.Save()
}

// Schema describes the keys of to-dos.
func Schema(recorded ledger.Recorded) ledger.Schema {
	s := table.Schema("todos")
	s.Shared, s.Recorded = true, []ledger.Recorded{recorded}
	return s
}
