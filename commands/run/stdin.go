package run

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"techo/tools"
)

// StdinPatience is how long call waits for more input on an open pipe.
const StdinPatience = 5 * time.Second

// maxStdin limits stdin, in bytes. No field may hold more.
const maxStdin = 64 << 20

// idleError reports that stdin was open but silent.
type idleError struct{ timeout time.Duration }

func (e *idleError) Error() string { return "stdin was silent for " + e.timeout.String() }

var errStdinTooLong = errors.New("stdin is too long")

// readStdin reads to the end. It stops when the context ends or, if timeout is
// not 0, when no input arrives for that time.
func readStdin(ctx context.Context, r io.Reader, timeout time.Duration) ([]byte, error) {
	type piece struct {
		data []byte
		err  error
	}
	pieces := make(chan piece)
	go func() {
		for {
			buf := make([]byte, 64<<10)
			n, err := r.Read(buf)
			select {
			case pieces <- piece{buf[:n], err}:
			case <-ctx.Done():
				return
			}
			if err != nil {
				return
			}
		}
	}()
	var all []byte
	for {
		var silent <-chan time.Time
		if timeout > 0 {
			silent = time.After(timeout)
		}
		select {
		case p := <-pieces:
			all = append(all, p.data...)
			switch {
			case len(all) > maxStdin:
				return nil, errStdinTooLong
			case p.err == io.EOF:
				return all, nil
			case p.err != nil:
				return nil, fmt.Errorf("stdin: %w", p.err)
			}
		case <-silent:
			return nil, &idleError{timeout}
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		}
	}
}

// ReadStdin reads stdin within the timeout of the call.
func (s *Run) ReadStdin(ctx context.Context, timeout time.Duration) ([]byte, error) {
	ctx, stop := s.Within(ctx)
	defer stop()
	return readStdin(ctx, s.System.Stdin, timeout)
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
	switch {
	case errors.Is(err, context.Canceled), errors.Is(err, tools.ErrTimeout):
		return tools.AsError(env, err)
	case errors.Is(err, errStdinTooLong):
		return env.Fail(tools.LimitExceeded, "stdin has more than %d bytes", maxStdin)
	}
	return env.Fail(tools.InvalidInput, "No input: %v", err).
		WithHint(env.Hint("Give it as a word, or close stdin"))
}
