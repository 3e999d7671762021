package kv

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"

	"github.com/dgraph-io/badger/v4/pb"
	"github.com/dgraph-io/badger/v4/table"
	"github.com/dgraph-io/badger/v4/y"
	"google.golang.org/protobuf/proto"
)

// # Rescue
//
// A rescue reads what can be read of a damaged store into a new one. What a
// bad block held is lost, and an older version of it may come to light again;
// what stands in other blocks, tables and transactions is not touched by it.
// The order in which tables were made is that of their ids, since a merge takes
// in the newest runs only: so also without the list newer entries win.

// Finding is one damage.
type Finding struct {
	Path   string
	Reason string
}

// rescue is one reading of a damaged store.
type rescue struct {
	dir      string
	put      func(op byte, key, value []byte) error
	findings []Finding
}

func (r *rescue) found(path, format string, args ...any) {
	r.findings = append(r.findings, Finding{path, fmt.Sprintf(format, args...)})
}

// Rescued tells what a rescue came to.
type Rescued struct {
	Findings []Finding
	Aside    string // where the damaged store is kept, "" when it was left in its place
}

// Rescue reads what can be read of the store in dir into a new one beside it,
// and hands that one's folder to mend. With replace the new store then takes
// the place of the damaged one, which is kept; without it is removed, and
// nothing has changed.
func Rescue(ctx context.Context, dir string, replace bool, holder string, mend func(fresh string) error) (r Rescued, err error) {
	dir = resolved(dir)
	h, err := lockFolder(ctx, dir, replace, holder, nil)
	if err != nil {
		return r, err
	}
	defer h.release()
	fresh := freshBeside(dir)
	kept := false
	defer func() {
		if !kept {
			removeStore(fresh)
		}
	}()
	if r.Findings, err = rescueInto(ctx, dir, fresh); err != nil {
		return r, noSpace(err)
	}
	if err := mend(fresh); err != nil || !replace {
		return r, noSpace(err)
	}
	if err := keepIgnore(dir, fresh); err != nil {
		return r, err
	}
	kept = true // or removed, as it turns out
	r.Aside, err = putAside(dir, fresh, "damaged")
	return r, noSpace(err)
}

// rescueInto fills a new store, the oldest records first, so that newer ones
// replace them.
func rescueInto(ctx context.Context, dir, fresh string) (findings []Finding, err error) {
	l, err := Open(fresh, Options{Write: true})
	if err != nil {
		return nil, err
	}
	defer func() {
		if e := l.Close(); err == nil {
			err = e
		}
	}()
	var payload []byte
	flush := func() error {
		err := l.Update(ctx, func(tx Tx) (err error) {
			operations(payload, func(op byte, key, value []byte) {
				if err == nil {
					err = tx.(*localTx).set(op, key, value)
				}
			})
			return err
		})
		payload = payload[:0]
		return err
	}
	r := &rescue{dir: dir, put: func(op byte, key, value []byte) error {
		if op == opDelete {
			payload = appendDelete(payload, key)
		} else {
			payload = appendPut(payload, key, value)
		}
		if len(payload) < 4<<20 {
			return nil
		}
		return flush()
	}}
	generation, frames, err := r.journal()
	if err == nil {
		err = r.tables(generation)
	}
	if err != nil {
		return nil, err
	}
	for _, f := range frames {
		operations(f, func(op byte, key, value []byte) {
			if err == nil {
				err = r.put(op, key, value)
			}
		})
	}
	if err == nil {
		err = flush()
	}
	return r.findings, err
}

// journal finds the generation, and the payloads of the journal in their order.
func (r *rescue) journal() (generation uint64, frames [][]byte, err error) {
	path := filepath.Join(r.dir, journalName)
	data, err := r.read(path)
	var corrupt *CorruptError
	if errors.Is(err, os.ErrNotExist) || errors.As(err, &corrupt) {
		r.found(path, "%s", reasonOf(err, "missing"))
		return r.newestList(), nil, nil
	}
	if err != nil {
		return 0, nil, err
	}
	short := len(data) < framesAt
	if short {
		r.found(path, "cut off at %d bytes", len(data))
		data = append(data, make([]byte, framesAt-len(data))...)
	}
	j := &journal{path: path}
	generation, err = j.readHead(data)
	if errors.As(err, new(*VersionError)) {
		return 0, nil, err
	}
	all := framesIn(data)
	of := generation // whose frames count
	if err != nil {
		if !short {
			r.found(path, "%s", reasonOf(err, ""))
		}
		// Which generation it was nobody says any more. The newest frames are
		// the newest there are, whatever tables lie below: those of the next
		// generation, of a merge that was not finished, hold the same.
		generation, of = r.newestList(), 0
		for _, f := range all {
			of = max(of, f.generation)
		}
		generation = max(generation, of)
	}
	j.generation = of
	return generation, r.inOrder(j, all, data), nil
}

// inOrder returns the payloads of a generation, and misses those that are not there.
func (r *rescue) inOrder(j *journal, all []foundFrame, data []byte) (frames [][]byte) {
	next := uint64(0)
	for _, f := range all {
		if f.generation != j.generation || f.number < next {
			continue
		}
		if f.number > next {
			r.found(j.path, "%d transactions before number %d are damaged", f.number-next, f.number+1)
		}
		frames, next = append(frames, f.payload), f.number+1
	}
	if marked := j.readMark(data); marked > next {
		r.found(j.path, "the last %d transactions are damaged", marked-next)
	}
	return frames
}

// reasonOf is what is wrong with a file, otherwise unless err says more.
func reasonOf(err error, otherwise string) string {
	if corrupt := new(CorruptError); errors.As(err, &corrupt) {
		return corrupt.Reason
	}
	return otherwise
}

// read reads a whole file. What cannot be read of it is zeros, and a finding.
func (r *rescue) read(path string) ([]byte, error) {
	f, err := openRegular(path, os.O_RDONLY)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	st, err := f.Stat()
	if err != nil {
		return nil, err
	}
	const piece = 4 << 10
	data := make([]byte, st.Size())
	if _, err := f.ReadAt(data, 0); err == nil || errors.Is(err, io.EOF) {
		return data, nil
	}
	clear(data)
	bad := 0
	for at := 0; at < len(data); at += piece {
		part := data[at:min(at+piece, len(data))]
		if _, err := f.ReadAt(part, int64(at)); err != nil && !errors.Is(err, io.EOF) {
			clear(part)
			bad++
		}
	}
	r.found(path, "%d pieces of 4 KiB cannot be read", bad)
	return data, nil
}

type foundFrame struct {
	generation, number uint64
	payload            []byte
}

// framesIn returns the whole frames of a journal, also those behind bad ones.
func framesIn(data []byte) (frames []foundFrame) {
	for at := framesAt; at+frameHead <= len(data); {
		g, n := binary.BigEndian.Uint64(data[at+8:]), binary.BigEndian.Uint64(data[at+16:])
		// Numbers so large are garbage, and not worth a checksum.
		if g < 1<<40 && n < 1<<40 {
			if payload, ok := frame(data[at:], g, n); ok && operations(payload, func(byte, []byte, []byte) {}) {
				frames = append(frames, foundFrame{g, n, payload})
				at += frameHead + len(payload)
				continue
			}
		}
		at++
	}
	return frames
}

// newestList is the last generation that has a sound list, 0 when none has.
func (r *rescue) newestList() uint64 {
	newest := uint64(0)
	names, _ := os.ReadDir(filepath.Join(r.dir, tablesName))
	for _, n := range names {
		if text, ok := strings.CutPrefix(n.Name(), listName); ok {
			g, err := strconv.ParseUint(text, 10, 63)
			if err != nil || g <= newest {
				continue
			}
			if runs, err := readList(r.dir, g); err == nil && r.there(runs) {
				newest = g
			}
		}
	}
	return newest
}

// there reports whether all tables of a list are there.
func (r *rescue) there(runs [][]tableInfo) bool {
	for _, i := range slices.Concat(runs...) {
		if _, err := os.Stat(filepath.Join(r.dir, tablesName, i.name())); err != nil {
			return false
		}
	}
	return true
}

// tables reads all tables of a generation, the oldest first.
func (r *rescue) tables(generation uint64) error {
	if generation == 1 {
		return nil
	}
	runs, err := readList(r.dir, generation)
	var infos []tableInfo
	if errors.As(err, new(*CorruptError)) {
		reason := reasonOf(err, "")
		if infos, err = r.lostTables(); len(infos) > 0 || generation > 0 {
			r.found(listPath(r.dir, generation), "%s; deleted records may be back", reason)
		}
	}
	if err != nil {
		return err
	}
	for _, run := range runs {
		infos = append(infos, run...)
	}
	slices.SortFunc(infos, func(a, b tableInfo) int { return int(a.id) - int(b.id) })
	for _, i := range infos {
		path := filepath.Join(r.dir, tablesName, i.name())
		o, err := openTable(path, i)
		if corrupt := new(CorruptError); errors.As(err, &corrupt) {
			r.found(path, "%s: its records are lost", corrupt.Reason)
			continue
		}
		if err != nil {
			return err
		}
		err = r.table(path, o)
		_ = o.Close(-1)
		if err != nil {
			return err
		}
	}
	return nil
}

// lostTables describes the tables that there are, when nothing lists them.
func (r *rescue) lostTables() (infos []tableInfo, err error) {
	names, err := os.ReadDir(filepath.Join(r.dir, tablesName))
	if err != nil {
		return nil, nil // nothing is there
	}
	for _, n := range names {
		id, ok := table.ParseFileID(n.Name())
		if !ok || !n.Type().IsRegular() {
			continue
		}
		path := filepath.Join(r.dir, tablesName, n.Name())
		data, err := r.read(path)
		if err != nil {
			return nil, err
		}
		tail, err := tailOf(data)
		if err == nil {
			err = soundIndex(data[tail:])
		}
		if err != nil {
			r.found(path, "%v: its records are lost", err)
			continue
		}
		infos = append(infos, tableInfo{id: id, size: int64(len(data)), tail: tail, sum: sum(data[tail:])})
	}
	return infos, nil
}

// soundIndex checks the end of a table, from where its index begins, against
// the checksum in it. Badger would end the process over a bad one.
func soundIndex(tail []byte) error {
	end := len(tail) - 4
	at := end - int(binary.BigEndian.Uint32(tail[end:]))
	var c pb.Checksum
	if err := proto.Unmarshal(tail[at:end], &c); err != nil {
		return err
	}
	return y.VerifyChecksum(tail[:at-4], &c)
}

// table reads the blocks of a table that can be read.
func (r *rescue) table(path string, o *table.Table) error {
	starts := o.KeySplits(math.MaxInt, nil) // the first key of every block
	for n, start := range starts {
		var end []byte
		if n+1 < len(starts) {
			end = []byte(starts[n+1])
		}
		bad, err := r.block(path, o, []byte(start), end)
		if err != nil {
			return err
		}
		if bad {
			until := "the end"
			if end != nil {
				until = fmt.Sprintf("%q", y.ParseKey(end))
			}
			r.found(path, "a block is damaged: records from %q to %s are lost", y.ParseKey([]byte(start)), until)
		}
	}
	return nil
}

// block reads the entries from start up to end, nil for the last.
func (r *rescue) block(path string, o *table.Table, start, end []byte) (bad bool, err error) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() {
		if recover() != nil {
			bad = true
		}
	}()
	it := o.NewIterator(0)
	defer it.Close()
	it.Seek(start)
	seen := 0
	for ; it.Valid() && (end == nil || y.CompareKeys(it.Key(), end) < 0); it.Next() {
		seen++
		key, v := y.ParseKey(it.Key()), it.Value()
		if v.Meta&bitDelete != 0 {
			if err := r.put(opDelete, key, nil); err != nil {
				return false, err
			}
			continue
		}
		value, ok := unsealValue(key, v.Value)
		if !ok {
			r.found(path, "record %q is damaged", key)
			continue
		}
		if err := r.put(opPut, bytes.Clone(key), bytes.Clone(value)); err != nil {
			return false, err
		}
	}
	return seen == 0, nil // a block is read whole or not at all
}
