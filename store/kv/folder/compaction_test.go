package folder

import (
	"fmt"
	"testing"
	"time"

	"techo/store/kv"
	"techo/store/kv/journal"
)

// TestDelayedCompaction: a scheduled compaction waits while writes go on, but not for ever.
func TestDelayedCompaction(t *testing.T) {
	now := time.Now()
	for _, c := range []struct {
		what         string
		due, written time.Time
		closed       bool
		want         bool
	}{
		{"a write just now", now, now, false, true},
		{"no write for a moment", now.Add(-2 * compactionDelay), now.Add(-2 * compactionDelay), false, false},
		{"writes for long", now.Add(-compactionLatest), now, false, false},
		{"a closed store", now, now, true, false},
	} {
		l := &Engine{due: c.due, written: c.written, closed: c.closed, timer: time.NewTimer(time.Hour)}
		if got := l.delayCompaction(); got != c.want {
			t.Errorf("after %s: delayed is %v", c.what, got)
		}
		l.timer.Stop()
	}
}

// TestWriterSharesMemtable: a write changes the nodes of the memtable in place, unless a reader
// has a copy of it.
func TestWriterSharesMemtable(t *testing.T) {
	l := openStore(t, t.TempDir())
	h, err := l.attach(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer h.Release()
	for i := range 500 {
		l.writing.memtable.apply(journal.OpPut, fmt.Appendf(nil, "key%03d", i), []byte("value"))
	}
	write := func() {
		payload, err := l.write(t.Context(), func(tx kv.Tx) error { return tx.Put([]byte("key250"), []byte("new")) })
		if err != nil {
			t.Fatal(err)
		}
		journal.Operations(payload, l.writing.memtable.apply)
	}
	alone := testing.AllocsPerRun(20, write)
	beside := testing.AllocsPerRun(20, func() {
		l.writing.memtable.copy()
		write()
	})
	if alone+2 > beside {
		t.Errorf("%v allocations, %v beside a reader", alone, beside)
	}
}
