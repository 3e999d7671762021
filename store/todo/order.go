package todo

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"techo/store/event"
	"techo/store/kv"
	"techo/store/ledger"
)

// waitsLine is the start of an iCalendar line with the UID of a to-do that must be done first (RFC 9253, 5).
const waitsLine = "RELATED-TO;RELTYPE=DEPENDS-ON:"

// uidText writes a UID as a text of iCalendar.
var uidText = strings.NewReplacer(`\`, `\\`, ";", `\;`, ",", `\,`)

// uidOf reads a UID of a text of iCalendar.
var uidOf = strings.NewReplacer(`\\`, `\`, `\;`, ";", `\,`, ",")

// WaitsFor returns the UIDs of the to-dos of its calendar that must be done before this one.
func (t *Todo) WaitsFor() (uids []string) {
	for _, l := range t.Extra {
		if uid, ok := strings.CutPrefix(l, waitsLine); ok {
			uids = append(uids, uidOf.Replace(uid))
		}
	}
	return uids
}

// SetWaitsFor sets the UIDs of the to-dos that must be done before this one.
func (t *Todo) SetWaitsFor(uids []string) {
	t.Extra = slices.DeleteFunc(slices.Clone(t.Extra), func(l string) bool { return strings.HasPrefix(l, waitsLine) })
	for _, uid := range uids {
		t.Extra = append(t.Extra, waitsLine+uidText.Replace(uid))
	}
}

// CycleError says that a to-do would wait for itself.
type CycleError struct{ Through string } // id of the to-do that waits for it

func (e *CycleError) Error() string { return fmt.Sprintf("to-do %s waits for it", e.Through) }

// ElsewhereError says that a to-do cannot wait for one of another calendar.
type ElsewhereError struct{ ID string }

func (e *ElsewhereError) Error() string { return "to-do " + e.ID + " is in another calendar" }

// UIDsOf returns the UIDs of to-dos of a calendar, for SetWaitsFor. t, whose UID is "" for a new to-do,
// waits for them from then on: a cycle is a CycleError.
func (a Todos) UIDsOf(ctx context.Context, t *Todo, ids []string) (uids []string, err error) {
	err = a.s.View(ctx, func(tx *ledger.Tx) error {
		d := NewTx(tx)
		uids = nil
		for _, id := range ids {
			other, err := d.Load(id)
			switch {
			case err != nil:
				return err
			case other.Calendar != t.Calendar:
				return &ElsewhereError{id}
			case !slices.Contains(uids, other.UID):
				uids = append(uids, other.UID)
			}
		}
		after := *t
		after.SetWaitsFor(uids)
		return d.checkOrder(&after)
	})
	return uids, err
}

// checkOrder fails with a CycleError if a to-do waits for itself. To-dos that are not there are not waited for.
func (d Tx) checkOrder(t *Todo) error {
	seen := map[string]bool{}
	for rest := t.WaitsFor(); len(rest) > 0 && t.UID != ""; rest = rest[1:] {
		if seen[rest[0]] {
			continue
		}
		seen[rest[0]] = true
		other, err := d.ByUID(t.Calendar, rest[0], "")
		if errors.Is(err, kv.ErrNotFound) {
			continue
		}
		if err != nil {
			return err
		}
		waits := other.WaitsFor()
		if other.UID == t.UID || slices.Contains(waits, t.UID) {
			return &CycleError{other.ID}
		}
		rest = append(rest, waits...)
	}
	return nil
}

// Waiting returns the ids of the open to-dos that a to-do waits for, and of those that wait for it.
func (a Todos) Waiting(ctx context.Context, t *Todo) (waits, blocks []string, err error) {
	err = a.s.View(ctx, func(tx *ledger.Tx) error {
		d := NewTx(tx)
		key, err := event.KeyOf(d.Ev, t.Calendar)
		if err != nil {
			return err
		}
		one := []Occurrence{{Todo: t}}
		err = d.setOrder(key, one, kv.Range{Prefix: waitKey(key, t.UID, "")})
		waits, blocks = one[0].Waits, one[0].Blocks
		return err
	})
	return waits, blocks, err
}

// setOrder sets which open to-dos of a calendar with a key wait for which. The entries of the waiting ones are
// in a range.
func (d Tx) setOrder(calendar string, all []Occurrence, waiting kv.Range) error {
	blocks := map[string][]string{}
	for p, err := range kv.Pairs(d.Ev.Tx, waiting) {
		if err != nil {
			return err
		}
		uid := string(p.Key[:len(p.Key)-len(p.Value)])
		blocks[uid] = append(blocks[uid], string(p.Value))
	}
	var keys [][]byte // of the UIDs that are waited for
	for i := range all {
		if o := &all[i]; o.Open() {
			o.Blocks = blocks[string(waitKey(calendar, o.UID, ""))]
			for _, uid := range o.WaitsFor() {
				keys = append(keys, UIDKey(calendar, uid, ""))
			}
		}
	}
	ids, err := d.Ev.Tx.GetMany(keys)
	if err != nil {
		return err
	}
	open, err := d.openAmong(calendar, ids)
	if err != nil {
		return err
	}
	for i := range all {
		if o := &all[i]; o.Open() {
			for range o.WaitsFor() {
				if id := string(ids[0]); open[id] {
					o.Waits = append(o.Waits, id)
				}
				ids = ids[1:]
			}
		}
	}
	return nil
}

// eachWaiting calls use with the ids of the open to-dos of a calendar with a key that wait for open ones.
func (d Tx) eachWaiting(calendar string, use func(id string)) error {
	var keys [][]byte // of the UIDs that are waited for
	var ids []string  // that wait for them
	prefix := waits.Named(calendar)
	for p, err := range kv.Pairs(d.Ev.Tx, kv.Range{Prefix: prefix}) {
		if err != nil {
			return err
		}
		uid := p.Key[len(prefix) : len(p.Key)-len(p.Value)]
		keys, ids = append(keys, append(UIDs.Named(calendar), uid...)), append(ids, string(p.Value))
	}
	found, err := d.Ev.Tx.GetMany(keys)
	if err != nil {
		return err
	}
	open, err := d.openAmong(calendar, found)
	for i, id := range found {
		if open[string(id)] {
			use(ids[i])
		}
	}
	return err
}

// openAmong returns which of the to-dos of a calendar with ids, some of them nil, are open.
func (d Tx) openAmong(calendar string, ids [][]byte) (map[string]bool, error) {
	var keys [][]byte
	for _, id := range ids {
		if id != nil {
			keys = append(keys, Key(calendar, string(id)))
		}
	}
	todos, err := table.LoadMany(d.Ev.Tx, keys)
	open := map[string]bool{}
	for i := range todos {
		open[todos[i].ID] = todos[i].Open()
	}
	return open, err
}
