// Package change carries out the changes of one call, all or none: it replaces files atomically, keeps
// their owner, mode and attributes, creates missing folders, and records how to undo all of it.
package change

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"techo/internal/atomicfile"
	"techo/tools"
	"techo/tools/files/document"
	"techo/tools/files/paths"
)

// Change is a planned change of one file.
type Change struct {
	*paths.File
	Before []byte // the current content; nil if the file is missing. Of a link, its target
	After  []byte
	Undo   []document.Step // turns After into Before
	digest string          // the hash of After, computed on first use
	Remove bool            // remove the file

	WasLink bool // the name is a symbolic link, and is to be changed itself
	IsLink  bool // it is to be one
	Late    bool // its place is free, or there, only after other changes of the call
	made    []string

	Mode Mode
	Like *paths.File // a new file gets the owner, mode and attributes of this one, unless nil

	staged *pending   // nil if the file must be removed or written in place
	reason tools.Text // why it is written in place, or ""

	leftover *keptCopy // the copy that After comes from, or nil
	done     bool
}

// Reasons for writing a file in place, which is not atomic.
var (
	noteLinked = tools.Text("%s has several hard links, so it was written in place instead of replaced")
	noteOwner  = tools.Text("a new file cannot get the owner or attributes of %s, so it was written in place " +
		"instead of replaced")
	noteFolder = tools.Text("the folder of %s is read-only, so the file was written in place instead of replaced")
)

// Hash returns the hash of the new content.
func (c *Change) Hash() string {
	if c.digest == "" {
		c.digest = version(c.After, c.IsLink)
	}
	return c.digest
}

// linkVersion begins the version of a symbolic link in the record of a change.
const linkVersion = "link "

// version returns the hash of a content, or what stands for it if it is the target of a link.
func version(content []byte, link bool) string {
	if link {
		return linkVersion + paths.Hash(content)
	}
	return paths.Hash(content)
}

// IsLinkVersion reports whether a version in the record of a change is one of a symbolic link.
func IsLinkVersion(version string) bool { return strings.HasPrefix(version, linkVersion) }

// Version returns the version of the file before the change, "" if it is missing.
func (c *Change) Version() string {
	if !c.exists() {
		return ""
	}
	return version(c.Before, c.WasLink)
}

func (c *Change) exists() bool { return c.Opened != nil || c.WasLink }

// stage writes the new content to a temporary file beside the target, so that only
// a rename is left to do. If sync is set, the temporary file is durable
// afterwards. A file that cannot be replaced gets a reason instead.
func (c *Change) stage(env *tools.Env, sync bool) error {
	if c.Remove || c.Late || c.IsLink {
		return nil
	}
	if c.Opened != nil && c.linkCount() > 1 {
		if c.Root != nil { // another name may be outside of the roots
			return env.Fail(tools.Forbidden,
				"%s has several hard links, which may be outside of the allowed folders", c.Shown).
				WithHint(env.Hint("Copy it and rename the copy, which has no other links"))
		}
		c.reason = noteLinked
		return nil
	}
	switch {
	case c.Opened == nil:
		return stageNew(env, c)
	case bytes.Equal(c.Before, c.After): // only the mode changes
		return nil
	}
	old := c.Info
	p, err := newPending(c.Dir, c.Name, old)
	if err == nil {
		if err = copyAttributes(p.File.File, c.Opened); err != nil && !paths.IsFull(err) {
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
		return paths.Error(env, c.Shown, err)
	}
	return writeStaged(env, c, p, sync) // without sync, replace syncs
}

// stageNew is stage for a file that is missing.
func stageNew(env *tools.Env, c *Change) error {
	var old fs.FileInfo
	if c.Like != nil {
		old = c.Like.Info
	}
	p, err := newPending(c.Dir, c.Name, old)
	if err == nil && c.Like != nil {
		_ = copyAttributes(p.File.File, c.Like.Opened) // what cannot be kept is not worth failing for
	}
	if errors.Is(err, syscall.EPERM) { // another owner's file: the new one is the caller's
		p, err = newPending(c.Dir, c.Name, nil)
	}
	if err != nil {
		return paths.Error(env, c.Shown, err)
	}
	return writeStaged(env, c, p, true)
}

// writeStaged writes the new content of a change to a temporary file and makes it the staged one.
func writeStaged(env *tools.Env, c *Change, p *pending, sync bool) error {
	_, err := p.Write(c.After)
	c.Mode.apply(p.File.File)
	if err == nil && sync {
		err = p.Sync()
	}
	if err != nil {
		p.Discard()
		return paths.Error(env, c.Shown, err)
	}
	c.staged = p
	return nil
}

// ErrCreatedMeanwhile reports that another process created a file that was
// missing.
var ErrCreatedMeanwhile = errors.New("file: appeared")

// commit carries out the change. A staged file is replaced atomically.
func (c *Change) commit(env *tools.Env) error {
	if c.exists() && !c.unchanged() {
		return changedMeanwhile(env, c.Shown)
	}
	var err error
	switch {
	case c.Late:
		err = c.arrive(env)
	case c.IsLink:
		err = c.link()
	case c.WasLink && !c.Remove:
		err = c.staged.replace()
	case c.Remove:
		release(c)
		err = c.Dir.Remove(c.Name)
	case c.Opened == nil:
		if err = c.create(); errors.Is(err, ErrCreatedMeanwhile) {
			return errors.Join(changedMeanwhile(env, c.Shown), err)
		}
	case c.staged == nil:
		err = c.writeInPlace(env)
	default:
		release(c)
		err = c.staged.replace()
	}
	if c.done = err == nil; c.done {
		c.leftover.remove()
	}
	return paths.Error(env, c.Shown, err)
}

// create gives the new file its name. It fails if the name is taken.
func (c *Change) create() error {
	err := c.staged.Link()
	switch {
	case errors.Is(err, fs.ErrExist):
		return ErrCreatedMeanwhile
	case err == nil, paths.IsFull(err):
		return err
	}
	// Some file systems have no hard links. Reserve the name with an empty file, then
	// replace that file.
	mark, err := c.Dir.OpenFile(c.Name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if errors.Is(err, fs.ErrExist) {
		return ErrCreatedMeanwhile
	}
	if err != nil {
		return err
	}
	mark.Close()
	if err = c.staged.Replace(); err != nil { // it is durable since stage
		_ = c.Dir.Remove(c.Name)
	}
	return err
}

// writeInPlace overwrites the file. After a failure it restores the old content,
// for which there is room on the disk. A copy of the old content exists meanwhile.
func (c *Change) writeInPlace(env *tools.Env) error {
	if bytes.Equal(c.Before, c.After) {
		c.Mode.apply(c.Opened)
		return nil
	}
	kept, err := keepCopy(env, c.File, c.Before)
	if err != nil {
		return err
	}
	write := func(b []byte) error {
		if _, err := c.Opened.WriteAt(b, 0); err != nil {
			return err
		}
		if err := c.Opened.Truncate(int64(len(b))); err != nil {
			return err
		}
		return c.Opened.Sync()
	}
	if err = write(c.After); err != nil {
		if again := write(c.Before); again != nil {
			return errors.Join(err, again)
		}
	}
	kept.remove()
	if err == nil {
		c.Mode.apply(c.Opened)
	}
	return err
}

// unchanged reports whether the file is the same, in size and time, as when it was
// opened.
func (c *Change) unchanged() bool {
	if c.WasLink {
		target, err := c.Dir.Readlink(c.Name)
		return err == nil && target == string(c.Before)
	}
	info, err := c.Dir.Lstat(c.Name)
	return err == nil && c.StillNamed() && info.Size() == c.Info.Size() && info.ModTime().Equal(c.Info.ModTime())
}

func changedMeanwhile(env *tools.Env, path string) error {
	e := env.Fail(tools.Conflict, "Another process changed %s in the meantime; nothing was written", path).
		WithHint(env.Hint("Read it again, then repeat the edit"))
	e.Retryable = true
	return e
}

// revert undoes a change that was committed.
func (c *Change) revert(env *tools.Env) error {
	switch {
	case !c.done:
		return nil
	case !c.exists():
		err := c.Dir.Remove(c.Name)
		if err == nil {
			c.removeMade()
		}
		return err
	case c.Remove, c.WasLink, c.IsLink:
		if !c.Remove {
			if err := c.Dir.Remove(c.Name); err != nil {
				return err
			}
		}
		back := &Change{File: &paths.File{Place: c.Place}, After: c.Before, IsLink: c.WasLink, Late: true,
			Mode: Mode{Perm: c.Info.Mode().Perm()}}
		defer back.Close()
		return Apply(env, []*Change{back})
	}
	back := &Change{File: c.File, Before: c.After, After: c.Before}
	if c.Mode.isSet() {
		back.Mode.Perm = c.Info.Mode().Perm()
	}
	if c.staged == nil { // the file is still locked
		return back.writeInPlace(env)
	}
	var err error
	if back.File, err = c.Place.OpenFile(context.Background(), env, true); err != nil {
		return err
	}
	defer back.File.Close()
	return Apply(env, []*Change{back})
}

// discard closes the temporary file, and removes it if it was not used.
func (c *Change) discard() {
	if c.staged != nil {
		c.staged.Discard()
	}
}

// ErrPartial reports that some files were changed although the call failed.
var ErrPartial = errors.New("change: not taken back")

// Apply carries out all changes or, if one fails, none. The files must be locked.
// The error includes ErrPartial if changes could not be reverted, or if they may
// not be durable.
func Apply(env *tools.Env, all []*Change) (err error) {
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
	for _, c := range inOrder(all) {
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
func revertAll(env *tools.Env, all []*Change, err error) error {
	var stuck []tools.Detail
	for _, c := range slices.Backward(inOrder(all)) {
		if e := c.revert(env); e != nil {
			stuck = append(stuck, tools.Detail{Message: c.Shown + ": " + env.Cause(e)})
		}
	}
	if len(stuck) == 0 {
		return err
	}
	e := env.Fail(tools.Internal, "The change failed halfway, and %s could not be restored: %v",
		env.Count(len(stuck), "%d file", "%d files"), err).
		WithHint(env.Hint("Try %s", tools.Use("fs undo")))
	e.Details = stuck
	return errors.Join(e, ErrPartial)
}

// inOrder puts changes that can fail halfway first, which are writes in place, and last those whose place is free,
// or there, only after others.
func inOrder(all []*Change) []*Change {
	rank := func(c *Change) int {
		switch {
		case c.Late:
			return 2
		case c.staged != nil || c.Remove || c.IsLink:
			return 1
		}
		return 0
	}
	return slices.SortedStableFunc(slices.Values(all), func(a, b *Change) int { return rank(a) - rank(b) })
}

// syncAll makes the new names durable. It syncs each folder once.
func syncAll(env *tools.Env, all []*Change) error {
	seen := map[string]bool{}
	for _, c := range all {
		if folder := filepath.Dir(c.Full()); !seen[folder] && c.Dir != nil {
			seen[folder] = true
			if err := atomicfile.SyncFolder(c.Dir); err != nil {
				return errors.Join(paths.Error(env, c.Shown, err), ErrPartial)
			}
		}
	}
	return nil
}

// Replace plans a new content of the file.
func (c *Change) Replace(after []byte) {
	c.After, c.Undo = after, []document.Step{document.ReplaceMiddle(after, c.Before)}
}

// Delete plans to remove the file.
func (c *Change) Delete() {
	c.Replace(nil)
	c.Remove = true
}
