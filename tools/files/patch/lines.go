package patch

import (
	"slices"
	"strings"

	"techo/internal/charset"
	"techo/tools"
	"techo/tools/files/change"
	"techo/tools/files/document"
)

// mark is the byte order mark as a character. It is the beginning of the first line, as for git.
const mark = "\ufeff"

// line is a line of a file, with its end.
type line struct {
	text     string
	at, size int // its bytes in the file; size is -1 for an added line
}

func (l line) content() string { return strings.TrimSuffix(strings.TrimSuffix(l.text, "\n"), "\r") }

// text is the text of a file as its lines, which hunks change.
type text struct {
	w       *change.Target // for messages
	raw     []byte         // of the file
	charset *charset.Charset
	lines   []line
	folded  []string // the lines without the differences that relaxed matching ignores, on first use
	starts  []int    // in bytes, of the lines of the file
}

func newText(w *change.Target, raw []byte, c *charset.Charset) *text {
	decoded := c.Decode(raw)
	s, before := decoded.String, 0
	if decoded.BOM {
		s, before = mark+s, len(mark)
	}
	t := &text{w: w, raw: raw, charset: c}
	place := func(at int) int {
		if at < before {
			return 0
		}
		return decoded.Offset(at - before)
	}
	at := 0
	for l := range strings.Lines(s) {
		from := place(at)
		at += len(l)
		t.lines = append(t.lines, line{l, from, place(at) - from})
		t.starts = append(t.starts, from)
	}
	return t
}

// String returns the text.
func (t *text) String() string {
	var b strings.Builder
	for _, l := range t.lines {
		b.WriteString(l.text)
	}
	return b.String()
}

func (t *text) document() *document.Document {
	return document.New([]byte(strings.TrimPrefix(t.String(), mark)), charset.UTF8())
}

// isUnended reports whether a line is the last one and has no end.
func (t *text) isUnended(i int) bool { return !strings.HasSuffix(t.lines[i].text, "\n") }

// plain returns a line without the differences that relaxed matching ignores.
func (t *text) plain(i int) string {
	for k := len(t.folded); k <= i; k++ {
		t.folded = append(t.folded, fold(t.lines[k].content()))
	}
	return t.folded[i]
}

func fold(line string) string { return document.Fold(strings.TrimPrefix(line, mark)) }

// isCRLF reports whether all lines that have an end have the one of Windows.
func (t *text) isCRLF() bool {
	return len(t.lines) > 0 && strings.HasSuffix(t.lines[0].text, "\r\n") &&
		!slices.ContainsFunc(t.lines, func(l line) bool {
			return strings.HasSuffix(l.text, "\n") && !strings.HasSuffix(l.text, "\r\n")
		})
}

// newlineAt returns the end of the line at an index or, behind the last one, of the one before.
func (t *text) newlineAt(i int) string {
	if i >= len(t.lines) || t.isUnended(i) {
		i = min(i, len(t.lines)) - 1
	}
	if i >= 0 && strings.HasSuffix(t.lines[i].text, "\r\n") {
		return "\r\n"
	}
	if len(t.lines) == 1 && strings.Contains(t.lines[0].text, "\r") && t.isUnended(0) {
		return "\r" // the only ends that the file has
	}
	return "\n"
}

// now returns the index at which the line of the file with a number, from 0, is now.
func (t *text) now(number int) int {
	if number >= len(t.starts) {
		return len(t.lines)
	}
	at := slices.IndexFunc(t.lines, func(l line) bool { return l.size >= 0 && l.at >= t.starts[number] })
	if at < 0 {
		return len(t.lines)
	}
	return at
}

// replacement replaces the lines of a text from an index up to another.
type replacement struct {
	from, to int
	with     []string
}

func (t *text) apply(edits []replacement) {
	lines, folded := make([]line, 0, len(t.lines)), []string(nil)
	known := len(t.folded)
	at := 0
	keep := func(until int) {
		lines = append(lines, t.lines[at:until]...)
		if known > 0 && len(folded) == len(lines)-(until-at) {
			folded = append(folded, t.folded[min(at, known):min(until, known)]...)
		}
		at = until
	}
	for _, e := range edits {
		keep(e.from)
		for _, added := range e.with {
			if known > 0 && len(folded) == len(lines) {
				folded = append(folded, fold(line{text: added}.content()))
			}
			lines = append(lines, line{added, 0, -1})
		}
		at = e.to
	}
	keep(len(t.lines))
	t.lines, t.folded = lines, folded
}

func (t *text) step(env *tools.Env) (s document.Step, e *tools.Error) {
	at, added := 0, []byte(nil)
	replace := func(until int) {
		if until > at || len(added) > 0 {
			s = append(s, document.Splice{Offset: at, Length: until - at, With: added})
		}
		added = nil
	}
	for _, l := range t.lines {
		if l.size < 0 {
			with, e := t.w.Encode(env, t.charset, l.text, "/patch")
			if e != nil {
				return nil, e
			}
			added = append(added, with...)
			continue
		}
		replace(l.at)
		at = l.at + l.size
	}
	replace(len(t.raw))
	return s, nil
}
