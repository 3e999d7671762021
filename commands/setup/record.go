package setup

import (
	"bytes"
	"path/filepath"

	"techo/export"
	"techo/internal/private"
)

// recordFile is the name of the file with the records, in the folder of techo's state.
const recordFile = "setup.json"

// maxRecords bounds the file with the records, in bytes.
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

// write replaces the file with the records.
func (r records) write() error { return export.Secret(filepath.Join(r.dir, recordFile), r) }

// stepOf returns the change from one text to another.
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
