package patch

import (
	"regexp"
	"strconv"
	"strings"
	"sync"

	"techo/tools/files/change"
)

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
		case isFileHead(r.lines[r.at:]):
			if err := r.file(head); err != nil {
				return err
			}
			head = gitHead{}
			continue
		case r.formAt(r.at) != noForm:
			return r.mixed()
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
	mode             change.Execution
	isNew, isRemoved bool
}

func (h *gitHead) read(r *patchReader, line string) error {
	word := func(prefix string) (string, bool) { return strings.CutPrefix(line, prefix) }
	switch rest, ok := "", false; {
	case strings.HasPrefix(line, "GIT binary patch"), strings.HasPrefix(line, "Binary files "):
		return r.fault(r.at, "is a change of a binary file, which cannot be applied")
	case strings.HasPrefix(line, "copy from "):
		return r.fault(r.at, "copies a file, which cannot be applied")
	default:
		if rest, ok = word("rename from "); ok {
			h.from = r.path(rest)
		} else if rest, ok = word("rename to "); ok {
			h.to = r.path(rest)
		} else if rest, ok = word("new file mode "); ok {
			h.isNew = true
			return h.readMode(r, rest)
		} else if rest, ok = word("new mode "); ok {
			return h.readMode(r, rest)
		} else if _, ok = word("deleted file mode "); ok {
			h.isRemoved = true
		}
	}
	return nil
}

func (h *gitHead) readMode(r *patchReader, mode string) error {
	mode = strings.TrimSpace(mode)
	e, exact, ok := change.ExecutionOf(mode)
	if !ok {
		return r.fault(r.at, "makes something other than a regular file, which cannot be applied")
	}
	if h.mode = e; !exact {
		r.notes = append(r.notes, r.env.Localize("Line %d of the patch: of the mode %s, only whether the file is "+
			"executable counts", r.at+1, mode))
	}
	return nil
}

// addHead adds a file that has only a header: renamed, empty, or with another mode.
func (r *patchReader) addHead(h gitHead) error {
	part := filePatch{from: h.from, to: h.to, line: h.at, mode: h.mode}
	names, isGit := strings.CutPrefix(strings.TrimSuffix(r.lines[h.at], "\r"), "diff --git ")
	if isGit && part.from == "" && (h.isNew || h.isRemoved || h.mode != change.KeepExecution) {
		half := len(names) / 2 // the path stands twice in the line
		name, twice := stripPrefixes(patchPath(names[:half]), patchPath(strings.TrimPrefix(names[half:], " ")))
		if r.paths = append(r.paths, name, twice); name != twice {
			return r.fault(h.at, "names two different files")
		}
		if !h.isNew {
			part.from = name
		}
		if !h.isRemoved {
			part.to = name
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
	case isFileHead(r.lines[r.at:]):
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
