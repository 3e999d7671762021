package pg

import (
	"cmp"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5/pgconn"

	"techo/store/kv"
)

// # Unknown outcomes
//
// Each transaction that writes inserts a unique commit id. If the connection is lost
// during the commit, another transaction inserts the same id: if it can, the first one
// has not happened and never will, because it would insert the id a second time; if the
// id is there, the first one has happened. An insert waits for a commit that still runs.

// Sizes of the statements of a commit.
const (
	perWrite      = 2000    // rows
	perWriteBytes = 4 << 20 // aimed at
)

// commit writes what the transaction has collected and commits it.
func (e *Engine) commit(t *tx) error {
	if t.writes.Len() == 0 {
		if t.conn == nil {
			return nil
		}
		return e.send(t.ctx, t.conn, []statement{{sql: "COMMIT"}})
	}
	statements, err := t.begin()
	if err != nil {
		return err
	}
	id := newCommitID(e.time())
	statements = append(statements, changes(e.space, t)...)
	statements = append(statements, insertCommit(e.space, id), statement{sql: "COMMIT"})
	// An interrupted call still learns whether its changes were kept.
	ctx, stop := context.WithTimeout(context.WithoutCancel(t.ctx), e.limits.statement+e.limits.answer)
	defer stop()
	err = t.send(ctx, statements)
	if err == nil {
		if id[len(id)-1] == 0 { // one of 256: the ids must not fill the disk
			_ = forgetCommits(ctx, t.conn, e.space, e.time().Add(-commitLife)) // another commit will
		}
		return nil
	}
	if answer := new(pgconn.PgError); errors.As(err, &answer) && !ends(answer) {
		return err // the transaction was rolled back
	}
	e.pool.forget()
	return e.settle(ctx, id, err)
}

// newCommitID returns a commit id: the time in milliseconds, then 8 random bytes. Ids of
// later commits are greater, as far as the clocks of machines are equal.
func newCommitID(at time.Time) []byte {
	id := make([]byte, 16)
	_, _ = rand.Read(id[8:]) // it never fails
	binary.BigEndian.PutUint64(id, uint64(at.UnixMilli()))
	return id
}

// time returns the time of the database's clock, as far as it is known.
func (e *Engine) time() time.Time {
	now, _ := e.Now()
	return now
}

// ends reports whether an error of the server may come from a connection that ends, so
// that the outcome of the commit is unknown.
func ends(answer *pgconn.PgError) bool {
	severity := cmp.Or(answer.SeverityUnlocalized, answer.Severity)
	return severity == "FATAL" || severity == "PANIC" || answer.Code == "40003"
}

// changes returns the statements that write what the transaction has collected, in the
// order of the keys.
func changes(space string, t *tx) (all []statement) {
	var keys, values, deleted [][]byte
	size := 0
	flush := func() {
		if len(keys) > 0 {
			all = append(all, statement{
				sql: "INSERT INTO techo_records (space, key, value) SELECT $1, n.key, n.value FROM unnest($2, $3) " +
					"AS n(key, value) ON CONFLICT (space, key) DO UPDATE SET value = excluded.value",
				args: []argument{text(space), many(keys), many(values)},
			})
		}
		all = append(all, deletions(space, deleted)...)
		keys, values, deleted, size = nil, nil, nil, 0
	}
	t.writes.Scan(func(key string, w value) bool {
		if w.found {
			keys, values = append(keys, []byte(key)), append(values, w.bytes)
			size += len(key) + len(w.bytes)
		} else {
			deleted = append(deleted, []byte(key))
		}
		if len(keys)+len(deleted) >= perWrite || size >= perWriteBytes {
			flush()
		}
		return true
	})
	flush()
	return all
}

// deletions returns the statements that delete keys. Each one names one key, because
// PostgreSQL may read the whole store for a list of them.
func deletions(space string, keys [][]byte) (all []statement) {
	for _, key := range keys {
		all = append(all, statement{
			sql:  "DELETE FROM techo_records WHERE space = $1 AND key = $2",
			args: []argument{text(space), blob(key)},
		})
	}
	return all
}

func insertCommit(space string, id []byte) statement {
	return statement{
		sql:  "INSERT INTO techo_commits (space, id, happened, at) VALUES ($1, $2, true, now())",
		args: []argument{text(space), blob(id)},
	}
}

// settle finds out whether the transaction with a commit id has happened. It returns
// nil if so, and lost, for another attempt, if not.
func (e *Engine) settle(ctx context.Context, id []byte, lost error) error {
	ctx, stop := context.WithTimeout(ctx, e.limits.settle)
	defer stop()
	for wait := 20 * time.Millisecond; ; wait = min(2*wait, longestWait) {
		happened, err := e.isCommitted(ctx, id)
		switch {
		case err == nil && happened:
			return nil
		case err == nil:
			return lost
		case !pause(ctx, wait):
			_, shown := explain(e.server, err)
			return final(&kv.UnknownOutcomeError{Server: e.server, Err: shown})
		}
		e.pool.forget()
	}
}

// isCommitted inserts a commit id as one that has not happened, unless it is there, and
// returns what is there then. It can be repeated.
func (e *Engine) isCommitted(ctx context.Context, id []byte) (happened bool, err error) {
	c, err := e.pool.get(ctx, e.limits.settle)
	if err != nil {
		return false, err
	}
	defer e.pool.put(c)
	err = e.send(ctx, c, []statement{{
		// The update changes nothing, but its commit waits for the standbys: the row may be
		// visible before they have it, because its connection broke while it waited for them.
		sql: "INSERT INTO techo_commits (space, id, happened, at) VALUES ($1, $2, false, now()) " +
			"ON CONFLICT (space, id) DO UPDATE SET happened = techo_commits.happened RETURNING happened",
		args: []argument{text(e.space), blob(id)},
		use:  func(row [][]byte) error { happened = row[0][0] == 1; return nil },
	}})
	return happened, err
}

// commitLife is how long a commit id is kept. No attempt to settle lasts as long.
const commitLife = 24 * time.Hour

func forgetCommits(ctx context.Context, c *pgconn.PgConn, space string, before time.Time) error {
	return send(ctx, c, []statement{{
		sql:  "DELETE FROM techo_commits WHERE space = $1 AND id < $2",
		args: []argument{text(space), blob(binary.BigEndian.AppendUint64(nil, uint64(before.UnixMilli())))},
	}})
}

// marked is the number of the latest commits in a mark. More than one, because the clocks
// of two machines differ a little: an id may not be the greatest one when it is written.
const marked = 32

// Mark returns a value that differs from earlier ones after any machine has written to
// the store.
func (e *Engine) Mark(ctx context.Context) (string, error) {
	c, err := e.pool.get(ctx, e.limits.wait)
	if err != nil {
		return "", err
	}
	defer e.pool.put(c)
	mark := sha256.New()
	err = e.send(ctx, c, []statement{{
		sql:  fmt.Sprintf("SELECT id FROM techo_commits WHERE space = $1 ORDER BY id DESC LIMIT %d", marked),
		args: []argument{text(e.space)},
		use:  func(row [][]byte) error { mark.Write(row[0]); return nil },
	}})
	return string(mark.Sum(nil)), err
}
