package todo

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

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
		all := []*Todo{}
		if err := d.Each(t.Calendar, func(other Todo) error { all = append(all, &other); return nil }); err != nil {
			return err
		}
		order := NewOrder(all)
		waits, blocks = order.Waits(t), order.Blocks(t)
		return nil
	})
	return waits, blocks, err
}

// Order tells which open to-dos wait for which.
type Order struct {
	open    map[string]*Todo    // by place and UID
	waiting map[string][]string // ids of open to-dos, by the place and UID that they wait for
}

// NewOrder returns the order of to-dos, which may be of several calendars.
func NewOrder(all []*Todo) Order {
	o := Order{map[string]*Todo{}, map[string][]string{}}
	for _, t := range all {
		if t.RecurrenceID == "" && t.Open() {
			o.open[t.place(t.UID)] = t
			for _, uid := range t.WaitsFor() {
				o.waiting[t.place(uid)] = append(o.waiting[t.place(uid)], t.ID)
			}
		}
	}
	return o
}

func (t *Todo) place(uid string) string { return t.Space + "\x00" + t.Calendar + "\x00" + uid }

// Waits returns the ids of the open to-dos that must be done before an open one.
func (o Order) Waits(t *Todo) (ids []string) {
	if !t.Open() {
		return nil
	}
	for _, uid := range t.WaitsFor() {
		if other := o.open[t.place(uid)]; other != nil {
			ids = append(ids, other.ID)
		}
	}
	return ids
}

// Blocks returns the ids of the open to-dos that wait for one, which are none if it is done.
func (o Order) Blocks(t *Todo) []string {
	if !t.Open() {
		return nil
	}
	return slices.Sorted(slices.Values(o.waiting[t.place(t.UID)]))
}
