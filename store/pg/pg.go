// Package pg implements kv.Engine on PostgreSQL, and on databases that speak its
// protocol and SQL, such as CockroachDB and YugabyteDB.
//
// # The tables
//
// One table holds the records of all stores in a database; each store has a namespace.
//
//	techo_stores   space, format, id, created   one row for each store
//	techo_records  space, key, value            the records
//	techo_commits  space, id, happened, at      commits of the last day
//
// # Transactions
//
// One transaction writes to a store at a time. It sends its reads as they come, many in one round
// trip (kv.Tx.ReadMany), and collects its writes. The first round trip
// also locks the row of the store in techo_stores (SELECT … FOR UPDATE). The last one writes,
// inserts a commit id and commits. If the connection breaks then, the commit id decides
// whether the transaction has happened (commit.go). Writers of one process share transactions
// (batch.go), so that many small writes cost few locks and commits.
//
// Many writes are inserted from arrays, not with COPY, which can neither replace a row nor share the
// round trip that commits. Of pgx only pgconn is used, with a small pool of its own: it takes 14 kB
// at the start of the program.
//
// A client that stops while it holds the lock loses its connection after limits.idle.
//
// No state outlives a transaction, so connections may come from a pooler in
// transaction mode: no named statements, no settings of the session, no locks of the
// session, no LISTEN.
package pg

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"io"
	"io/fs"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgproto3"

	"techo/store/kv"
)

// Schemes are the schemes of the addresses of stores in databases.
func Schemes() []string { return []string{"postgres", "postgresql"} }

// Options are the options of Open.
type Options struct {
	Write  bool             // allows Update
	Now    func() time.Time // the clock of this machine; nil means time.Now
	Refuse []byte           // key that an unfinished store has: with it, transactions fail; nil for none
}

// Engine is a store in a database. Open does not connect; the first transaction does.
type Engine struct {
	config  *pgconn.Config
	server  string // address without a password
	space   string // namespace
	write   bool
	refuse  []byte
	now     func() time.Time
	pool    *pool
	limits  limits
	batches batches
	kept    kept
	writing chan struct{} // holds one element while a batch or a Group runs

	looked atomic.Pointer[time.Time] // when the clock and the format were read; nil before
	offset atomic.Int64              // nanoseconds that the clock of the database is ahead

	mu     sync.Mutex // guards closed
	closed bool
}

type limits struct {
	wait      time.Duration // for other writers, and for repeated attempts of a transaction
	statement time.Duration // for one statement
	answer    time.Duration // for the answer to a round trip, beyond that
	idle      time.Duration // between two statements of a transaction that writes, less than wait
	settle    time.Duration // to find out the outcome of a commit
}

// Defaults of the settings in an address.
const (
	defaultSpace       = "techo"
	defaultConnections = 8
	maxSpace           = 60 // bytes of a namespace

	connectTimeout      = 5 * time.Second
	maxStatementTimeout = 24 * 60 * 60 * 1000 // milliseconds
)

// Open prepares the engine for the store at an address:
//
//	postgres://USER@HOST:PORT/DATABASE?sslmode=verify-full&namespace=NAME&pool_max_conns=8
//
// Settings that the address lacks come from the environment and the files that libpq
// reads as well: PGHOST, PGPASSWORD, PGPASSFILE, PGSSLMODE and so on.
func Open(address string, o Options) (*Engine, error) {
	e := &Engine{
		write: o.Write, now: o.Now, refuse: o.Refuse, server: Redacted(address), space: defaultSpace,
		writing: make(chan struct{}, 1),
		limits: limits{wait: 15 * time.Second, statement: time.Minute, answer: 5 * time.Second,
			idle: 10 * time.Second, settle: 30 * time.Second},
	}
	if e.now == nil {
		e.now = time.Now
	}
	u, err := url.Parse(address)
	if err != nil {
		return nil, &kv.AddressError{Address: e.server}
	}
	q := u.Query()
	if name, ok := q["namespace"]; ok {
		e.space = name[0]
		if e.space == "" || len(e.space) > maxSpace || strings.Trim(e.space, spaceLetters) != "" {
			return nil, &kv.AddressError{Address: e.server, Setting: "namespace"}
		}
	}
	connections, err := strconv.Atoi(cmp.Or(q.Get("pool_max_conns"), strconv.Itoa(defaultConnections)))
	if err != nil || connections < 1 || connections > 1000 {
		return nil, &kv.AddressError{Address: e.server, Setting: "pool_max_conns"}
	}
	if given := q.Get("statement_timeout"); given != "" {
		ms, err := strconv.Atoi(given)
		if err != nil || ms < 1 || ms > maxStatementTimeout {
			return nil, &kv.AddressError{Address: e.server, Setting: "statement_timeout"}
		}
		e.limits.statement = time.Duration(ms) * time.Millisecond
	}
	for _, own := range []string{"namespace", "pool_max_conns", "statement_timeout"} {
		q.Del(own)
	}
	u.RawQuery = q.Encode()
	if e.config, err = pgconn.ParseConfig(u.String()); err != nil {
		return nil, invalidAddress(e.server, err)
	}
	e.config.ConnectTimeout = cmp.Or(e.config.ConnectTimeout, connectTimeout)
	if e.config.RuntimeParams["application_name"] == "" {
		e.config.RuntimeParams["application_name"] = "techo"
	}
	e.config.BuildFrontend = func(r io.Reader, w io.Writer) *pgproto3.Frontend {
		return pgproto3.NewFrontend(bufio.NewReaderSize(r, readAhead), w)
	}
	e.pool = newPool(connections, e.connect)
	return e, nil
}

func (e *Engine) connect(ctx context.Context) (*pgconn.PgConn, error) {
	e.kept.drop() // the address may lead to another server, which has another past
	return pgconn.ConnectConfig(ctx, e.config)
}

// readAhead is how many bytes of answers are read at once. A search reads a megabyte.
const readAhead = 64 << 10

// invalidAddress returns the error for an address that the library refuses. Its error may quote
// the address, so only a file that cannot be read is named.
func invalidAddress(server string, err error) error {
	refused := &kv.AddressError{Address: server}
	if file := new(fs.PathError); errors.As(err, &file) {
		refused.Err = file
	}
	return refused
}

const spaceLetters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-."

// Redacted returns an address without its password, for messages.
func Redacted(address string) string {
	u, err := url.Parse(address)
	if err != nil || u.Opaque != "" {
		scheme, _, _ := strings.Cut(address, "://")
		return scheme + "://…"
	}
	shown := url.URL{Scheme: u.Scheme, Host: u.Host, Path: u.Path}
	if u.User != nil {
		shown.User = url.User(u.User.Username())
	}
	if name := u.Query().Get("namespace"); name != "" {
		shown.RawQuery = url.Values{"namespace": {name}}.Encode()
	}
	return shown.String()
}

// HasPassword reports whether an address contains a password.
func HasPassword(address string) bool {
	u, err := url.Parse(address)
	if err != nil {
		return strings.Contains(address, "@")
	}
	_, in := u.User.Password()
	return in || u.Query().Has("password")
}

// Close closes all connections. Transactions that run fail.
func (e *Engine) Close() error {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.closed = true
	e.pool.close()
	return nil
}

func (e *Engine) isClosed() bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.closed
}

// Now returns the time of the database's clock, as this machine's clock and the last
// look at the other one say; ok is false before the first look.
func (e *Engine) Now() (now time.Time, ok bool) {
	return e.now().Add(time.Duration(e.offset.Load())), e.looked.Load() != nil
}

// SyncClock looks at the database's clock unless a transaction has.
func (e *Engine) SyncClock(ctx context.Context) error {
	if fresh(e) {
		return nil
	}
	return e.retry(ctx, func() error {
		c, err := e.pool.get(ctx, e.limits.wait)
		if err != nil {
			return err
		}
		defer e.pool.put(c)
		return e.send(ctx, c, []statement{look(e)})
	})
}
