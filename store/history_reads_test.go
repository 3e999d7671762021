package store

import (
	"bytes"
	"context"
	"iter"
	"testing"

	"techo/internal/testenv"
	"techo/store/history"
	"techo/store/kv"
	"techo/store/ledger"
)

// scansOf counts how often an engine reads the records of a prefix one after the other.
type scansOf struct {
	kv.Engine
	prefix []byte
	n      int
}

func (e *scansOf) View(ctx context.Context, fn func(kv.Tx) error) error {
	return e.Engine.View(ctx, func(tx kv.Tx) error { return fn(scansOfTx{tx, e}) })
}

type scansOfTx struct {
	kv.Tx
	of *scansOf
}

func (tx scansOfTx) Scan(r kv.Range) iter.Seq2[kv.Item, error] {
	if bytes.Equal(r.Prefix, tx.of.prefix) {
		tx.of.n++
	}
	return tx.Tx.Scan(r)
}

// TestHistoryAboutOnce reads the history once for the changes of a record and for their titles. Only for a memo that was
// removed it is read again: for its id, and for its title, which a newer change has.
func TestHistoryAboutOnce(t *testing.T) {
	runs := 1 // of a transaction
	if testenv.Twice() {
		runs = 2
	}
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
	scans := &scansOf{Engine: s.Engine, prefix: ledger.HistoryChanges.All()}
	s.Engine = scans
	for _, c := range []struct {
		about, memo   string
		changes, most int
	}{
		{page.Changes[3].Records[5].ID, "nobody", 1, 1},
		{page.Changes[2].Records[0].ID, "", 1, 1},
		{"soba", "soba", 2, 3},
		{"udon", "udon", 0, 1},
	} {
		scans.n = 0
		got, err := history.Of(s.Ledger).List(t.Context(),
			history.Filter{Owner: "tanaka", About: []string{c.about}, Memo: c.memo, Limit: 10})
		if err != nil || got.Total != c.changes || len(got.Changes) != c.changes || scans.n != runs*c.most {
			t.Errorf("%s: %d changes, read %d times: %v", c.about, got.Total, scans.n, err)
		}
		for _, change := range got.Changes {
			if change.Title == "" {
				t.Errorf("%s: no title of %v", c.about, change)
			}
		}
	}
}
