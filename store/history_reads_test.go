package store

import (
	"bytes"
	"context"
	"fmt"
	"iter"
	"testing"
	"time"

	"techo/internal/testenv"
	"techo/store/history"
	"techo/store/kv"
	"techo/store/ledger"
	"techo/store/memory"
)

// scansOf counts what an engine reads of a prefix.
type scansOf struct {
	kv.Engine
	prefix []byte
	n      int // scans
	items  int // of the scans
	gets   int
}

func (e *scansOf) View(ctx context.Context, fn func(kv.Tx) error) error {
	return e.Engine.View(ctx, func(tx kv.Tx) error { return fn(scansOfTx{tx, e}) })
}

type scansOfTx struct {
	kv.Tx
	of *scansOf
}

func (tx scansOfTx) Get(key []byte) ([]byte, error) {
	if bytes.HasPrefix(key, tx.of.prefix) {
		tx.of.gets++
	}
	return tx.Tx.Get(key)
}

func (tx scansOfTx) Scan(r kv.Range) iter.Seq2[kv.Item, error] {
	if !bytes.Equal(r.Prefix, tx.of.prefix) {
		return tx.Tx.Scan(r)
	}
	tx.of.n++
	return func(yield func(kv.Item, error) bool) {
		for item, err := range tx.Tx.Scan(r) {
			tx.of.items++
			if !yield(item, err) {
				return
			}
		}
	}
}

// runsOfTransactions is how often a test runs each transaction.
func runsOfTransactions() int {
	if testenv.Twice() {
		return 2
	}
	return 1
}

func addMemory(t *testing.T, s *Store, user, text string) {
	t.Helper()
	if _, err := s.AddMemory(t.Context(), memory.Memory{User: user, FullText: text}); err != nil {
		t.Fatal(err)
	}
}

// countedHistory returns a store with changes of two users, the newest last: a memory of sato, 40 memos, then of every
// fifth one its removal, and three memories of tanaka. What it reads of the changes is counted.
func countedHistory(t *testing.T) (*Store, *scansOf) {
	t.Helper()
	s, _ := openHistory(t, ledger.HistoryLimits{})
	addMemory(t, s, "sato", "Sato likes soba")
	for i := range 40 {
		mustAdd(t, s, fmt.Sprint("memo", i))
	}
	for i := range 8 {
		if _, err := s.RemoveMemo(t.Context(), fmt.Sprint("memo", 5*i)); err != nil {
			t.Fatal(err)
		}
	}
	for i := range 3 {
		addMemory(t, s, "tanaka", fmt.Sprint("Tanaka likes ramen ", i))
	}
	scans := &scansOf{Engine: s.Engine, prefix: ledger.HistoryChanges.All()}
	s.Engine = scans
	return s, scans
}

// TestHistoryReads lists parts of a history: no more is read than what they show.
func TestHistoryReads(t *testing.T) {
	s, scans := countedHistory(t)
	inside := func(ledger.Change) bool { return true }
	for _, c := range []struct {
		filter             history.Filter
		total, shown, most int
	}{
		{history.Filter{Owner: "tanaka", Limit: 1}, 51, 1, 2},
		{history.Filter{Owner: "sato", Limit: 1}, 49, 1, 5},
		{history.Filter{Owner: "tanaka", Limit: 1, Visible: inside}, 51, 1, 2},
		{history.Filter{Owner: "tanaka", Limit: 2, Before: 10}, 51, 2, 3 + 2},
		{history.Filter{Owner: "tanaka", Limit: 5, Family: "memory"}, 3, 3, 3},
		{history.Filter{Owner: "tanaka", Limit: 5, Family: "calendar"}, 0, 0, 0},
		{history.Filter{Owner: "tanaka", Limit: 3, Since: time.Unix(0, 0)}, 51, 3, 52},
		{history.Filter{Owner: "tanaka", Limit: 3, Until: time.Unix(0, 0)}, 0, 0, 52},
	} {
		scans.items = 0
		page, err := history.Of(s.Ledger).List(t.Context(), c.filter)
		if err != nil || page.Total != c.total || len(page.Changes) != c.shown ||
			scans.items > runsOfTransactions()*c.most {
			t.Errorf("%+v: %d of %d, read %d: %v", c.filter, len(page.Changes), page.Total, scans.items, err)
		}
	}
}

// TestHistoryShowReads shows a change of a memo that is as the change left it, and of one that was removed later.
func TestHistoryShowReads(t *testing.T) {
	s, scans := countedHistory(t)
	for id, most := range map[string]int{"h3": 0, "h7": 36} { // memo1; memo5, which h43 removed
		scans.items = 0
		d, err := history.Of(s.Ledger).Show(t.Context(), id, history.Filter{Owner: "tanaka"})
		if err != nil || d.Records[0].After == "" || scans.items > runsOfTransactions()*most {
			t.Errorf("%s: %+v, read %d: %v", id, d, scans.items, err)
		}
	}
}

// TestHistoryAboutName looks for the changes of something that is no memo: the values of the changed memos are not
// decoded for it.
func TestHistoryAboutName(t *testing.T) {
	s, scans := countedHistory(t)
	for name, c := range map[string]struct{ total, most int }{"nobody": {0, 0}, "memo20": {2, 4}} {
		scans.gets = 0
		page, err := history.Of(s.Ledger).List(t.Context(),
			history.Filter{Owner: "tanaka", About: []string{name}, Memo: name, Limit: 5})
		if err != nil || page.Total != c.total || scans.gets > runsOfTransactions()*c.most {
			t.Errorf("%s: %+v, %d read: %v", name, page, scans.gets, err)
		}
	}
}

// TestHistoryTallies changes a history with a program that does not count by owner and family: the totals stay right.
// Each write, and a compaction, counts older changes.
func TestHistoryTallies(t *testing.T) {
	s, _ := openHistory(t, ledger.HistoryLimits{})
	access := func(fn func(*ledger.Tx) error) {
		t.Helper()
		if err := s.Maintain(t.Context(), fn); err != nil {
			t.Fatal(err)
		}
	}
	wantTallied := func(want bool) {
		t.Helper()
		access(func(tx *ledger.Tx) error {
			counts, err := tx.LoadHistoryCounts()
			if is := counts.Tallied(); is != want {
				t.Errorf("all changes are counted: %v", is)
			}
			return err
		})
	}
	forget := func() {
		t.Helper()
		access(func(tx *ledger.Tx) error { return tx.Delete(ledger.HistoryCountKey.Key("t")) })
		wantTallied(false)
	}
	for i := range ledger.MaxDropped + 5 {
		mustAdd(t, s, fmt.Sprint("memo", i))
	}
	wantTallied(true)
	forget()
	wantHistory(t, s, ledger.MaxDropped+5)
	mustAdd(t, s, "one")
	wantTallied(false)
	wantHistory(t, s, ledger.MaxDropped+6)
	mustAdd(t, s, "two")
	wantTallied(true)
	wantHistory(t, s, ledger.MaxDropped+7)

	forget()
	if err := s.Compact(t.Context()); err != nil {
		t.Fatal(err)
	}
	wantTallied(true)
	wantHistory(t, s, ledger.MaxDropped+7)

	forget()
	access(func(tx *ledger.Tx) error { return tx.Put(ledger.ChangeKey(3), []byte{1, 0, 3}) })
	mustAdd(t, s, "after a damage")
	if _, err := history.Repair(ledger.WithoutHistory(t.Context()), s.Ledger); err != nil {
		t.Fatal(err)
	}
	wantTallied(true)
	wantHistory(t, s, ledger.MaxDropped+7)

	var old []byte
	key := ledger.HistoryCountKey.Key("t")
	access(func(tx *ledger.Tx) (err error) {
		old, err = tx.Get(key)
		old = bytes.Clone(old)
		return err
	})
	mustAdd(t, s, "by the other program")
	access(func(tx *ledger.Tx) error { return tx.Put(key, old) })
	wantTallied(false)
	wantHistory(t, s, ledger.MaxDropped+8)
}

// TestHistoryAboutOnce reads the history once for the changes of a record and for their titles. Only for a memo that was
// removed it is read again: for its id, and for its title, which a newer change has.
func TestHistoryAboutOnce(t *testing.T) {
	s, _ := openHistory(t, ledger.HistoryLimits{})
	if err := addNumbered(s, 0, 10); err != nil {
		t.Fatal(err)
	}
	mustAdd(t, s, "ramen")
	mustAdd(t, s, "soba")
	if _, err := s.RemoveMemo(t.Context(), "soba"); err != nil {
		t.Fatal(err)
	}
	page, err := history.Of(s.Ledger).List(t.Context(), history.Filter{Owner: "tanaka", Limit: 10})
	if err != nil || page.Total != 4 {
		t.Fatal(page, err)
	}
	imported, err := history.Of(s.Ledger).FindUndo(t.Context(), ledger.ChangeID(page.Changes[3].ID),
		history.Filter{Owner: "tanaka"})
	if err != nil || len(imported.Records) != 10 {
		t.Fatal(imported, err)
	}
	scans := &scansOf{Engine: s.Engine, prefix: ledger.HistoryChanges.All()}
	s.Engine = scans
	for _, c := range []struct {
		about, memo   string
		changes, most int
	}{
		{imported.Records[5].ID, "nobody", 1, 1},
		{page.Changes[2].Records[0].ID, "", 1, 1},
		{"soba", "soba", 2, 3},
		{"udon", "udon", 0, 1},
	} {
		scans.n = 0
		got, err := history.Of(s.Ledger).List(t.Context(),
			history.Filter{Owner: "tanaka", About: []string{c.about}, Memo: c.memo, Limit: 10})
		if err != nil || got.Total != c.changes || len(got.Changes) != c.changes || scans.n != runsOfTransactions()*c.most {
			t.Errorf("%s: %d changes, read %d times: %v", c.about, got.Total, scans.n, err)
		}
		for _, change := range got.Changes {
			if change.Title == "" {
				t.Errorf("%s: no title of %v", c.about, change)
			}
		}
	}
}
