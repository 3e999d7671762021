package files

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"

	"techo/internal/atomicfile"
	"techo/tools"
)

// change is a planned change of one file.
type change struct {
	*file
	before []byte // the current content; nil if the file is missing
	after  []byte
	undo   []step // turns after into before
	digest string // the hash of after, computed on first use
	remove bool   // remove the file

	mode newMode
	like *file // a new file gets the owner, mode and attributes of this one, unless nil

	staged *pending   // nil if the file must be removed or written in place
	reason tools.Text // why it is written in place, or ""

	leftover *keptCopy // the copy that after comes from, or nil
	done     bool
}

// Reasons for writing a file in place, which is not atomic.
var (
	noteLinked = tools.Text("%s has several hard links, so it was written in place instead of replaced")
	noteOwner  = tools.Text("a new file cannot get the owner or attributes of %s, so it was written in place " +
		"instead of replaced")
	noteFolder = tools.Text("the folder of %s is read-only, so the file was written in place instead of replaced")
)

// hash returns the hash of the new content.
func (c *change) hash() string {
	if c.digest == "" {
		c.digest = hashOf(c.after)
	}
	return c.digest
}

// stage writes the new content to a temporary file beside the target, so that only
// a rename is left to do. If sync is set, the temporary file is durable
// afterwards. A file that cannot be replaced gets a reason instead.
func (c *change) stage(env *tools.Env, sync bool) error {
	if c.remove {
		return nil
	}
	if c.file.file != nil && linkCount(c.info) > 1 {
		if c.root != nil { // another name may be outside of the roots
			return env.Fail(tools.Forbidden,
				"%s has several hard links, which may be outside of the allowed folders", c.shown).
				WithHint(env.Hint("Copy it and rename the copy, which has no other links"))
		}
		c.reason = noteLinked
		return nil
	}
	switch {
	case c.file.file == nil:
		return stageNew(env, c)
	case bytes.Equal(c.before, c.after): // only the mode changes
		return nil
	}
	old := c.info
	p, err := newPending(c.dir, c.name, old)
	if err == nil {
		if err = copyAttributes(p.File.File, c.file.file); err != nil && !isFull(err) {
			p.Discard()
			c.reason = noteOwner
			return nil
		}
	}
	switch {
	case err != nil && (errors.Is(err, syscall.EACCES) || errors.Is(err, syscall.EROFS)):
		c.reason = noteFolder
		return nil
	case err != nil && errors.Is(err, syscall.EPERM):
		c.reason = noteOwner
		return nil
	case err != nil:
		return pathError(env, c.shown, err)
	}
	return writeStaged(env, c, p, sync) // without sync, replace syncs
}

// stageNew is stage for a file that is missing.
func stageNew(env *tools.Env, c *change) error {
	var old fs.FileInfo
	if c.like != nil {
		old = c.like.info
	}
	p, err := newPending(c.dir, c.name, old)
	if err == nil && c.like != nil {
		_ = copyAttributes(p.File.File, c.like.file) // what cannot be kept is not worth failing for
	}
	if errors.Is(err, syscall.EPERM) { // another owner's file: the new one is the caller's
		p, err = newPending(c.dir, c.name, nil)
	}
	if err != nil {
		return pathError(env, c.shown, err)
	}
	return writeStaged(env, c, p, true)
}

// writeStaged writes the new content of a change to a temporary file and makes it the staged one.
func writeStaged(env *tools.Env, c *change, p *pending, sync bool) error {
	_, err := p.Write(c.after)
	c.mode.apply(p.File.File)
	if err == nil && sync {
		err = p.Sync()
	}
	if err != nil {
		p.Discard()
		return pathError(env, c.shown, err)
	}
	c.staged = p
	return nil
}

// errCreatedMeanwhile reports that another process created a file that was
// missing.
var errCreatedMeanwhile = errors.New("file: appeared")

// commit carries out the change. A staged file is replaced atomically.
func (c *change) commit(env *tools.Env) error {
	if c.file.file != nil && !c.unchanged() {
		return changedMeanwhile(env, c.shown)
	}
	var err error
	switch {
	case c.remove:
		err = c.dir.Remove(c.name)
	case c.file.file == nil:
		err = c.create()
	case c.staged == nil:
		err = c.writeInPlace(env)
	default:
		err = c.staged.replace()
	}
	if c.done = err == nil; c.done {
		c.leftover.remove()
	}
	return pathError(env, c.shown, err)
}

// create gives the new file its name. It fails if the name is taken.
func (c *change) create() error {
	err := c.staged.Link()
	switch {
	case errors.Is(err, fs.ErrExist):
		return errCreatedMeanwhile
	case err == nil, isFull(err):
		return err
	}
	// Some file systems have no hard links. Reserve the name with an empty file, then
	// replace that file.
	mark, err := c.dir.OpenFile(c.name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if errors.Is(err, fs.ErrExist) {
		return errCreatedMeanwhile
	}
	if err != nil {
		return err
	}
	mark.Close()
	if err = c.staged.Replace(); err != nil { // it is durable since stage
		_ = c.dir.Remove(c.name)
	}
	return err
}

// writeInPlace overwrites the file. After a failure it restores the old content,
// for which there is room on the disk. A copy of the old content exists meanwhile.
func (c *change) writeInPlace(env *tools.Env) error {
	if bytes.Equal(c.before, c.after) {
		c.mode.apply(c.file.file)
		return nil
	}
	kept, err := keepCopy(env, c.file, c.before)
	if err != nil {
		return err
	}
	write := func(b []byte) error {
		if _, err := c.file.file.WriteAt(b, 0); err != nil {
			return err
		}
		if err := c.file.file.Truncate(int64(len(b))); err != nil {
			return err
		}
		return c.file.file.Sync()
	}
	if err = write(c.after); err != nil {
		if again := write(c.before); again != nil {
			return errors.Join(err, again)
		}
	}
	kept.remove()
	if err == nil {
		c.mode.apply(c.file.file)
	}
	return err
}

// unchanged reports whether the file is the same, in size and time, as when it was
// opened.
func (c *change) unchanged() bool {
	info, err := c.dir.Lstat(c.name)
	return err == nil && c.stillNamed() && info.Size() == c.info.Size() && info.ModTime().Equal(c.info.ModTime())
}

func changedMeanwhile(env *tools.Env, path string) error {
	e := env.Fail(tools.Conflict, "Another process changed %s in the meantime; nothing was written", path).
		WithHint(env.Hint("Read it again, then repeat the edit"))
	e.Retryable = true
	return e
}

// revert undoes a change that was committed.
func (c *change) revert(env *tools.Env) error {
	switch {
	case !c.done:
		return nil
	case c.file.file == nil:
		return c.dir.Remove(c.name)
	case c.remove:
		back := &change{file: &file{place: c.place, dir: c.dir, name: c.name}, after: c.before,
			mode: newMode{perm: c.info.Mode().Perm()}}
		return apply(env, []*change{back})
	}
	back := &change{file: c.file, before: c.after, after: c.before}
	if c.mode.isSet() {
		back.mode.perm = c.info.Mode().Perm()
	}
	if c.staged == nil { // the file is still locked
		return back.writeInPlace(env)
	}
	var err error
	if back.file, err = c.place.openFile(context.Background(), env, true); err != nil {
		return err
	}
	defer back.file.close()
	return apply(env, []*change{back})
}

// discard closes the temporary file, and removes it if it was not used.
func (c *change) discard() {
	if c.staged != nil {
		c.staged.Discard()
	}
}

// errPartial reports that some files were changed although the call failed.
var errPartial = errors.New("change: not taken back")

// apply carries out all changes or, if one fails, none. The files must be locked.
// The error includes errPartial if changes could not be reverted, or if they may
// not be durable.
func apply(env *tools.Env, all []*change) (err error) {
	defer func() {
		for _, c := range all {
			c.discard()
		}
	}()
	for _, c := range all {
		if err := c.stage(env, len(all) > 1); err != nil {
			return err
		}
	}
	for _, c := range riskyFirst(all) {
		if err = c.commit(env); err != nil {
			break
		}
	}
	if err != nil {
		return revertAll(env, all, err)
	}
	return syncAll(env, all)
}

// revertAll reverts the committed changes after an error. It returns that error.
func revertAll(env *tools.Env, all []*change, err error) error {
	var stuck []tools.Detail
	for _, c := range all {
		if e := c.revert(env); e != nil {
			stuck = append(stuck, tools.Detail{Message: c.shown + ": " + env.Cause(e)})
		}
	}
	if len(stuck) == 0 {
		return err
	}
	e := env.Fail(tools.Internal, "The change failed halfway, and %s could not be restored: %v",
		env.Count(len(stuck), "%d file", "%d files"), err).
		WithHint(env.Hint("Try techo fs undo"))
	e.Details = stuck
	return errors.Join(e, errPartial)
}

// riskyFirst moves changes that can fail halfway to the front: writes in place.
func riskyFirst(all []*change) (ordered []*change) {
	for _, late := range []bool{false, true} {
		for _, c := range all {
			if (c.staged != nil || c.remove) == late {
				ordered = append(ordered, c)
			}
		}
	}
	return ordered
}

// syncAll makes the new names durable. It syncs each folder once.
func syncAll(env *tools.Env, all []*change) error {
	seen := map[string]bool{}
	for _, c := range all {
		if folder := filepath.Dir(c.full()); !seen[folder] {
			seen[folder] = true
			if err := atomicfile.SyncFolder(c.dir); err != nil {
				return errors.Join(pathError(env, c.shown, err), errPartial)
			}
		}
	}
	return nil
}

// replace plans a new content of the file.
func (c *change) replace(after []byte) {
	c.after, c.undo = after, []step{replaceMiddle(after, c.before)}
}

// delete plans to remove the file.
func (c *change) delete() {
	c.replace(nil)
	c.remove = true
}
