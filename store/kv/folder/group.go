package folder

import (
	"bytes"
	"context"
	"errors"
	"time"

	"techo/store/kv"
	"techo/store/kv/journal"
)

type groupKey struct{}

type group struct {
	engine   *Engine
	turn     chan struct{} // holds one element while an Update runs
	payloads [][]byte
	ended    bool // set when Group has returned
}

// groupOf returns the Group of an engine that ctx belongs to, or nil.
func groupOf(ctx context.Context, l *Engine) *group {
	g, _ := ctx.Value(groupKey{}).(*group)
	if g == nil || g.engine != l {
		return nil
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if g.ended {
		return nil
	}
	return g
}

// errInGroup is returned for a call that needs the store's lock, which its Group
// holds.
var errInGroup = errors.New("store: not possible within a group of writes")

// Group runs fn, whose Updates become durable by one sync.
func (l *Engine) Group(ctx context.Context, fn func(context.Context) error) error {
	switch {
	case kv.IsUpdating(ctx, l):
		return kv.ErrNested
	case groupOf(ctx, l) != nil:
		return fn(ctx)
	}
	h, err := l.attach(ctx)
	if err != nil {
		return err
	}
	defer h.Release()
	g := &group{engine: l, turn: make(chan struct{}, 1)}
	defer func() { // also when fn panicked
		l.mu.Lock()
		defer l.mu.Unlock()
		g.ended = true
	}()
	if err := fn(context.WithValue(ctx, groupKey{}, g)); err != nil || len(g.payloads) == 0 {
		return err
	}
	if err := l.commit(bytes.Join(g.payloads, nil)); err != nil {
		return err
	}
	l.compactIfLarge()
	l.scheduleCompaction()
	return nil
}

// update runs fn and keeps its writes for the end of the group.
func (g *group) update(ctx context.Context, fn func(kv.Tx) error) error {
	l := g.engine
	limit := time.NewTimer(l.waits.Limit)
	defer limit.Stop()
	select {
	case g.turn <- struct{}{}:
		defer func() { <-g.turn }()
	case <-limit.C:
		return &kv.BusyError{Waited: l.waits.Limit}
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	payload, err := l.write(ctx, fn)
	if err != nil || len(payload) == 0 {
		return err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	g.payloads = append(g.payloads, payload)
	journal.Operations(payload, l.writing.memtable.apply)
	return nil
}
