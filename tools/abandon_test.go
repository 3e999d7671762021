package tools

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

type stuckOut struct {
	Message string `json:"message"`
}

// stuck returns a tool that ignores its context until free is closed.
func stuck(effect Effect, free <-chan struct{}) *Tool {
	return Define(Tool{Name: "stuck", Effect: effect}, func(context.Context, *Env, struct{}) (stuckOut, error) {
		<-free
		return stuckOut{"done"}, nil
	})
}

// TestAbandoned checks that Invoke returns when a tool ignores the end of its
// context, and that the error of a changing tool says that the outcome is unknown.
func TestAbandoned(t *testing.T) {
	for _, c := range []struct {
		effect    Effect
		cause     error
		code      Code
		grace     time.Duration
		retryable bool
		says      string
	}{
		{Reads, ErrTimeout, Timeout, readGrace, true, "--timeout ran out"},
		{Reads, context.Canceled, Cancelled, readGrace, false, "Interrupted"},
		{Adds, ErrTimeout, Timeout, changeGrace, false, "not known"},
		{Changes, context.Canceled, Cancelled, changeGrace, false, "not known"},
	} {
		synctest.Test(t, func(t *testing.T) {
			free := make(chan struct{})
			ctx, cancel := context.WithCancelCause(context.Background())
			began := time.Now()
			time.AfterFunc(time.Minute, func() { cancel(c.cause) })
			r, e := stuck(c.effect, free).Invoke(ctx, &Env{}, Call{})
			if r != nil || e == nil || e.Code != c.code || e.Retryable != c.retryable ||
				!strings.Contains(e.Message, c.says) {
				t.Errorf("%v: %+v %+v", c.effect, r, e)
			}
			if took := time.Since(began); took != time.Minute+c.grace {
				t.Errorf("%v: after %v", c.effect, took)
			}
			close(free)
		})
	}
}

// TestAbandonedEnds checks that the interface hears of an abandoned call and of its end.
func TestAbandonedEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		free := make(chan struct{})
		running := 0
		env := &Env{Abandoned: func() func() { running++; return func() { running-- } }}
		ctx, cancel := context.WithCancel(context.Background())
		cancel()
		if _, e := stuck(Reads, free).Invoke(ctx, env, Call{}); e == nil || running != 1 {
			t.Errorf("%v, %d abandoned calls, want 1", e, running)
		}
		close(free)
		if synctest.Wait(); running != 0 {
			t.Errorf("%d abandoned calls, want none", running)
		}
	})
}

// TestLate checks that Invoke returns the answer of a call that ends during the
// grace period.
func TestLate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		free := make(chan struct{})
		ctx, cancel := context.WithCancelCause(context.Background())
		cancel(ErrTimeout)
		time.AfterFunc(readGrace/2, func() { close(free) })
		r, e := stuck(Reads, free).Invoke(ctx, &Env{}, Call{})
		if e != nil || r.Text != "done" {
			t.Errorf("%+v %+v", r, e)
		}
	})
}

// TestWithin checks that a call within a transaction is never abandoned.
func TestWithin(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		free := make(chan struct{})
		ctx, cancel := context.WithCancelCause(context.Background())
		cancel(errors.New("reason"))
		time.AfterFunc(time.Hour, func() { close(free) })
		if r, e := stuck(Changes, free).Invoke(ctx, &Env{}, Call{InTransaction: true}); e != nil || r.Text != "done" {
			t.Errorf("%+v %+v", r, e)
		}
	})
}
