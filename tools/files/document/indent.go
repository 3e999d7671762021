package document

import "strings"

// # Indentation
//
// A text that matched with different blanks was written with another indentation
// than the file has. The new text gets the file's: a line with the indentation of a
// line of old_string is indented as the matching line, and other lines are measured
// from there, in units of one level.

// indents maps the widths of indentations in old_string to indentations in the
// file.
type indents struct {
	file     map[int]string
	unit     int    // columns of a level in old_string and the new text
	fileUnit string // a level in the file
}

// tabWidth is the width of a tab in an indentation, in columns.
const tabWidth = 4

func indentOf(line string) string { return line[:len(line)-len(strings.TrimLeft(line, " \t"))] }

func widthOf(indent string) (n int) {
	for _, c := range indent {
		if c == '\t' {
			n += tabWidth
		} else {
			n++
		}
	}
	return n
}

// newIndents compares the lines of old_string with the lines that match, both
// without empty lines. It returns nil if they do not correspond.
func newIndents(old, matched, text []string) *indents {
	if len(old) != len(matched) {
		return nil
	}
	x := &indents{file: map[int]string{}}
	widths := []int{}
	for i := range old {
		w := widthOf(indentOf(old[i]))
		if _, ok := x.file[w]; !ok {
			x.file[w] = indentOf(matched[i])
		}
		widths = append(widths, w)
	}
	for _, line := range text {
		widths = append(widths, widthOf(indentOf(line)))
	}
	for i := range widths {
		x.unit = gcd(x.unit, max(widths[i]-widths[0], widths[0]-widths[i]))
	}
	x.fileUnit = x.levelOf(matched)
	return x
}

func gcd(a, b int) int {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}

// levelOf returns one level of the file's indentation.
func (x *indents) levelOf(matched []string) string {
	smallest := 0
	for _, line := range matched {
		indent := indentOf(line)
		if strings.Contains(indent, "\t") {
			return "\t"
		}
		smallest = gcd(smallest, len(indent))
	}
	if smallest == 0 {
		smallest = max(x.unit, 1)
	}
	return strings.Repeat(" ", smallest)
}

// of returns the file's indentation for a line of the new text.
func (x *indents) of(line string) string {
	w := widthOf(indentOf(line))
	if indent, ok := x.file[w]; ok {
		return indent
	}
	base := -1
	for known := range x.file {
		if known <= w && known > base {
			base = known
		}
	}
	if base >= 0 && x.unit > 0 {
		return x.file[base] + strings.Repeat(x.fileUnit, (w-base)/x.unit)
	}
	for known := range x.file { // less than every known line
		if base < 0 || known < base {
			base = known
		}
	}
	indent := x.file[base]
	for ; base > w && x.unit > 0; base -= x.unit {
		indent = strings.TrimSuffix(indent, x.fileUnit)
	}
	return indent
}

// visible returns the lines of a text that are not blank.
func visible(text string) (lines []string) {
	for line := range strings.Lines(text) {
		if line = strings.TrimRight(line, "\r\n"); strings.TrimSpace(line) != "" {
			lines = append(lines, line)
		}
	}
	return lines
}

// Reindent fits a new text to a match that ignored blanks: it removes the blanks
// around the text that old has too, and gives each line the file's indentation.
func (d *Document) Reindent(m Match, old, text string) string {
	lead := old[:len(old)-len(strings.TrimLeftFunc(old, IsBlank))]
	tail := old[len(strings.TrimRightFunc(old, IsBlank)):]
	begin := strings.LastIndexByte(d.Text.String[:m.Start], '\n') + 1
	if strings.TrimFunc(d.Text.String[begin:m.Start], IsBlank) != "" { // the match begins within a line
		return strings.TrimSuffix(strings.TrimPrefix(text, lead), tail)
	}
	first := lead[strings.LastIndexByte(lead, '\n')+1:]
	x := newIndents(visible(first+strings.TrimLeftFunc(old, IsBlank)), visible(d.Text.String[begin:m.End]),
		visible(text))
	body := strings.TrimSuffix(strings.TrimPrefix(text, lead), tail)
	if x == nil {
		return body
	}
	lines := strings.Split(body, "\n")
	for i, line := range lines {
		if i > 0 && strings.TrimSpace(line) != "" {
			lines[i] = x.of(line) + strings.TrimLeft(line, " \t")
		}
	}
	return strings.Join(lines, "\n")
}
