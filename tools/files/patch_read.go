package files

import (
	"io/fs"
	"regexp"
	"strconv"
	"strings"
	"sync"

	"techo/tools"
)

// hunk is a change of neighbouring lines.
type hunk struct {
	placed  bool     // its line is known
	line    int      // of the old file, from 1, where it is expected
	insert  bool     // the old part is empty: line is the one before it
	anchors []string // lines in front of it, in order
	atEnd   bool     // it ends at the end of the file
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
}

// readPatch parses a patch of any format.
func readPatch(env *tools.Env, text string) (r *patchReader, err error) {
	r = &patchReader{env: env, lines: strings.Split(strings.TrimSuffix(text, "\n"), "\n")}
	read := r.unified
	for i, line := range r.lines {
		if strings.TrimSpace(line) == beginPatch {
			r.at, read = i+1, r.sections
			break
		}
	}
	if err := read(); err != nil {
		return r, err
	}
	if len(r.files) == 0 {
		e := invalidField(env, "/patch", "has no file: neither a line --- PATH nor *** Begin Patch")
		return r, e.WithHint(env.Hint(
			"Send a unified diff, or a patch from *** Begin Patch to *** End Patch"))
	}
	return r, r.eachOnce()
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
	return invalidField(r.env, "/patch", "line %d: %s", line+1, r.env.Localize(message, args...))
}

// next returns the next line without a carriage return, and false at the end.
func (r *patchReader) next() (line string, ok bool) {
	if r.at >= len(r.lines) {
		return "", false
	}
	return strings.TrimSuffix(r.lines[r.at], "\r"), true
}

// unified reads a unified diff. Text between its parts is skipped.
func (r *patchReader) unified() error {
	var head gitHead
	for {
		line, ok := r.next()
		if !ok {
			return r.addHead(head)
		}
		switch {
		case strings.HasPrefix(line, "diff --git "):
			if err := r.addHead(head); err != nil {
				return err
			}
			head = gitHead{at: r.at}
		case strings.HasPrefix(line, "--- ") && r.at+1 < len(r.lines) && strings.HasPrefix(r.lines[r.at+1], "+++ "):
			if err := r.file(head); err != nil {
				return err
			}
			head = gitHead{}
			continue
		case strings.HasPrefix(line, "@@ -"):
			return r.fault(r.at, "is a hunk without the lines --- PATH and +++ PATH")
		default:
			if err := head.read(r, line); err != nil {
				return err
			}
		}
		r.at++
	}
}

// gitHead has the extended header lines of git.
type gitHead struct {
	at               int
	from, to         string // of a rename
	mode             fs.FileMode
	isNew, isRemoved bool
}

func (h *gitHead) read(r *patchReader, line string) error {
	word := func(prefix string) (string, bool) { return strings.CutPrefix(line, prefix) }
	switch rest, ok := "", false; {
	case strings.HasPrefix(line, "GIT binary patch"), strings.HasPrefix(line, "Binary files "):
		return r.fault(r.at, "is a change of a binary file, which cannot be applied")
	case strings.HasPrefix(line, "copy from "):
		return r.fault(r.at, "copies a file, which cannot be applied")
	case strings.HasPrefix(line, "old mode "):
		return r.fault(r.at, "changes the mode of a file, which cannot be applied")
	default:
		if rest, ok = word("rename from "); ok {
			h.from = r.path(rest)
		} else if rest, ok = word("rename to "); ok {
			h.to = r.path(rest)
		} else if rest, ok = word("new file mode "); ok {
			h.isNew = true
			if rest == "100755" {
				h.mode = 0o755
			} else if rest != "100644" {
				return r.fault(r.at, "creates something other than a regular file, which cannot be applied")
			}
		} else if _, ok = word("deleted file mode "); ok {
			h.isRemoved = true
		}
	}
	return nil
}

// addHead adds a file that has only a header: renamed, or empty.
func (r *patchReader) addHead(h gitHead) error {
	part := filePatch{from: h.from, to: h.to, line: h.at, mode: h.mode}
	if h.isNew || h.isRemoved { // an empty file: its path stands twice in the line diff --git
		names := strings.TrimPrefix(strings.TrimSuffix(r.lines[h.at], "\r"), "diff --git ")
		name := strings.TrimPrefix(patchPath(names[(len(names)+1)/2:]), "b/")
		if h.isNew {
			part.to = name
		} else {
			part.from = name
		}
	}
	if part.from != "" || part.to != "" {
		r.paths = append(r.paths, part.from, part.to)
		r.files = append(r.files, part)
	}
	return nil
}

// file reads the lines --- and +++ and the hunks after them.
func (r *patchReader) file(head gitHead) error {
	part := filePatch{line: r.at, mode: head.mode}
	from, to := patchPath(r.lines[r.at][len("--- "):]), patchPath(r.lines[r.at+1][len("+++ "):])
	part.from, part.to = stripPrefixes(from, to)
	if head.from != "" {
		part.from, part.to = head.from, head.to
	}
	r.paths = append(r.paths, part.from, part.to)
	r.at += 2
	for {
		line, ok := r.next()
		if !ok || !strings.HasPrefix(line, "@@") {
			break
		}
		h, err := r.hunk(line)
		if err != nil {
			return err
		}
		part.hunks = append(part.hunks, h)
	}
	if len(part.hunks) == 0 {
		return r.fault(part.line, "has no hunk: a line @@ -LINE,COUNT +LINE,COUNT @@ is missing")
	}
	r.files = append(r.files, part)
	return nil
}

// stripPrefixes removes the prefixes a/ and b/ of git, and replaces /dev/null by
// "".
func stripPrefixes(from, to string) (string, string) {
	const none = "/dev/null"
	was, hasA := strings.CutPrefix(from, "a/")
	is, hasB := strings.CutPrefix(to, "b/")
	switch {
	case from == none && hasB:
		return "", is
	case from == none:
		return "", to
	case to == none && hasA:
		return was, ""
	case to == none:
		return from, ""
	case hasA && hasB:
		from, to = was, is
	}
	if strings.TrimSuffix(from, ".orig") == to {
		from = to
	}
	return from, to
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

// hunkHead matches the head of a hunk.
var hunkHead = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^@@+ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@`)
})

// hunk reads a hunk of a unified diff. Lines are read as long as they look like
// lines of a hunk, so that wrong counts in its head do no harm.
func (r *patchReader) hunk(head string) (h hunk, err error) {
	h.at = r.at
	old, added, ok := h.readHead(head)
	if !ok {
		return h, r.fault(r.at, "is not the head of a hunk: @@ -LINE,COUNT +LINE,COUNT @@")
	}
	r.at++
	gotOld, gotNew := 0, 0
	for {
		line, more := r.next()
		if !more || gotOld >= old && gotNew >= added && !strings.HasPrefix(line, `\`) && !r.goesOn(line) {
			break
		}
		switch {
		case strings.HasPrefix(line, `\`):
			if n := len(h.lines); n > 0 {
				h.lines[n-1].noEnd = true
			}
			r.at++
			continue
		case line == "":
			line = " " // editors and models drop trailing blanks
		case strings.IndexByte(" +-", line[0]) < 0:
			more = false
		}
		if !more {
			break
		}
		h.lines = append(h.lines, hunkLine{op: line[0], text: line[1:]})
		if line[0] != '+' {
			gotOld++
		}
		if line[0] != '-' {
			gotNew++
		}
		r.at++
	}
	for n := len(h.lines); gotOld > old && n > 0 && h.lines[n-1] == (hunkLine{op: ' '}); n-- {
		h.lines, gotOld, gotNew = h.lines[:n-1], gotOld-1, gotNew-1 // empty lines after the hunk
	}
	if gotOld != old || gotNew != added {
		r.notes = append(r.notes, r.env.Localize("The counts of the hunk in line %d of the patch were wrong", h.at+1))
	}
	h.insert = gotOld == 0
	return h, nil
}

// goesOn reports whether a line after the counted lines of a hunk still belongs
// to it.
func (r *patchReader) goesOn(line string) bool {
	switch {
	case line == "" || strings.IndexByte(" +-", line[0]) < 0:
		return false
	case strings.HasPrefix(line, "--- ") && r.at+1 < len(r.lines) && strings.HasPrefix(r.lines[r.at+1], "+++ "):
		return false
	}
	return line != "-- " // the signature of git format-patch
}

// readHead parses @@ -LINE,COUNT +LINE,COUNT @@.
func (h *hunk) readHead(head string) (old, added int, ok bool) {
	m := hunkHead().FindStringSubmatch(head)
	if m == nil {
		return 0, 0, strings.TrimSpace(head) == "@@" || strings.HasPrefix(head, "@@ ...")
	}
	count := func(text string) int {
		if text == "" {
			return 1
		}
		n, err := strconv.Atoi(text)
		ok = ok && err == nil
		return n
	}
	ok = true
	h.placed, h.line = true, count(m[1])
	return count(m[2]), count(m[4]), ok
}
