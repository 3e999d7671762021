package patch

import (
	"fmt"
	"slices"
	"strings"

	"techo/tools"
	"techo/tools/files/change"
	"techo/tools/files/document"
)

// patchText is a text as its lines, for placing hunks.
type patchText struct {
	*document.Document
	starts []int    // offset of each line in text, and the end of the text
	folded []string // the lines without the differences that relaxed matching ignores, on first use
}

func newPatchText(d *document.Document) *patchText {
	return &patchText{Document: d, starts: d.LineStarts()}
}

// len returns the number of lines.
func (p *patchText) len() int { return len(p.starts) - 1 }

// line returns a line without its end.
func (p *patchText) line(i int) string {
	return strings.TrimSuffix(strings.TrimSuffix(p.Text.String[p.starts[i]:p.starts[i+1]], "\n"), "\r")
}

// unended reports whether a line is the last one and has no end.
func (p *patchText) unended(i int) bool {
	return i == p.len()-1 && !strings.HasSuffix(p.Text.String, "\n")
}

// plain returns the lines without the differences that relaxed matching ignores.
func (p *patchText) plain() []string {
	for i := len(p.folded); i < p.len(); i++ {
		p.folded = append(p.folded, document.Fold(p.line(i)))
	}
	return p.folded
}

// takePlain takes over what a text before a change has in the plain form.
func takePlain(p, was *patchText) {
	if was == nil || was.folded == nil {
		return
	}
	head, tail, most := 0, 0, min(p.len(), was.len())
	for head < most && p.line(head) == was.line(head) {
		head++
	}
	for tail < most-head && p.line(p.len()-1-tail) == was.line(was.len()-1-tail) {
		tail++
	}
	p.folded = slices.Grow(was.folded[:head:head], p.len()-head)
	for i := head; i < p.len()-tail; i++ {
		p.folded = append(p.folded, document.Fold(p.line(i)))
	}
	p.folded = append(p.folded, was.folded[was.len()-tail:]...)
}

// matches reports whether the old lines of a hunk are at a line. Only a unified diff shows whether
// the last line has an end.
func (p *patchText) matches(h hunk, at int) bool {
	return p.matchesAs(h, at, p.line)
}

// matchesAs is matches for another form of the lines.
func (p *patchText) matchesAs(h hunk, at int, line func(int) string) bool {
	for _, l := range h.lines {
		if l.op == '+' {
			continue
		}
		if at >= p.len() || l.noEnd && !p.unended(at) || h.placed && !l.noEnd && p.unended(at) ||
			line(at) != strings.TrimSuffix(l.text, "\r") {
			return false
		}
		at++
	}
	return !h.atEnd || at == p.len()
}

// placeHunks returns the changes of all hunks of a file, and the line of the last one.
func placeHunks(env *tools.Env, w *change.Target, p *patchText, hunks []hunk) (
	s document.Step, at int, e *tools.Error) {
	from, shift := 0, 0 // the first line after the last hunk, and how far it was from its place
	for _, h := range hunks {
		if at, e = p.find(env, h, from, shift); e != nil {
			e.Message = w.Shown + ": " + e.Message
			return nil, 0, e
		}
		noteRelaxed(env, w, p, h, at)
		expected := h.expected()
		if h.placed {
			shift = at - expected
		} else if expected = h.near - 1; h.near == 0 {
			expected = at
		}
		if expected != at {
			w.Note(env, "%s: applied the hunk for line %d in line %d", w.Shown, expected+1, at+1)
		}
		more, e := p.splices(env, w, h, at)
		if e != nil {
			return nil, 0, e
		}
		s = append(s, more...)
		from = at + h.old()
	}
	return s, at, nil
}

// noteRelaxed reports the differences that were ignored to place a hunk.
func noteRelaxed(env *tools.Env, w *change.Target, p *patchText, h hunk, at int) {
	if p.matches(h, at) || h.old() == 0 {
		return
	}
	w.NoteRelaxed(env, at+1, h.ignored(p, at))
}

// expected returns the index of the line where a hunk should be.
func (h hunk) expected() int {
	if h.insert {
		return h.line
	}
	return h.line - 1
}

// old returns the number of old lines.
func (h hunk) old() int { return len(h.lines) - h.count('+') }

// oldText returns the old lines.
func (h hunk) oldText() string {
	var old strings.Builder
	for _, l := range h.lines {
		if l.op != '+' {
			old.WriteString(strings.TrimSuffix(l.text, "\r") + "\n")
		}
	}
	return old.String()
}

// find returns the line of a hunk, at or after from: its own or the only one that fits, or else
// the only one that fits apart from relaxed differences.
func (p *patchText) find(env *tools.Env, h hunk, from, shift int) (at int, e *tools.Error) {
	if at = h.expected() + shift; h.placed && at >= from && at <= p.len() && p.matches(h, at) {
		return at, nil
	}
	if h.near > 0 && h.near <= p.len() && p.matches(h, h.near-1) {
		return h.near - 1, nil
	}
	for _, anchor := range h.anchors {
		i, ok := p.findAnchor(anchor, from)
		if !ok {
			return 0, misplaced(env, h, tools.NotFound, "Could not find the line %q of @@", anchor)
		}
		from = i + 1
	}
	if h.old() == 0 && !h.placed { // without old lines, a text is added after the anchor, or at the end
		if len(h.anchors) > 0 {
			return from, nil
		}
		return p.len(), nil
	}
	found := p.places(h, from, false)
	if len(found) > 1 && len(h.anchors) > 0 {
		found = found[:1]
	}
	if len(found) == 0 {
		found = p.places(h, from, true)
	}
	switch len(found) {
	case 1:
		return found[0], nil
	case 0:
		return 0, noPlace(env, p, h)
	}
	return 0, severalPlaces(env, p, h, found)
}

// severalPlaces returns the error for a hunk that fits several lines.
func severalPlaces(env *tools.Env, p *patchText, h hunk, found []int) *tools.Error {
	var lines []string
	ignored := document.Relaxation(0)
	for _, i := range found[:min(len(found), document.MaxListed)] {
		lines = append(lines, fmt.Sprint(i+1))
		ignored |= h.ignored(p, i)
	}
	list := strings.Join(lines, ", ")
	if ignored == 0 {
		return misplaced(env, h, tools.Conflict, "The lines of a hunk occur more than once: in lines %s", list)
	}
	return misplaced(env, h, tools.Conflict,
		"The lines of a hunk occur nowhere exactly, but apart from %s more than once: in lines %s",
		strings.Join(ignored.Names(), ", "), list)
}

// ignored returns the differences between the old lines of a hunk and the lines where it is.
func (h hunk) ignored(p *patchText, at int) document.Relaxation {
	var there strings.Builder
	for i := range h.old() {
		there.WriteString(p.line(at+i) + "\n")
	}
	return document.Needed(h.oldText(), there.String())
}

// places lists the lines where a hunk fits, exactly or apart from relaxed differences.
func (p *patchText) places(h hunk, from int, relaxed bool) (found []int) {
	line := p.line
	if relaxed {
		line = func(i int) string { return p.plain()[i] }
		h.lines = slices.Clone(h.lines)
		for i, l := range h.lines {
			h.lines[i].text = document.Fold(strings.TrimSuffix(l.text, "\r"))
		}
	}
	for i := from; i+h.old() <= p.len() && h.old() > 0; i++ {
		if p.matchesAs(h, i, line) {
			found = append(found, i)
		}
	}
	return found
}

// findAnchor returns the first line with the text of an anchor or, apart from relaxed
// differences, the only one.
func (p *patchText) findAnchor(anchor string, from int) (at int, ok bool) {
	for i := from; i < p.len(); i++ {
		if strings.TrimSpace(p.line(i)) == anchor {
			return i, true
		}
	}
	want, found := document.Fold(anchor), 0
	for i := from; i < p.len(); i++ {
		if strings.TrimSpace(p.plain()[i]) == want {
			at, found = i, found+1
		}
	}
	return at, found == 1
}

// misplaced returns the error for a hunk without a place.
func misplaced(env *tools.Env, h hunk, code tools.Code, message tools.Text, args ...any) *tools.Error {
	e := env.Fail(code, message, args...)
	e.Details = []tools.Detail{{Path: "/patch", Message: env.Localize("line %d: %s", h.at+1, e.Message)}}
	return e.WithHint(env.Hint("Read the file again, and add lines of context so that the hunk fits one place"))
}

// noPlace returns the error for a hunk whose lines are not in the file, with the
// most similar lines.
func noPlace(env *tools.Env, p *patchText, h hunk) *tools.Error {
	e := misplaced(env, h, tools.NotFound, "Could not find the lines of a hunk")
	if near := document.Nearest(env, p.Document, h.oldText(), env.Localize("the hunk"), "/patch"); near != nil {
		e.Details = append(e.Details, near.Details...)
	}
	old := strings.TrimSuffix(h.oldText(), "\n")
	switch {
	case fillsLines(p.Document, p.FindRelaxed(old, document.RelaxAll)):
		e.Hint = env.Hint("techo fs edit with --normalize would find the old lines in one place; or copy them from " +
			"techo fs read")
	case fillsLines(p.Document, p.FindIgnoringBlanks(old)):
		e.Hint = env.Hint("techo fs edit with --ignore-whitespace would find the old lines in one place; or copy " +
			"them from techo fs read")
	}
	return e
}

// fillsLines reports whether there is one match, and its lines have nothing else but blanks.
func fillsLines(d *document.Document, found []document.Match) bool {
	if len(found) != 1 {
		return false
	}
	before, after := d.Text.String[:found[0].Start], d.Text.String[found[0].End:]
	before = before[strings.LastIndexByte(before, '\n')+1:]
	after, _, _ = strings.Cut(after, "\n")
	return strings.TrimFunc(before+after, document.IsBlank) == ""
}

// splices returns the changes of a hunk at a line.
func (p *patchText) splices(env *tools.Env, w *change.Target, h hunk, at int) (s document.Step, e *tools.Error) {
	for i := 0; i < len(h.lines); {
		if h.lines[i].op == ' ' {
			i, at = i+1, at+1
			continue
		}
		from := at
		var removed, added []hunkLine
		exact := h.placed // the patch shows which lines have ends
		for ; i < len(h.lines) && h.lines[i].op != ' '; i++ {
			if h.lines[i].op == '-' {
				exact = exact || h.lines[i].noEnd
				removed = append(removed, h.lines[i])
				at++
			} else {
				added = append(added, h.lines[i])
			}
		}
		keepRepeated(p, removed, added, from)
		with, e := w.Encode(env, p.Text.Charset, addedText(p, added, from, at, exact), "/patch")
		if e != nil {
			return nil, e
		}
		s = append(s, p.Splice(p.starts[from], p.starts[at], with))
	}
	return s, nil
}

// keepRepeated gives the added lines the characters of the file where they repeat removed lines
// that match only apart from relaxed differences.
func keepRepeated(p *patchText, removed, added []hunkLine, from int) {
	old, there, text := textOfLines(removed), make([]string, len(removed)), textOfLines(added)
	for i := range there {
		there[i] = p.line(from + i)
	}
	matched := strings.Join(there, "\n")
	if old == matched || len(added) == 0 {
		return
	}
	if lines := strings.Split(document.KeepRepeated(old, matched, text, "\n"), "\n"); len(lines) == len(added) {
		for i := range added {
			added[i].text = lines[i]
		}
	}
}

func textOfLines(lines []hunkLine) string {
	var all []string
	for _, l := range lines {
		all = append(all, strings.TrimSuffix(l.text, "\r"))
	}
	return strings.Join(all, "\n")
}

// addedText returns the text of added lines that replace the lines from from to to,
// with the line ends of that place. Unless the lines are exact about it, a file
// without an end of its last line stays so.
func addedText(p *patchText, lines []hunkLine, from, to int, exact bool) string {
	if len(lines) == 0 {
		return ""
	}
	end := p.NewlineAt(p.starts[from])
	var b strings.Builder
	appends := from == p.len() && p.len() > 0 && p.unended(from-1)
	if appends {
		b.WriteString(end)
	}
	for i, l := range lines {
		b.WriteString(strings.TrimSuffix(l.text, "\r"))
		last := i == len(lines)-1
		if !l.noEnd && !(last && !exact && (appends || to > from && p.unended(to-1))) {
			b.WriteString(end)
		}
	}
	return b.String()
}
