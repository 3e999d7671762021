//go:build !windows

package system

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"slices"
	"time"

	"golang.org/x/sys/unix"

	"techo/internal/lineedit"
	"techo/tools"
	"techo/tools/person"
)

// edit is one line that is typed at a terminal. The terminal sends each key while
// Ask runs, and has its own settings at all other times.
type edit struct {
	*keyboard
	prompt  tools.Prompt
	decoder lineedit.Decoder
	line    lineedit.Line
	screen  lineedit.Screen
	silent  int  // polls without input
	stale   bool // input that was typed while the terminal was another program's
	marks   bool // the terminal marks pasted texts
	drawn   bool
	size    lineedit.Size // of the terminal when the line was drawn
}

// Bracketed paste: the terminal marks the begin and end of a pasted text.
const (
	pasteOn  = "\x1b[?2004h"
	pasteOff = "\x1b[?2004l"
)

// Ask shows a prompt and edits the line until Enter. It reads only while asking is
// safe, and restores the settings of the terminal in the end, and while the process
// is suspended. Nothing can restore them after SIGKILL.
func (k *keyboard) Ask(ctx context.Context, p tools.Prompt) (line string, err error) {
	if p.Secret {
		hideMemory()
	}
	e := &edit{keyboard: k, prompt: p}
	e.begin()
	quit := make(chan os.Signal, 1)
	signal.Notify(quit, unix.SIGQUIT)
	defer signal.Stop(quit)
	defer e.release()
	for {
		select {
		case <-quit: // it ends the process with a report
			e.release()
			signal.Reset(unix.SIGQUIT)
			_ = unix.Kill(unix.Getpid(), unix.SIGQUIT)
		default:
		}
		switch {
		case ctx.Err() != nil:
			return "", context.Cause(ctx)
		case e.keyboard.isClosed():
			return "", &person.NoTerminalError{Reason: "it is gone"}
		case !e.hold():
			time.Sleep(pollTime)
			continue
		}
		keys, err := nextKeys(e)
		if errors.Is(err, unix.EIO) { // it was closed, or given to another process, just now
			e.drawn = false
			time.Sleep(pollTime)
			continue
		}
		if err != nil {
			return "", err
		}
		switch e.line.Apply(keys) {
		case lineedit.Enter:
			return e.line.Text, nil
		case lineedit.Close:
			return "", io.EOF
		case lineedit.Interrupt:
			e.signal(unix.SIGINT)
		case lineedit.Suspend:
			e.signal(unix.SIGTSTP)
		}
	}
}

// nextKeys draws the line and waits for keys, for pollTime at most.
func nextKeys(e *edit) ([]lineedit.Key, error) {
	if err := e.draw(); err != nil {
		return nil, err
	}
	keys, err := e.keys()
	if err != nil {
		return nil, err
	}
	if len(keys) > 0 {
		e.drawn = false
	}
	if slices.Contains(keys, lineedit.Key{Kind: lineedit.Redraw}) {
		return keys, showAgain(e)
	}
	return keys, nil
}

func (e *edit) begin() {
	e.decoder = lineedit.Decoder{}
	e.line = lineedit.Line{Step: e.prompt.Step, AtEnd: e.plain}
	e.screen = lineedit.Screen{Plain: e.plain, Reflows: e.reflows}
	e.drawn = false
}

// showAgain shows the question and the line at the top of an empty screen. Parts of them
// may have scrolled off, or other programs may have written over them.
func showAgain(e *edit) error {
	clear := "\x1b[H\x1b[J"
	if e.plain {
		clear = "\n"
	}
	e.screen = lineedit.Screen{Plain: e.plain, Reflows: e.reflows}
	if err := e.write(clear); err != nil {
		return err
	}
	return e.Print(e.prompt.Question)
}

// signal restores the terminal and sends the signal of a key to the processes that
// the terminal would send it to. After a suspension the line is empty, since the
// person has seen other things meanwhile.
func (e *edit) signal(s unix.Signal) {
	e.release()
	group := unix.Getpid()
	if front, err := unix.IoctlGetInt(e.fd(), unix.TIOCGPGRP); err == nil && front == unix.Getpgrp() {
		group = 0
	}
	_ = unix.Kill(group, s)
	time.Sleep(pollTime) // it may arrive in another thread first
	e.stale = true
	e.begin()
}

// hold reports whether the terminal sends its keys to this process and to no other.
// It takes the terminal if asking is safe.
func (e *edit) hold() bool {
	if e.holds() {
		return true
	}
	if e.saved != nil { // another program has changed the settings
		e.saved, e.stale = nil, true
		_ = e.write("\n")
		e.begin()
	}
	if e.whyUnsafe() != "" || e.take() != nil {
		return false
	}
	if e.stale {
		e.stale = false
		return e.Discard() == nil && (e.prompt.Question == "" || e.Print(e.prompt.Question) == nil)
	}
	return true
}

// The places for the mark of this process among the control characters, which have
// no effect while the terminal sends each key.
const (
	markPlace      = unix.VEOL
	otherMarkPlace = unix.VEOL2
)

// take makes the terminal send each key, also Ctrl-C and Ctrl-Z, which may be part of
// a pasted text. Among the settings is a mark of this process: a second asker that
// took the terminal at the same moment finds another.
func (k *keyboard) take() error {
	was, err := unix.IoctlGetTermios(k.fd(), GetTermios)
	if err != nil {
		return err
	}
	now := *was
	now.Iflag &^= unix.ISTRIP | unix.INLCR | unix.ICRNL | unix.IGNCR | unix.IXON | unix.PARMRK
	now.Lflag &^= unix.ICANON | unix.ECHO | unix.ECHONL | unix.IEXTEN | unix.ISIG
	now.Cc[unix.VMIN], now.Cc[unix.VTIME] = 1, 0
	now.Cc[markPlace], now.Cc[otherMarkPlace] = mark()
	if err := unix.IoctlSetTermios(k.fd(), SetTermios, &now); err != nil {
		return err
	}
	k.saved = was
	return nil
}

// mark returns two bytes that differ for two processes that run at the same time.
func mark() (byte, byte) { return byte(unix.Getpid()), byte(unix.Getpid() >> 8) }

// holds reports whether the settings of take are in force and the process may read.
func (k *keyboard) holds() bool {
	if k.saved == nil || !k.inForeground() {
		return false
	}
	now, err := unix.IoctlGetTermios(k.fd(), GetTermios)
	if err != nil {
		return false
	}
	one, other := mark()
	return now.Lflag&(unix.ICANON|unix.ECHO) == 0 && now.Cc[markPlace] == one && now.Cc[otherMarkPlace] == other
}

// release ends the line on the screen and restores the settings, unless another
// program has changed them.
func (e *edit) release() {
	if !e.holds() {
		e.saved = nil
		return
	}
	frame := e.frame()
	frame.Cursor, frame.Below = len(frame.Text), nil
	_ = e.write(e.screen.Draw(frame, e.size) + e.screen.End()) // it may be gone
	if e.marks {
		_ = e.write(pasteOff)
	}
	e.marks = false
	_ = unix.IoctlSetTermios(e.fd(), SetTermios, e.saved)
	e.saved = nil
}

// draw shows the present line if it or the size of the terminal has changed.
func (e *edit) draw() error {
	size := lineedit.Size{}
	if s, err := unix.IoctlGetWinsize(e.fd(), unix.TIOCGWINSZ); err == nil {
		size = lineedit.Size{Columns: int(s.Col), Rows: int(s.Row)}
	}
	if e.drawn && size == e.size {
		return nil
	}
	e.drawn, e.size = true, size
	out := e.screen.Draw(e.frame(), size)
	if !e.plain && !e.marks {
		out += pasteOn
		e.marks = true
	}
	return e.write(out)
}

func (e *edit) frame() lineedit.Frame {
	size := e.size
	f := lineedit.Frame{Label: e.prompt.Label, Text: e.line.Text, Cursor: e.line.Cursor}
	typed := e.line.Typed()
	if e.prompt.Secret {
		f.Text, f.Cursor, typed = "", 0, ""
	}
	if e.line.TooLong {
		f.Below = lineedit.Wrap(e.prompt.TooLong, size.RowColumns())
	} else if e.prompt.Below != nil {
		f.Below = e.prompt.Below(typed, f.Text, size.RowColumns(), size.RowsBelow())
	}
	for i, row := range f.Below {
		f.Below[i] = lineedit.Fit(Visible(row), size.RowColumns())
	}
	return f
}

const (
	// silence is how long the terminal may pause within a control sequence.
	silence = 500 * time.Millisecond

	// maxBurst is how much input is read before any key counts.
	maxBurst = 2 * lineedit.MaxText
)

// keys waits for keys, for pollTime at most. Enter counts only if no text follows it
// at once, as in a text that was pasted.
func (e *edit) keys() (keys []lineedit.Key, err error) {
	for size := 0; size < maxBurst; {
		ready, err := e.ready()
		if err != nil {
			return nil, err
		}
		if !ready {
			if e.silent++; time.Duration(e.silent)*pollTime >= silence {
				e.decoder.Silence()
			}
			break
		}
		e.silent = 0
		input, err := readReady(e.fd())
		if err != nil {
			return nil, err
		}
		size += max(1, len(input))
		keys = append(keys, e.decoder.Decode(input)...)
		if !slices.ContainsFunc(keys, func(k lineedit.Key) bool { return k.Kind == lineedit.Enter }) {
			break
		}
	}
	return lineedit.Join(keys), nil
}

func readReady(fd int) ([]byte, error) {
	buf := make([]byte, 4096)
	n, err := unix.Read(fd, buf)
	switch {
	case errors.Is(err, unix.EINTR):
		return nil, nil
	case err != nil:
		return nil, fmt.Errorf("terminal: %w", err)
	case n == 0: // the window was closed
		time.Sleep(pollTime)
	}
	return buf[:n], nil
}
