package files

import (
	"io/fs"
	"os"

	"techo/tools"
)

// execution is how a change sets the executable bits of a file.
type execution int8

const (
	keepExecution execution = iota
	executable
	notExecutable
)

// executionOf reads a mode as git writes it. ok is false for the mode of a link or of anything
// else that is no regular file.
func executionOf(mode string) (e execution, ok bool) {
	switch mode {
	case "100755":
		return executable, true
	case "100644", "100664":
		return notExecutable, true
	}
	return keepExecution, false
}

func (e execution) String() string { return [...]string{"", "100755", "100644"}[e] }

// on returns a mode with the executable bits: for all who may read the file, or for nobody.
func (e execution) on(mode fs.FileMode) fs.FileMode {
	switch e {
	case executable:
		return mode | mode&0o444>>2
	case notExecutable:
		return mode &^ 0o111
	}
	return mode
}

// newMode is how a change sets the mode of a file.
type newMode struct {
	perm      fs.FileMode // all permissions, or 0
	execution execution   // or only the executable bits
	refused   bool        // the system did not take it
}

func (m *newMode) isSet() bool { return m.perm != 0 || m.execution != keepExecution }

// noteMode reports a mode that the system did not take.
var noteMode = tools.Text("the mode of %s cannot be changed here")

// apply gives a file the mode. A system or a file system without that mode does not fail the
// change.
func (m *newMode) apply(f *os.File) {
	if !m.isSet() {
		return
	}
	info, err := f.Stat()
	if err == nil {
		mode := info.Mode()
		if m.perm != 0 {
			mode = mode&^fs.ModePerm | m.perm
		}
		if err = f.Chmod(m.execution.on(mode)); err == nil {
			info, err = f.Stat()
		}
	}
	m.refused = err != nil || m.execution.on(info.Mode()) != info.Mode()
}
