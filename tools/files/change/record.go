package change

import (
	"context"
	"errors"

	"techo/store"
	"techo/store/edit"
	"techo/store/ledger"
	"techo/tools"
	"techo/tools/files/document"
	"techo/tools/files/paths"
)

// # Undo records
//
// Before a change, the store records how to turn the new content back into the old
// one: the parts that differ, not the whole content. The record exists before the
// change, so a change that was killed halfway can be undone like any other.

// Record is the result of RecordEdit.
type Record struct {
	OK     bool
	Notes  []string
	Suffix string // an addition to the message if the store needs the user's consent
	Store  *store.Store
	Edit   edit.Edit
}

// RecordEdit stores how to undo the changes of an edit. If that fails, the changes go ahead with a
// note.
func RecordEdit(ctx context.Context, env *tools.Env, e edit.Edit, all []*Change) Record {
	for _, c := range all {
		f := edit.File{Path: paths.Show(c.Full()), Way: document.EncodeSteps(c.Undo)}
		if !c.Remove {
			f.After = c.Hash()
		}
		f.Before = c.Version()
		if c.Opened != nil && (c.Remove || c.IsLink || c.Mode.isSet()) {
			f.Mode = uint32(c.Info.Mode().Perm())
		}
		e.Files = append(e.Files, f)
	}
	return RecordFiles(ctx, env, e)
}

// RecordFiles stores an edit that has its files. Unless it names a folder, it is one of the working
// folder.
func RecordFiles(ctx context.Context, env *tools.Env, e edit.Edit) (k Record) {
	if e.Dir == "" {
		e.Dir = paths.WorkingFolder(env)
	}
	st, err := openStore(ctx, env)
	if err == nil {
		e, err = st.AddFileEdit(ctx, e)
	}
	if err == nil {
		return Record{OK: true, Store: st, Edit: e}
	}
	if errors.As(err, new(*ledger.LimitError)) { // otherwise undo would restore an older change
		e.Lost = true
		for i := range e.Files {
			e.Files[i].Way = nil
		}
		if e, again := st.AddFileEdit(ctx, e); again == nil {
			k.Store, k.Edit = st, e
		}
	}
	fault := tools.AsError(env, err)
	k.Notes = []string{env.Localize("fs undo cannot undo this: %v", fault.Message)}
	if fault.Code == tools.Forbidden {
		k.Suffix = env.Localize(" (without undo: %s)", fault.Message)
	}
	return k
}

func openStore(ctx context.Context, env *tools.Env) (*store.Store, error) {
	if env.Open == nil {
		return nil, errors.New("no store")
	}
	return env.Store(ctx, tools.Changes)
}

// Forget removes the record of a failed change unless part of the change was made.
// A record that stays is harmless: undoing it changes nothing.
func (k Record) Forget(ctx context.Context, err error) {
	if k.Store != nil && !errors.Is(err, ErrPartial) {
		_ = edit.Forget(context.WithoutCancel(ctx), k.Store.Ledger, k.Edit)
	}
}

// Report adds to a result whether its change can be undone, and why not.
func (k Record) Report(undoable *bool, notes *[]string, message *string) {
	*undoable, *notes = k.OK, append(*notes, k.Notes...)
	*message += k.Suffix
}
