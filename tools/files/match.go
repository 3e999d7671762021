package files

import (
	"bytes"
	"strings"
	"unicode"
	"unicode/utf8"
)

// # What matches
//
// A text matches where it stands in the file to the letter, except that the
// ends of lines are alike: "\n" stands for "\r\n" too, and the other way round.
// What is put in gets the line ends of the place where it goes, unless it holds
// a "\r" of its own, or the text to replace does and stands there to the letter:
// then it is the line ends that are to be changed. So a file keeps its line
// ends, also where they are mixed, and whoever means them can have them.

// match is a passage of a document.
type match struct {
	start, end int // in the text
	line       int // the first one's number, from 1
}

// splice exchanges a part of a file: so many bytes from an offset on for others.
type splice struct {
	Offset, Length int
	With           []byte
}

// step is what happens to a file at once; its splices are in order, and their
// offsets those of the file before it.
type step []splice

// do makes the splices, and the step that takes them back.
func (s step) do(raw []byte) (after []byte, back step) {
	size := len(raw)
	for _, p := range s {
		size += len(p.With) - p.Length
	}
	after = make([]byte, 0, size)
	at := 0
	for _, p := range s {
		after = append(after, raw[at:p.Offset]...)
		at = p.Offset + p.Length
		back = append(back, splice{len(after), len(p.With), bytes.Clone(raw[p.Offset:at])})
		after = append(after, p.With...)
	}
	return append(after, raw[at:]...), back
}

// find returns where old stands. Passages that overlap count, unless all are to
// be replaced: then the first of them does.
func (d *document) find(old string, all bool) (found []match) {
	if d.text.BOM {
		old = strings.TrimPrefix(old, "\ufeff")
	}
	if old == "" {
		return nil
	}
	if strings.Contains(old, "\r") {
		for _, at := range places(d.text.String, old, all) {
			line := strings.Count(d.text.String[:at], "\n") + 1
			found = append(found, match{start: at, end: at + len(old), line: line})
		}
		if len(found) > 0 {
			return found
		}
		old = strings.ReplaceAll(old, "\r\n", "\n")
	}
	line, seen := 1, 0
	for _, at := range places(d.view, old, all) {
		line += strings.Count(d.view[seen:at], "\n")
		seen = at
		found = append(found, match{start: d.inText(at), end: d.inText(at + len(old)), line: line})
	}
	return found
}

func places(s, old string, all bool) (at []int) {
	for i := 0; ; {
		j := strings.Index(s[i:], old)
		if j < 0 {
			return at
		}
		at = append(at, i+j)
		if i += j + 1; all {
			i += len(old) - 1
		}
	}
}

// replacement is what goes in the place of a match.
func (d *document) replacement(m match, old, text string) string {
	if d.text.BOM && m.start == 0 {
		text = strings.TrimPrefix(text, "\ufeff")
	}
	if strings.Contains(text, "\r") || !strings.Contains(text, "\n") ||
		strings.Contains(old, "\r") && d.text.String[m.start:m.end] == old {
		return text
	}
	if end := d.newlineAt(m.start); end != "\n" {
		return strings.ReplaceAll(text, "\n", end)
	}
	return text
}

// findLoosely returns where old stands when every run of blanks is as good as
// any other, and those at the ends of old do not count. A run with a line end
// in it is a line end.
func (d *document) findLoosely(old string) (found []match) {
	want, _ := fold(strings.TrimFunc(old, blank))
	if want == "" {
		return nil
	}
	folded, from := fold(d.text.String)
	for _, at := range places(folded, want, false) {
		start, last := from[at], at+len(want)
		_, size := utf8.DecodeLastRuneInString(want)
		end := from[last-size] + size
		found = append(found, match{start: start, end: end, line: strings.Count(d.text.String[:start], "\n") + 1})
	}
	return found
}

// fold writes every run of blanks as one, and says where each byte came from.
func fold(s string) (folded string, from []int) {
	var b strings.Builder
	for i := 0; i < len(s); {
		r, size := utf8.DecodeRuneInString(s[i:])
		if !blank(r) {
			for k := range size {
				from = append(from, i+k)
			}
			b.WriteString(s[i : i+size])
			i += size
			continue
		}
		end := i
		for end < len(s) {
			r, size := utf8.DecodeRuneInString(s[end:])
			if !blank(r) {
				break
			}
			end += size
		}
		from = append(from, i)
		if strings.ContainsAny(s[i:end], "\r\n") {
			b.WriteByte('\n')
		} else {
			b.WriteByte(' ')
		}
		i = end
	}
	return b.String(), from
}

// blank reports whether nothing is to be seen of a character.
func blank(r rune) bool {
	return unicode.IsSpace(r) || r == '\u200b' || r == '\ufeff'
}

// indented fits a text to a place that was found loosely: without the blanks
// around it that old has too, and with the indentation of the place where it
// has that of old.
func (d *document) indented(m match, old, text string) string {
	lead := old[:len(old)-len(strings.TrimLeftFunc(old, blank))]
	tail := old[len(strings.TrimRightFunc(old, blank)):]
	text = strings.TrimSuffix(strings.TrimPrefix(text, lead), tail)
	line := strings.LastIndexByte(d.text.String[:m.start], '\n') + 1
	have, want := lead[strings.LastIndexByte(lead, '\n')+1:], d.text.String[line:m.start]
	if have == want || strings.TrimFunc(want, blank) != "" {
		return text
	}
	lines := strings.Split(text, "\n")
	for i := 1; i < len(lines); i++ {
		if rest, ok := strings.CutPrefix(lines[i], have); ok && rest != "" {
			lines[i] = want + rest
		}
	}
	return strings.Join(lines, "\n")
}
