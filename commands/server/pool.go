package server

import (
	"context"
	"errors"
	"sync"
	"time"

	"techo/tools"
)

// Limits of the calls that run at once.
const (
	maxCalls = 64  // short calls; further ones wait for a slot
	maxLong  = 192 // calls that run longer than longTime
	maxStuck = 16  // calls of one tool that were abandoned and have not ended

	longTime = 10 * time.Second
	slotWait = 30 * time.Second // a call waits no longer for a slot
)

// errNoSlot is returned when a call found no slot in time.
var errNoSlot = errors.New("server: all slots are taken")

// pool bounds the calls that run at once. A call that runs for longTime moves
// from the slots of short calls to the long ones: calls that wait for a
// slow disk or web server use no CPU, and must not stop the others.
type pool struct {
	short, long chan struct{}

	mu    sync.Mutex
	stuck map[string]int // abandoned calls that have not ended, by tool
}

func newPool() *pool {
	return &pool{short: make(chan struct{}, maxCalls), long: make(chan struct{}, maxLong), stuck: map[string]int{}}
}

// enter waits for a slot. The caller calls leave when its call has ended.
func (p *pool) enter(ctx context.Context) (leave func(), err error) {
	late := time.NewTimer(slotWait)
	defer late.Stop()
	select {
	case p.short <- struct{}{}:
		s := &slot{pool: p}
		s.mu.Lock()
		defer s.mu.Unlock()
		s.timer = time.AfterFunc(longTime, s.move)
		return s.leave, nil
	case <-late.C:
		return nil, errNoSlot
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}

type slot struct {
	pool  *pool
	mu    sync.Mutex
	timer *time.Timer
	long  bool
	left  bool
}

// move gives the slot for short calls back. While there is no slot for a long
// call it tries again later.
func (s *slot) move() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.left {
		return
	}
	select {
	case s.pool.long <- struct{}{}:
		s.long = true
		<-s.pool.short
	default:
		s.timer.Reset(longTime)
	}
}

func (s *slot) leave() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.timer.Stop()
	s.left = true
	if s.long {
		<-s.pool.long
	} else {
		<-s.pool.short
	}
}

// hangs reports whether maxStuck abandoned calls of a tool have not ended. They hang
// in the operating system, and so would another call.
func (p *pool) hangs(tool string) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.stuck[tool] >= maxStuck
}

// abandoned returns the function by which Invoke reports abandoned calls of a
// tool.
func (p *pool) abandoned(tool string) func() (ended func()) {
	add := func(n int) {
		p.mu.Lock()
		defer p.mu.Unlock()
		p.stuck[tool] += n
	}
	return func() func() {
		add(1)
		return func() { add(-1) }
	}
}

func slotError(env *tools.Env, t *tools.Tool, err error) *tools.Error {
	if !errors.Is(err, errNoSlot) {
		return t.AsError(env, err)
	}
	return t.AsError(env, env.Fail(tools.Busy, "The server is busy: %d calls are running", maxCalls).
		WithHint(env.Hint("Try again in a moment")))
}

// hangsError returns the error of a tool whose abandoned calls still hang.
func hangsError(env *tools.Env, t *tools.Tool) *tools.Error {
	return t.AsError(env, env.Fail(tools.Busy, "%d calls of %s hang in the operating system", maxStuck, t.Name).
		WithHint(env.Hint("Check the disk or network folder that it reads; restart the server to end them")))
}
