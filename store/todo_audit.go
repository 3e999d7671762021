package store

import (
	"context"
)

// todoAudit checks to-dos and their indexes.
type todoAudit struct {
	want, found setHash
	n           int
}

func newTodoAudit() audit {
	a := &todoAudit{}
	a.want, a.found = newSetHashes()
	return a
}

func (a *todoAudit) visit(_ *Tx, key, value []byte) error {
	if spaceOf(key) != todoRecords {
		a.found.add(key, value)
		return nil
	}
	t, err := decodeTodo(key, value)
	if err != nil {
		return err
	}
	a.n++
	a.want.add(todoPlaceKey(t.ID), []byte(t.Calendar))
	a.want.add(todoUIDKey(t.Calendar, t.UID, t.RecurrenceID), []byte(t.ID))
	return nil
}

func (a *todoAudit) finish(tx *Tx) (int, error) {
	if a.want == a.found {
		return a.n, nil
	}
	err := scanSpaces(tx, []space{todoRecords}, func(key, value []byte) error {
		t, err := decodeTodo(key, value)
		if err != nil {
			return err
		}
		for _, entry := range [][]byte{todoPlaceKey(t.ID), todoUIDKey(t.Calendar, t.UID, t.RecurrenceID)} {
			if _, err := tx.Get(entry); err != nil {
				return finding(NoIndexEntry, KindTodo, t.ID, nil)
			}
		}
		return nil
	})
	if err != nil {
		return 0, err
	}
	return 0, finding(WrongIndex, KindTodo, "", nil)
}

// repairTodos rebuilds the indexes, and drops to-dos that cannot be read.
func repairTodos(ctx context.Context, s *Store) (repairs []Repair, err error) {
	err = s.update(ctx, func(tx *Tx) error {
		repairs = nil
		d := newTodoTx(s, tx)
		latest := map[string]Todo{} // by id
		var drop [][]byte
		err := scanSpaces(tx, spacesOf("todos"), func(key, value []byte) error {
			drop = append(drop, key)
			if spaceOf(key) != todoRecords {
				return nil
			}
			todo, err := decodeTodo(key, value)
			if err != nil {
				repairs = append(repairs, dropped(KindTodo, string(rest(key)), err))
				return nil
			}
			if old, ok := latest[todo.ID]; !ok || todo.UpdatedAt.After(old.UpdatedAt) {
				latest[todo.ID] = todo
			}
			return nil
		})
		if err == nil {
			err = deleteKeys(tx, drop)
		}
		if err != nil {
			return err
		}
		for _, todo := range latest {
			if todo.Calendar, err = nameAt(d.ev, todo.Calendar); err != nil {
				return err
			}
			if err := d.put(nil, &todo); err != nil {
				return err
			}
		}
		return d.ev.save()
	})
	return repairs, err
}
