package store

import (
	"context"
	"errors"
	"time"

	"techo/store/kv"
)

// FindUndo returns the change with an id that the filter lets the user see or,
// with the id "", the last change that can be undone: not one that was undone
// already, or that undid another. It fails with a NotFoundError.
func (h History) FindUndo(ctx context.Context, id string, f HistoryFilter) (c Change, err error) {
	err = h.store.view(ctx, func(tx *Tx) (err error) {
		c, err = findUndo(tx, id, f)
		return err
	})
	return c, err
}

func findUndo(tx *Tx, id string, f HistoryFilter) (c Change, err error) {
	if id == "" {
		if id, err = lastUndoable(tx, f); err != nil {
			return c, err
		}
	}
	c, _, err = findChange(tx, id, f)
	return c, err
}

// Undo undoes a change of FindUndo, all of its records or none, and
// returns it with the number of the change that undid it. It fails with an
// UndoneError, a NewerChangeError or a LostChangeError, and with the errors of
// adding a record. The changes of files are undone by the caller.
func (h History) Undo(ctx context.Context, id string, f HistoryFilter) (c Change, err error) {
	err = h.store.update(ctx, func(tx *Tx) error {
		if c, err = findUndo(tx, id, f); err != nil {
			return err
		}
		if c.Moved.ID != 0 {
			return errOtherSpace // UndoMove undoes both parts
		}
		if err := checkUndo(tx, c); err != nil {
			return err
		}
		r := &restoring{s: h.store, tx: tx, h: historyTx{tx: tx, owner: c.Owner}}
		if err := r.restore(c); err != nil {
			return err
		}
		if recorder := tx.changes; recorder != nil {
			recorder.change.Undoes = c.ID
			if c.UndoneBy, err = recorder.number(); err != nil {
				return err
			}
		}
		return nil
	})
	return c, err
}

// checkUndo reports why a change cannot be undone.
func checkUndo(tx *Tx, c Change) error {
	switch {
	case c.UndoneBy != 0:
		return &UndoneError{c.ID, c.UndoneBy}
	case c.Lost:
		return &LostChangeError{c.ID}
	}
	if err := mayUndo(tx, c); err != nil {
		return err
	}
	h := &historyTx{tx: tx, owner: c.Owner}
	if err := h.readTogether(c.Records); err != nil {
		return err
	}
	later := laterVersions{tx: tx, c: c}
	for _, r := range c.Records {
		if r.Elsewhere { // its service is asked: CheckElsewhere
			continue
		}
		value, found, err := h.currentValue(r.Kind, r.ID)
		if err != nil {
			return err
		}
		if r.Kind == KindFile || found == r.Exists && (!found || digestOf(r.Kind, value) == r.after) {
			continue
		}
		if same, err := later.equal(r, value, found); err != nil {
			return err
		} else if !same {
			return newerChange(tx, c, r)
		}
	}
	return nil
}

// restoring restores the records of a change.
type restoring struct {
	s  *Store
	tx *Tx
	h  historyTx
}

// restore gives the records of a change their previous values. It first removes
// all records, so that a name or an index entry may move from one to another.
func (r *restoring) restore(c Change) error {
	switch c.Records[0].Kind {
	case KindMemo:
		return r.restoreMemos(c)
	case KindMemory:
		return r.restoreMemories(c)
	case KindEvent, KindTodo:
		return r.restoreCalendar(c)
	case KindQuestion:
		return r.restoreQuestions(c)
	case KindSpace:
		return r.restoreSpace(c)
	case KindCalendar:
		return r.restoreName(c)
	}
	return nil
}

func (r *restoring) restoreMemos(c Change) error {
	now := map[string]*Memo{}
	for _, m := range c.Records {
		if !m.Exists {
			continue
		}
		memo, err := loadMemo(r.tx, m.ID)
		if err != nil {
			return err
		}
		now[m.ID] = &memo
		if !m.Existed || len(c.Records) > 1 {
			if err := replaceMemo(r.tx, &memo, nil); err != nil {
				return err
			}
			now[m.ID] = nil
		}
	}
	for _, m := range c.Records {
		if !m.Existed {
			continue
		}
		before, err := decodeMemo(memoKey(m.ID), m.before)
		if err != nil {
			return err
		}
		if there := now[m.ID]; there == nil || there.Name != before.Name {
			if err := memoNameFree(r.tx, before.Name, m.ID); err != nil {
				return err
			}
		}
		if err := replaceMemo(r.tx, now[m.ID], &before); err != nil {
			return err
		}
	}
	return nil
}

// restoreCalendar restores events and to-dos, which the removal of a calendar removes
// together.
func (r *restoring) restoreCalendar(c Change) error {
	t := r.s.newEventTx(r.tx)
	if err := r.restoreTodos(t, c); err != nil {
		return err
	}
	var before []Event
	for _, e := range c.Records {
		if e.Kind != KindEvent {
			continue
		}
		if e.Exists {
			now, err := t.load(e.ID)
			if err != nil {
				return err
			}
			if err := t.put(&now, nil); err != nil {
				return err
			}
		}
		if e.Existed {
			event, err := eventOfValue(e.before)
			if err != nil {
				return finding(Unreadable, KindChange, ChangeID(c.ID), err)
			}
			if event.Calendar, err = nameAt(t, event.Calendar); err != nil {
				return err
			}
			before = append(before, event)
		}
	}
	if err := readRestored(t, KindEvent, len(before), func(i int) *Event { return &before[i] }); err != nil {
		return err
	}
	for i := range before {
		e := &before[i]
		if _, err := t.byUID(e.Calendar, e.UID, e.RecurrenceID); err == nil {
			return &TakenError{Kind: KindEvent, Name: e.UID}
		} else if !errors.Is(err, kv.ErrNotFound) {
			return err
		}
		if err := t.put(nil, e); err != nil {
			return err
		}
	}
	return t.save()
}

func (r *restoring) restoreQuestions(c Change) error {
	for _, q := range c.Records {
		counts, err := loadQuestionCounts(r.tx)
		if err != nil {
			return err
		}
		var now, before *Question
		if q.Exists {
			// In its recorded state, which the indexes match.
			found, err := loadQuestion(r.tx, questionNumber(q.ID), time.Time{})
			if err != nil {
				return err
			}
			now = &found
		}
		if q.Existed {
			found, err := decodeQuestion(questionKey(questionNumber(q.ID)), q.before)
			if err != nil {
				return err
			}
			before = &found
			if err := questionKeyFree(r.tx, before); err != nil {
				return err
			}
		}
		if err := replaceQuestion(r.tx, counts, now, before); err != nil {
			return err
		}
	}
	return nil
}

// questionKeyFree fails with a TakenError if another question was asked with the
// idempotency key of a question.
func questionKeyFree(tx *Tx, q *Question) error {
	if q.Key == "" {
		return nil
	}
	value, err := tx.Get(questionKeys.key(q.Key))
	if errors.Is(err, kv.ErrNotFound) {
		return nil
	}
	if err != nil {
		return err
	}
	if number, ok := cutNumber(value); !ok || number != questionNumber(q.ID) {
		return &TakenError{Kind: KindQuestion, Name: q.Key}
	}
	return nil
}
