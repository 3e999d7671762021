package patch

import (
	"strconv"
	"strings"
	"time"

	"techo/internal/lazyregexp"
	"techo/tools/files/change"
)

// unified reads a unified diff. Text between its parts is skipped.
func (r *patchReader) unified() error {
	var head *gitHead
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
			head = r.readHead(line)
		case isFileHead(r.lines[r.at:]):
			if err := r.file(head); err != nil {
				return err
			}
			head = nil
			continue
		case r.formAt(r.at) != noForm:
			return r.mixed()
		case strings.HasPrefix(line, "@@ -"):
			return r.fault(r.at, "is a hunk without the lines --- PATH and +++ PATH")
		case head != nil:
			if err := head.read(r, line); err != nil {
				return err
			}
		}
		r.at++
	}
}

// gitHead has the line diff --git and the extended header lines of git.
type gitHead struct {
	part  filePatch
	names [2]string // of the line diff --git, with their prefixes; "" if they cannot be told
	strip bool      // the names have prefixes

	isNew, isRemoved bool
}

// readHead reads the line diff --git. It decides about prefixes: those of git depend on its settings (a/ and
// b/; i/, w/, c/ and o/; none), but both names of a file that is not moved are equal behind them.
func (r *patchReader) readHead(line string) *gitHead {
	h := &gitHead{part: filePatch{line: r.at, git: true}}
	names := strings.TrimSuffix(strings.TrimPrefix(line, "diff --git "), "\r")
	for _, pair := range splitNames(names) {
		if pair[0] == pair[1] {
			h.names = pair
			return h
		}
		was, is := withoutFirst(pair[0]), withoutFirst(pair[1])
		if was != "" && was == is {
			h.names, h.strip = pair, true
			return h
		}
	}
	// two names: of a moved file, or of git diff --no-index
	h.strip = true
	if pairs := splitNames(names); len(pairs) == 1 {
		h.names = pairs[0]
		h.strip = hasPrefixes(h.names[0], h.names[1])
	}
	return h
}

// splitNames lists the ways to read a text as two names. A name with a blank is not quoted.
func splitNames(text string) (pairs [][2]string) {
	if strings.HasPrefix(text, `"`) {
		quoted, err := strconv.QuotedPrefix(text)
		if err != nil || !strings.HasPrefix(text[len(quoted):], " ") {
			return nil
		}
		return [][2]string{{patchPath(quoted), patchPath(text[len(quoted)+1:])}}
	}
	for i := range len(text) {
		if text[i] == ' ' && i > 0 && i < len(text)-1 {
			second := text[i+1:]
			if strings.HasPrefix(second, `"`) {
				second = patchPath(second)
			}
			pairs = append(pairs, [2]string{text[:i], second})
		}
	}
	return pairs
}

// withoutFirst returns a path without its first element, or "".
func withoutFirst(path string) string {
	_, rest, _ := strings.Cut(path, "/")
	return rest
}

// hasPrefixes reports whether two different names begin with prefixes of git.
func hasPrefixes(from, to string) bool {
	was, _, some := strings.Cut(from, "/")
	is, _, more := strings.Cut(to, "/")
	return some && more && was != is && len(was) == 1 && len(is) == 1 &&
		strings.Contains("abciow12", was) && strings.Contains("abciow12", is)
}

// name returns a name of the head without its prefix.
func (h *gitHead) name(name string) string {
	if h.strip {
		if rest := withoutFirst(name); rest != "" {
			return rest
		}
	}
	return name
}

func (h *gitHead) read(r *patchReader, line string) error {
	word := func(prefix string) (string, bool) { return strings.CutPrefix(line, prefix) }
	path := func(text string) string {
		text = strings.TrimSuffix(text, "\r")
		if strings.HasPrefix(text, `"`) {
			text = patchPath(text)
		}
		r.paths = append(r.paths, text)
		return text
	}
	if strings.HasPrefix(line, "GIT binary patch") || strings.HasPrefix(line, "Binary files ") {
		return r.fault(r.at, "is a change of a binary file, which cannot be applied")
	}
	if rest, ok := word("rename from "); ok {
		h.part.from, h.part.moves = path(rest), true
	} else if rest, ok = word("rename to "); ok {
		h.part.to, h.part.moves = path(rest), true
	} else if rest, ok = word("copy from "); ok {
		h.part.from, h.part.moves, h.part.copies = path(rest), true, true
	} else if rest, ok = word("copy to "); ok {
		h.part.to, h.part.moves, h.part.copies = path(rest), true, true
	} else if rest, ok = word("new file mode "); ok {
		h.isNew = true
		return h.readMode(r, rest, &h.part.toLink)
	} else if rest, ok = word("old mode "); ok {
		h.part.fromLink = strings.TrimSpace(rest) == linkMode
	} else if rest, ok = word("new mode "); ok {
		return h.readMode(r, rest, &h.part.toLink)
	} else if rest, ok = word("deleted file mode "); ok {
		h.isRemoved, h.part.fromLink = true, strings.TrimSpace(rest) == linkMode
	} else if rest, ok = word("index "); ok {
		blobs, mode, _ := strings.Cut(strings.TrimSpace(rest), " ")
		h.part.blob, _, _ = strings.Cut(blobs, "..")
		if mode == linkMode {
			h.part.fromLink, h.part.toLink = true, true
		}
	}
	return nil
}

// linkMode is the mode of a symbolic link as git writes it.
const linkMode = "120000"

func (h *gitHead) readMode(r *patchReader, mode string, link *bool) error {
	mode = strings.TrimSpace(mode)
	if mode == linkMode {
		*link = true
		return nil
	}
	e, exact, ok := change.ExecutionOf(mode)
	if !ok {
		return r.fault(r.at, "makes something other than a regular file or a link, which cannot be applied")
	}
	if h.part.mode = e; !exact {
		r.notes = append(r.notes, r.env.Localize("Line %d of the patch: of the mode %s, only whether the file is "+
			"executable counts", r.at+1, mode))
	}
	return nil
}

// addHead adds a file that has only a header: moved, copied, empty, or with another mode.
func (r *patchReader) addHead(h *gitHead) error {
	if h == nil {
		return nil
	}
	part := &h.part
	if !part.moves {
		if !h.isNew && !h.isRemoved && !part.toLink && part.mode == change.KeepExecution {
			return nil
		}
		was, is := h.name(h.names[0]), h.name(h.names[1])
		if r.paths = append(r.paths, was, is); was != is || was == "" {
			return r.fault(part.line, "names two different files")
		}
		part.from, part.to = was, is
		h.onOneSide()
	}
	return r.add(part)
}

// onOneSide removes the name of a side on which the file does not exist.
func (h *gitHead) onOneSide() {
	if h.isNew {
		h.part.from = ""
	}
	if h.isRemoved {
		h.part.to = ""
	}
}

func (r *patchReader) add(part *filePatch) error {
	if part.from == "" && part.to == "" || part.moves && (part.from == "" || part.to == "") {
		return r.fault(part.line, "has no path")
	}
	for _, name := range []string{part.from, part.to} {
		if part.fromLink || part.toLink {
			r.links[name] = true
		}
	}
	r.files = append(r.files, part)
	return nil
}

// file reads the lines --- and +++ and the hunks after them.
func (r *patchReader) file(head *gitHead) error {
	from, to := r.lines[r.at][len("--- "):], r.lines[r.at+1][len("+++ "):]
	part := &filePatch{line: r.at}
	if head != nil {
		part, part.line = &head.part, r.at
	}
	r.at += 2
	hunksAt := r.at
	for {
		line, ok := r.next()
		if !ok || !strings.HasPrefix(line, "@@") {
			break
		}
		h, err := r.hunk(line)
		if err != nil {
			r.name(part, head, from, to)
			return err
		}
		part.hunks = append(part.hunks, h)
	}
	r.name(part, head, from, to)
	if len(part.hunks) == 0 {
		return r.fault(hunksAt-2, "has no hunk: a line @@ -LINE,COUNT +LINE,COUNT @@ is missing")
	}
	return r.add(part)
}

// nowhere is the name of a file that does not exist, on its side.
const nowhere = "/dev/null"

// name gives a part its names from the lines --- and +++.
func (r *patchReader) name(part *filePatch, head *gitHead, from, to string) {
	was, is := patchPath(from), patchPath(to)
	missing, gone := was == nowhere, is == nowhere
	switch {
	case part.moves:
		r.paths = append(r.paths, part.from, part.to)
		return
	case head == nil:
		creates := len(part.hunks) > 0 && part.hunks[0].insert && part.hunks[0].line == 0
		missing, gone = missing || isEpoch(from) && creates, gone || isEpoch(to)
	}
	strip := func(name, prefix string, side int) string {
		if head != nil && name == head.names[side] {
			return head.name(name)
		}
		return strings.TrimPrefix(name, prefix)
	}
	if head != nil {
		missing, gone = missing || head.isNew, gone || head.isRemoved
	}
	switch {
	case missing && gone:
	case missing:
		part.to = strip(is, "b/", 1)
	case gone:
		part.from = strip(was, "a/", 0)
	default:
		part.from, part.to = was, is
		if head != nil && was == head.names[0] && is == head.names[1] {
			part.from, part.to = head.name(was), head.name(is)
		} else if strings.HasPrefix(was, "a/") && strings.HasPrefix(is, "b/") {
			part.from, part.to = was[2:], is[2:]
		}
		if strings.TrimSuffix(part.from, ".orig") == part.to {
			part.from = part.to
		}
		part.names = [][2]string{{part.from, part.to}}
		if head == nil {
			part.names = append(part.names, [2]string{was, is})
			if rest := withoutFirst(was); rest != "" && rest == withoutFirst(is) {
				part.names = append(part.names, [2]string{rest, rest})
			}
		}
	}
	for _, pair := range append(part.names, [2]string{part.from, part.to}) {
		r.paths = append(r.paths, pair[0], pair[1])
	}
}

// isEpoch reports whether the time of a header line is the beginning of 1970: diff -N writes it for a file
// that does not exist.
func isEpoch(header string) bool {
	_, at, _ := strings.Cut(strings.TrimSuffix(header, "\r"), "\t")
	t, err := time.Parse("2006-01-02 15:04:05.999999999 -0700", at)
	return err == nil && t.Unix() == 0
}

var hunkHead = lazyregexp.New(`^@@+ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@`)

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
		case line == "" || line == "\r":
			line = " " + line // editors and models drop trailing blanks
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
	m := hunkHead.Get().FindStringSubmatch(head)
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
