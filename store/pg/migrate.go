package pg

import (
	"context"
	"crypto/rand"
	"encoding/binary"
	"encoding/hex"
	"errors"

	"github.com/jackc/pgx/v5/pgconn"

	"techo/store/kv"
)

// format is the version of the tables. From version 2 on, package store numbers changes by
// the clock of the database, and pages have room for other versions of their rows.
// From version 3 on, the history has an entry for each change, which an earlier program would
// leave behind. From version 4 on, memos and events are not counted, and an earlier program
// would count some of them. From version 5 on, new memories are not counted either, their
// moments wait where an earlier program does not look, and there are page breaks (breaks.go).
const format = 5

// tables returns the statements that create what is missing.
func tables() []string {
	return []string{
		`CREATE TABLE IF NOT EXISTS techo_stores (
			space text NOT NULL PRIMARY KEY,
			format int8 NOT NULL,
			id text NOT NULL,
			created timestamptz NOT NULL
		)`,
		`CREATE TABLE IF NOT EXISTS techo_records (
			space text NOT NULL,
			key bytea NOT NULL,
			value bytea NOT NULL,
			PRIMARY KEY (space, key)
		)`,
		`CREATE TABLE IF NOT EXISTS techo_commits (
			space text NOT NULL,
			id bytea NOT NULL,
			happened bool NOT NULL,
			at timestamptz NOT NULL,
			PRIMARY KEY (space, id)
		)`,
	}
}

// Migrate creates the tables, the page breaks and the store's row, as far as they are missing.
func (e *Engine) Migrate(ctx context.Context) (from, to int, err error) {
	err = e.retry(ctx, func() error {
		c, err := e.pool.get(ctx, e.limits.patience)
		if err != nil {
			return err
		}
		defer e.pool.put(c)
		from, err = e.migrate(ctx, c)
		return err
	})
	return from, format, err
}

func (e *Engine) migrate(ctx context.Context, c *pgconn.PgConn) (from int, err error) {
	there := statement{
		sql:  "SELECT format FROM techo_stores WHERE space = $1",
		args: []argument{text(e.space)},
		use: func(row [][]byte) error {
			from = int(binary.BigEndian.Uint64(row[0]))
			return nil
		},
	}
	// The row is written last: if it is there, nothing is left to do, and no rights are
	// needed. Otherwise the next statements create the tables or fail for the same reason.
	if err := send(ctx, c, []statement{there}); err == nil && from == format {
		return from, nil
	}
	if from > format {
		return from, &kv.VersionError{Path: e.server, Found: from, Known: format}
	}
	for _, sql := range tables() { // each in a transaction of its own, as CockroachDB advises
		if err := send(ctx, c, []statement{{sql: sql}}); err != nil {
			return 0, err
		}
	}
	if c.ParameterStatus("crdb_version") == "" {
		// If there is room for the new version of a row beside the old one, the index does not
		// change, and a transaction meets only those that have read the same row.
		room := statement{sql: "ALTER TABLE techo_records SET (fillfactor = 85)"}
		if err := send(ctx, c, []statement{room}); err != nil && !mayGoWithout(err) {
			return from, err
		}
	}
	id := make([]byte, 16)
	_, _ = rand.Read(id) // it never fails
	row := statement{
		sql: "INSERT INTO techo_stores (space, format, id, created) VALUES ($1, $2, $3, now()) " +
			"ON CONFLICT (space) DO UPDATE SET format = excluded.format",
		args: []argument{text(e.space), number(format), text(hex.EncodeToString(id))},
	}
	return from, send(ctx, c, append(insertBreaks(e), row))
}

// Compact removes old commit ids; the database itself reuses the space of old rows.
func (e *Engine) Compact(ctx context.Context) error {
	return e.retry(ctx, func() error {
		c, err := e.pool.get(ctx, e.limits.patience)
		if err != nil {
			return err
		}
		defer e.pool.put(c)
		return forgetCommits(ctx, c, e.space, e.time().Add(-commitLife))
	})
}

// Info returns figures about the store. It reads all keys.
func (e *Engine) Info(ctx context.Context) (i kv.Info, err error) {
	i = kv.Info{Engine: "postgres", Path: e.server, Format: format, Namespace: e.space}
	err = e.retry(ctx, func() error {
		t := &tx{ctx: ctx, engine: e, mode: modeSnapshot}
		defer t.end()
		return t.read([]statement{
			{
				sql:  "SELECT id FROM techo_stores WHERE space = $1",
				args: []argument{text(e.space)},
				use:  func(row [][]byte) error { i.ID = string(row[0]); return nil },
			},
			{
				sql: "SELECT coalesce(sum(octet_length(a.key) + octet_length(a.value)), 0)::int8 " +
					"FROM techo_records a WHERE space = $1" + isRecord(),
				args: []argument{text(e.space)},
				use: func(row [][]byte) error {
					i.Bytes = int64(binary.BigEndian.Uint64(row[0]))
					return nil
				},
			},
		})
	})
	return i, err
}

// mayGoWithout reports whether a database does not know a statement that only makes it
// faster, or the table belongs to another role.
func mayGoWithout(err error) bool {
	answer := new(pgconn.PgError)
	return errors.As(err, &answer) && (answer.Code == "0A000" || answer.Code == "42501")
}
