// Package system is the access to the machine: arguments, environment, streams,
// signals and the terminal.
package system

import (
	"cmp"
	"context"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"strings"
	"sync"
	"time"

	"golang.org/x/term"

	"techo/internal/buildstamp"
	"techo/tools"
)

// System is the program's access to the machine. Tests replace it.
type System struct {
	Args    []string      // without the name of the program
	Program func() string // path of the program, for configurations that start it
	Getenv  func(string) string
	Dir     string // the working folder
	Now     func() time.Time

	Stdin  io.Reader
	Stdout io.Writer
	Stderr io.Writer

	// StdinWaits reports whether stdin is a pipe or a file with input that was not read yet.
	// It does not wait. nil: no.
	StdinWaits func() bool

	StdinTerminal  bool
	StdoutTerminal bool
	StderrTerminal bool

	// Interrupted returns a context that ends at a signal to stop. A call that ends
	// within signalDelay never listens for signals, unless CatchSignals is called.
	Interrupted func(context.Context) (context.Context, context.CancelFunc)

	signals *signals // of Interrupted; nil in tests

	// Account returns the home folder of the process's user by the database of users, "" if that
	// has none: callers choose HOME and XDG_*. It fails if nothing shows which it is. nil: "".
	Account func() (string, error)

	// Terminal opens the person's terminal. It is nil without a terminal.
	Terminal func() (tools.Terminal, error)

	// Browse opens a file of HTML in the person's browser. nil: there is no browser.
	Browse func(file string) error

	// Columns returns the width of the terminal at stdout, or 0 without one, and Rows its
	// height. They may be nil.
	Columns, Rows func() int

	// Page shows a text with the person's pager. It reports false, and shows nothing, if there
	// is none. It may be nil.
	Page func(text string) bool
}

// OS returns the system of this process.
func OS() System {
	dir, err := os.Getwd()
	if err != nil {
		dir = "." // the folder was removed: relative paths will fail
	}
	caught := &signals{}
	return System{
		Args:    os.Args[1:],
		Program: executable,
		Getenv:  os.Getenv,
		Dir:     dir,
		Now:     time.Now,
		Stdin:   os.Stdin, Stdout: os.Stdout, Stderr: os.Stderr,
		StdinTerminal:  term.IsTerminal(int(os.Stdin.Fd())),
		StdoutTerminal: term.IsTerminal(int(os.Stdout.Fd())),
		StdinWaits:     stdinWaits,
		Interrupted:    caught.context,
		signals:        caught,
		Terminal:       openTerminal,
		Account:        sync.OnceValues(account),
		StderrTerminal: term.IsTerminal(int(os.Stderr.Fd())),
		Columns:        func() int { width, _ := screenSize(); return width },
		Rows:           func() int { _, height := screenSize(); return height },
		Page:           func(text string) bool { return page(pagerOf(os.Getenv), text) },
		Browse:         browse,
	}
}

// screenSize returns the width and the height of the terminal at stdout, or 0 without one.
func screenSize() (width, height int) {
	width, height, err := term.GetSize(int(os.Stdout.Fd()))
	if err != nil {
		return 0, 0
	}
	return width, height
}

// Color reports whether to use colours on stdout: on a terminal that is not dumb,
// unless NO_COLOR is set (no-color.org). The console of Windows needs no TERM.
func (s System) Color() bool {
	term := s.Getenv("TERM")
	return s.StdoutTerminal && s.Getenv("NO_COLOR") == "" && term != "dumb" && (term != "" || consoleColors())
}

// AtPerson reports whether the program is used at a terminal and no variable shows the shell of an
// agent. It decides what a person is told, never what is allowed: both can be made by programs.
func (s System) AtPerson() bool {
	return s.StdinTerminal && s.StdoutTerminal && s.StderrTerminal && !s.AgentShell()
}

// AgentShell reports whether a variable shows the shell of an agent. Agents set these for the commands
// that they run; names that a person sets, such as CODEX_HOME or CI, are no sign.
func (s System) AgentShell() bool {
	for _, name := range []string{"CLAUDECODE", "CODEX_CI", "CODEX_THREAD_ID", "CODEX_SANDBOX", "GEMINI_CLI", "OPENCODE",
		"AGENT", "CURSOR_AGENT", "COPILOT_CLI", "COPILOT_AGENT", "GOOSE_TERMINAL", "CLINE_ACTIVE", "AI_AGENT"} {
		if s.Getenv(name) != "" {
			return true
		}
	}
	return false
}

// executable returns the path of this program under the name by which it was
// called. A link on PATH stays a link, so that the path is still right after an
// update.
func executable() string {
	file, err := os.Executable()
	if err != nil {
		return Name // found on PATH
	}
	called, err := exec.LookPath(os.Args[0])
	if err != nil {
		return file
	}
	if called, err = filepath.Abs(called); err != nil {
		return file
	}
	one, e := os.Stat(called)
	other, err := os.Stat(file)
	if e != nil || err != nil || !os.SameFile(one, other) {
		return file
	}
	return called
}

// PieceMemory is the memory in bytes of a command that reads or writes any number of records in pieces.
const PieceMemory = 100 << 20

// BoundMemory makes the garbage collector run more often above a number of bytes, unless a lower limit is
// set: otherwise the heap of a command may grow to five times of what it holds.
func BoundMemory(limit int64) { debug.SetMemoryLimit(min(debug.SetMemoryLimit(-1), limit)) }

// browse opens a file of HTML in the person's browser. It does not wait for the
// browser, but for the program that starts it.
func browse(file string) error {
	switch runtime.GOOS {
	case "windows":
		return exec.Command("rundll32", "url.dll,FileProtocolHandler", file).Run()
	case "darwin":
		return exec.Command("open", file).Run()
	}
	return exec.Command("xdg-open", file).Run()
}

// pagerOf returns the person's pager and its arguments: of TECHO_PAGER or PAGER, else less.
// cat stands for none.
func pagerOf(getenv func(string) string) []string {
	return strings.Fields(cmp.Or(getenv("TECHO_PAGER"), getenv("PAGER"), "less"))
}

// page shows a text with a pager, and waits until the person leaves it. It reports false if
// the pager cannot be started.
func page(pager []string, text string) bool {
	if len(pager) == 0 || pager[0] == "cat" {
		return false
	}
	c := exec.Command(pager[0], pager[1:]...)
	c.Stdin, c.Stdout, c.Stderr = strings.NewReader(text), os.Stdout, os.Stderr
	c.Env = os.Environ()
	if os.Getenv("LESS") == "" {
		c.Env = append(c.Env, "LESS=FRX") // leave at once if all fits, show colours, keep the screen
	}
	if c.Start() != nil {
		return false
	}
	_ = c.Wait() // its exit code says nothing about the text
	return true
}

const (
	// Name is the name of the program.
	Name = "techo"

	// Version is the released version.
	Version = "0.1.0"
)

// VersionLine returns the name, the version and, if it is known, the commit.
func VersionLine(stamp buildstamp.Stamp) string {
	if text := stamp.String(); text != "" {
		return Name + " " + Version + " (" + text + ")"
	}
	return Name + " " + Version
}
