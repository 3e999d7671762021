package main

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"techo/commands"
	"techo/commands/system"
	"techo/internal/testenv"
)

// callable matches a line of a script that starts techo in the foreground.
var callable = regexp.MustCompile(`(?m)^((?:\[[^\]]*\] *)*(?:! *)?)((?:exec|code \d+) (?:techo|person)(?: .*[^&\s])?)$`)

// ofProcess matches a line of a script that needs a process: it sets a variable of all of it, or
// starts commands of the settings in its folder.
var ofProcess = regexp.MustCompile(`(?m)^(\[[^\]]*\] *)*(env (PATH|TMP|TMPDIR)=|cp command.toml )`)

// calledScripts returns scripts whose techo is a call in this process, which takes a fifth of the
// time. They start a process where the difference matters: with stdin, in the background, and with
// another PATH or folder for temporary files. A run of all tests starts processes for everything
// once, but not again for a script that it runs in another way as well.
func calledScripts(t *testing.T, scripts []string, again bool) []string {
	t.Helper()
	all := (testenv.Full() || testenv.Long()) && !again
	if all || *update || runtime.GOOS == "windows" {
		return scripts
	}
	dir := t.TempDir()
	called := make([]string, len(scripts))
	for i, path := range scripts {
		content, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		called[i] = filepath.Join(dir, filepath.Base(path))
		if err := os.WriteFile(called[i], withCalls(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return called
}

// withCalls puts the command call before the lines of a script that need no process.
func withCalls(script []byte) []byte {
	commands, files := string(script), ""
	if i := strings.Index(commands, "\n-- "); i >= 0 {
		commands, files = commands[:i], commands[i:]
	}
	if ofProcess.MatchString(commands) {
		return script
	}
	lines, stdin := strings.Split(commands, "\n"), false
	for i, line := range lines {
		if stdin = stdin || strings.Contains(line, "stdin "); callable.MatchString(line) {
			if !stdin {
				lines[i] = callable.ReplaceAllString(line, "${1}call $2")
			}
			stdin = false
		}
	}
	return []byte(strings.Join(lines, "\n") + files)
}

// callTecho runs techo in this process, where the commands exec and code start one:
//
//	call exec techo memo list
//	call code 2 person memo nope
func callTecho(ts *testscript.TestScript, neg bool, args []string) {
	how, args := args[0], args[1:]
	want := "0"
	if how == "code" {
		want, args = args[0], args[1:]
	}
	sys, out := scriptSystem(ts, args[0]), new(strings.Builder)
	sys.Args, sys.Stdout = args[1:], out
	got := commands.Main(sys)
	_, err := ts.Stdout().Write([]byte(out.String()))
	ts.Check(err)
	if how == "code" {
		checkCode(ts, got, want, out.String())
	} else if neg != (got != 0) {
		ts.Fatalf("exit code %d", got)
	}
}

func scriptSystem(ts *testscript.TestScript, program string) system.System {
	path, err := exec.LookPath(program)
	ts.Check(err)
	return scripted(system.System{
		Program:     func() string { return path },
		Getenv:      ts.Getenv,
		Dir:         ts.MkAbs("."),
		Now:         time.Now,
		Stdin:       strings.NewReader(""),
		Stderr:      ts.Stderr(),
		Interrupted: context.WithCancel,
	}, program)
}
