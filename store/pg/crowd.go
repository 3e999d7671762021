package pg

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"time"

	"techo/store/kv"
)

// stampEpoch is where numbers of Stamp begin, so that they are short.
var stampEpoch = time.Date(2025, 1, 1, 0, 0, 0, 0, time.UTC)

// readClock returns the statement that reads the clock of the database. It is the first
// one of a transaction that reads anything, so the state that the transaction reads is of
// an earlier time. A transaction that reads the writes of another one therefore has a
// later time than that one had, whatever the clocks of the machines say.
func readClock(t *tx) statement {
	return statement{
		sql: fmt.Sprintf("SELECT ((extract(epoch FROM clock_timestamp()) - %d) * 1000000)::int8", stampEpoch.Unix()),
		use: func(row [][]byte) error {
			t.began = uint64(max(int64(binary.BigEndian.Uint64(row[0])), 1))
			return nil
		},
	}
}

// Stamp implements kv.Crowded. Transactions with the same number run at the same time, so
// the database lets only one of them write a key with it.
func (t *tx) Stamp() (uint64, error) {
	if t.mode != modeUpdate {
		return 0, errReadOnly
	}
	if t.began == 0 {
		if err := t.read([]statement{{sql: "SELECT 1"}}); err != nil { // which begins the transaction
			return 0, err
		}
	}
	for {
		last := t.engine.stamp.Load()
		if next := max(last+1, t.began); t.engine.stamp.CompareAndSwap(last, next) {
			return next, nil
		}
	}
}

// Measure implements kv.Crowded.
func (t *tx) Measure(prefix []byte) (keys, size int64, err error) {
	s := statement{args: []argument{text(t.engine.space)}}
	within := s.bounds(kv.Range{Prefix: prefix}, nil)
	s.sql = "SELECT count(*), coalesce(sum(octet_length(a.key) + octet_length(a.value)), 0)::int8 " +
		"FROM techo_records a WHERE a.space = $1" + within
	s.use = func(row [][]byte) error {
		keys, size = int64(binary.BigEndian.Uint64(row[0])), int64(binary.BigEndian.Uint64(row[1]))
		return nil
	}
	err = t.read([]statement{s})
	return keys, size, err
}

// Beside implements kv.Besider, on a connection of its own. A caller that waited for one
// while it has another could wait for itself.
func (e *Engine) Beside(ctx context.Context, fn func(kv.Tx) error) (ok bool, err error) {
	err = e.retry(ctx, func() error {
		t := &tx{ctx: ctx, engine: e, mode: modeSnapshot, hasty: true}
		defer t.end()
		err := runReadOnly(t, fn)
		if errors.Is(err, errNoConnection) {
			return final(err)
		}
		return err
	})
	if errors.Is(err, errNoConnection) {
		return false, nil
	}
	return true, err
}
