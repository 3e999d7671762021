package run

import (
	"context"
	"errors"
	"fmt"
	"io"
	"techo/tools"
	"time"
)

// StdinPatience is how long call waits for somebody who left a pipe open and
// says nothing.
const StdinPatience = 5 * time.Second

// maxStdin is how much of stdin is read, more than any field may hold.
const maxStdin = 64 << 20

// idleError says that stdin was open and silent.
type idleError struct{ patience time.Duration }

func (e *idleError) Error() string { return "stdin was silent for " + e.patience.String() }

var errStdinTooLong = errors.New("stdin is too long")

// ReadStdin reads to the end. It stops when the person interrupts, and when
// nothing comes for a while, if patience is not 0: an idle pipe cannot be told
// from a slow one.
func ReadStdin(ctx context.Context, r io.Reader, patience time.Duration) ([]byte, error) {
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
		if patience > 0 {
			silent = time.After(patience)
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
			return nil, &idleError{patience}
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		}
	}
}

// ReadStdin reads stdin within the time that the call has.
func (s *Run) ReadStdin(ctx context.Context, patience time.Duration) ([]byte, error) {
	ctx, stop := s.Within(ctx)
	defer stop()
	return ReadStdin(ctx, s.System.Stdin, patience)
}

// Within bounds a context by --timeout.
func (s *Run) Within(ctx context.Context) (context.Context, context.CancelFunc) {
	if s.Options.Timeout <= 0 {
		return ctx, func() {}
	}
	return context.WithTimeoutCause(ctx, s.Options.Timeout, tools.ErrTimeout)
}

// StdinError tells why stdin could not be read.
func StdinError(env *tools.Env, err error) *tools.Error {
	switch {
	case errors.Is(err, context.Canceled), errors.Is(err, tools.ErrTimeout):
		return tools.AsError(env, err)
	case errors.Is(err, errStdinTooLong):
		return env.Fail(tools.LimitExceeded, "stdin has more than %d bytes", maxStdin)
	}
	return env.Fail(tools.InvalidInput, "No input: %v", err).
		WithHint(env.Localize("Give it as a word, or close stdin"))
}
