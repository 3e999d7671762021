package patch

import (
	"slices"
	"strconv"
	"strings"
	"unicode"

	"techo/internal/charset"
	"techo/tools"
	"techo/tools/files/document"
)

// # SEARCH/REPLACE blocks
//
// The form of aider, Cline and Roo:
//
//	path/of/file.py
//	```python
//	<<<<<<< SEARCH
//	old lines
//	=======
//	new lines
//	>>>>>>> REPLACE
//	```
//
// The fence is optional, and the path may be in it. A block without a path is for the file of the
// block before. The markers have 5 to 9 characters; ------- SEARCH and +++++++ REPLACE are the same
// as the ones above. A line :start_line:N after the first marker, and a line of dashes then, says
// where the old lines are. A backslash in front of a marker makes it a line of the text.
//
// The blocks of a file are applied in order. A block without old lines creates its file. It changes
// no existing one, because aider appends to that, and Cline replaces it.

type searchBlock struct {
	at       int // line of the patch, from 0
	near     int // line of the file where the old lines are, from 1, or 0
	old, new []string
}

// isMarker reports whether a line is a marker: 5 to 9 times the same of some characters, and a word.
func isMarker(line, chars, word string) bool {
	n := repeated(line)
	rest := strings.TrimRight(line[n:], " \t\r")
	return n >= 5 && n <= 9 && strings.IndexByte(chars, line[0]) >= 0 &&
		(rest == word || word != "" && rest == word+">")
}

// repeated counts how often a line repeats its first byte at the beginning.
func repeated(line string) (n int) {
	for n < len(line) && line[n] == line[0] {
		n++
	}
	return n
}

func isSearch(line string) bool  { return isMarker(line, "<-", " SEARCH") }
func isDivider(line string) bool { return isMarker(line, "=", "") }
func isReplace(line string) bool { return isMarker(line, ">+", " REPLACE") }

// blocks reads SEARCH/REPLACE blocks. Text between them is skipped.
func (r *patchReader) blocks() error {
	files := map[string]int{} // the index in r.files
	path, end := "", 0        // of the block before
	for ; r.at < len(r.lines); r.at++ {
		switch r.formAt(r.at) {
		case noForm:
			continue
		case blockForm:
		default:
			return r.mixed()
		}
		name, err := r.blockPath(r.lines[end:r.at], path)
		if err != nil {
			return err
		}
		b, err := r.block()
		if err != nil {
			return err
		}
		path, end = name, r.at+1
		h, creates := b.hunk()
		i, known := files[path]
		switch {
		case !known:
			part := &filePatch{from: path, to: path, line: b.at, ordered: true}
			if creates {
				part.from = ""
			}
			files[path], i = len(r.files), len(r.files)
			r.files = append(r.files, part)
		case creates || r.files[i].from == "":
			return r.blockFault(b.at,
				"cannot be combined with an earlier block of the file, because one of them has no old lines")
		}
		if !creates && slices.Equal(b.old, b.new) {
			return r.blockFault(b.at, "replaces lines by the same lines")
		}
		r.files[i].hunks = append(r.files[i].hunks, h)
	}
	return nil
}

// blockFault is fault with a hint that shows the form.
func (r *patchReader) blockFault(line int, message tools.Text) error {
	e := tools.AsError(r.env, r.fault(line, message))
	return e.WithHint(r.env.Hint("The form is: the path in a line of its own, <<<<<<< SEARCH, the old lines, " +
		"=======, the new lines, >>>>>>> REPLACE. Write a backslash in front of such a line that belongs to the file"))
}

// block reads a block, and stays at its last line.
func (r *patchReader) block() (b searchBlock, err error) {
	b.at = r.at
	r.at++
	r.readNear(&b)
	from, size := r.at, repeated(r.lines[b.at])
	var dividers []int
	for ; ; r.at++ {
		line, ok := r.next()
		switch {
		case !ok || isSearch(line):
			return b, r.blockFault(b.at, "begins a block that >>>>>>> REPLACE does not end")
		case isDivider(line):
			dividers = append(dividers, r.at)
			continue
		case !isReplace(line):
			continue
		}
		break
	}
	if len(dividers) > 1 { // others may be lines of the file
		same := slices.DeleteFunc(slices.Clone(dividers), func(i int) bool { return repeated(r.lines[i]) != size })
		if len(same) != 1 {
			return b, r.blockFault(dividers[1], "is a second line ======= in a block")
		}
		dividers = same
	}
	if len(dividers) == 0 {
		return b, r.blockFault(b.at, "begins a block without the line =======")
	}
	b.old, b.new = plainLines(r.lines[from:dividers[0]]), plainLines(r.lines[dividers[0]+1:r.at])
	return b, nil
}

// readNear reads the lines that say where the old lines are.
func (r *patchReader) readNear(b *searchBlock) {
	named := false
	for line, ok := r.next(); ok; line, ok = r.next() {
		number, isStart := strings.CutPrefix(line, ":start_line:")
		switch {
		case isStart:
			b.near, _ = strconv.Atoi(strings.TrimSpace(number))
		case strings.HasPrefix(line, ":end_line:"):
		case named && isMarker(line, "-", ""):
			r.at++
			return
		default:
			return
		}
		named = true
		r.at++
	}
}

// plainLines returns the lines of a text, without the backslash in front of markers.
func plainLines(lines []string) (all []string) {
	for _, line := range lines {
		if isEscaped(line) {
			line = line[1:]
		}
		all = append(all, line)
	}
	return all
}

func isEscaped(line string) bool {
	text := strings.TrimLeft(line, `\`)
	return text != line && (strings.HasPrefix(text, ":start_line:") || strings.HasPrefix(text, ":end_line:") ||
		repeated(text) >= 5 && strings.IndexByte("<=>-+", text[0]) >= 0)
}

// hunk returns the block as a hunk in which lines that stay are context, and whether it creates a
// file.
func (b searchBlock) hunk() (h hunk, creates bool) {
	h = hunk{at: b.at, near: b.near}
	creates = !slices.ContainsFunc(b.old, func(line string) bool { return strings.TrimSpace(line) != "" })
	if creates {
		b.old = nil
	}
	pairs := slices.Repeat([]int{-1}, len(b.new))
	if len(b.old)*len(b.new) <= 1<<20 {
		pairs = document.CommonPairs(b.old, b.new)
	}
	i := 0
	remove := func(until int) {
		for ; i < until; i++ {
			h.lines = append(h.lines, hunkLine{op: '-', text: b.old[i]})
		}
	}
	for j, line := range b.new {
		op := byte('+')
		if pairs[j] >= 0 {
			remove(pairs[j])
			op, i = ' ', i+1
		}
		h.lines = append(h.lines, hunkLine{op: op, text: line})
	}
	remove(len(b.old))
	return h, creates
}

// blockPath returns the path in the text between two blocks, or else the one of the block before.
// The line in front of the block, or of its fence, must be a path. A line further up is one only if
// it looks like nothing else.
func (r *patchReader) blockPath(between []string, before string) (string, error) {
	apart := false
	for i, line := range slices.Backward(between) {
		text := strings.TrimSpace(line)
		switch {
		case text == "":
			apart = true
			continue
		case strings.HasPrefix(text, "```"), strings.HasPrefix(text, "~~~"):
			continue
		}
		name, quoted := undecorated(text)
		ok, clearly := looksLikePath(name, quoted)
		switch {
		case clearly || ok && !apart:
			return r.path(name), nil
		case !apart:
			return "", r.blockFault(r.at-len(between)+i, "is no path, but in front of a block")
		}
		break
	}
	if before == "" {
		return "", r.blockFault(r.at, "begins a block without a path in front of it")
	}
	return before, nil
}

// undecorated returns a line without what Markdown puts around a path, and whether it was in quotes.
func undecorated(text string) (name string, quoted bool) {
	name = strings.TrimSpace(strings.TrimLeft(text, "#"))
	for {
		short := strings.TrimRight(strings.TrimSuffix(strings.TrimSuffix(name, "："), ":"), " ")
		for _, mark := range []string{"**", "*", "`", `"`, "'"} {
			if n := len(mark); len(short) > 2*n && strings.HasPrefix(short, mark) && strings.HasSuffix(short, mark) {
				short, quoted = short[n:len(short)-n], quoted || mark == "`" || mark == `"`
			}
		}
		if short == name {
			return name, quoted
		}
		name = short
	}
}

// looksLikePath reports whether a text can be a path, and whether it can be nothing else: it has a
// slash or an extension. One with blanks must be in quotes; one in another script needs an extension.
func looksLikePath(name string, quoted bool) (ok, clearly bool) {
	if name == "" || strings.ContainsFunc(name, unicode.IsControl) ||
		!quoted && strings.ContainsFunc(name, unicode.IsSpace) || strings.ContainsAny(name, "<>|。、：") {
		return false, false
	}
	last := name[strings.LastIndexAny(name, `/\`)+1:]
	dot := strings.LastIndexByte(last, '.')
	extension := dot >= 0 && len(last)-dot > 1 && len(last)-dot <= 12 && strings.IndexFunc(last[dot+1:],
		func(c rune) bool {
			return c > unicode.MaxASCII || !unicode.IsLetter(c) && !unicode.IsDigit(c) && c != '_' && c != '-'
		}) < 0
	return extension || charset.IsASCII(last), extension || last != name && charset.IsASCII(last) && last != ""
}
