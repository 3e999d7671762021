package commands

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"strings"

	"techo/tools"
)

// terminal opens a channel to the person. Stdin is only read when that was
// asked for: whatever lies in a pipe, nobody typed it as an answer.
func (s *session) terminal(c tools.Channel) (tools.Terminal, error) {
	switch {
	case c == tools.OnStdin && s.stdinTaken:
		return nil, &tools.NoTerminalError{Reason: "stdin carries the calls"}
	case c == tools.OnStdin:
		return &pipe{in: bufio.NewReader(s.Stdin), out: s.Stderr}, nil
	case s.World.Terminal == nil:
		return nil, &tools.NoTerminalError{Reason: "there is none"}
	}
	return s.World.Terminal()
}

// pipe takes the answers from stdin and prompts on stderr.
type pipe struct {
	in    *bufio.Reader
	out   io.Writer
	lines chan pipeLine // made at the first reading

	prompted bool
}

type pipeLine struct {
	text string
	err  error
}

// Print shows a text on stderr.
func (p *pipe) Print(text string) error {
	p.prompted = true
	_, err := io.WriteString(p.out, visible(text))
	return err
}

// Line reads a line of stdin; the last one may lack its end.
func (p *pipe) Line(ctx context.Context) (string, error) {
	if p.lines == nil {
		p.lines = make(chan pipeLine)
		go p.read(context.WithoutCancel(ctx))
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

// read reads ahead by one line. It ends with stdin, or with the process.
func (p *pipe) read(context.Context) {
	defer close(p.lines)
	for {
		l, err := readLong(p.in)
		switch {
		case err == io.EOF && len(l) == 0:
			return
		case err != nil && err != io.EOF:
			p.lines <- pipeLine{err: fmt.Errorf("stdin: %w", err)}
			return
		}
		p.lines <- pipeLine{text: tidyLine(string(l))}
	}
}

// Close ends the line of the last prompt, which no echo has ended.
func (p *pipe) Close() error {
	if !p.prompted {
		return nil
	}
	_, err := io.WriteString(p.out, "\n")
	return err
}

// tidyLine takes the end of a line away, and what no answer is made of.
func tidyLine(l string) string {
	l = strings.TrimRight(l, "\r\n")
	return strings.ReplaceAll(strings.ToValidUTF8(l, "�"), "\x00", "")
}
