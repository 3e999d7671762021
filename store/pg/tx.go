package pg

import (
	"bytes"
	"context"
	"errors"
	"sync"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/tidwall/btree"

	"techo/store/kv"
)

// mode is the kind of a transaction.
type mode string

const (
	modeUpdate   mode = "SERIALIZABLE"
	modeView     mode = "SERIALIZABLE READ ONLY"
	modeSnapshot mode = "REPEATABLE READ READ ONLY" // it never conflicts with writers
)

// errAgain ends a View that read more than it announced: it runs again, without a
// commit after the announced reads.
var errAgain = errors.New("store: the transaction needs other reads")

// errReadOnly is returned for a write in a View.
var errReadOnly = errors.New("store: write in a View")

// value is what the database has under a key.
type value struct {
	bytes []byte
	found bool
}

// write is a write of the transaction.
type write struct {
	bytes   []byte
	deleted bool
}

// tx is a transaction. It begins with its first read or, without reads, with its
// commit.
type tx struct {
	ctx    context.Context
	engine *Engine
	mode   mode
	conn   *pgconn.PgConn // nil before it begins

	sending sync.Mutex // of a snapshot: held while statements run

	writes btree.Map[string, write]
	known  map[string]value // what was read
	size   int              // of known, in bytes
	began  uint64           // time of the database after its state was fixed; 0 before
	ranges []knownRange

	measured map[string]kv.Extent // by prefix
	assumed  map[string]bool      // keys that are free unless the commit fails
	caution  caution

	hasty    bool // fail with errNoConnection rather than wait for a connection
	alone    bool // commit with the first announced reads, if they are all
	complete bool // that has happened
	ended    bool
	err      error // of the database: the transaction has failed, whatever its function returns
}

// pair is a row. The value is nil if it was not read with the key.
type pair struct{ key, value []byte }

// read runs statements that read, in one round trip.
func (t *tx) read(statements []statement) error {
	switch {
	case t.ended:
		return kv.ErrClosed
	case t.err != nil:
		return t.err
	case t.complete:
		t.err = errAgain
		return t.err
	case len(statements) == 0:
		return nil
	}
	first, err := t.begin()
	if err == nil {
		t.sending.Lock()
		err = send(t.ctx, t.conn, append(first, statements...))
		t.sending.Unlock()
	}
	t.err = err
	return err
}

// begin takes a connection and returns the statements that begin the transaction, if
// it has not begun.
func (t *tx) begin() (first []statement, err error) {
	if t.conn != nil {
		return nil, nil
	}
	patience := t.engine.limits.patience
	if t.hasty {
		patience = 0
	}
	asked := time.Now()
	t.conn, err = t.engine.pool.get(t.ctx, patience)
	kv.AddWaiting(t.ctx, asked)
	if err != nil {
		t.conn = nil
		return nil, err
	}
	first = t.engine.begin(t.conn, string(t.mode))
	if t.mode == modeUpdate {
		first = append(first, readClock(t))
	}
	return first, nil
}

// end gives the connection back.
func (t *tx) end() {
	t.ended = true
	if t.conn != nil {
		t.engine.pool.put(t.conn)
		t.conn = nil
	}
}

func (t *tx) Get(key []byte) ([]byte, error) {
	if v, known := t.local(key); known {
		return v.get()
	}
	if err := t.read(t.gets([][]byte{key})); err != nil {
		return nil, err
	}
	v, _ := t.local(key)
	return v.get()
}

func (v value) get() ([]byte, error) {
	if !v.found {
		return nil, kv.ErrNotFound
	}
	return v.bytes, nil
}

// local returns the value under a key if it was written or read before.
func (t *tx) local(key []byte) (v value, known bool) {
	if t.ended || t.err != nil {
		return v, false
	}
	if w, ok := t.writes.Get(string(key)); ok {
		return value{w.bytes, !w.deleted}, true
	}
	v, known = t.known[string(key)]
	return v, known
}

func (t *tx) GetMany(keys [][]byte) ([][]byte, error) {
	forget(t)
	var unknown [][]byte
	for _, key := range keys {
		if _, known := t.local(key); !known {
			unknown = append(unknown, key)
		}
	}
	if len(unknown) > 0 {
		if err := t.read(t.gets(unknown)); err != nil {
			return nil, err
		}
	}
	values := make([][]byte, len(keys))
	for i, key := range keys {
		if v, _ := t.local(key); v.found && v.bytes == nil {
			values[i] = []byte{}
		} else {
			values[i] = v.bytes
		}
	}
	return values, nil
}

// perGet is the number of keys of one statement.
const perGet = 4096

// gets returns the statements that read the values under keys, and notes the keys.
func (t *tx) gets(keys [][]byte) (all []statement) {
	for len(keys) > 0 {
		some := keys[:min(perGet, len(keys))]
		keys = keys[len(some):]
		all = append(all, statement{
			// With "key = ANY($2)" PostgreSQL reads all of a store that it takes for small, so
			// that the transaction meets all writers.
			sql: "SELECT n.key, (SELECT r.value FROM techo_records r WHERE r.space = $1 AND r.key = n.key) " +
				"FROM unnest($2) AS n(key)",
			args: []argument{text(t.engine.space), many(some)},
			use:  func(row [][]byte) error { t.learn(row[0], row[1], row[1] != nil); return nil },
		})
		for _, key := range some {
			t.learn(key, nil, false)
		}
	}
	return all
}

// learn notes what the database has under a key.
func (t *tx) learn(key, v []byte, found bool) { t.note(key, value{bytes.Clone(v), found}) }

func (t *tx) note(key []byte, v value) {
	if t.known == nil {
		t.known = map[string]value{}
	}
	t.known[string(key)] = v
	t.size += len(key) + len(v.bytes)
}

// maxKnown is what a snapshot keeps of what it has read, in bytes. An export reads the
// whole store.
const maxKnown = 16 << 20

// forget drops what a snapshot has read, if that is much: it can be read again.
func forget(t *tx) {
	if t.mode == modeSnapshot && t.size > maxKnown {
		t.known, t.ranges, t.size = nil, nil, 0
	}
}

func (t *tx) Put(key, v []byte) error {
	if len(v) > kv.MaxValue {
		return &kv.TooLargeError{What: "value", Size: len(v), Max: kv.MaxValue}
	}
	return t.set(key, write{bytes: v})
}

func (t *tx) Delete(key []byte) error { return t.set(key, write{deleted: true}) }

func (t *tx) set(key []byte, w write) error {
	switch {
	case t.ended:
		return kv.ErrClosed
	case t.mode != modeUpdate || !t.engine.write:
		return errReadOnly
	case len(key) == 0 || len(key) > kv.MaxKey:
		return &kv.TooLargeError{What: "key", Size: len(key), Max: kv.MaxKey}
	case t.err != nil:
		return t.err
	}
	t.writes.Set(string(key), w)
	return nil
}
