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
	"techo/tools"
)

// # How a change is taken back
//
// Before files are changed, the store keeps for each what makes the old content
// of the new one: not the content, but the parts that differ. A change that was
// killed half way is therefore known, and can be taken back like any other.
//
// A way back is one byte, 0 or 1 for compressed (DEFLATE), then unsigned
// varints: the number of steps; of each the number of splices; of each splice
// its offset, the length of what it takes out, and of what it puts in, then that.

// keeping is what came of the attempt to keep a change.
type keeping struct {
	kept  bool
	notes []string
	st    *store.Store
	id    uint64
}

// keepEdit keeps how to take changes back. Where that is not possible they are
// made all the same, with a note.
func keepEdit(ctx context.Context, env *tools.Env, tool string, all []*change) (k keeping) {
	e := store.FileEdit{Dir: workingFolder(env), Tool: tool}
	for _, c := range all {
		f := store.EditedFile{Path: c.full(), After: c.hash(), Way: packSteps(c.back)}
		if c.file.file != nil {
			f.Before = hashOf(c.before)
		}
		e.Files = append(e.Files, f)
	}
	st, err := openStore(ctx, env)
	if err == nil {
		e, err = st.AddFileEdit(ctx, e)
	}
	if err == nil {
		return keeping{true, nil, st, e.ID}
	}
	if errors.As(err, new(*store.LimitError)) { // so that it is not an older change that is taken back
		e.Lost = true
		for i := range e.Files {
			e.Files[i].Way = nil
		}
		if e, again := st.AddFileEdit(ctx, e); again == nil {
			k.st, k.id = st, e.ID
		}
	}
	reason := tools.Say{EN: "fs undo cannot take this back: %v", JA: "fs undo では取り消せません: %v"}
	k.notes = []string{env.Say(reason, new(tools.Tool).Fault(env, err).Message)}
	return k
}

// workingFolder is the working folder by its one name.
func workingFolder(env *tools.Env) string {
	if real, err := filepath.EvalSymlinks(env.Dir); err == nil {
		return real
	}
	return env.Dir
}

// openStore opens the store to be written.
func openStore(ctx context.Context, env *tools.Env) (*store.Store, error) {
	if env.Open == nil {
		return nil, errors.New("no store")
	}
	return env.Store(ctx, tools.Changes)
}

// forget drops what was kept of a change that failed, unless some of it was
// made. What stays behind does no harm: to take it back changes nothing.
func (k keeping) forget(ctx context.Context, err error) {
	if k.st != nil && !errors.Is(err, errHalf) {
		_ = k.st.RemoveFileEdit(context.WithoutCancel(ctx), k.id)
	}
}

func packSteps(steps []step) []byte {
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
	w.Write(b[1:]) // to memory
	w.Close()
	if packed.Len() < len(b) {
		return packed.Bytes()
	}
	return b
}

var errWay = errors.New("way back: cut off")

// unpackSteps reads what packSteps wrote.
func unpackSteps(b []byte) (steps []step, err error) {
	if len(b) == 0 {
		return nil, errWay
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
			err = errWay
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
				err = errWay
			}
			s = append(s, p)
		}
		steps = append(steps, s)
	}
	return steps, err
}

// fits reports whether a step can be done on so many bytes.
func (s step) fits(size int) bool {
	at := 0
	for _, p := range s {
		if p.Offset < at || p.Length > size-p.Offset {
			return false
		}
		at = p.Offset + p.Length
	}
	return at <= size
}

// wholeStep makes one content of another by exchanging what lies between what
// they have in common at both ends.
func wholeStep(from, to []byte) step {
	head := commonHead(from, to)
	tail := commonTail(from[head:], to[head:])
	return step{{head, len(from) - head - tail, to[head : len(to)-tail]}}
}
