package store

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"techo/store/kv"
	"techo/store/ledger"
	"techo/store/memo"
	"techo/store/token"
)

// doctorCase damages a store with the memos "first" and "memo".
type doctorCase struct {
	spoil func(tx *ledger.Tx, m memo.Memo) error // m is the memo "memo"
	names []string                               // of the memos after the repair
	kinds []string                               // of the repairs
}

func doctorCases() map[string]doctorCase {
	return map[string]doctorCase{
		"an index": {func(tx *ledger.Tx, m memo.Memo) error { return tx.Delete(memo.NameKey(m.Name)) },
			[]string{"memo", "first"}, nil},
		"the counts": {func(tx *ledger.Tx, _ memo.Memo) error { return tx.Delete(memo.CountKey.All()) },
			[]string{"memo", "first"},
			nil},
		"a memo": {func(tx *ledger.Tx, m memo.Memo) error { return tx.Put(memo.Key(m.ID), []byte("{")) },
			[]string{"first"},
			[]string{"dropped"}},
		"an unknown key": {func(tx *ledger.Tx, _ memo.Memo) error { return tx.Put([]byte("zz"), nil) },
			[]string{"memo", "first"},
			[]string{"dropped"}},
		"a receipt": {func(tx *ledger.Tx, _ memo.Memo) error { return tx.Put([]byte("rkx"), []byte("{")) },
			[]string{"memo", "first"}, []string{"dropped"}},
		"a token": {func(tx *ledger.Tx, _ memo.Memo) error { return tx.Put(token.Key("x"), []byte(`{"user":" "}`)) },
			[]string{"memo", "first"}, []string{"dropped"}},
		"a double name": {func(tx *ledger.Tx, m memo.Memo) error {
			m.ID, m.Name = "double", "first"
			return ledger.Save(tx, memo.Key(m.ID), memo.RecordOf(&m))
		}, []string{"memo", "first", "first (2)"}, []string{"renamed"}},
		"too many tags": {func(tx *ledger.Tx, m memo.Memo) error {
			m.Tags = []string{"a", "b", "c", "d"}
			return ledger.Save(tx, memo.Key(m.ID), memo.RecordOf(&m))
		}, []string{"memo", "first"}, []string{"untagged"}},
	}
}

// TestDoctor damages memos, indexes and counts, and repairs them: first a copy,
// then the store.
func TestDoctor(t *testing.T) {
	for name, c := range doctorCases() {
		t.Run(name, c.run)
	}
}

func (c doctorCase) run(t *testing.T) {
	where := filepath.Join(t.TempDir(), "store")
	s := openStore(t, where, true)
	mustAdd(t, s, "first", "a", "b")
	m := mustAdd(t, s, "memo", "a")
	if err := s.Maintain(t.Context(), func(tx *ledger.Tx) error { return c.spoil(tx, m) }); err != nil {
		t.Fatal(err)
	}
	for _, repair := range []bool{false, true} {
		d, err := Doctor(t.Context(), where, DoctorOptions{Options: Options{Now: s.Now}, Repair: repair})
		if err != nil {
			t.Fatal(err)
		}
		var kinds []string
		for _, n := range d.Repairs {
			kinds = append(kinds, string(n.Action))
		}
		if d.Sound || d.Repaired != repair || !errors.As(d.Damage, new(*kv.CorruptError)) ||
			!slices.Equal(kinds, c.kinds) || len(d.Findings) == 0 || d.Report.Counts["memos"] != len(c.names) {
			t.Errorf("repair %v: %+v", repair, d)
		}
		if _, err := os.Stat(where + ".damaged-1"); (err == nil) != repair {
			t.Errorf("repair %v: the damaged store: %v", repair, err)
		}
	}
	wantSound(t, s) // a handle from before sees the new store
	wantMemos(t, s, c.names...)
	d, err := Doctor(t.Context(), where, DoctorOptions{Options: Options{Now: s.Now}, Repair: true})
	if err != nil || !d.Sound || d.Repaired {
		t.Errorf("again: %+v, %v", d, err)
	}
}
