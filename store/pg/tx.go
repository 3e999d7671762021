package pg

import (
	"bytes"
	"context"
	"errors"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/tidwall/btree"

	"techo/store/kv"
)

// mode is the kind of a transaction.
type mode string

const (
	modeUpdate   mode = ""
	modeView     mode = "SERIALIZABLE READ ONLY" // which a standby, whose state may be old, refuses
	modeSnapshot mode = "REPEATABLE READ READ ONLY"
)

// isolation returns the isolation level of a transaction.
//
// An Update holds the lock of its store when it reads. In PostgreSQL it must not keep the state
// from before it waited for the lock, so each of its statements sees what was committed before,
// and no commit comes between them. In CockroachDB and YugabyteDB, READ COMMITTED depends on a
// setting of the cluster; SERIALIZABLE does not.
//
// The others see one state. Updates run one after the other, and PostgreSQL frees the lock after
// the commit is visible, so that state is what the first ones of them have left.
func isolation(c *pgconn.PgConn, m mode) string {
	switch {
	case m != modeUpdate:
		return string(m)
	case c.ParameterStatus("crdb_version") != "" || strings.Contains(c.ParameterStatus("server_version"), "-YB-"):
		return "SERIALIZABLE"
	}
	return "READ COMMITTED"
}

var errReadOnly = errors.New("store: write in a View")

// value is what the database has under a key, or what a transaction writes there.
type value struct {
	bytes []byte
	found bool // false if there is none, or it is deleted
}

// tx is a transaction. It begins with its first read or, without reads, with its
// commit.
type tx struct {
	ctx    context.Context
	engine *Engine
	mode   mode
	conn   *pgconn.PgConn // nil before it begins

	sending sync.Mutex // of a snapshot: held while statements run

	writes btree.Map[string, value]
	known  map[string]value  // what was read
	pages  map[rangeKey]page // the first ones of ranges that were read
	size   int               // of known and pages, in bytes

	locked bool // the lock of the store, of a transaction that writes
	ended  atomic.Bool
	err    error // of the database: the transaction has failed, whatever its function returns
}

// read runs statements that read, in one round trip.
func (t *tx) read(statements []statement) error {
	switch {
	case t.ended.Load():
		return kv.ErrClosed
	case t.err != nil:
		return t.err
	case len(statements) == 0:
		return nil
	}
	first, err := t.begin()
	if err == nil {
		t.sending.Lock()
		err = t.send(t.ctx, append(first, statements...))
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
	asked := time.Now()
	c, err := t.engine.pool.get(t.ctx, t.engine.limits.wait)
	kv.AddWaiting(t.ctx, asked)
	if err != nil {
		return nil, err
	}
	t.conn = c
	limits := t.engine.limits
	first = []statement{{sql: "BEGIN ISOLATION LEVEL " + isolation(c, t.mode)}}
	if t.mode != modeUpdate {
		first = append(first, limit("statement_timeout", limits.statement),
			limit("idle_in_transaction_session_timeout", limits.statement))
		if !fresh(t.engine) {
			first = append(first, look(t.engine))
		}
		return first, nil
	}
	if !fresh(t.engine) { // in a trip of its own: the time that the lock takes is not one of the clock
		if err := t.engine.send(t.ctx, c, []statement{look(t.engine)}); err != nil {
			return nil, err
		}
	}
	return append(first, limit("idle_in_transaction_session_timeout", min(limits.idle, limits.statement)),
		limit("statement_timeout", min(limits.wait, limits.statement)), t.lock(),
		limit("statement_timeout", limits.statement)), nil
}

// lock returns the statement that waits until no other transaction writes to the store.
func (t *tx) lock() statement {
	return statement{
		sql:  "SELECT format FROM techo_stores WHERE space = $1 FOR UPDATE",
		args: []argument{text(t.engine.space)},
		use: func(row [][]byte) error {
			t.locked = true
			return checkFormat(t.engine, row[0])
		},
	}
}

// errLock is returned for a transaction that has waited too long for the lock of its store.
var errLock = errors.New("another process writes to the store")

// send runs statements of a transaction in one round trip. The first ones take the lock, if
// it writes.
func (t *tx) send(ctx context.Context, statements []statement) error {
	err := t.engine.send(ctx, t.conn, statements)
	if t.mode != modeUpdate || t.locked {
		return err
	}
	if answer := new(pgconn.PgError); errors.As(err, &answer) && answer.Code == cancelled {
		return errLock
	}
	if err == nil {
		return &kv.NotMigratedError{Server: t.engine.server, Needed: format}
	}
	return err
}

func (t *tx) end() {
	t.ended.Store(true)
	if t.conn != nil {
		t.engine.pool.put(t.conn)
		t.conn = nil
	}
}

func (t *tx) Context() context.Context { return t.ctx }

// updateTx is the transaction of a group or a batch, as one of its Updates has it.
type updateTx struct {
	*tx
	ctx context.Context
}

func (t updateTx) Context() context.Context { return t.ctx }

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
	if t.ended.Load() || t.err != nil {
		return v, false
	}
	if w, ok := t.writes.Get(string(key)); ok {
		return w, true
	}
	v, known = t.known[string(key)]
	return v, known
}

// remember notes what the database has under a key.
func (t *tx) remember(key, v []byte, found bool) {
	if t.known == nil {
		t.known = map[string]value{}
	}
	t.known[string(key)] = value{bytes.Clone(v), found}
	t.size += len(key) + len(v)
}

// maxKnown is what a snapshot keeps of what it has read, in bytes. An export reads the
// whole store.
const maxKnown = 16 << 20

// forget drops what a snapshot has read, if that is much: it can be read again.
func (t *tx) forget() {
	if t.mode == modeSnapshot && t.size > maxKnown {
		t.known, t.pages, t.size = nil, nil, 0
	}
}

func (t *tx) Put(key, v []byte) error {
	if len(v) > kv.MaxValue {
		return &kv.TooLargeError{What: "value", Size: len(v), Max: kv.MaxValue}
	}
	return t.set(key, value{v, true})
}

func (t *tx) Delete(key []byte) error { return t.set(key, value{}) }

func (t *tx) set(key []byte, w value) error {
	switch {
	case t.ended.Load():
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
