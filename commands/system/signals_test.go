//go:build unix

package system

import (
	"context"
	"errors"
	"os"
	"os/signal"
	"syscall"
	"testing"
	"time"

	"techo/tools/person"
)

// TestSignals checks that SIGINT ends the context of a call that lasts, and that
// the cause is an interrupt by the person.
func TestSignals(t *testing.T) {
	caught := &signals{}
	ctx, stop := caught.context(t.Context())
	defer stop()
	System{signals: caught}.CatchSignals()
	if err := syscall.Kill(os.Getpid(), syscall.SIGINT); err != nil {
		t.Fatal(err)
	}
	<-ctx.Done()
	if cause := context.Cause(ctx); !errors.Is(cause, person.ErrInterrupted) || !errors.Is(cause, context.Canceled) {
		t.Errorf("cause: %v", cause)
	}
}

// TestSignalsLate checks that a call without a signal handler gets one after
// signalDelay.
func TestSignalsLate(t *testing.T) {
	caught := &signals{}
	ctx, stop := caught.context(t.Context())
	defer stop()
	other := make(chan os.Signal, 1) // until then SIGTERM must not end the test
	signal.Notify(other, syscall.SIGTERM)
	defer signal.Stop(other)
	for ctx.Err() == nil {
		if err := syscall.Kill(os.Getpid(), syscall.SIGTERM); err != nil {
			t.Fatal(err)
		}
		select {
		case <-ctx.Done():
		case <-time.After(time.Millisecond):
		}
	}
	if cause := context.Cause(ctx); errors.Is(cause, person.ErrInterrupted) || !errors.Is(cause, context.Canceled) {
		t.Errorf("cause: %v", cause)
	}
}
