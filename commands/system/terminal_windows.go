package system

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
	"strings"

	"golang.org/x/sys/windows"

	"techo/internal/lineedit"
	"techo/tools"
	"techo/tools/person"
)

// console is the console of the process. It reads whole lines, as the console edits them.
type console struct {
	in, out *os.File
	lines   chan pipeLine // the line that an earlier prompt still waits for; nil: none
}

// openTerminal opens the console, whatever stdin and stderr are. It fails if asking there is not safe.
func openTerminal() (tools.Terminal, error) {
	in, err := os.OpenFile("CONIN$", os.O_RDWR, 0)
	if err != nil {
		return nil, &person.NoTerminalError{Reason: "it cannot be opened", Cause: err}
	}
	out, err := os.OpenFile("CONOUT$", os.O_RDWR, 0)
	if err != nil {
		in.Close()
		return nil, &person.NoTerminalError{Reason: "it cannot be opened", Cause: err}
	}
	c := &console{in: in, out: out}
	mode, err := c.mode()
	if err == nil && mode&windows.ENABLE_LINE_INPUT != 0 && mode&windows.ENABLE_ECHO_INPUT != 0 {
		return c, nil
	}
	c.Close()
	if err != nil {
		return nil, &person.NoTerminalError{Reason: "it is not a terminal", Cause: err}
	}
	return nil, &person.NoTerminalError{Reason: "another program reads its keys"}
}

func (c *console) handle() windows.Handle { return windows.Handle(c.in.Fd()) }

func (c *console) mode() (mode uint32, err error) {
	err = windows.GetConsoleMode(c.handle(), &mode)
	return mode, err
}

// Discard forgets what was typed so far.
func (c *console) Discard() error { return windows.FlushConsoleInputBuffer(c.handle()) }

// Print writes a text.
func (c *console) Print(text string) error {
	_, err := io.WriteString(c.out, Visible(text))
	return err
}

// Shows returns that nothing is shown under the line.
func (c *console) Shows() tools.PromptParts { return tools.PlainLine }

// Ask shows the label and reads a line. What is typed for a secret is not shown.
func (c *console) Ask(ctx context.Context, p tools.Prompt) (string, error) {
	if err := c.Print(p.Label); err != nil {
		return "", err
	}
	if p.Secret {
		if c.lines != nil { // the console would show what is typed for it
			return "", &person.NoTerminalError{Reason: "another program reads its keys"}
		}
		mode, err := c.mode()
		if err == nil {
			err = windows.SetConsoleMode(c.handle(), mode&^windows.ENABLE_ECHO_INPUT)
		}
		if err != nil {
			return "", fmt.Errorf("terminal: %w", err)
		}
		defer func() {
			_ = windows.SetConsoleMode(c.handle(), mode)
			_ = c.Print("\n")
		}()
	}
	if c.lines == nil {
		c.lines = make(chan pipeLine, 1)
		go read(c.in, c.lines)
	}
	select {
	case l := <-c.lines:
		c.lines = nil
		return l.text, l.err
	case <-ctx.Done():
		return "", context.Cause(ctx)
	}
}

// read reads one line. Ctrl-Z at its beginning ends the input.
func read(in *os.File, to chan<- pipeLine) {
	text, err := bufio.NewReader(in).ReadString('\n')
	if err == io.EOF && text != "" {
		err = nil
	}
	to <- pipeLine{lineedit.Strip(strings.TrimRight(text, "\r\n")), err}
}

// Close releases the console. A read that still waits keeps its handle until the process ends.
func (c *console) Close() error {
	err := c.out.Close()
	if c.lines == nil {
		_ = c.in.Close()
	}
	return err
}

// consoleColors lets the console at stdout understand colours, and reports whether it does.
func consoleColors() bool {
	out := windows.Handle(os.Stdout.Fd())
	var mode uint32
	return windows.GetConsoleMode(out, &mode) == nil &&
		windows.SetConsoleMode(out, mode|windows.ENABLE_VIRTUAL_TERMINAL_PROCESSING) == nil
}
