package run

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"techo/internal/private"
	"techo/tools"
	"techo/tools/jsontree"
	"techo/tools/person"
	"techo/tools/schema"
	"techo/tools/when"
)

// StdinPatience is how long call waits for more input on an open pipe.
const StdinPatience = 5 * time.Second

// maxStdin limits stdin, in bytes. No field may hold more.
const maxStdin = 64 << 20

var errStdinTooLong = errors.New("stdin is too long")

// readStdin reads to the end.
func readStdin(ctx context.Context, r io.Reader, timeout time.Duration) ([]byte, error) {
	var all [][]byte
	err := eachPiece(ctx, r, timeout, func(data []byte) error { all = append(all, data); return nil })
	if err != nil {
		return nil, err
	}
	return bytes.Join(all, nil), nil
}

// eachPiece reads to the end, and passes the pieces to use, which may keep them. It stops when the context ends or, if
// timeout is not 0, when no input arrives for that time.
func eachPiece(ctx context.Context, r io.Reader, timeout time.Duration, use func([]byte) error) error {
	type piece struct {
		data []byte
		err  error
	}
	pieces := make(chan piece)
	go func() {
		var buf []byte
		for {
			if len(buf) < 4<<10 {
				buf = make([]byte, 64<<10)
			}
			n, err := r.Read(buf)
			p := piece{buf[:n:n], err}
			buf = buf[n:]
			select {
			case pieces <- p:
			case <-ctx.Done():
				return
			}
			if err != nil {
				return
			}
		}
	}()
	size := 0
	for {
		var silent <-chan time.Time
		if timeout > 0 {
			silent = time.After(timeout)
		}
		select {
		case p := <-pieces:
			if size += len(p.data); size > maxStdin {
				return errStdinTooLong
			}
			if err := use(p.data); err != nil {
				return err
			}
			if p.err == io.EOF {
				return nil
			}
			if p.err != nil {
				return fmt.Errorf("stdin: %w", p.err)
			}
		case <-silent:
			return fmt.Errorf("stdin was silent for %v", timeout)
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

// SecretPrompt asks for a secret of the person.
type SecretPrompt struct {
	About string // a line in front, or ""
	Label string
	None  tools.Text   // the error if nothing is entered
	Piped *tools.Error // for a stdin that is a terminal while none can be used
}

// ReadSecret asks for a secret at a terminal, which does not show it, or reads it from a stdin that is none.
func (s *Run) ReadSecret(ctx context.Context, env *tools.Env, p SecretPrompt) (string, error) {
	if !s.System.StdinTerminal {
		b, err := s.ReadStdin(ctx, StdinPatience)
		if err != nil {
			return "", StdinError(env, err)
		}
		return strings.TrimSpace(string(b)), nil
	}
	term, err := person.Reach(env, tools.OnTerminal)
	if err != nil {
		return "", p.Piped
	}
	defer term.Close()
	_ = term.Print(p.About) // if the terminal is gone, asking fails
	text, err := term.Ask(ctx, tools.Prompt{Label: p.Label, Secret: true})
	if err != nil {
		return "", env.Fail(tools.Cancelled, p.None)
	}
	return strings.TrimSpace(text), nil
}

// ReadStdin reads stdin within the timeout of the call.
func (s *Run) ReadStdin(ctx context.Context, timeout time.Duration) ([]byte, error) {
	ctx, stop := s.Within(ctx)
	defer stop()
	return readStdin(ctx, s.System.Stdin, timeout)
}

// SpoolStdin reads stdin within the timeout of the call into a temporary file, which the caller closes.
func (s *Run) SpoolStdin(ctx context.Context) (spool private.Spool, size int64, err error) {
	ctx, stop := s.Within(ctx)
	defer stop()
	if spool, err = private.NewSpool(); err != nil {
		return spool, 0, err
	}
	err = eachPiece(ctx, s.System.Stdin, 0, func(data []byte) error {
		size += int64(len(data))
		_, err := spool.Write(data)
		return err
	})
	if err != nil {
		_ = spool.Close() // nothing is kept
	}
	return spool, size, err
}

// Within returns a context with the timeout of the call.
func (s *Run) Within(ctx context.Context) (context.Context, context.CancelFunc) {
	if s.Options.Timeout <= 0 {
		return ctx, func() {}
	}
	return context.WithTimeoutCause(ctx, s.Options.Timeout, tools.ErrTimeout)
}

// StdinError is the error for a failed read of stdin.
func StdinError(env *tools.Env, err error) *tools.Error {
	var spool *private.SpoolError
	switch {
	case errors.Is(err, context.Canceled), errors.Is(err, tools.ErrTimeout), errors.As(err, &spool):
		return tools.AsError(env, err)
	case errors.Is(err, errStdinTooLong):
		return env.Fail(tools.LimitExceeded, "stdin has more than %d bytes", maxStdin)
	}
	return env.Fail(tools.InvalidInput, "No input: %v", err).
		WithHint(env.Hint("Give it as a word, or close stdin"))
}

// Input converts texts to the JSON types of a schema. A text that cannot be
// converted, such as a word for a number, stays a text: the pipeline reports it
// in the same words on every interface.
type Input struct {
	env      *tools.Env
	tool     *tools.Tool
	order    []string
	values   map[string][]string
	Problems []tools.Detail
}

// NewInput returns an empty input for a tool.
func NewInput(env *tools.Env, tool *tools.Tool) *Input {
	return &Input{env: env, tool: tool, values: map[string][]string{}}
}

// Has reports whether a field was added.
func (b *Input) Has(field string) bool { return len(b.values[field]) > 0 }

// Report adds a problem of the field at a JSON pointer.
func (b *Input) Report(path string, message tools.Text, args ...any) {
	b.Problems = append(b.Problems, tools.Detail{Path: path, Message: b.env.Localize(message, args...)})
}

// Add adds a value of a field.
func (b *Input) Add(field, text string) {
	if b.values[field] == nil {
		b.order = append(b.order, field)
	}
	b.values[field] = append(b.values[field], text)
}

// JSON returns the input as a JSON object, with the fields in the order of Add.
func (b *Input) JSON() []byte {
	var fields []jsontree.Field
	for _, name := range b.order {
		fields = append(fields, jsontree.Field{Name: name,
			Value: b.value(name, b.tool.Field(name).Schema, b.values[name])})
	}
	return jsontree.AppendObject(nil, fields)
}

func (b *Input) value(name string, s *schema.Schema, texts []string) []byte {
	// A list of objects may be one JSON text.
	whole := len(texts) == 1 && strings.HasPrefix(strings.TrimSpace(texts[0]), "[")
	if s.Kind == schema.Array && (s.Items.Kind != schema.Object || !whole) {
		if len(texts) == 1 && (texts[0] == "[]" || texts[0] == "" && s.Items.Format != "nonblank") {
			return []byte("[]") // --tags "" clears the list, but --option "" is an option without text
		}
		var items [][]byte
		for _, t := range texts {
			items = append(items, schema.AppendValue(nil, s.Items.Kind, t))
		}
		return jsontree.AppendList(nil, items)
	}
	if len(texts) > 1 {
		b.Report("/"+name, "is given twice")
	}
	if name == "timeout" && s.Kind == schema.Integer { // a tool's timeout is in seconds: 2m is 120
		if d, err := ParseTimeout(texts[0]); err == nil && d%time.Second == 0 {
			return schema.AppendValue(nil, s.Kind, strconv.Itoa(int(d/time.Second)))
		}
	}
	return schema.AppendValue(nil, s.Kind, texts[0])
}

// ParseTimeout parses a positive duration such as 30s; a bare number is seconds.
func ParseTimeout(text string) (time.Duration, error) {
	d, err := when.ParseDuration(text)
	if err == nil && d == 0 {
		err = fmt.Errorf("not above zero: %s", text)
	}
	return d, err
}
