package patch

import (
	"fmt"
	"slices"
	"strings"

	"techo/tools"
	"techo/tools/files/change"
	"techo/tools/files/document"
)

// likeness is how the old lines of a hunk must be like those of the file.
type likeness int

const (
	exact   likeness = iota // byte by byte
	anyEnds                 // apart from line ends and a byte order mark
	loosely                 // apart from what relaxed matching ignores
)

// placing is the placing of the hunks of one part of a patch in the text of a file.
type placing struct {
	env  *tools.Env
	w    *change.Target // for notes and errors
	text *text
	part *filePatch

	keepMark bool // the first line changed, and the patch leaves out its byte order mark
}

// apply changes the text by all hunks of the part.
func (p *placing) apply() error {
	together := [][]hunk{p.part.hunks}
	if p.part.ordered {
		together = slices.Collect(slices.Chunk(p.part.hunks, 1))
	}
	for _, hunks := range together {
		edits, e := p.place(hunks)
		if e != nil {
			e.Message = p.w.Shown + ": " + e.Message
			return e
		}
		p.text.apply(edits)
		if p.keepMark {
			p.text.moveMark()
		}
		p.keepMark = false
	}
	return nil
}

// moveMark puts the byte order mark at the beginning again.
func (t *text) moveMark() {
	for i, l := range t.lines {
		if l.size >= 0 && strings.HasPrefix(l.text, mark) {
			t.lines[i] = line{strings.TrimPrefix(l.text, mark), 0, -1}
		}
	}
	if len(t.lines) == 0 {
		t.lines = []line{{}}
	}
	t.lines[0] = line{mark + t.lines[0].text, 0, -1}
}

func (p *placing) place(hunks []hunk) (edits []replacement, e *tools.Error) {
	from, shift := 0, 0 // the first line after the last hunk, and how far it was from its place
	for _, h := range hunks {
		h.old = slices.DeleteFunc(slices.Clone(h.lines), func(l hunkLine) bool { return l.op == '+' })
		if h.near > 0 {
			h.near = p.text.now(h.near-1) + 1
		}
		at, e := p.find(h, from, shift)
		if e != nil {
			return nil, e
		}
		if !p.text.matches(h, at, anyEnds) && len(h.old) > 0 {
			p.w.NoteRelaxed(p.env, at+1, h.ignored(p.text, at))
		}
		expected := h.expected()
		if h.placed {
			shift = at - expected
		} else if expected = h.near - 1; h.near == 0 {
			expected = at
		}
		if expected != at {
			p.w.Note(p.env, "%s: applied the hunk for line %d in line %d", p.w.Shown, expected+1, at+1)
		}
		edits = append(edits, p.edits(h, at)...)
		from = at + len(h.old)
	}
	return edits, nil
}

// matches reports whether the old lines of a hunk are at a line.
func (t *text) matches(h hunk, at int, how likeness) bool {
	if end := at + len(h.old); end > len(t.lines) || h.endsInside() || !t.endsLike(h, end) {
		return false
	}
	for i, l := range h.old {
		if t.as(at+i, how) != l.as(how) {
			return false
		}
	}
	return true
}

// endsLike reports whether the last of a hunk's old lines, which is before a line of the file, has a line end as the
// file's has. Only a unified diff shows that.
func (t *text) endsLike(h hunk, before int) bool {
	if n := len(h.old); n > 0 {
		noEnd, unended := h.old[n-1].noEnd, t.isUnended(before-1)
		if noEnd && !unended || h.placed && !noEnd && unended {
			return false
		}
	}
	return !h.atEnd || before == len(t.lines)
}

// as returns a line as it is compared.
func (t *text) as(i int, how likeness) string {
	switch how {
	case exact:
		return strings.TrimSuffix(t.lines[i].text, "\n")
	case anyEnds:
		return plainEnd(t.lines[i].text)
	}
	return t.plain(i)
}

func (l hunkLine) as(how likeness) string {
	switch how {
	case exact:
		return l.text
	case anyEnds:
		return plainEnd(l.text)
	}
	return fold(strings.TrimSuffix(l.text, "\r"))
}

// plainEnd returns a line without its end and without a byte order mark.
func plainEnd(text string) string {
	return strings.TrimPrefix(line{text: text}.content(), mark)
}

// expected returns the index of the line where a hunk should be.
func (h hunk) expected() int {
	if h.insert {
		return h.line
	}
	return h.line - 1
}

// endsInside reports whether the file would end before the last old line, so that the hunk fits nowhere.
func (h hunk) endsInside() bool {
	return slices.ContainsFunc(h.old[:max(0, len(h.old)-1)], func(l hunkLine) bool { return l.noEnd })
}

func (h hunk) oldText() string {
	var old strings.Builder
	for _, l := range h.old {
		old.WriteString(plainEnd(l.text) + "\n")
	}
	return old.String()
}

// find returns the line of a hunk, at or after from: its own, or the only one that fits, exactly if there is
// one, or else apart from line ends, or else apart from relaxed differences.
func (p *placing) find(h hunk, from, shift int) (at int, e *tools.Error) {
	t := p.text
	if at = h.expected() + shift; h.placed && at >= from && at <= len(t.lines) && t.matches(h, at, anyEnds) {
		return at, nil
	}
	if h.near > 0 && h.near <= len(t.lines) && t.matches(h, h.near-1, anyEnds) {
		return h.near - 1, nil
	}
	for _, anchor := range h.anchors {
		i, ok := t.findAnchor(anchor, from)
		if !ok {
			return 0, p.misplaced(h, tools.NotFound, "Could not find the line %q of @@", anchor)
		}
		from = i + 1
	}
	if len(h.old) == 0 && !h.placed { // without old lines, a text is added after the anchor, or at the end
		if len(h.anchors) > 0 {
			return from, nil
		}
		return len(t.lines), nil
	}
	var found []int
	for how := exact; how <= loosely && len(found) == 0; how++ {
		found = t.places(h, from, how)
		if len(found) > 1 && len(h.anchors) > 0 && how < loosely {
			found = found[:1]
		}
	}
	switch len(found) {
	case 1:
		return found[0], nil
	case 0:
		return 0, p.noPlace(h)
	}
	return 0, p.severalPlaces(h, found)
}

// places lists the lines where a hunk fits. It searches as Knuth, Morris and Pratt do: a long hunk and a file of
// equal lines cost no more than their lengths.
func (t *text) places(h hunk, from int, how likeness) (found []int) {
	var want []string
	for _, l := range h.old {
		want = append(want, l.as(how))
	}
	if len(want) == 0 || h.endsInside() {
		return nil
	}
	border := make([]int, len(want)) // of the first lines: how many of them are also their last ones
	next := func(same int, line string) int {
		for same > 0 && want[same] != line {
			same = border[same-1]
		}
		if want[same] == line {
			same++
		}
		return same
	}
	for i := 1; i < len(want); i++ {
		border[i] = next(border[i-1], want[i])
	}
	same := 0
	for i := from; i < len(t.lines); i++ {
		if same = next(same, t.as(i, how)); same == len(want) {
			if t.endsLike(h, i+1) {
				found = append(found, i+1-len(want))
			}
			same = border[same-1]
		}
	}
	return found
}

// findAnchor returns the first line with the text of an anchor or, apart from relaxed
// differences, the only one.
func (t *text) findAnchor(anchor string, from int) (at int, ok bool) {
	for i := from; i < len(t.lines); i++ {
		if strings.TrimSpace(plainEnd(t.lines[i].text)) == anchor {
			return i, true
		}
	}
	want, found := document.Fold(anchor), 0
	for i := from; i < len(t.lines); i++ {
		if strings.TrimSpace(t.plain(i)) == want {
			at, found = i, found+1
		}
	}
	return at, found == 1
}

func (p *placing) misplaced(h hunk, code tools.Code, message tools.Text, args ...any) *tools.Error {
	e := p.env.Fail(code, message, args...)
	e.Details = []tools.Detail{{Path: "/patch", Message: p.env.Localize("line %d: %s", h.at+1, e.Message)}}
	return e.WithHint(p.env.Hint("Read the file again, and add lines of context so that the hunk fits one place"))
}

// severalPlaces returns the error for a hunk that fits several lines.
func (p *placing) severalPlaces(h hunk, found []int) *tools.Error {
	var lines []string
	ignored := document.Relaxation(0)
	for _, i := range found[:min(len(found), document.MaxListed)] {
		lines = append(lines, fmt.Sprint(i+1))
		ignored |= h.ignored(p.text, i)
	}
	list := strings.Join(lines, ", ")
	if ignored == 0 {
		return p.misplaced(h, tools.Conflict, "The lines of a hunk occur more than once: in lines %s", list)
	}
	return p.misplaced(h, tools.Conflict,
		"The lines of a hunk occur nowhere exactly, but apart from %s more than once: in lines %s",
		strings.Join(ignored.Names(), ", "), list)
}

// ignored returns the differences between the old lines of a hunk and the lines where it is.
func (h hunk) ignored(t *text, at int) document.Relaxation {
	var there strings.Builder
	for i := range len(h.old) {
		there.WriteString(plainEnd(t.lines[at+i].text) + "\n")
	}
	return document.Needed(h.oldText(), there.String())
}

// noPlace returns the error for a hunk whose lines are not in the file, with the
// most similar lines.
func (p *placing) noPlace(h hunk) *tools.Error {
	e := p.misplaced(h, tools.NotFound, "Could not find the lines of a hunk")
	d := p.text.document()
	if near := document.Nearest(p.env, d, h.oldText(), p.env.Localize("the hunk"), "/patch"); near != nil {
		e.Details = append(e.Details, near.Details...)
	}
	old := strings.TrimSuffix(h.oldText(), "\n")
	switch {
	case fillsLines(d, d.FindRelaxed(old, document.RelaxAll)):
		e.Hint = p.env.Hint("%s with %s would find the old lines in one place; or copy them from %s",
			tools.Use("fs edit"), tools.Field("normalize"), tools.Use("fs read"))
	case fillsLines(d, d.FindIgnoringBlanks(old)):
		e.Hint = p.env.Hint("%s with %s would find the old lines in one place; or copy them from %s",
			tools.Use("fs edit"), tools.Field("ignore_whitespace"), tools.Use("fs read"))
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

func (p *placing) edits(h hunk, at int) (all []replacement) {
	verbatim := p.verbatim(h, at)
	for i := 0; i < len(h.lines); {
		if h.lines[i].op == ' ' {
			i, at = i+1, at+1
			continue
		}
		from := at
		var removed, added []hunkLine
		ends := h.placed // the patch shows which lines have ends
		for ; i < len(h.lines) && h.lines[i].op != ' '; i++ {
			if h.lines[i].op == '-' {
				ends = ends || h.lines[i].noEnd
				removed = append(removed, h.lines[i])
				at++
			} else {
				added = append(added, h.lines[i])
			}
		}
		e := replacement{from: from, to: at}
		if !verbatim {
			p.text.keepRepeated(removed, added, from)
			p.keepMark = p.keepMark || from == 0 && len(p.text.lines) > 0 && strings.HasPrefix(p.text.lines[0].text, mark)
		}
		e.with = p.withEnds(added, from, at, ends, verbatim)
		all = append(all, e)
	}
	return all
}

// verbatim reports whether a hunk has the lines of the file byte by byte, so that its added lines are meant
// byte by byte as well. Without old lines, that shows in the rest of the part, or in the file.
func (p *placing) verbatim(h hunk, at int) bool {
	if len(h.old) > 0 {
		return p.text.matches(h, at, exact)
	}
	return p.part.verbatim || slices.ContainsFunc(p.part.hunks, func(h hunk) bool {
		return slices.ContainsFunc(h.lines, func(l hunkLine) bool { return strings.HasSuffix(l.text, "\r") })
	}) || !p.text.isCRLF() && h.placed
}

// keepRepeated gives the added lines the characters of the file where they repeat removed lines
// that match only apart from relaxed differences.
func (t *text) keepRepeated(removed, added []hunkLine, from int) {
	old, there, text := textOfLines(removed), make([]string, len(removed)), textOfLines(added)
	for i := range there {
		there[i] = plainEnd(t.lines[from+i].text)
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
		all = append(all, plainEnd(l.text))
	}
	return strings.Join(all, "\n")
}

// withEnds returns lines that replace those from one index up to another, as they are or with the line ends
// there. Unless the patch shows ends, a file without an end of its last line stays so.
func (p *placing) withEnds(added []hunkLine, from, to int, ends, verbatim bool) (all []string) {
	appends := from == len(p.text.lines) && from > 0 && p.text.isUnended(from-1)
	end := "\n"
	if !verbatim {
		end = p.text.newlineAt(from)
	}
	for i, l := range added {
		text := l.text
		if !verbatim {
			text = plainEnd(text)
		}
		if i == 0 && appends {
			text = end + text
		}
		last := i == len(added)-1
		if !l.noEnd && !(last && !ends && (appends || to > from && p.text.isUnended(to-1))) {
			text += end
		}
		all = append(all, text)
	}
	return all
}
