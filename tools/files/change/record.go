package change

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"time"

	"techo/internal/atomicfile"
	"techo/internal/regular"
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

// pending is a temporary file that becomes the file of a name.
type pending struct {
	*atomicfile.File
	mode fs.FileMode // mode to restore after each write, or 0
}

// newPending creates a temporary file beside its final name, with the mode and
// owner of old. Without old, it gets the defaults of a new file.
func newPending(dir *os.Root, name string, old fs.FileInfo) (*pending, error) {
	removeStale(dir, name)
	o := atomicfile.Options{Mode: 0o666}
	if old != nil {
		o.Mode = temporaryMode(old)
	}
	f, err := atomicfile.Create(dir, name, o)
	if err != nil {
		return nil, err
	}
	_, _ = paths.TryLock(f.File) // marks the file as in use for removeStale; without locks, its age has to suffice
	p := &pending{File: f}
	if old == nil {
		return p, nil
	}
	if err := p.belong(old); err != nil {
		p.Discard()
		return nil, err
	}
	return p, nil
}

// Write appends to the file and restores set-uid, which the system clears on a
// write without root rights.
func (p *pending) Write(b []byte) (int, error) {
	n, err := p.File.Write(b)
	if err == nil && p.mode != 0 {
		err = p.Chmod(p.mode)
	}
	return n, err
}

// replace makes the file durable and renames it to its name, replacing an existing
// file.
func (p *pending) replace() error {
	if err := p.Sync(); err != nil {
		return err
	}
	return p.Replace()
}

// staleAge is the age at which a temporary file without a lock is abandoned: no
// writer takes that long, and a suspended one holds its lock.
const staleAge = 10 * time.Minute

// removeStale removes the temporary files that killed writers of a file left.
func removeStale(dir *os.Root, name string) {
	atomicfile.SweepFunc(dir, atomicfile.TempPrefix(name), staleAge, func(temp string) bool {
		f, err := dir.OpenFile(temp, os.O_RDONLY|regular.NoWait, 0)
		if err != nil {
			return false
		}
		defer f.Close()
		free, _ := paths.TryLock(f)
		return free
	})
}
