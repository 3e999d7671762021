package system

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"strings"

	"techo/commands/readahead"
	"techo/internal/legible"
	"techo/internal/lineedit"
	"techo/tools"
)

// Pipe reads answers from stdin and prompts on stderr.
type Pipe struct {
	In    *bufio.Reader
	Out   io.Writer
	lines chan pipeLine // created by the first Ask

	prompted bool
}

type pipeLine struct {
	text string
	err  error
}

// Print shows a text on stderr.
func (p *Pipe) Print(text string) error {
	p.prompted = true
	_, err := io.WriteString(p.Out, Visible(text))
	return err
}

// Discard does nothing: a pipe has the answers before the questions.
func (p *Pipe) Discard() error { return nil }

// Shows returns that the prompts are as specified.
func (p *Pipe) Shows() tools.PromptParts { return tools.OnlyLabel }

// Ask prints the label and reads a line of stdin. The last one need not end with a
// newline.
func (p *Pipe) Ask(ctx context.Context, prompt tools.Prompt) (string, error) {
	if err := p.Print(prompt.Label); err != nil {
		return "", err
	}
	if p.lines == nil {
		p.lines = make(chan pipeLine)
		go p.read()
	}
	select {
	case l, ok := <-p.lines:
		if !ok {
			return "", io.EOF
		}
		return l.text, l.err
	case <-ctx.Done():
		return "", context.Cause(ctx)
	}
}

// read reads one line ahead until stdin ends.
func (p *Pipe) read() {
	defer close(p.lines)
	for {
		l, err := readahead.Line(p.In)
		switch {
		case err == io.EOF && len(l) == 0:
			return
		case err != nil && err != io.EOF:
			p.lines <- pipeLine{err: fmt.Errorf("stdin: %w", err)}
			return
		}
		p.lines <- pipeLine{text: lineedit.Strip(strings.TrimRight(string(l), "\r\n"))}
	}
}

// Close ends the line of the last prompt.
func (p *Pipe) Close() error {
	if !p.prompted {
		return nil
	}
	_, err := io.WriteString(p.Out, "\n")
	return err
}

// Visible replaces control characters by visible ones, and shows other hidden characters as escapes.
func Visible(text string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\n' || r == '\t':
			return r
		case r < ' ':
			return '␀' + r
		case r == 0x7f:
			return '␡'
		}
		return r
	}, legible.Escape(text))
}
