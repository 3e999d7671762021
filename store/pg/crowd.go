package pg

import (
	"context"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/jackc/pgx/v5/pgconn"

	"techo/store/kv"
)

// readClock returns the statement that reads the clock of the database. It is the first
// one of a transaction that reads anything, so the state that the transaction reads is of
// an earlier time. A transaction that reads the writes of another one therefore has a
// later time than that one had, whatever the clocks of the machines say.
func readClock(t *tx) statement {
	return statement{
		sql: fmt.Sprintf("SELECT ((extract(epoch FROM clock_timestamp()) - %d) * 1000000)::int8", kv.StampEpoch.Unix()),
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
func (t *tx) Measure(prefixes ...[]byte) ([]kv.Extent, error) {
	if unknown := measures(t, prefixes); len(unknown) > 0 {
		if err := t.read(unknown); err != nil {
			return nil, err
		}
	}
	all := make([]kv.Extent, len(prefixes))
	for i, prefix := range prefixes {
		own, err := written(t, prefix)
		if err != nil {
			return nil, err
		}
		before := t.measured[string(prefix)]
		all[i] = kv.Extent{Keys: before.Keys + own.Keys, Bytes: before.Bytes + own.Bytes}
	}
	return all, nil
}

// written returns what a transaction has added to the extent of the keys with a prefix.
func written(t *tx, prefix []byte) (own kv.Extent, err error) {
	var keys, unread [][]byte
	t.writes.Ascend(string(prefix), func(key string, _ write) bool {
		if !strings.HasPrefix(key, string(prefix)) {
			return false
		}
		keys = append(keys, []byte(key))
		if _, known := t.known[key]; !known {
			unread = append(unread, []byte(key))
		}
		return true
	})
	if len(unread) > 0 {
		if err := t.read(t.gets(unread)); err != nil {
			return own, err
		}
	}
	for _, key := range keys {
		size := int64(len(key))
		if before := t.known[string(key)]; before.found {
			own.Keys--
			own.Bytes -= size + int64(len(before.bytes))
		}
		if w, _ := t.writes.Get(string(key)); !w.deleted {
			own.Keys++
			own.Bytes += size + int64(len(w.bytes))
		}
	}
	return own, nil
}

// measures returns the statements that measure the keys with prefixes that were not measured
// before.
func measures(t *tx, prefixes [][]byte) (all []statement) {
	if t.measured == nil {
		t.measured = map[string]kv.Extent{}
	}
	for _, prefix := range prefixes {
		if _, known := t.measured[string(prefix)]; known {
			continue
		}
		t.measured[string(prefix)] = kv.Extent{}
		s := statement{args: []argument{text(t.engine.space)}}
		within := s.bounds(kv.Range{Prefix: prefix}, nil)
		s.sql = "SELECT count(*), coalesce(sum(octet_length(a.key) + octet_length(a.value)), 0)::int8 " +
			"FROM techo_records a WHERE a.space = $1" + within
		s.use = func(row [][]byte) error {
			keys, size := binary.BigEndian.Uint64(row[0]), binary.BigEndian.Uint64(row[1])
			t.measured[string(prefix)] = kv.Extent{Keys: int64(keys), Bytes: int64(size)}
			return nil
		}
		all = append(all, s)
	}
	return all
}

// # Assumptions
//
// A transaction that reads a missing key meets all that write a key on the same page of the
// index. So a new record is inserted without a look, and the unique index finds at the commit
// whether one of its keys is taken. Then the transaction runs again and reads. It also does so
// after an error of its function, which may follow from a wrong assumption.

// errAssumed ends an attempt whose assumptions may be wrong. The next one is careful.
var errAssumed = errors.New("the transaction has to read what it assumed")

// Assume implements kv.Crowded.
func (t *tx) Assume(keys ...[]byte) {
	if t.caution.all || t.mode != modeUpdate {
		return
	}
	for _, key := range keys {
		if _, known := t.local(key); known || t.caution.keys[string(key)] {
			continue
		}
		t.learn(key, nil, false)
		if t.assumed == nil {
			t.assumed = map[string]bool{}
		}
		t.assumed[string(key)] = true
	}
}

// proven reports whether the commit proves all assumptions.
func proven(t *tx) bool {
	for key := range t.assumed {
		if w, ok := t.writes.Get(key); !ok || w.deleted {
			return false
		}
	}
	return true
}

// Retried implements kv.Crowded.
func (t *tx) Retried() bool { return t.caution.all || len(t.caution.keys) > 0 }

// caution is what an attempt does not assume.
type caution struct {
	all  bool
	keys map[string]bool
}

// learn learns from the error of an attempt.
func (c *caution) learn(err error) {
	answer := new(pgconn.PgError)
	switch {
	case errors.Is(err, errAssumed):
		c.all = true
	case errors.As(err, &answer) && answer.Code == uniqueViolation:
		key, ok := takenKey(answer.Detail)
		if !ok {
			c.all = true
			return
		}
		if c.keys == nil {
			c.keys = map[string]bool{}
		}
		c.keys[key] = true
	}
}

// uniqueViolation is PostgreSQL's code for an insert of a key that is taken.
const uniqueViolation = "23505"

// takenKey returns the key that a message about an insert names, such as
// "Key (space, key)=(main, \x6d6e) already exists."
func takenKey(detail string) (key string, ok bool) {
	_, digits, ok := strings.Cut(detail, `, \x`)
	if !ok {
		return "", false
	}
	digits, _, _ = strings.Cut(digits, ")")
	b, err := hex.DecodeString(digits)
	return string(b), err == nil && len(b) > 0
}

// Beside implements kv.Besider.
func (e *Engine) Beside(ctx context.Context, wait bool, fn func(kv.Tx) error) (ok bool, err error) {
	if wait {
		return true, e.readOnly(ctx, modeSnapshot, fn)
	}
	short, stop := context.WithTimeout(ctx, besideTime)
	defer stop()
	t := &tx{ctx: short, engine: e, mode: modeSnapshot, hasty: true}
	defer t.end()
	err = finishReading(t, fn(t))
	if own := new(finalError); errors.As(err, &own) {
		return true, own.err
	}
	return err == nil, nil
}

// besideTime is how long a caller with an open transaction tries to read beside it. A pooler may
// keep it waiting for a connection that becomes free only when the open transaction ends.
const besideTime = 200 * time.Millisecond
