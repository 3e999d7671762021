package patch

import (
	"strconv"
	"strings"

	"techo/tools"
)

// hunk is a change of neighbouring lines.
type hunk struct {
	placed  bool     // its line is known
	line    int      // of the old file, from 1, where it is expected
	insert  bool     // the old part is empty: line is the one before it
	anchors []string // lines in front of it, in order
	atEnd   bool     // it ends at the end of the file
	near    int      // line of the old file, from 1, where it is if it fits there, or 0
	lines   []hunkLine
	at      int // line of the patch
}

// hunkLine is a line of a hunk: ' ' for context, '-' or '+'.
type hunkLine struct {
	op    byte
	text  string // without its end
	noEnd bool   // the file ends without a line end here
}

// The lines that begin parts of the format of apply_patch.
const (
	beginPatch = "*** Begin Patch"
	endPatch   = "*** End Patch"
	addFile    = "*** Add File: "
	updateFile = "*** Update File: "
	deleteFile = "*** Delete File: "
	moveTo     = "*** Move to: "
	endOfFile  = "*** End of File"
)

// patchReader reads a patch line by line.
type patchReader struct {
	env   *tools.Env
	lines []string
	at    int // index of the next line
	files []filePatch
	paths []string // all that were read, also before a fault
	notes []string

	blankHeaders bool // lines of a hunk that look like headers behind blanks are headers
	doubtful     bool // there are such lines
}

// readPatch parses a patch of any format.
func readPatch(env *tools.Env, text string, blankHeaders bool) (r *patchReader, err error) {
	r = &patchReader{env: env, lines: strings.Split(strings.TrimSuffix(text, "\n"), "\n"), blankHeaders: blankHeaders}
	read := map[patchForm]func() error{diffForm: r.unified, sectionForm: r.sections, blockForm: r.blocks}
	for ; r.at < len(r.lines); r.at++ {
		if f := r.formAt(r.at); f != noForm {
			if err := read[f](); err != nil {
				return r, err
			}
			break
		}
	}
	if len(r.files) == 0 {
		e := tools.InvalidField(env, "/patch", "has no file: neither --- PATH nor *** Begin Patch nor <<<<<<< SEARCH")
		return r,
			e.WithHint(env.Hint("Send a unified diff, or a patch from *** Begin Patch to *** End Patch, or a path " +
				"and <<<<<<< SEARCH, the old lines, =======, the new lines, >>>>>>> REPLACE"))
	}
	return r, r.eachOnce()
}

// patchForm is a form of patches.
type patchForm int

const (
	noForm patchForm = iota
	diffForm
	sectionForm
	blockForm
)

// formAt returns the form of a patch that begins in a line.
func (r *patchReader) formAt(i int) patchForm {
	switch line := r.lines[i]; {
	case strings.TrimSpace(line) == beginPatch:
		return sectionForm
	case strings.HasPrefix(line, "diff --git "), isFileHead(r.lines[i:]):
		return diffForm
	case isSearch(line):
		return blockForm
	}
	return noForm
}

// isFileHead reports whether a text begins with the lines --- and +++.
func isFileHead(lines []string) bool {
	return strings.HasPrefix(lines[0], "--- ") && len(lines) > 1 && strings.HasPrefix(lines[1], "+++ ")
}

// mixed returns the error for a part of another form.
func (r *patchReader) mixed() error {
	e := tools.AsError(r.env, r.fault(r.at, "begins a patch of another form"))
	return e.WithHint(r.env.Hint("Send one patch for each form"))
}

// eachOnce refuses a patch that names a file in two parts.
func (r *patchReader) eachOnce() error {
	seen := map[string]bool{}
	for _, f := range r.files {
		for _, path := range []string{f.from, f.to} {
			if path == "" || path == f.to && f.from == f.to && seen[path+"\x00"] {
				continue
			}
			if seen[path] {
				return r.fault(f.line, "names the same file as an earlier part: combine their hunks")
			}
			if seen[path] = true; f.from == f.to {
				break
			}
		}
	}
	return nil
}

// fault returns the error for a line of the patch, counted from 0.
func (r *patchReader) fault(line int, message tools.Text, args ...any) error {
	return tools.InvalidField(r.env, "/patch", "line %d: %s", line+1, r.env.Localize(message, args...))
}

// next returns the next line without a carriage return, and false at the end.
func (r *patchReader) next() (line string, ok bool) {
	if r.at >= len(r.lines) {
		return "", false
	}
	return strings.TrimSuffix(r.lines[r.at], "\r"), true
}

// patchPath returns the path of a header line, without a time after a tab and
// without the quotes of git.
func patchPath(text string) string {
	text, _, _ = strings.Cut(strings.TrimSuffix(text, "\r"), "\t")
	if strings.HasPrefix(text, `"`) {
		if plain, err := strconv.Unquote(text); err == nil {
			return plain
		}
	}
	return strings.TrimSpace(text)
}

// path is patchPath for a path that the patch is to change.
func (r *patchReader) path(text string) string {
	path := patchPath(text)
	r.paths = append(r.paths, path)
	return path
}
