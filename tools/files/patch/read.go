package patch

import (
	"bytes"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"techo/internal/charset"
	"techo/tools"
	"techo/tools/files/change"
)

// filePatch is the part of a patch about one file.
type filePatch struct {
	from, to string // "" for a file that is created or removed
	moves    bool   // from becomes to, or is copied to it
	copies   bool
	names    [][2]string // without moves: the pairs of names that may be meant, the likeliest first
	git      bool        // it has the head of a git diff
	fromLink bool        // from is a symbolic link
	toLink   bool
	mode     change.Execution
	blob     string // the beginning of the hash that git gives the old content, or ""
	hunks    []hunk
	ordered  bool // each hunk is for the text that the ones before left
	encoded  bool // it was in another encoding than UTF-8, which is the one of the file
	verbatim bool // the old content is byte by byte the one that the patch was made for
	line     int  // of the patch, where the part begins
}

// hunk is a change of neighbouring lines.
type hunk struct {
	placed  bool     // its line is known
	line    int      // of the old file, from 1, where it is expected
	insert  bool     // the old part is empty: line is the one before it
	anchors []string // lines in front of it, in order
	atEnd   bool     // it ends at the end of the file
	near    int      // line of the old file, from 1, where it is if it fits there, or 0
	lines   []hunkLine
	old     []hunkLine // those that the file has before the change, from when it is placed
	at      int        // line of the patch
}

// hunkLine is a line of a hunk: ' ' for context, '-' or '+'.
type hunkLine struct {
	op    byte
	text  string // without its line feed
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

type patchReader struct {
	env   *tools.Env
	lines []string
	at    int // index of the next line
	files []*filePatch
	paths []string        // all that were read, also before a fault
	links map[string]bool // those that are a symbolic link itself, not the file behind it
	notes []string

	blankHeaders bool // lines of a hunk that look like headers behind blanks are headers
	doubtful     bool // there are such lines
}

func readPatch(env *tools.Env, p patchText, blankHeaders bool) (r *patchReader, err error) {
	r = &patchReader{env: env, lines: strings.Split(strings.TrimSuffix(p.text, "\n"), "\n"),
		links: map[string]bool{}, blankHeaders: blankHeaders}
	r.dropTransportEnds()
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
	for _, part := range r.files {
		part.encoded = p.isEncoded(part.line)
	}
	return r, nil
}

// dropTransportEnds removes the carriage return of each line if also those lines have one that belong to the
// form of the patch. Only then it came with the transport. Otherwise it is content, as for git and patch.
func (r *patchReader) dropTransportEnds() {
	heads := 0
	for i, line := range r.lines {
		head, last := strings.CutSuffix(line, "\r")
		if r.formAt(i) == noForm && !strings.HasPrefix(head, "@@ -") && head != endPatch {
			continue
		}
		if heads++; !last && i < len(r.lines)-1 {
			return
		}
	}
	if heads == 0 {
		return
	}
	for i, line := range r.lines {
		r.lines[i] = strings.TrimSuffix(line, "\r")
	}
}

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

// fault returns the error for a line of the patch, counted from 0.
func (r *patchReader) fault(line int, message tools.Text, args ...any) error {
	return tools.InvalidField(r.env, "/patch", "line %d: %s", line+1, r.env.Localize(message, args...))
}

// next returns the next line, and false at the end.
func (r *patchReader) next() (line string, ok bool) {
	if r.at >= len(r.lines) {
		return "", false
	}
	return r.lines[r.at], true
}

// patchPath returns the path of a header line, without a time after a tab and
// without the quotes of git.
func patchPath(text string) string {
	text, _, cut := strings.Cut(strings.TrimSuffix(text, "\r"), "\t")
	if strings.HasPrefix(text, `"`) {
		if plain, err := strconv.Unquote(text); err == nil {
			return plain
		}
	}
	if cut { // it ends before the tab, also in a blank
		return text
	}
	return strings.TrimSpace(text)
}

// path is patchPath for a path that the patch is to change.
func (r *patchReader) path(text string) string {
	path := patchPath(text)
	r.paths = append(r.paths, path)
	return path
}

type patchText struct {
	text    string
	encoded [][2]int // the ranges of lines, from 0, that were in another encoding than UTF-8
}

func (p patchText) isEncoded(line int) bool {
	return slices.ContainsFunc(p.encoded, func(r [2]int) bool { return r[0] <= line && line < r[1] })
}

// decodePatch returns a patch that was read as bytes. Parts that are not in UTF-8 are in the encoding of the
// files that they change.
func decodePatch(raw []byte, c *charset.Charset) (p patchText) {
	if utf8.Valid(raw) || c == nil {
		p.text = string(raw)
		return p
	}
	var b, part bytes.Buffer
	first, number := 0, 0
	end := func() {
		if utf8.Valid(part.Bytes()) {
			b.Write(part.Bytes())
		} else {
			b.WriteString(c.Decode(part.Bytes()).String)
			p.encoded = append(p.encoded, [2]int{first, number})
		}
		part.Reset()
		first = number
	}
	inHead := false
	for line := range bytes.Lines(raw) {
		begins := bytes.HasPrefix(line, []byte("diff --git "))
		if begins || !inHead && bytes.HasPrefix(line, []byte("--- ")) || bytes.HasPrefix(line, []byte("*** ")) {
			end()
		}
		inHead = begins || inHead && !bytes.HasPrefix(line, []byte("--- "))
		part.Write(line)
		number++
	}
	end()
	p.text = b.String()
	return p
}
