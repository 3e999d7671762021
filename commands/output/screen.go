package output

import (
	"regexp"
	"strings"
	"sync"

	"techo/internal/columns"
)

// narrowest is the width, in columns, below which lines are left to the terminal.
const narrowest = 20

// screenful lays out a text for the person's terminal: long lines break at words, with a
// hanging indent. Lines of a grid and bytes that were asked for stay as they are.
func (s *Printer) screenful(text string) string {
	if !s.terminal || s.Verbatim || s.columns == nil {
		return text
	}
	width := s.columns()
	if width < narrowest {
		return text
	}
	var b strings.Builder
	for line := range strings.Lines(text) {
		line, end, _ := strings.Cut(line, "\n")
		if columns.Width(line) <= width || strings.HasPrefix(line, "|") || strings.HasPrefix(line, "+") {
			b.WriteString(line)
		} else {
			b.WriteString(hang(line, width))
		}
		b.WriteString(end + "\n")
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// item is the beginning of a line under which its continuation hangs: blanks, and the mark of
// a list item, a to-do or a time, or columns with two blanks between them.
var item = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^ *(?:[-!] (?:\[[ x-]\] )?|[ 0-9:]{5}–[ 0-9:]{5}  |(?:\w+(?: \w+)*  +)+)?`)
})

// hang breaks a line at words. Its continuation hangs under the text of the item.
func hang(line string, width int) string {
	begin := item().FindString(line)
	indent := columns.Width(begin)
	if indent > width*2/3 {
		begin, indent = "", 2
	}
	whole := strings.ReplaceAll(line[len(begin):], "(id: ", "(id:\u00a0") // the mark and the id stay on one line
	whole = strings.ReplaceAll(whole, "（ID: ", "（ID:\u00a0")
	rows := columns.Wrap(whole, width-indent)
	text := begin + strings.Join(rows, "\n"+strings.Repeat(" ", indent))
	return strings.ReplaceAll(text, "\u00a0", " ")
}

// paged shows a text with the person's pager if it has more lines than the terminal has rows.
func (s *Printer) paged(text string) bool {
	if !s.terminal || s.rows == nil || s.page == nil {
		return false
	}
	rows := s.rows()
	return rows > 0 && strings.Count(text, "\n") >= rows && s.person() && s.page(text)
}
