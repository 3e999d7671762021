package commands

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"techo/commands/catalogue"
	"techo/commands/run"
	"techo/internal/columns"
	"techo/internal/testenv"
	"techo/tools"
)

// silent runs a checker, which must print nothing.
func silent(t *testing.T, env []string, program string, args ...string) {
	t.Helper()
	c := exec.CommandContext(t.Context(), testenv.Tool(t, program), args...)
	c.Env = append(os.Environ(), env...)
	out, err := c.CombinedOutput()
	if err != nil || len(out) > 0 {
		t.Errorf("%s %.200q: %v\n%.2000s", program, args, err, out)
	}
}

// TestManual checks every manual page with groff and mandoc, in both languages.
func TestManual(t *testing.T) {
	w := newWorld(t)
	for _, lang := range []string{"en", "ja"} {
		dir := t.TempDir()
		w.run("man", "--to-dir", dir, "--lang", lang).ok()
		pages, err := filepath.Glob(filepath.Join(dir, "*.1"))
		if err != nil || len(pages) < 60 {
			t.Fatalf("%d pages: %v", len(pages), err)
		}
		silent(t, nil, "groff", append([]string{"-man", "-ww", "-W", "break", "-z", "-Tutf8"}, pages...)...)
		silent(t, nil, "mandoc", append([]string{"-Tlint", "-Wwarning"}, pages...)...)
	}
}

// TestUnits checks the unit with systemd, and that launchd's file contains the
// requested command line.
func TestUnits(t *testing.T) {
	w, program := newWorld(t), testenv.Program(t)
	hostile := []string{"serve", "--listen", `unix:a "b" %c $d \e.sock`, "--store", "日 本/%h", "--user", "<a>&'b'",
		"--host", "x", "--lang", "ja"}
	unit := filepath.Join(t.TempDir(), "techo.service")
	write := func(path, text string) {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	text := w.exec(program, "", append(hostile, "--unit", "systemd")...).out
	write(unit, text)
	silent(t, []string{"XDG_RUNTIME_DIR=" + t.TempDir()}, "systemd-analyze", "verify", "--user", unit)
	odd := filepath.Join(t.TempDir(), "a $HOME %h $$ b")
	if err := os.Mkdir(odd, 0o755); err != nil {
		t.Fatal(err)
	}
	odd = filepath.Join(odd, "techo")
	if err := os.Link(program, odd); err != nil {
		t.Fatal(err)
	}
	write(unit, w.exec(odd, "", append(hostile, "--unit", "systemd")...).out)
	silent(t, []string{"XDG_RUNTIME_DIR=" + t.TempDir()}, "systemd-analyze", "verify", "--user", unit)
	write(unit, strings.Replace(text, "ExecStart=\"", "ExecStart=\"/nowhere", 1))
	if exec.CommandContext(t.Context(), testenv.Tool(t, "systemd-analyze"), "verify", unit).Run() == nil {
		t.Error("systemd finds nothing wrong with a program that is nowhere")
	}

	list := filepath.Join(t.TempDir(), "techo.plist")
	write(list, w.exec(program, "", append(hostile, "--unit", "launchd")...).out)
	read := exec.CommandContext(t.Context(), testenv.Tool(t, "python3"), "-c",
		"import plistlib, sys; print('\\n'.join(plistlib.load(open(sys.argv[1], 'rb'))['ProgramArguments']))", list)
	out, err := read.Output()
	want := []string{program, "serve", "--listen", "unix:" + filepath.Join(w.dir, `a "b" %c $d \e.sock`), "--host", "x",
		"--store", filepath.Join(w.dir, "日 本/%h"), "--lang", "ja", "--user", "<a>&'b'"}
	if got := strings.Split(strings.TrimSpace(string(out)), "\n"); err != nil ||
		strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("%v\n%q\nwant\n%q", err, got, want)
	}
}

// TestSkillSubjects checks that the description of the skill mentions every tool
// and is one YAML string.
func TestSkillSubjects(t *testing.T) {
	for _, lang := range []tools.Lang{tools.English, tools.Japanese} {
		env := &tools.Env{Lang: lang}
		for _, tool := range families() {
			if catalogue.Leads(tool) {
				continue // a shell has techo tools and techo call
			}
			said := catalogue.Subjects(env, []*tools.Tool{tool})
			if len(said) != 1 || strings.ContainsAny(said[0], ":#\"'\n") {
				t.Errorf("%s: %q", tool.Name, said)
			}
		}
	}
}

// TestPreapproved checks that the commands that a skill pre-approves only read the store,
// whichever flags are appended to them.
func TestPreapproved(t *testing.T) {
	elsewhere := []string{"path", "to_dir", "url", "file", "save", "to", "root"}
	harmless := []string{"working-hours", "working-days", "event-buffer"} // they change what is suggested only
	n := 0
	for _, tool := range families() {
		if !tool.Preapproved {
			continue
		}
		n++
		if tool.Effect != tools.Reads || tool.For != tools.Agents {
			t.Errorf("%s is pre-approved and does more than read for an agent", tool.Name)
		}
		for _, field := range tool.Input().Names() {
			if slices.Contains(elsewhere, field) {
				t.Errorf("%s is pre-approved and has the field %s", tool.Name, field)
			}
		}
		for _, s := range run.Settings {
			if slices.Contains(s.Only, tool.Command) && !slices.Contains(harmless, s.Name) {
				t.Errorf("%s is pre-approved and has the setting --%s", tool.Name, s.Name)
			}
		}
		for _, other := range families() { // a pattern also covers the commands below
			if other != tool && len(other.Command) > len(tool.Command) &&
				other.Command[:len(tool.Command)+1] == tool.Command+" " {
				t.Errorf("the pattern of %s covers %s", tool.Name, other.Command)
			}
		}
	}
	if n == 0 {
		t.Error("nothing is pre-approved")
	}
}

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
