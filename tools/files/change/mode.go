package change

import (
	"io/fs"
	"os"
	"strconv"

	"techo/tools"
)

// Execution is how a change sets the executable bits of a file.
type Execution int8

const (
	KeepExecution Execution = iota
	executable
	notExecutable
)

// ExecutionOf reads a mode as git writes it. exact is false if the mode has more than git knows
// of files, ok for the mode of a link or of anything else that is no regular file.
func ExecutionOf(mode string) (e Execution, exact, ok bool) {
	bits, err := strconv.ParseUint(mode, 8, 32)
	const kind, regular, byOwner = 0o170000, 0o100000, 0o100
	switch {
	case err != nil || bits&kind != regular || bits > 0o177777:
		return KeepExecution, false, false
	case bits&byOwner != 0:
		return executable, bits == 0o100755, true
	}
	return notExecutable, bits == 0o100644 || bits == 0o100664, true
}

func (e Execution) String() string { return [...]string{"", "100755", "100644"}[e] }

// on returns a mode with the executable bits: for all who may read the file, or for nobody.
func (e Execution) on(mode fs.FileMode) fs.FileMode {
	switch e {
	case executable:
		return mode | mode&0o444>>2
	case notExecutable:
		return mode &^ 0o111
	}
	return mode
}

// Mode is how a change sets the mode of a file.
type Mode struct {
	Perm      fs.FileMode // all permissions, or 0
	Execution Execution   // or only the executable bits
	refused   bool        // the system did not take it
}

// Changes reports whether the mode of a file would become another one.
func (m *Mode) Changes(mode fs.FileMode) bool {
	if m.Perm != 0 && m.Perm != mode.Perm() {
		return true
	}
	return m.Execution.on(mode) != mode
}

func (m *Mode) isSet() bool { return m.Perm != 0 || m.Execution != KeepExecution }

// noteMode reports a mode that the system did not take.
var noteMode = tools.Text("the mode of %s cannot be changed here")

// apply gives a file the mode. A system or a file system without that mode does not fail the
// change.
func (m *Mode) apply(f *os.File) {
	if !m.isSet() {
		return
	}
	info, err := f.Stat()
	if err == nil {
		mode := info.Mode()
		if m.Perm != 0 {
			mode = mode&^fs.ModePerm | m.Perm
		}
		if err = f.Chmod(m.Execution.on(mode)); err == nil {
			info, err = f.Stat()
		}
	}
	m.refused = err != nil || m.Execution.on(info.Mode()) != info.Mode()
}
