package commands

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"techo/tools"
)

// stdinPatience is how long call waits for somebody who left a pipe open and
// says nothing.
const stdinPatience = 5 * time.Second

// maxStdin is how much of stdin is read, more than any field may hold.
const maxStdin = 64 << 20

// idleError says that stdin was open and silent.
type idleError struct{ patience time.Duration }

func (e *idleError) Error() string { return "stdin was silent for " + e.patience.String() }

var errStdinTooLong = errors.New("stdin is too long")

// readStdin reads to the end. It stops when the person interrupts, and when
// nothing comes for a while, if patience is not 0: an idle pipe cannot be told
// from a slow one.
func readStdin(ctx context.Context, r io.Reader, patience time.Duration) ([]byte, error) {
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

// readStdin reads stdin within the time that the call has.
func (s *session) readStdin(ctx context.Context, patience time.Duration) ([]byte, error) {
	ctx, stop := s.within(ctx)
	defer stop()
	return readStdin(ctx, s.Stdin, patience)
}

// within bounds a context by --timeout.
func (s *session) within(ctx context.Context) (context.Context, context.CancelFunc) {
	if s.timeout <= 0 {
		return ctx, func() {}
	}
	return context.WithTimeoutCause(ctx, s.timeout, tools.ErrTimeout)
}

// stdinError tells why stdin could not be read.
func stdinError(env *tools.Env, err error) *tools.Error {
	switch {
	case errors.Is(err, context.Canceled), errors.Is(err, tools.ErrTimeout):
		return (&tools.Tool{}).Fault(env, err)
	case errors.Is(err, errStdinTooLong):
		return env.Fail(tools.LimitExceeded, tools.Say{EN: "stdin has more than %d bytes", JA: "標準入力は%dバイトまでです"}, maxStdin)
	}
	return env.Fail(tools.InvalidInput, tools.Say{EN: "No input: %v", JA: "入力がありません: %v"}, err).
		WithHint(env.Say(tools.Say{EN: "Give it as a word, or close stdin", JA: "引数で渡すか、標準入力を閉じてください"}))
}
