package system

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"sync"
	"syscall"
	"time"

	"techo/tools/person"
)

// signalDelay is the age at which a call begins to listen for signals. Listening
// costs a twentieth of a short call. A signal that comes earlier ends the process,
// as it does before main.
const signalDelay = 20 * time.Millisecond

// signals ends a context at SIGINT, SIGTERM and SIGHUP.
type signals struct {
	once   sync.Once
	ctx    context.Context
	cancel context.CancelCauseFunc
	caught chan os.Signal
}

// context returns a context that ends at a signal. The cause is
// person.ErrInterrupted if it was SIGINT, from the keyboard.
func (s *signals) context(parent context.Context) (context.Context, context.CancelFunc) {
	s.ctx, s.cancel = context.WithCancelCause(parent)
	s.caught = make(chan os.Signal, 1)
	late := time.AfterFunc(signalDelay, s.listen)
	return s.ctx, func() {
		late.Stop()
		signal.Stop(s.caught)
		s.cancel(context.Canceled)
	}
}

// CatchSignals listens for signals from now on, for a command that answers a
// signal in a way of its own.
func (s System) CatchSignals() {
	if s.signals != nil && s.signals.ctx != nil {
		s.signals.listen()
	}
}

func (s *signals) listen() {
	s.once.Do(func() {
		signal.Notify(s.caught, os.Interrupt, syscall.SIGTERM)
		if !signal.Ignored(syscall.SIGHUP) { // as under nohup
			signal.Notify(s.caught, syscall.SIGHUP)
		}
		go s.wait()
	})
}

func (s *signals) wait() {
	select {
	case caught := <-s.caught:
		cause := fmt.Errorf("%w: %v", context.Canceled, caught)
		if caught == os.Interrupt {
			cause = fmt.Errorf("%w: %w", person.ErrInterrupted, cause)
		}
		s.cancel(cause)
	case <-s.ctx.Done():
	}
}
