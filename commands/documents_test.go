package commands

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"techo/commands/catalogue"
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
