//go:build !windows

package system

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"time"

	"golang.org/x/sys/unix"
	"golang.org/x/term"

	"techo/tools"
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
	file    *os.File
	flushed bool
	rest    []byte        // an incomplete line
	echo    *unix.Termios // the settings to restore; nil while the echo is on
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
		return nil, &tools.NoTerminalError{Reason: "it cannot be opened", Cause: err}
	}
	signal.Ignore(unix.SIGTTIN, unix.SIGTTOU) // reading in the background fails instead of stopping the process
	k := &keyboard{file: file}
	if reason := k.whyUnsafe(); reason != "" {
		k.Close()
		return nil, &tools.NoTerminalError{Reason: reason}
	}
	return k, nil
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
	case t.Lflag&unix.ICANON == 0 || t.Lflag&unix.ECHO == 0 && k.echo == nil:
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

// Hide turns off the echo. It disables Ctrl-Z, which would leave the shell
// without echo.
func (k *keyboard) Hide() error {
	was, err := unix.IoctlGetTermios(k.fd(), GetTermios)
	if err != nil {
		return fmt.Errorf("terminal: %w", err)
	}
	silent := *was
	silent.Lflag &^= unix.ECHO
	silent.Cc[unix.VSUSP] = noKey
	k.echo = was
	if err := unix.IoctlSetTermios(k.fd(), SetTermios, &silent); err != nil {
		return fmt.Errorf("terminal: %w", err)
	}
	return nil
}

// Print writes a text. The first call discards earlier input.
func (k *keyboard) Print(text string) error {
	if !k.flushed {
		k.flushed = true
		if err := flushInput(k.fd()); err != nil {
			return fmt.Errorf("terminal: %w", err)
		}
	}
	_, err := io.WriteString(k.file, Visible(text))
	return err
}

// maxLine is the length in bytes from which the system may have cut a line:
// Linux keeps 4,095 bytes.
const maxLine = 4095

// isClosed reports whether the terminal was closed.
func (k *keyboard) isClosed() bool {
	_, err := unix.IoctlGetTermios(k.fd(), GetTermios)
	return err != nil
}

// pollTime is how long one poll takes.
const pollTime = 50 * time.Millisecond

// Line waits for a line. It reads only while asking is safe.
func (k *keyboard) Line(ctx context.Context) (string, error) {
	buf := make([]byte, 4096)
	for {
		if i := bytes.IndexByte(k.rest, '\n'); i >= 0 {
			line := string(k.rest[:i])
			if k.rest = k.rest[i+1:]; len(line) >= maxLine {
				return "", tools.ErrLongLine
			}
			return cleanLine(line), nil
		}
		if ctx.Err() != nil {
			return "", context.Cause(ctx)
		}
		if k.isClosed() {
			return "", &tools.NoTerminalError{Reason: "it is gone"}
		}
		if k.whyUnsafe() != "" {
			time.Sleep(pollTime)
			continue
		}
		ready, err := k.ready()
		if err != nil {
			return "", err
		}
		if !ready {
			continue
		}
		n, err := unix.Read(k.fd(), buf)
		switch {
		case errors.Is(err, unix.EINTR):
		case err != nil:
			return "", fmt.Errorf("terminal: %w", err)
		case n == 0 && k.isClosed(): // the window was closed; it was not Ctrl-D
		case n == 0 && len(k.rest) > 0: // ended by Ctrl-D instead of Enter
			line := string(k.rest)
			k.rest = nil
			return cleanLine(line), nil
		case n == 0:
			return "", io.EOF
		default:
			k.rest = append(k.rest, buf[:n]...)
		}
	}
}

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

// Close restores the terminal. It discards a half-typed line, which the shell
// would run as a command.
func (k *keyboard) Close() error {
	if k.flushed && k.inForeground() {
		_ = flushInput(k.fd())
	}
	if k.echo != nil {
		_ = unix.IoctlSetTermios(k.fd(), SetTermios, k.echo) // it may be gone
	}
	return k.file.Close()
}
