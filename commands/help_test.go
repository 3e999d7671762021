package commands

import (
	"strings"
	"testing"

	"techo/internal/columns"
)

// TestHelpWidth checks that no line of any page of help takes more than 80
// columns, in either language.
func TestHelpWidth(t *testing.T) {
	w := newWorld(t)
	pages := []string{"", "memo", "memory", "cal", "cal auth", "fs", "ask", "store", "token"}
	for _, c := range allCommands() {
		pages = append(pages, c.Tool.Command)
	}
	for _, lang := range []string{"en", "ja"} {
		for _, page := range pages {
			out := w.run(append(strings.Fields(page), "--help", "--lang", lang)...).out
			for line := range strings.Lines(out) {
				if n := columns.Width(strings.TrimRight(line, "\n")); n > 80 {
					t.Errorf("techo %s --help --lang %s: %d columns:\n%s", page, lang, n, line)
				}
			}
		}
	}
}

// TestHelpColor checks that help is coloured only on a terminal, and not with
// NO_COLOR or on a dumb terminal.
func TestHelpColor(t *testing.T) {
	for _, c := range []struct {
		terminal bool
		env      map[string]string
		want     bool
	}{
		{true, map[string]string{"TERM": "xterm"}, true},
		{false, map[string]string{"TERM": "xterm"}, false},
		{true, map[string]string{"TERM": "xterm", "NO_COLOR": "1"}, false},
		{true, map[string]string{"TERM": "dumb"}, false},
		{true, nil, false},
	} {
		w := newWorld(t)
		w.terminal = c.terminal
		for name, value := range c.env {
			w.env[name] = value
		}
		out := w.run("memo", "add", "--help").out
		if got := strings.Contains(out, "\x1b["); got != c.want {
			t.Errorf("terminal %v, %v: colours %v, want %v", c.terminal, c.env, got, c.want)
		}
	}
}

// TestHelpNo checks that a switch whose name begins with no- is not shown with a
// second no-.
func TestHelpNo(t *testing.T) {
	for _, lang := range []string{"en", "ja"} {
		text := newWorld(t).run("grep", "--help", "--lang", lang).text()
		if !strings.Contains(text, " --no-ignore ") || strings.Contains(text, "[no-]no-") {
			t.Errorf("%s:\n%s", lang, text)
		}
	}
}

// TestSections checks that the help lists the tools of each family in a section of
// their own, not in the last one, where commands without a section are.
func TestSections(t *testing.T) {
	_, last, found := strings.Cut(newWorld(t).run("--help").text(), "\nHelp:\n")
	if !found {
		t.Fatal("no section Help")
	}
	for _, tool := range families() {
		if strings.Contains(last, "\n  "+tool.Command+" ") || strings.HasPrefix(last, "  "+tool.Command+" ") {
			t.Errorf("%s has no section in groups", tool.Command)
		}
	}
}
