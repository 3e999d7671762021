package store

import (
	"context"
	"time"

	"techo/store/kv"
)

// HoldEvents adds alternatives as one group, all or none, and removes expired
// holds of other groups. Alternatives do not conflict with each other.
func (s *Store) HoldEvents(ctx context.Context, drafts []Event, how EventWrite) (group string, held []Written,
	err error) {
	err = s.update(ctx, func(tx *Tx) error {
		held = nil
		t := s.newEventTx(tx)
		if err := t.sweep(); err != nil {
			return err
		}
		now := s.time()
		if group, err = t.newEventID("group\x00" + drafts[0].Title + now.Format(time.RFC3339Nano)); err != nil {
			return err
		}
		for _, e := range drafts { // check all before adding any
			if e.Calendar, err = targetName(t, e.Calendar); err != nil {
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
			w, err := t.add(e, now, EventWrite{Zone: how.Zone})
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
func (t *eventTx) grouped(group string) (all []Event, err error) {
	prefix := eventGroups.all()
	if group != "" {
		prefix = groupKey(group, "")
	}
	var ids []string
	for item, err := range t.tx.Scan(kv.Range{Prefix: prefix}) {
		if err != nil {
			return nil, err
		}
		if id, ok := cutGroup(item.Key); ok {
			ids = append(ids, id)
		}
	}
	for _, id := range ids {
		e, err := t.load(id)
		if err != nil {
			return nil, lost(eventKey(id), err)
		}
		all = append(all, e)
	}
	return all, nil
}

// sweep removes expired holds.
func (t *eventTx) sweep() error {
	all, err := t.grouped("")
	if err != nil {
		return err
	}
	err = t.tx.quietly(func() error {
		for i := range all {
			if !t.expired(&all[i]) {
				continue
			}
			if err := t.put(&all[i], nil); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	return t.save()
}

// ConfirmEvent confirms one of the alternatives of a group and removes the others.
// An expired hold is a NotFoundError.
func (s *Store) ConfirmEvent(ctx context.Context, id string, loc *time.Location) (kept Occurrence,
	released []Occurrence, err error) {
	err = s.update(ctx, func(tx *Tx) error {
		released = nil
		t := s.newEventTx(tx)
		o, err := t.get(id, loc)
		if err != nil {
			return err
		}
		after := *o.Event
		after.Status, after.Group, after.Expires = Confirmed, "", time.Time{}
		t.touch(&after, s.time())
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
					released = append(released, t.first(others[i], loc))
				}
				if err := t.put(&others[i], nil); err != nil {
					return err
				}
			}
		}
		if err := t.put(o.Event, &after); err != nil {
			return err
		}
		kept = t.first(after, loc)
		return t.save()
	})
	return kept, released, err
}
