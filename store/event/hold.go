package event

import (
	"context"
	"time"

	"techo/store/kv"
	"techo/store/ledger"
)

// HoldEvents adds alternatives as one group, all or none, and removes expired
// holds of other groups. Alternatives do not conflict with each other.
func (s Events) HoldEvents(ctx context.Context, drafts []Event, how Write) (group string, held []Written,
	err error) {
	err = s.Update(ctx, func(tx *ledger.Tx) error {
		held = nil
		t := NewTx(tx)
		if err := t.sweep(); err != nil {
			return err
		}
		now := s.Time()
		if group, err = t.NewEventID("group\x00" + drafts[0].Title + now.Format(time.RFC3339Nano)); err != nil {
			return err
		}
		for _, e := range drafts { // check all before adding any
			if e.Calendar, err = TargetName(t, e.Calendar); err != nil {
				return err
			}
			w, err := t.meet(e, how)
			if err != nil {
				return err
			}
			held = append(held, w)
		}
		for i, e := range drafts {
			e.Group = group
			w, err := t.add(e, now, Write{Zone: how.Zone})
			if err != nil {
				return err
			}
			held[i].Occurrence = w.Occurrence
		}
		return nil
	})
	return group, held, err
}

// grouped returns the events of a group, or of all groups if group is "".
func (t *Tx) grouped(group string) (all []Event, err error) {
	prefix := Groups.All()
	if group != "" {
		prefix = GroupKey(group, "")
	}
	var ids []string
	for item, err := range t.Tx.Scan(kv.Range{Prefix: prefix}) {
		if err != nil {
			return nil, err
		}
		if id, ok := CutGroup(item.Key); ok {
			ids = append(ids, id)
		}
	}
	for _, id := range ids {
		e, err := t.Load(id)
		if err != nil {
			return nil, lost(Key(id), err)
		}
		all = append(all, e)
	}
	return all, nil
}

// sweep removes expired holds.
func (t *Tx) sweep() error {
	all, err := t.grouped("")
	if err != nil {
		return err
	}
	err = t.Tx.Quietly(func() error {
		for i := range all {
			if !t.expired(&all[i]) {
				continue
			}
			if err := t.Put(&all[i], nil); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	return t.Save()
}

// ConfirmEvent confirms one of the alternatives of a group and removes the others.
// An expired hold is a NotFoundError.
func (s Events) ConfirmEvent(ctx context.Context, id string, loc *time.Location) (kept Occurrence,
	released []Occurrence, err error) {
	err = s.Update(ctx, func(tx *ledger.Tx) error {
		released = nil
		t := NewTx(tx)
		o, err := t.Get(id, loc)
		if err != nil {
			return err
		}
		after := *o.Event
		after.Status, after.Group, after.Expires = Confirmed, "", time.Time{}
		t.Touch(&after, s.Time())
		if o.Event.Group != "" {
			others, err := t.grouped(o.Event.Group)
			if err != nil {
				return err
			}
			for i := range others {
				if others[i].ID == id {
					continue
				}
				if !t.expired(&others[i]) {
					released = append(released, t.First(others[i], loc))
				}
				if err := t.Put(&others[i], nil); err != nil {
					return err
				}
			}
		}
		if err := t.Put(o.Event, &after); err != nil {
			return err
		}
		kept = t.First(after, loc)
		return t.Save()
	})
	return kept, released, err
}
