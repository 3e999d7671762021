package setup

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"techo/export"
	"techo/internal/regular"
)

// errChanged reports that another program changed a file meanwhile.
var errChanged = errors.New("the file was changed meanwhile")

// change is a file and its new content.
type change struct {
	*file
	text   []byte
	gone   bool // the file is removed
	record record
	backup string
}

// isChange reports whether the content differs from the file.
func (c *change) isChange() bool {
	return c.gone || c.exists && !bytes.Equal(c.text, c.old) || !c.exists && c.text != nil
}

// action names the change.
func (c *change) action() string {
	switch {
	case !c.isChange():
		return unchanged
	case c.gone:
		return removed
	case !c.exists:
		return created
	}
	return changed
}

// apply makes the changes. If one fails, those before it are taken back.
func apply(changes []*change, backups string, now time.Time) error {
	for i, c := range changes {
		if err := c.write(backups, now); err != nil {
			for _, before := range slices.Backward(changes[:i]) {
				before.revert()
			}
			return err
		}
	}
	return nil
}

// write makes a change, after a backup of an existing file.
func (c *change) write(backups string, now time.Time) error {
	if !c.isChange() {
		return nil
	}
	if c.exists && !(c.gone && c.record.Created) { // else it has nothing but what setup wrote
		if err := os.MkdirAll(backups, 0o700); err != nil {
			return err
		}
		name := filepath.Base(c.path) + "." + sumOf([]byte(c.path))[:8] + "." + now.UTC().Format("20060102T150405.000")
		c.backup = filepath.Join(backups, name)
		if err := export.Private(c.backup, c.old); err != nil {
			return err
		}
	}
	if c.gone {
		return errors.Join(c.check(), os.Remove(c.path))
	}
	if err := c.makeFolders(); err != nil {
		return err
	}
	if err := c.check(); err != nil {
		return err
	}
	return export.Replace(c.path, c.text, c.mode)
}

// check fails if the file is no longer as it was read.
func (c *change) check() error {
	now, err := regular.Read(c.path, maxConfig)
	switch {
	case errors.Is(err, fs.ErrNotExist) && !c.exists:
		return nil
	case err != nil:
		return err
	case !c.exists || !bytes.Equal(now, c.old):
		return errChanged
	}
	return nil
}

// makeFolders makes the folders above the file and records them.
func (c *change) makeFolders() error {
	mode := fs.FileMode(0o700)
	if c.mode&0o004 != 0 {
		mode = 0o755
	}
	for dir := filepath.Dir(c.path); !exists(dir); dir = filepath.Dir(dir) {
		c.record.Folders = append(c.record.Folders, dir)
	}
	return os.MkdirAll(filepath.Dir(c.path), mode)
}

// revert takes a change back.
func (c *change) revert() {
	switch {
	case !c.isChange():
	case c.exists:
		_ = export.Replace(c.path, c.old, c.mode) // the backup remains
	default:
		_ = os.Remove(c.path)
		c.removeFolders()
	}
}

// removeFolders removes the folders that setup made, if they are empty.
func (c *change) removeFolders() {
	for _, dir := range c.record.Folders {
		if os.Remove(dir) != nil {
			return
		}
	}
}
