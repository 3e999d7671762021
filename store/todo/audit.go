package todo

import (
	"context"

	"techo/store/event"
	"techo/store/ledger"
)

// audit checks to-dos and their indexes.
type audit struct {
	want, found ledger.SetHash
	n           int
}

func NewAudit() ledger.Audit {
	a := &audit{}
	a.want, a.found = ledger.NewSetHashes()
	return a
}

func (a *audit) Visit(_ *ledger.Tx, key, value []byte) error {
	if ledger.PrefixOf(key) != Records {
		a.found.Add(key, value)
		return nil
	}
	t, err := Decode(key, value)
	if err != nil {
		return err
	}
	a.n++
	a.want.Add(TodoPlaceKey(t.ID), []byte(t.Calendar))
	a.want.Add(TodoUIDKey(t.Calendar, t.UID, t.RecurrenceID), []byte(t.ID))
	return nil
}

func (a *audit) Finish(tx *ledger.Tx) (int, error) {
	if a.want == a.found {
		return a.n, nil
	}
	err := ledger.ScanSpaces(tx, []ledger.Prefix{Records}, func(key, value []byte) error {
		t, err := Decode(key, value)
		if err != nil {
			return err
		}
		for _, entry := range [][]byte{TodoPlaceKey(t.ID), TodoUIDKey(t.Calendar, t.UID, t.RecurrenceID)} {
			if _, err := tx.Get(entry); err != nil {
				return ledger.Finding(ledger.NoIndexEntry, ledger.KindTodo, t.ID, nil)
			}
		}
		return nil
	})
	if err != nil {
		return 0, err
	}
	return 0, ledger.Finding(ledger.WrongIndex, ledger.KindTodo, "", nil)
}

// Repair rebuilds the indexes, and drops to-dos that cannot be read.
func Repair(ctx context.Context, s *ledger.Ledger) (repairs []ledger.Repair, err error) {
	err = s.Update(ctx, func(tx *ledger.Tx) error {
		repairs = nil
		d := NewTx(tx)
		latest := map[string]Todo{} // by id
		var drop [][]byte
		err := ledger.ScanSpaces(tx, Prefixes, func(key, value []byte) error {
			drop = append(drop, key)
			if ledger.PrefixOf(key) != Records {
				return nil
			}
			todo, err := Decode(key, value)
			if err != nil {
				repairs = append(repairs, ledger.DroppedRecord(ledger.KindTodo, string(ledger.Rest(key)), err))
				return nil
			}
			if old, ok := latest[todo.ID]; !ok || todo.UpdatedAt.After(old.UpdatedAt) {
				latest[todo.ID] = todo
			}
			return nil
		})
		if err == nil {
			err = ledger.DeleteKeys(tx, drop)
		}
		if err != nil {
			return err
		}
		for _, todo := range latest {
			if todo.Calendar, err = event.NameAt(d.Ev, todo.Calendar); err != nil {
				return err
			}
			if err := d.Put(nil, &todo); err != nil {
				return err
			}
		}
		return d.Ev.Save()
	})
	return repairs, err
}
