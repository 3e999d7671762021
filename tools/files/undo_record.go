package files

import (
	"context"
	"errors"

	"techo/store"
	"techo/tools"
)

// # Undo records
//
// Before a change, the store records how to turn the new content back into the old
// one: the parts that differ, not the whole content. The record exists before the
// change, so a change that was killed halfway can be undone like any other.

// recordedEdit is the result of recordEdit.
type recordedEdit struct {
	ok     bool
	notes  []string
	suffix string // an addition to the message if the store needs the user's consent
	st     *store.Store
	edit   store.FileEdit
}

// recordEdit stores how to undo the changes of an edit. If that fails, the changes go ahead with a
// note.
func recordEdit(ctx context.Context, env *tools.Env, e store.FileEdit, all []*change) recordedEdit {
	for _, c := range all {
		f := store.EditedFile{Path: showPath(c.full()), Way: encodeSteps(c.undo)}
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
	return addRecord(ctx, env, e)
}

// addRecord stores an edit that has its files. Unless it names a folder, it is one of the working
// folder.
func addRecord(ctx context.Context, env *tools.Env, e store.FileEdit) (k recordedEdit) {
	if e.Dir == "" {
		e.Dir = workingFolder(env)
	}
	st, err := openStore(ctx, env)
	if err == nil {
		e, err = st.AddFileEdit(ctx, e)
	}
	if err == nil {
		return recordedEdit{ok: true, st: st, edit: e}
	}
	if errors.As(err, new(*store.LimitError)) { // otherwise undo would restore an older change
		e.Lost = true
		for i := range e.Files {
			e.Files[i].Way = nil
		}
		if e, again := st.AddFileEdit(ctx, e); again == nil {
			k.st, k.edit = st, e
		}
	}
	fault := tools.AsError(env, err)
	k.notes = []string{env.Localize("fs undo cannot undo this: %v", fault.Message)}
	if fault.Code == tools.Forbidden {
		k.suffix = env.Localize(" (without undo: %s)", fault.Message)
	}
	return k
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
		_ = store.HistoryOf(k.st).ForgetEdit(context.WithoutCancel(ctx), k.edit)
	}
}
