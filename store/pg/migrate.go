package pg

import (
	"context"
	"crypto/rand"
	"encoding/binary"
	"encoding/hex"

	"github.com/jackc/pgx/v5/pgconn"

	"techo/store/kv"
)

const format = 1

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

// Migrate creates the tables and the store's row, as far as they are missing.
func (e *Engine) Migrate(ctx context.Context) (from, to int, err error) {
	err = e.retry(ctx, func() error {
		c, err := e.pool.get(ctx, e.limits.wait)
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
	id := make([]byte, 16)
	_, _ = rand.Read(id) // it never fails
	row := statement{
		sql: "INSERT INTO techo_stores (space, format, id, created) VALUES ($1, $2, $3, now()) " +
			"ON CONFLICT (space) DO NOTHING",
		args: []argument{text(e.space), number(format), text(hex.EncodeToString(id))},
	}
	return from, send(ctx, c, []statement{row})
}

// Compact removes old commit ids; the database itself reuses the space of old rows.
func (e *Engine) Compact(ctx context.Context) error {
	return e.retry(ctx, func() error {
		c, err := e.pool.get(ctx, e.limits.wait)
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
					"FROM techo_records a WHERE space = $1",
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
