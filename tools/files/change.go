package files

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"

	"techo/tools"
)

// change is a file and what it is to become.
type change struct {
	*file
	before []byte // what it holds; nil when it is not there
	after  []byte
	back   []step // makes before of after
	digest string // of after, once it was asked for
	remove bool   // it is not to be there

	staged *pending  // nil when it must be written where it is, or not at all
	reason tools.Say // why it was not staged
	done   bool
}

// The reasons to write a file where it is, which is not atomic.
var (
	linked = tools.Say{EN: "%s has other names (hard links), so it was written in place, not replaced", JA: "%s には別名（ハードリンク）があるため、置き換えずに直接書き込みました"}
	owned  = tools.Say{EN: "the owner or the attributes of %s could not be given to a new file, so it was written in place, not replaced", JA: "%s の所有者や属性を新しいファイルに引き継げないため、置き換えずに直接書き込みました"}
	closed = tools.Say{EN: "nothing may be added to the folder of %s, so it was written in place, not replaced", JA: "%s のフォルダにファイルを追加できないため、置き換えずに直接書き込みました"}
)

// hash is that of what the file is to hold.
func (c *change) hash() string {
	if c.digest == "" {
		c.digest = hashOf(c.after)
	}
	return c.digest
}

// stage prepares the change: the new content is written beside the file, so
// that all that is left is to give it the name. sync makes it durable already.
func (c *change) stage(env *tools.Env, sync bool) error {
	if c.remove {
		return nil
	}
	if c.file.file != nil && names(c.info) > 1 {
		if c.root != nil { // one of them may be outside
			return env.Fail(tools.Forbidden, tools.Say{EN: "%s has other names (hard links), which may be outside of the folders that are allowed here", JA: "%s には許可されたフォルダの外に別名（ハードリンク）がある可能性があります"}, c.shown).
				WithHint(env.Say(tools.Say{EN: "Make it a file of its own: copy it, then rename the copy", JA: "コピーして名前を変更し、独立したファイルにしてください"}))
		}
		c.reason = linked
		return nil
	}
	var old fs.FileInfo
	if c.file.file != nil {
		old = c.info
	}
	p, err := newPending(c.dir, c.name, old)
	if err == nil && old != nil {
		if err = copyAttributes(p.attributes(), c.file.file); err != nil && !isFull(err) {
			p.drop()
			c.reason = owned
			return nil
		}
	}
	switch {
	case err != nil && old != nil && (errors.Is(err, syscall.EACCES) || errors.Is(err, syscall.EROFS)):
		c.reason = closed
		return nil
	case err != nil && old != nil && errors.Is(err, syscall.EPERM):
		c.reason = owned
		return nil
	case err != nil:
		return fault(env, c.shown, err)
	}
	if _, err = p.Write(c.after); err == nil && (sync || old == nil) { // else replace syncs

		err = p.Sync()
	}
	if err != nil {
		p.drop()
		return fault(env, c.shown, err)
	}
	c.staged = p
	return nil
}

// errAppeared says that a file that was not there is there now.
var errAppeared = errors.New("file: appeared")

// commit makes the change. What is staged then has the name, whole.
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
		err = c.writeInside()
	default:
		err = c.staged.replace()
	}
	c.done = err == nil
	return fault(env, c.shown, err)
}

// create gives the new file its name, which nothing may have.
func (c *change) create() error {
	err := c.staged.create(c.name)
	switch {
	case errors.Is(err, fs.ErrExist):
		return errAppeared
	case err == nil, isFull(err):
		return err
	}
	// Not every file system has hard links. An empty file takes the name then.
	mark, err := c.dir.OpenFile(c.name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if errors.Is(err, fs.ErrExist) {
		return errAppeared
	}
	if err != nil {
		return err
	}
	mark.Close()
	if err = c.staged.replace(); err != nil {
		_ = c.dir.Remove(c.name)
	}
	return err
}

// writeInside writes the file where it is. When that fails half way, what it
// held is put back, for which there is room.
func (c *change) writeInside() error {
	write := func(b []byte) error {
		if _, err := c.file.file.WriteAt(b, 0); err != nil {
			return err
		}
		if err := c.file.file.Truncate(int64(len(b))); err != nil {
			return err
		}
		return c.file.file.Sync()
	}
	err := write(c.after)
	if err != nil {
		if again := write(c.before); again != nil {
			err = errors.Join(err, again)
		}
	}
	return err
}

// unchanged reports whether the file is as it was when it was read.
func (c *change) unchanged() bool {
	info, err := c.dir.Lstat(c.name)
	return err == nil && c.current() && info.Size() == c.info.Size() && info.ModTime().Equal(c.info.ModTime())
}

func changedMeanwhile(env *tools.Env, path string) error {
	e := env.Fail(tools.Conflict, tools.Say{EN: "%s was changed by another process meanwhile; nothing was written", JA: "%s は処理中に別のプロセスが変更しました。何も書き込んでいません"}, path).
		WithHint(env.Say(tools.Say{EN: "Read it again, then repeat the edit", JA: "読み直してから編集をやり直してください"}))
	e.Retryable = true
	return e
}

// revert takes a change back that was made.
func (c *change) revert(env *tools.Env) error {
	switch {
	case !c.done:
		return nil
	case c.file.file == nil:
		return c.dir.Remove(c.name)
	case c.remove:
		back := &change{file: &file{place: c.place, dir: c.dir, name: c.name}, after: c.before}
		return apply(env, []*change{back})
	case c.staged == nil: // the lock is still ours
		back := &change{file: c.file, before: c.after, after: c.before}
		return back.writeInside()
	}
	again, err := c.place.openFile(context.Background(), env, true)
	if err != nil {
		return err
	}
	defer again.close()
	return apply(env, []*change{{file: again, before: c.after, after: c.before}})
}

// drop closes what was staged, and takes it away when it was not used.
func (c *change) drop() {
	if c.staged != nil {
		c.staged.drop()
	}
}

// errHalf says that files were changed all the same.
var errHalf = errors.New("change: not taken back")

// apply makes all changes or, when one fails, none. They must be locked. When
// even that fails, or it is not sure that they are durable, the error is errHalf
// too.
func apply(env *tools.Env, all []*change) (err error) {
	defer func() {
		for _, c := range all {
			c.drop()
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

// revertAll takes back what was changed before an error, which it returns.
func revertAll(env *tools.Env, all []*change, err error) error {
	var stuck []tools.Detail
	for _, c := range all {
		if e := c.revert(env); e != nil {
			stuck = append(stuck, tools.Detail{Message: c.shown + ": " + e.Error()})
		}
	}
	if len(stuck) == 0 {
		return err
	}
	e := env.Fail(tools.Internal, tools.Say{EN: "It failed half way, and %d files could not be put back: %v", JA: "途中で失敗し、%d 個のファイルを元に戻せませんでした: %v"}, len(stuck), err).
		WithHint(env.Say(tools.Say{EN: "Try techo fs undo", JA: "techo fs undo を試してください"}))
	e.Details = stuck
	return errors.Join(e, errHalf)
}

// inOrder puts those first that may fail half way.
func inOrder(all []*change) (ordered []*change) {
	for _, late := range []bool{false, true} {
		for _, c := range all {
			if (c.staged != nil || c.remove) == late {
				ordered = append(ordered, c)
			}
		}
	}
	return ordered
}

// syncAll makes the names durable, folder by folder.
func syncAll(env *tools.Env, all []*change) error {
	seen := map[string]bool{}
	for _, c := range all {
		if folder := filepath.Dir(c.full()); !seen[folder] {
			seen[folder] = true
			if err := syncDir(c.dir); err != nil {
				return errors.Join(fault(env, c.shown, err), errHalf)
			}
		}
	}
	return nil
}
