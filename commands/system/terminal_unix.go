//go:build !windows

package system

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"time"

	"golang.org/x/sys/unix"
	"golang.org/x/term"

	"techo/tools"
	"techo/tools/person"
)

// keyboard is a terminal that is safe to ask on. That it can be opened is not
// enough, when an agent shares it with its person:
//
//   - A full-screen agent reads every key itself. Its terminal is not in line
//     mode, and a prompt would fight for the keys.
//   - Reading from the background stops the process until somebody brings it
//     to the front, which may be never.
//   - What was typed before the question was not an answer to it.
type keyboard struct {
	file      *os.File
	plain     bool          // it has no control sequences
	reflows   bool          // it breaks rows anew when it becomes narrower
	discarded bool          // input was discarded before a question
	saved     *unix.Termios // the settings to restore; nil while they are in force
}

// openTerminal opens the terminal of stdin and stderr, or else the controlling
// terminal. It fails if asking there is not safe.
func openTerminal() (tools.Terminal, error) {
	if term.IsTerminal(int(os.Stdin.Fd())) && term.IsTerminal(int(os.Stderr.Fd())) {
		if k, err := openSafe("/dev/fd/0"); err == nil {
			return k, nil
		}
	}
	return openSafe("/dev/tty")
}

func openSafe(path string) (tools.Terminal, error) {
	file, err := os.OpenFile(path, os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		return nil, &person.NoTerminalError{Reason: "it cannot be opened", Cause: err}
	}
	signal.Ignore(unix.SIGTTIN, unix.SIGTTOU) // reading in the background fails instead of stopping the process
	name := os.Getenv("TERM")
	k := &keyboard{file: file, plain: name == "" || name == "dumb", reflows: reflows(os.Getenv)}
	if reason := k.whyUnsafe(); reason != "" {
		k.Close()
		return nil, &person.NoTerminalError{Reason: reason}
	}
	return k, nil
}

// reflows reports whether the terminal is known to break rows anew when it becomes
// narrower. Of an unknown terminal it is better to leave parts of a prompt on the
// screen than to remove the question.
func reflows(getenv func(string) string) bool {
	name := getenv("TERM")
	if strings.HasPrefix(name, "screen") && getenv("TMUX") == "" || getenv("XTERM_VERSION") != "" {
		return false
	}
	for _, prefix := range []string{"tmux", "xterm-kitty", "alacritty", "foot", "wezterm", "xterm-ghostty", "konsole"} {
		if strings.HasPrefix(name, prefix) {
			return true
		}
	}
	for _, variable := range []string{"TMUX", "VTE_VERSION", "KONSOLE_VERSION", "KITTY_WINDOW_ID",
		"ALACRITTY_WINDOW_ID", "WEZTERM_PANE", "WT_SESSION", "ITERM_SESSION_ID", "GHOSTTY_RESOURCES_DIR"} {
		if getenv(variable) != "" {
			return true
		}
	}
	return getenv("TERM_PROGRAM") == "Apple_Terminal"
}

// fd returns the descriptor. It is in blocking mode, so it is read only when it
// is ready.
func (k *keyboard) fd() int { return int(k.file.Fd()) }

// whyUnsafe returns the reason why asking here is not safe, "" if it is.
func (k *keyboard) whyUnsafe() tools.Text {
	if !k.inForeground() {
		return "the process is in the background"
	}
	t, err := unix.IoctlGetTermios(k.fd(), GetTermios)
	switch {
	case err != nil:
		return "it is not a terminal"
	case t.Lflag&unix.ICANON == 0 || t.Lflag&unix.ECHO == 0:
		return "another program reads its keys"
	}
	return ""
}

// inForeground reports whether the process may read without being stopped. A terminal
// that is not the controlling one has no foreground.
func (k *keyboard) inForeground() bool {
	front, err := unix.IoctlGetInt(k.fd(), unix.TIOCGPGRP)
	return err == nil && front == unix.Getpgrp() || errors.Is(err, unix.ENOTTY)
}

// Discard forgets what was typed so far.
func (k *keyboard) Discard() error {
	k.discarded = true
	if err := flushInput(k.fd()); err != nil {
		return fmt.Errorf("terminal: %w", err)
	}
	return nil
}

// Print writes a text.
func (k *keyboard) Print(text string) error { return k.write(Visible(text)) }

func (k *keyboard) write(text string) error {
	_, err := io.WriteString(k.file, text)
	return err
}

// Shows returns whether the terminal can show rows under the line.
func (k *keyboard) Shows() tools.PromptParts {
	if k.plain {
		return tools.PlainLine
	}
	return tools.WholePrompt
}

func (k *keyboard) isClosed() bool {
	_, err := unix.IoctlGetTermios(k.fd(), GetTermios)
	return err != nil
}

const pollTime = 50 * time.Millisecond

// ready waits until input is ready, for pollTime at most. It uses select, because
// macOS cannot poll terminals.
func (k *keyboard) ready() (bool, error) {
	var set unix.FdSet
	set.Set(k.fd())
	wait := unix.NsecToTimeval(int64(pollTime))
	n, err := unix.Select(k.fd()+1, &set, nil, nil, &wait)
	if errors.Is(err, unix.EINTR) {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("terminal: %w", err)
	}
	return n > 0, nil
}

// Close discards a half-typed line, which the shell would run as a command.
func (k *keyboard) Close() error {
	if k.discarded && k.inForeground() {
		_ = flushInput(k.fd())
	}
	return k.file.Close()
}

// consoleColors knows of no colours without TERM.
func consoleColors() bool { return false }
