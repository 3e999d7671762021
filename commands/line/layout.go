package line

import (
	"fmt"
	"regexp"
	"strings"
	"sync"

	"techo/internal/columns"
	"techo/tools"
)

const (
	helpWidth = 80 // columns of a page
	termWidth = 24 // columns of the terms in a table, at most
)

// layout writes text within helpWidth columns.
type layout struct {
	strings.Builder
	env   *tools.Env
	color bool
}

func (l *layout) line(format string, args ...any) { fmt.Fprintf(l, format+"\n", args...) }

// title begins a section.
func (l *layout) title(s tools.Text) {
	text := l.env.Localize(s)
	if l.color {
		text = "\x1b[1m" + text + "\x1b[0m"
	}
	l.line("\n%s", text)
}

// paragraph wraps each line of a text. Continued lines are indented by hanging
// more columns.
func (l *layout) paragraph(text string, indent, hanging int) {
	for _, line := range strings.Split(text, "\n") {
		first := columns.Wrap(line, helpWidth-indent)[0]
		l.line("%s%s", strings.Repeat(" ", indent), first)
		rest := strings.TrimLeft(strings.TrimPrefix(line, first), " ")
		if rest == "" {
			continue
		}
		for _, next := range columns.Wrap(rest, helpWidth-indent-hanging) {
			l.line("%s%s", strings.Repeat(" ", indent+hanging), next)
		}
	}
}

// table writes rows of a term and its description. A long term gets a line of its
// own.
func (l *layout) table(rows [][]string) {
	wide := 0
	for _, r := range rows {
		if n := columns.Width(r[0]); n <= termWidth {
			wide = max(wide, n)
		}
	}
	indent := wide + 2
	for _, r := range rows {
		description := columns.Wrap(r[1], helpWidth-indent)
		if columns.Width(r[0]) > wide {
			l.paragraph(strings.TrimLeft(r[0], " "), 2, 4)
		} else {
			l.line("%s  %s", columns.Pad(r[0], wide), description[0])
			description = description[1:]
		}
		for _, d := range description {
			l.line("%s%s", strings.Repeat(" ", indent), d)
		}
	}
}

// example writes a command with its purpose as a comment. A long command
// continues on further lines, so that all of them can be copied into a shell.
func (l *layout) example(does, command string) {
	start, end := "", ""
	if l.color {
		start, end = "\x1b[2m", "\x1b[0m"
	}
	for _, d := range columns.Wrap(does, helpWidth-4) {
		l.line("  %s# %s%s", start, d, end)
	}
	l.line("  %s", strings.Join(breakCommand(command, helpWidth-2), "\n"))
}

// shellWord matches a shell word with quotes and substitutions, or a flag with
// its value, and the blanks that follow.
var shellWord = sync.OnceValue(func() *regexp.Regexp {
	const quoted = `\$\([^)]*\)|'[^']*'|"[^"]*"|`
	return regexp.MustCompile(`(?:--?[a-z][a-z-]* (?:` + quoted + `[^ -])(?:` + quoted + `[^ ])*|(?:` + quoted +
		`[^ ])+) *`)
})

// breakCommand breaks a command at blanks outside of quotes, with a backslash,
// and JSON between objects.
func breakCommand(command string, width int) (lines []string) {
	if columns.Width(command) <= width {
		return []string{command}
	}
	const indent = "      "
	line := ""
	for _, w := range shellWord().FindAllString(command, -1) {
		if line != "" && columns.Width(line+strings.TrimRight(w, " ")) > width-2 {
			lines = append(lines, line+"\\")
			line = indent
			if columns.Width(indent+w) > width {
				objects := strings.SplitAfter(w, "},")
				for _, o := range objects[:len(objects)-1] {
					lines = append(lines, indent+o)
				}
				w = objects[len(objects)-1]
			}
		}
		line += w
	}
	return append(lines, line)
}
