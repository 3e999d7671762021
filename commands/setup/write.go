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
	"techo/internal/private"
	"techo/internal/regular"
	"techo/tools"
)

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
	if err := c.check(); err != nil {
		return err
	}
	if c.gone {
		return os.Remove(c.path)
	}
	if err := c.makeFolders(); err != nil {
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
		return c.env.Fail(tools.Conflict, "A file was changed by another program meanwhile").
			WithHint(c.env.Hint("Run it again"))
	}
	return nil
}

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

func (c *change) removeFolders() {
	for _, dir := range c.record.Folders {
		if os.Remove(dir) != nil {
			return
		}
	}
}

// recordFile is the name of the file with the records, in the folder of techo's state.
const recordFile = "setup.json"

const maxRecords = 4 << 20

// record is what setup did to a file, so that it can be undone byte for byte.
type record struct {
	Parts   []part   `json:"parts"`
	Clients []string `json:"clients"`           // that use the file
	Created bool     `json:"created,omitempty"` // the file did not exist
	Folders []string `json:"folders,omitempty"` // that did not exist, the deepest first
	Steps   []step   `json:"steps,omitempty"`
	Sum     string   `json:"sum,omitempty"` // of a file that is techo's alone
}

// step is one change of a text.
type step struct {
	Removed  string `json:"removed,omitempty"`
	Inserted string `json:"inserted"`
}

// records are the records of all files, by path.
type records struct {
	dir   string
	Files map[string]record `json:"files"`
}

// readRecords reads the records of a state folder. A missing file has none.
func readRecords(state string) (records, error) {
	r := records{dir: filepath.Join(state, "techo"), Files: map[string]record{}}
	err := private.ReadSecretJSON(filepath.Join(r.dir, recordFile), maxRecords, &r)
	return r, err
}

func (r records) write() error { return export.Secret(filepath.Join(r.dir, recordFile), r) }

func stepOf(before, after []byte) step {
	head := 0
	for head < min(len(before), len(after)) && before[head] == after[head] {
		head++
	}
	tail := 0
	for tail < min(len(before), len(after))-head && before[len(before)-1-tail] == after[len(after)-1-tail] {
		tail++
	}
	return step{string(before[head : len(before)-tail]), string(after[head : len(after)-tail])}
}

// minStep is the least length of an inserted text that can be found again, in bytes.
const minStep = 20

// undo takes the steps back. ok is false unless each inserted text is found once.
func undo(text []byte, steps []step) (_ []byte, ok bool) {
	for i := len(steps) - 1; i >= 0; i-- {
		s := steps[i]
		if len(s.Inserted) < minStep || bytes.Count(text, []byte(s.Inserted)) != 1 {
			return nil, false
		}
		text = bytes.Replace(text, []byte(s.Inserted), []byte(s.Removed), 1)
	}
	return text, len(steps) > 0
}

func noHome(env *tools.Env) *tools.Error {
	return env.Fail(tools.Unavailable, "HOME is not set").WithHint(env.Hint("Set it, or use %s", tools.Flag("project")))
}

// failed returns the error for a file that cannot be changed. No file was changed.
func failed(env *tools.Env, err error) error {
	if errors.Is(err, fs.ErrPermission) {
		return env.Fail(tools.Forbidden, "No permission: %v", err)
	}
	return err
}
