package files

import (
	"bytes"
	"compress/flate"
	"context"
	"encoding/binary"
	"errors"
	"io"
	"path/filepath"

	"techo/store"
	editstore "techo/store/edit"
	"techo/store/ledger"
	"techo/tools"
)

// # Undo records
//
// Before a change, the store records how to turn the new content back into the old
// one: the parts that differ, not the whole content. The record exists before the
// change, so a change that was killed halfway can be undone like any other.
//
// The record of a file is one byte, 0 for plain or 1 for compressed (DEFLATE), and
// then unsigned varints: the number of steps; for each step the number of splices;
// for each splice its offset, the length that it removes and the length that it
// inserts, followed by the inserted bytes.

// recordedEdit is the result of recordEdit.
type recordedEdit struct {
	ok     bool
	notes  []string
	suffix string // an addition to the message if the store needs the user's consent
	st     *store.Store
	edit   editstore.Edit
}

// recordEdit stores how to undo changes. If that fails, the changes go ahead with
// a note.
func recordEdit(ctx context.Context, env *tools.Env, tool string, all []*change) (k recordedEdit) {
	return recordFileEdit(ctx, env, editstore.Edit{Dir: workingFolder(env), Tool: tool}, all)
}

// recordFileEdit is recordEdit for an edit with its own folder and tool.
func recordFileEdit(ctx context.Context, env *tools.Env, e editstore.Edit, all []*change) (k recordedEdit) {
	for _, c := range all {
		f := editstore.File{Path: showPath(c.full()), Way: encodeSteps(c.undo)}
		if !c.remove {
			f.After = c.hash()
		}
		if c.file.file != nil {
			f.Before = hashOf(c.before)
		}
		if c.file.file != nil && (c.remove || c.mode.isSet()) {
			f.Mode = uint32(c.info.Mode().Perm())
		}
		e.Files = append(e.Files, f)
	}
	st, err := openStore(ctx, env)
	if err == nil {
		e, err = st.AddFileEdit(ctx, e)
	}
	if err == nil {
		return recordedEdit{ok: true, st: st, edit: e}
	}
	if errors.As(err, new(*ledger.LimitError)) { // otherwise undo would restore an older change
		e.Lost = true
		for i := range e.Files {
			e.Files[i].Way = nil
		}
		if e, again := st.AddFileEdit(ctx, e); again == nil {
			k.st, k.edit = st, e
		}
	}
	reason := tools.Text("fs undo cannot undo this: %v")
	fault := tools.AsError(env, err)
	k.notes = []string{env.Localize(reason, fault.Message)}
	if fault.Code == tools.Forbidden {
		k.suffix = env.Localize(" (without undo: %s)", fault.Message)
	}
	return k
}

// workingFolder returns the working folder without links.
func workingFolder(env *tools.Env) string {
	if real, err := filepath.EvalSymlinks(env.Dir); err == nil {
		return real
	}
	return env.Dir
}

// openStore opens the store for writing.
func openStore(ctx context.Context, env *tools.Env) (*store.Store, error) {
	if env.Open == nil {
		return nil, errors.New("no store")
	}
	return env.Store(ctx, tools.Changes)
}

// forget removes the record of a failed change unless part of the change was made.
// A record that stays is harmless: undoing it changes nothing.
func (k recordedEdit) forget(ctx context.Context, err error) {
	if k.st != nil && !errors.Is(err, errPartial) {
		_ = editstore.Forget(context.WithoutCancel(ctx), k.st.Ledger, k.edit)
	}
}

func encodeSteps(steps []step) []byte {
	b := binary.AppendUvarint([]byte{0}, uint64(len(steps)))
	for _, s := range steps {
		b = binary.AppendUvarint(b, uint64(len(s)))
		for _, p := range s {
			b = binary.AppendUvarint(b, uint64(p.Offset))
			b = binary.AppendUvarint(b, uint64(p.Length))
			b = append(binary.AppendUvarint(b, uint64(len(p.With))), p.With...)
		}
	}
	if len(b) < 512 {
		return b
	}
	packed := bytes.NewBuffer([]byte{1})
	w, err := flate.NewWriter(packed, flate.BestSpeed)
	if err != nil {
		return b
	}
	w.Write(b[1:]) // writes to memory cannot fail
	w.Close()
	if packed.Len() < len(b) {
		return packed.Bytes()
	}
	return b
}

var errUndoData = errors.New("way back: cut off")

// decodeSteps decodes the result of encodeSteps.
func decodeSteps(b []byte) (steps []step, err error) {
	if len(b) == 0 {
		return nil, errUndoData
	}
	packed, b := b[0] == 1, b[1:]
	if packed {
		if b, err = io.ReadAll(flate.NewReader(bytes.NewReader(b))); err != nil {
			return nil, err
		}
	}
	number := func() int {
		v, n := binary.Uvarint(b)
		if n <= 0 || v > maxFile*2 {
			err = errUndoData
			return 0
		}
		b = b[n:]
		return int(v)
	}
	for i := number(); i > 0 && err == nil; i-- {
		var s step
		for k := number(); k > 0 && err == nil; k-- {
			p := splice{Offset: number(), Length: number()}
			if n := number(); n <= len(b) {
				p.With, b = b[:n], b[n:]
			} else {
				err = errUndoData
			}
			s = append(s, p)
		}
		steps = append(steps, s)
	}
	return steps, err
}

// validFor reports whether a step applies to a content of size bytes.
func (s step) validFor(size int) bool {
	at := 0
	for _, p := range s {
		if p.Offset < at || p.Length > size-p.Offset {
			return false
		}
		at = p.Offset + p.Length
	}
	return at <= size
}

// replaceMiddle returns the step from one content to another. It replaces the part
// between their common prefix and suffix.
func replaceMiddle(from, to []byte) step {
	head := commonHead(from, to)
	tail := commonTail(from[head:], to[head:])
	return step{{head, len(from) - head - tail, to[head : len(to)-tail]}}
}
