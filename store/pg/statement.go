package pg

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/jackc/pgx/v5/pgconn"

	"techo/store/kv"
)

// Types of parameters, by PostgreSQL's numbers.
const (
	typeBytes  = 17   // bytea
	typeNumber = 20   // int8
	typeText   = 25   // text
	typeMany   = 1001 // bytea[]
)

type statement struct {
	sql  string
	args []argument
	use  func(row [][]byte) error // called for each row; values are valid during the call
}

// argument is a parameter in binary form.
type argument struct {
	kind  uint32
	value []byte
}

func text(s string) argument     { return argument{typeText, []byte(s)} }
func blob(b []byte) argument     { return argument{typeBytes, slices.Clip(append([]byte{}, b...))} }
func number(n uint64) argument   { return argument{typeNumber, binary.BigEndian.AppendUint64(nil, n)} }
func many(all [][]byte) argument { return argument{typeMany, appendArray(nil, all)} }

// appendArray appends an array of bytea in binary form.
func appendArray(b []byte, all [][]byte) []byte {
	dimensions := uint32(1)
	if len(all) == 0 {
		dimensions = 0
	}
	for _, n := range []uint32{dimensions, 0, typeBytes} { // 0: it has no NULL
		b = binary.BigEndian.AppendUint32(b, n)
	}
	if dimensions == 0 {
		return b
	}
	b = binary.BigEndian.AppendUint32(b, uint32(len(all)))
	b = binary.BigEndian.AppendUint32(b, 1) // the index of the first one
	for _, one := range all {
		b = append(binary.BigEndian.AppendUint32(b, uint32(len(one))), one...)
	}
	return b
}

// errSilent is returned for a round trip without an answer.
var errSilent = errors.New("the database does not answer")

// send runs statements in one round trip. It ends a little after the longest statement would: a connection
// that died without a sign costs the call that finds out its time, and is lost then as any other.
func (e *Engine) send(ctx context.Context, c *pgconn.PgConn, all []statement) error {
	limited, stop := context.WithTimeout(ctx, e.limits.statement+e.limits.answer)
	defer stop()
	err := send(limited, c, all)
	if err != nil && limited.Err() != nil && ctx.Err() == nil {
		return errSilent
	}
	return err
}

// send runs statements in one round trip, however long it takes.
func send(ctx context.Context, c *pgconn.PgConn, all []statement) (err error) {
	binaryForm := []int16{1}
	batch := &pgconn.Batch{}
	for _, s := range all {
		values, kinds := make([][]byte, len(s.args)), make([]uint32, len(s.args))
		for i, a := range s.args {
			values[i], kinds[i] = a.value, a.kind
		}
		batch.ExecParams(s.sql, values, kinds, binaryForm, binaryForm)
	}
	results := c.ExecBatch(ctx, batch)
	defer func() { err = errors.Join(err, results.Close()) }()
	for i := 0; results.NextResult(); i++ {
		rows := results.ResultReader()
		for rows.NextRow() {
			if all[i].use == nil || err != nil {
				continue
			}
			err = all[i].use(rows.Values())
		}
		if _, e := rows.Close(); e != nil {
			return errors.Join(err, e)
		}
	}
	return err
}

// limit returns the statement that sets a time limit for the transaction.
func limit(setting string, to time.Duration) statement {
	return statement{sql: fmt.Sprintf("SET LOCAL %s = %d", setting, to.Milliseconds())}
}

// lookAgain is how long the clock and the format that were read count.
const lookAgain = time.Minute

// fresh reports whether what was read counts.
func fresh(e *Engine) bool {
	last := e.looked.Load()
	return last != nil && time.Since(*last) <= lookAgain
}

// look returns the statement that reads the clock of the database, the format of the store and
// whether it is finished.
func look(e *Engine) statement {
	asked := e.now()
	return statement{
		sql: "SELECT (extract(epoch FROM clock_timestamp()) * 1000)::int8, " +
			"(SELECT format FROM techo_stores WHERE space = $1), " +
			"EXISTS (SELECT 1 FROM techo_records WHERE space = $1 AND key = $2)",
		args: []argument{text(e.space), blob(e.refuse)},
		use: func(row [][]byte) error {
			seen := e.now()
			now := time.UnixMilli(int64(binary.BigEndian.Uint64(row[0])))
			e.offset.Store(int64(now.Sub(asked.Add(seen.Sub(asked) / 2))))
			if err := checkFormat(e, row[1]); err != nil {
				return err
			}
			if row[2][0] == 1 {
				return &kv.UnfinishedError{Server: e.server}
			}
			looked := time.Now()
			e.looked.Store(&looked)
			return nil
		},
	}
}

// checkFormat compares the format of a store, nil if there is none, with the present one.
func checkFormat(e *Engine, stored []byte) error {
	if stored == nil {
		return &kv.NotMigratedError{Server: e.server, Needed: format}
	}
	if found := int(binary.BigEndian.Uint64(stored)); found > format {
		return &kv.VersionError{Path: e.server, Found: found, Known: format}
	}
	return nil
}
