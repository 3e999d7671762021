package replica

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strconv"
	"time"

	"techo/store/kv"
	"techo/store/ledger"
)

// machines returns the machines of the notebook, this one first.
func (n Notebook) machines(ctx context.Context) (all []Machine, err error) {
	err = n.View(ctx, func(tx *ledger.Tx) error {
		set, err := settingsOf(tx)
		if err != nil {
			return err
		}
		all = []Machine{{Name: set.Name, Own: true, LastAt: moment(set.LastAt)}}
		return each(tx, peers, func(_ []byte, p peer) error {
			all = append(all, Machine{Name: p.Name, LastAt: moment(p.At), Left: p.Left,
				Ahead: time.Duration(p.Ahead) * time.Millisecond})
			return nil
		})
	})
	return all, err
}

// Status returns the machines and what waits, without changing anything.
func (n Notebook) Status(ctx context.Context) (r Report, err error) {
	set, err := n.settings(ctx)
	if err != nil {
		return r, err
	}
	r.Place = set.Place
	if r.Machines, err = n.machines(ctx); err != nil {
		return r, err
	}
	if r.Waiting, err = n.blocked(ctx); err != nil {
		return r, err
	}
	_, p, err := at(set.Place)
	if err != nil {
		r.Waiting = append(r.Waiting, Waiting{set.Place, err})
		return r, nil
	}
	defer p.Close()
	names, err := p.machines()
	if err != nil {
		return r, &PlaceError{set.Place, err}
	}
	for _, machine := range names {
		if machine == set.Machine {
			continue
		}
		state, _, err := n.peer(ctx, machine)
		if err != nil {
			return r, err
		}
		there, err := p.files(machine)
		if err != nil {
			return r, &PlaceError{set.Place, err}
		}
		wait := func(name string, why Fault) { r.Waiting = append(r.Waiting, Waiting{machine + "/" + name, bad(why)}) }
		for _, number := range there.segments {
			if number > state.Number {
				wait(segmentFile(number), Pending)
			}
		}
		for _, number := range there.snapshots {
			if number > state.Number {
				wait(snapshotFile(number), Pending)
			}
		}
		for _, name := range there.others {
			wait(name, ForeignName)
		}
	}
	return r, nil
}

// blocked returns the records that cannot be shown here.
func (n Notebook) blocked(ctx context.Context) (all []Waiting, err error) {
	err = n.View(ctx, func(tx *ledger.Tx) error {
		all = nil
		ids, err := alteredRecords(tx)
		if err != nil {
			return err
		}
		for _, id := range ids {
			e, _, err := load[entry](tx, id.key(entries))
			if err != nil {
				return err
			}
			if e.Blocked != "" {
				all = append(all, Waiting{id.ID, errors.New(e.Blocked)})
			}
		}
		return nil
	})
	return all, err
}

// alteredRecords returns the records that are not shown as they were said.
func alteredRecords(tx *ledger.Tx) (ids []ID, err error) {
	for item, err := range tx.Scan(kv.Range{Prefix: altered.All(), KeysOnly: true}) {
		if err != nil {
			return nil, err
		}
		if id, ok := alteredID(item.Key); ok && !slices.Contains(ids, id) {
			ids = append(ids, id)
		}
	}
	return ids, nil
}

// Conflicts returns the versions that lost, the oldest first, with their numbers.
func (n Notebook) Conflicts(ctx context.Context) (all []Conflict, numbers []uint64, err error) {
	err = n.View(ctx, func(tx *ledger.Tx) error {
		all, numbers = nil, nil
		err := each(tx, conflicts, func(key []byte, c Conflict) error {
			number, _ := ledger.NumberIn(key)
			all, numbers = append(all, c), append(numbers, number)
			return nil
		})
		if err != nil {
			return err
		}
		for i := range all {
			c := &all[i]
			value, err := newScope(tx).form(c.ID)
			if err != nil {
				return err
			}
			if value == nil {
				continue
			}
			if c.Title, c.Kept, err = n.Schemas.Of(c.Kind).Describe(tx, c.ID.ID, value); err != nil {
				return err
			}
		}
		return nil
	})
	return all, numbers, err
}

// Settle forgets a conflict, here and with the next sync on the machines that had it too. With other the
// record gets the version that lost, as a change of this machine; otherwise it stays as it is. It returns
// the conflict, and fails with a NotFoundError if there is none with the number.
func (n Notebook) Settle(ctx context.Context, number uint64, other bool) (c Conflict, err error) {
	run := n.Maintain
	if other {
		run = n.Update
	}
	err = run(ctx, func(tx *ledger.Tx) error {
		var found bool
		if c, found, err = load[Conflict](tx, conflicts.Number(number)); err != nil || !found {
			return cmp.Or(err, error(&ledger.NotFoundError{Kind: KindConflict, Name: strconv.FormatUint(number, 10)}))
		}
		if other {
			if err := n.bringBack(tx, c); err != nil {
				return err
			}
		}
		return errors.Join(tx.Delete(conflicts.Number(number)), tx.Put(c.ID.key(marks), []byte(settled)))
	})
	return c, err
}

// bringBack gives a record the version that lost.
func (n Notebook) bringBack(tx *ledger.Tx, c Conflict) error {
	value, err := (&receiver{scope: newScope(tx)}).here(c.ID, c.Value)
	if err != nil {
		return err
	}
	recorded := n.Schemas.Of(c.Kind)
	now, err := recorded.Current(tx, c.Owner, []string{c.ID.ID})
	if err != nil {
		return err
	}
	return recorded.Restore(tx, ledger.Change{Owner: c.Owner, Records: []ledger.ChangedRecord{
		{Kind: c.Kind, ID: c.ID.ID, Exists: now[0] != nil, Existed: true, Before: value}}})
}

// KindConflict names conflicts in errors.
const KindConflict ledger.Kind = "conflict"

// NotePurge notes that records were purged, for the other machines and the files of this one.
func NotePurge(tx *ledger.Tx, c ledger.Change) error {
	if tx.Within != nil {
		return nil
	}
	if _, joined, err := load[settings](tx, settingsKey.All()); err != nil || !joined {
		return err
	}
	for _, r := range c.Records {
		if kindOf(r.Kind) == nil {
			continue
		}
		if err := tx.Put(ID{r.Kind, c.Owner, r.ID}.key(marks), []byte(purged)); err != nil {
			return err
		}
	}
	return nil
}
