package files

import (
	"errors"
	"fmt"
	"strings"

	"techo/internal/charset"
	"techo/tools"
)

// patchText is a text as its lines, for placing hunks.
type patchText struct {
	*document
	starts []int // offset of each line in text, and the end of the text
}

func newPatchText(d *document) *patchText {
	p := &patchText{document: d}
	at := 0
	for line := range strings.Lines(d.text.String) {
		p.starts = append(p.starts, at)
		at += len(line)
	}
	p.starts = append(p.starts, at)
	return p
}

// len returns the number of lines.
func (p *patchText) len() int { return len(p.starts) - 1 }

// line returns a line without its end.
func (p *patchText) line(i int) string {
	return strings.TrimSuffix(strings.TrimSuffix(p.text.String[p.starts[i]:p.starts[i+1]], "\n"), "\r")
}

// unended reports whether a line is the last one and has no end.
func (p *patchText) unended(i int) bool {
	return i == p.len()-1 && !strings.HasSuffix(p.text.String, "\n")
}

// matches reports whether the old lines of a hunk are at a line. Only a unified diff
// shows whether the last line has an end.
func (p *patchText) matches(h hunk, at int) bool {
	for _, l := range h.lines {
		if l.op == '+' {
			continue
		}
		if at >= p.len() || p.line(at) != strings.TrimSuffix(l.text, "\r") || l.noEnd && !p.unended(at) ||
			h.placed && !l.noEnd && p.unended(at) {
			return false
		}
		at++
	}
	return !h.atEnd || at == p.len()
}

// placeHunks returns the changes of all hunks of a file.
func placeHunks(env *tools.Env, w *target, d *document, hunks []hunk) (s step, e *tools.Error) {
	p := newPatchText(d)
	from, shift := 0, 0 // the first line after the last hunk, and how far it was from its place
	for _, h := range hunks {
		at, e := p.find(env, h, from, shift)
		if e != nil {
			e.Message = w.shown + ": " + e.Message
			return nil, e
		}
		if expected := h.expected(); h.placed {
			if shift = at - expected; shift != 0 {
				w.notes = append(w.notes, env.Localize("%s: applied the hunk for line %d in line %d", w.shown,
					expected+1, at+1))
			}
		}
		more, err := p.splices(h, at)
		if bad := new(charset.UnencodableError); errors.As(err, &bad) {
			if w.guessed { // the guess may be the reason
				return nil, guessedOnly(env, encodingAt(w), w.shown, d.text.Charset)
			}
			return nil, unencodable(env, "/patch", bad)
		} else if err != nil {
			return nil, tools.AsError(env, err)
		}
		s = append(s, more...)
		from = at + h.old()
	}
	return s, nil
}

// expected returns the index of the line where a hunk should be.
func (h hunk) expected() int {
	if h.insert {
		return h.line
	}
	return h.line - 1
}

// old returns the number of old lines.
func (h hunk) old() (n int) {
	for _, l := range h.lines {
		if l.op != '+' {
			n++
		}
	}
	return n
}

// find returns the line of a hunk, at or after from.
func (p *patchText) find(env *tools.Env, h hunk, from, shift int) (at int, e *tools.Error) {
	if at = h.expected() + shift; h.placed && at >= from && at <= p.len() && p.matches(h, at) {
		return at, nil
	}
	for _, anchor := range h.anchors {
		i := from
		for i < p.len() && strings.TrimSpace(p.line(i)) != anchor {
			i++
		}
		if i == p.len() {
			return 0, p.misplaced(env, h, tools.NotFound, "Could not find the line %q of @@", anchor)
		}
		from = i + 1
	}
	if h.old() == 0 && !h.placed { // without old lines, a text is added after the anchor, or at the end
		if len(h.anchors) > 0 {
			return from, nil
		}
		return p.len(), nil
	}
	var found []int
	for i := from; i+h.old() <= p.len() && h.old() > 0; i++ {
		if p.matches(h, i) {
			found = append(found, i)
		}
	}
	switch {
	case len(found) == 1, len(found) > 1 && len(h.anchors) > 0:
		return found[0], nil
	case len(found) == 0:
		return 0, p.notFound(env, h)
	}
	var lines []string
	for _, i := range found[:min(len(found), maxListed)] {
		lines = append(lines, fmt.Sprint(i+1))
	}
	return 0, p.misplaced(env, h, tools.Conflict, "The lines of a hunk occur more than once: in lines %s",
		strings.Join(lines, ", "))
}

// misplaced returns the error for a hunk without a place.
func (p *patchText) misplaced(env *tools.Env, h hunk, code tools.Code, message tools.Text, args ...any) *tools.Error {
	e := env.Fail(code, message, args...)
	e.Details = []tools.Detail{{Path: "/patch", Message: env.Localize("line %d: %s", h.at+1, e.Message)}}
	return e.WithHint(env.Hint("Read the file again, and add lines of context so that the hunk fits one place"))
}

// notFound returns the error for a hunk whose lines are not in the file, with the
// most similar lines.
func (p *patchText) notFound(env *tools.Env, h hunk) *tools.Error {
	var old strings.Builder
	for _, l := range h.lines {
		if l.op != '+' {
			old.WriteString(l.text + "\n")
		}
	}
	e := p.misplaced(env, h, tools.NotFound, "Could not find the lines of a hunk")
	if near := nearestText(env, p.document, old.String(), "/patch"); near != nil {
		e.Details = append(e.Details, near.Details...)
	}
	return e
}

// splices returns the changes of a hunk at a line.
func (p *patchText) splices(h hunk, at int) (s step, err error) {
	for i := 0; i < len(h.lines); {
		if h.lines[i].op == ' ' {
			i, at = i+1, at+1
			continue
		}
		from := at
		var added []hunkLine
		exact := h.placed // the patch shows which lines have ends
		for ; i < len(h.lines) && h.lines[i].op != ' '; i++ {
			if h.lines[i].op == '-' {
				exact = exact || h.lines[i].noEnd
				at++
			} else {
				added = append(added, h.lines[i])
			}
		}
		with, err := p.text.Charset.Encode(p.added(added, from, at, exact))
		if err != nil {
			return nil, err
		}
		start := p.inFile(p.starts[from])
		s = append(s, splice{start, p.inFile(p.starts[at]) - start, with})
	}
	return s, nil
}

// added returns the text of added lines that replace the lines from from to to,
// with the line ends of that place. Unless the lines are exact about it, a file
// without an end of its last line stays so.
func (p *patchText) added(lines []hunkLine, from, to int, exact bool) string {
	if len(lines) == 0 {
		return ""
	}
	end := p.newlineAt(p.starts[from])
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
