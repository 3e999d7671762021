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
	"techo/tools"
	"time"

	"golang.org/x/sys/unix"
	"golang.org/x/term"
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
	rest    []byte        // read, and not a line yet
	echo    *unix.Termios // how the terminal was before the echo was stopped, nil while it is not
}

// openTerminal opens the terminal that stdin and stderr are, which need not be
// the controlling one, else that; it fails when it is not safe.
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
		return nil, &tools.NoTerminalError{Reason: err.Error()}
	}
	signal.Ignore(unix.SIGTTIN, unix.SIGTTOU) // an error of reading, instead of a stop without end
	k := &keyboard{file: file}
	if reason := k.unsafe(); reason != "" {
		k.Close()
		return nil, &tools.NoTerminalError{Reason: reason}
	}
	return k, nil
}

// fd is the descriptor. It is in blocking mode, and so only read when it is
// ready.
func (k *keyboard) fd() int { return int(k.file.Fd()) }

// unsafe says why nobody should be asked here, "" when nothing is in the way.
func (k *keyboard) unsafe() string {
	if !k.inFront() {
		return "the process is in the background"
	}
	t, err := unix.IoctlGetTermios(k.fd(), GetTermios)
	switch {
	case err != nil:
		return err.Error()
	case t.Lflag&unix.ICANON == 0 || t.Lflag&unix.ECHO == 0 && k.echo == nil:
		return "another program reads its keys"
	}
	return ""
}

// inFront reports whether reading stops nobody. A terminal that is not the
// controlling one knows no front.
func (k *keyboard) inFront() bool {
	front, err := unix.IoctlGetInt(k.fd(), unix.TIOCGPGRP)
	return err == nil && front == unix.Getpgrp() || errors.Is(err, unix.ENOTTY)
}

// Hide stops the echo. Meanwhile Ctrl-Z does nothing: a shell would be left
// without its echo.
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

// Print shows a text. Before the first one what was typed too early is dropped.
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

// longLine is how many bytes a line has whose end the system may have dropped
// (Linux keeps 4,095 of them).
const longLine = 4095

// gone reports whether the terminal has been closed.
func (k *keyboard) gone() bool {
	_, err := unix.IoctlGetTermios(k.fd(), GetTermios)
	return err != nil
}

// glance is how long one look for keys takes.
const glance = 50 * time.Millisecond

// Line waits for a line. It reads only while the process is in front and the
// terminal in line mode.
func (k *keyboard) Line(ctx context.Context) (string, error) {
	buf := make([]byte, 4096)
	for {
		if i := bytes.IndexByte(k.rest, '\n'); i >= 0 {
			line := string(k.rest[:i])
			if k.rest = k.rest[i+1:]; len(line) >= longLine {
				return "", tools.ErrLongLine
			}
			return tidyLine(line), nil
		}
		if ctx.Err() != nil {
			return "", context.Cause(ctx)
		}
		if k.gone() {
			return "", &tools.NoTerminalError{Reason: "it is gone"}
		}
		if k.unsafe() != "" {
			time.Sleep(glance)
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
		case n == 0 && k.gone(): // the window was closed, which is no Ctrl-D
		case n == 0 && len(k.rest) > 0: // ended by Ctrl-D instead of Enter
			line := string(k.rest)
			k.rest = nil
			return tidyLine(line), nil
		case n == 0:
			return "", io.EOF
		default:
			k.rest = append(k.rest, buf[:n]...)
		}
	}
}

// ready waits for a glance until something can be read. It selects, since
// macOS does not poll terminals.
func (k *keyboard) ready() (bool, error) {
	var set unix.FdSet
	set.Set(k.fd())
	wait := unix.NsecToTimeval(int64(glance))
	n, err := unix.Select(k.fd()+1, &set, nil, nil, &wait)
	if errors.Is(err, unix.EINTR) {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("terminal: %w", err)
	}
	return n > 0, nil
}

// Close gives the terminal back, without half a line that somebody began to
// type, which the shell would take for a command.
func (k *keyboard) Close() error {
	if k.flushed && k.inFront() {
		_ = flushInput(k.fd())
	}
	if k.echo != nil {
		_ = unix.IoctlSetTermios(k.fd(), SetTermios, k.echo) // a terminal that is gone needs none
	}
	return k.file.Close()
}
