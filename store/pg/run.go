package pg

import (
	"context"
	"errors"
	"math/rand/v2"
	"time"

	"techo/store/kv"
)

// View runs fn on a consistent state.
func (e *Engine) View(ctx context.Context, fn func(kv.Tx) error) error {
	if g := groupOf(ctx, e); g != nil {
		return g.run(ctx, fn)
	}
	return e.retry(ctx, func() error {
		t := &tx{ctx: ctx, engine: e, mode: modeView}
		defer t.end()
		if err := fn(t); err != nil && t.err == nil {
			return final(err)
		}
		return t.err
	})
}

// Snapshot is a View that runs fn once.
func (e *Engine) Snapshot(ctx context.Context, fn func(kv.Tx) error) error {
	if g := groupOf(ctx, e); g != nil {
		return g.run(ctx, fn)
	}
	return e.retry(ctx, func() error {
		t := &tx{ctx: ctx, engine: e, mode: modeSnapshot}
		defer t.end()
		// The first statement fixes the state. fn runs once, so a connection that is
		// lost later is an error.
		if err := t.read([]statement{{sql: "SELECT 1"}}); err != nil {
			return err
		}
		err := t.keepingAlive(fn)
		if t.err != nil {
			_, t.err = explain(e.server, t.err)
			return &finalError{t.err}
		}
		return final(err)
	})
}

// keepingAlive runs fn and sends a statement now and then, because the reader of a snapshot may be
// slow: the database ends transactions that are idle for the time of a statement.
func (t *tx) keepingAlive(fn func(kv.Tx) error) error {
	stop, stopped := make(chan struct{}), make(chan struct{})
	ticker := time.NewTicker(max(t.engine.limits.statement/3, time.Millisecond))
	go func() {
		defer close(stopped)
		for {
			select {
			case <-stop:
				return
			case <-ticker.C:
			}
			t.sending.Lock()
			// After an error the connection or the transaction is gone: the next read reports it.
			_ = t.engine.send(t.ctx, t.conn, []statement{{sql: "SELECT 1"}})
			t.sending.Unlock()
		}
	}()
	defer func() {
		ticker.Stop()
		close(stop)
		<-stopped
	}()
	return fn(t)
}

// Update runs fn and commits its writes, in one transaction with other Updates of this engine
// that wait at the same time.
func (e *Engine) Update(ctx context.Context, fn func(kv.Tx) error) error {
	if kv.IsUpdating(ctx, e) {
		return kv.ErrNested
	}
	if g := groupOf(ctx, e); g != nil {
		return g.run(ctx, fn)
	}
	return e.retry(ctx, func() error { return e.updateInBatch(ctx, fn) })
}

// finalError is an error of a transaction's function, which another attempt would
// meet as well.
type finalError struct{ err error }

func (e *finalError) Error() string { return e.err.Error() }

// final marks an error as one that ends the attempts.
func final(err error) error {
	if err == nil {
		return nil
	}
	return &finalError{err}
}

type groupKey struct{}

// group is a Group or a batch: one transaction for several Updates.
type group struct {
	turn chan struct{} // holds one element while an Update runs
	tx   *tx
}

// groupOf returns the running Group of an engine that ctx belongs to, or nil.
func groupOf(ctx context.Context, e *Engine) *group {
	g, _ := ctx.Value(groupKey{}).(*group)
	if g == nil || g.tx.engine != e || g.tx.ended.Load() {
		return nil
	}
	return g
}

// run runs fn within the transaction of the group. After an error its writes are undone.
func (g *group) run(ctx context.Context, fn func(kv.Tx) error) (err error) {
	if err := g.tx.engine.take(ctx, g.turn, g.tx.engine.limits.wait); err != nil {
		return err
	}
	defer func() { <-g.turn }()
	before, kept := *g.tx.writes.Copy(), false
	defer func() { // also when fn panics
		if !kept {
			g.tx.writes = before
		}
	}()
	if err = fn(updateTx{g.tx, kv.Updating(ctx, g.tx.engine)}); err == nil {
		err = g.tx.err
	}
	kept = err == nil
	return err
}

// Group runs fn, whose Updates become one transaction.
func (e *Engine) Group(ctx context.Context, fn func(context.Context) error) error {
	switch {
	case kv.IsUpdating(ctx, e):
		return kv.ErrNested
	case groupOf(ctx, e) != nil:
		return fn(ctx)
	}
	return e.retry(ctx, func() error { return e.group(ctx, fn) })
}

func (e *Engine) group(ctx context.Context, fn func(context.Context) error) error {
	finish, err := e.begin(ctx)
	if err != nil {
		return final(err)
	}
	defer finish()
	g := &group{turn: make(chan struct{}, 1), tx: &tx{ctx: ctx, engine: e, mode: modeUpdate}}
	defer func() {
		g.turn <- struct{}{} // also after an Update that fn did not wait for
		g.tx.end()
	}()
	err = fn(context.WithValue(ctx, groupKey{}, g))
	switch {
	case g.tx.err != nil:
		return g.tx.err
	case err != nil:
		return final(err)
	}
	return e.commit(g.tx)
}

// begin waits until no other batch or Group of this engine writes, and returns what to call at the end. It does
// not wait for long: the connection of the other one may have died without a sign, and the lock of the store
// keeps the order in any case.
func (e *Engine) begin(ctx context.Context) (finish func(), err error) {
	defer kv.AddWaiting(ctx, time.Now())
	err = e.take(ctx, e.writing, e.patience())
	if errors.As(err, new(*kv.ContentionError)) {
		return func() {}, nil
	}
	return func() { <-e.writing }, err
}

// patience is how long a call waits for another one of this process before it goes its own way.
func (e *Engine) patience() time.Duration { return e.limits.wait / 3 }

// take puts an element into turn, which has room for one, and waits for a while until it can.
func (e *Engine) take(ctx context.Context, turn chan struct{}, wait time.Duration) error {
	select {
	case turn <- struct{}{}:
		return nil
	default:
	}
	timer := time.NewTimer(wait)
	defer timer.Stop()
	select {
	case turn <- struct{}{}:
		return nil
	case <-timer.C:
		return &kv.ContentionError{Waited: wait, Err: errProcess}
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

var errProcess = errors.New("other transactions of this process take too long")

// Times between attempts.
const (
	shortestWait = 2 * time.Millisecond
	longestWait  = 500 * time.Millisecond
)

// retry makes attempts until one succeeds or fails for good, or they take too long.
func (e *Engine) retry(ctx context.Context, attempt func() error) error {
	started, wait := time.Now(), shortestWait
	for tries := 1; ; tries++ {
		switch {
		case e.isClosed():
			return kv.ErrClosed
		case ctx.Err() != nil:
			return context.Cause(ctx)
		}
		err := attempt()
		var own *finalError
		switch {
		case err == nil:
			return nil
		case errors.As(err, &own):
			return own.err
		case e.isClosed():
			return kv.ErrClosed
		case ctx.Err() != nil:
			return context.Cause(ctx)
		}
		class, shown := explain(e.server, err)
		most := e.limits.wait
		if e.looked.Load() == nil { // there may be no such server
			most /= 3
		}
		over := time.Since(started) > most
		switch {
		case class == faultFinal:
			return shown
		case class == faultLost:
			if e.pool.forget(); over && tries > 1 { // the first may have found a connection that was dead for long
				return shown
			}
			wait = max(wait, 20*time.Millisecond)
		case over:
			return &kv.ContentionError{Waited: time.Since(started), Err: err}
		case errors.Is(err, errNextBatch):
			continue
		}
		if !pause(ctx, wait) {
			return context.Cause(ctx)
		}
		wait = min(2*wait, longestWait)
	}
}

// pause waits for half to all of a time, at random, so that transactions that were in
// conflict are not so again.
func pause(ctx context.Context, wait time.Duration) bool {
	timer := time.NewTimer(wait/2 + rand.N(wait/2+1))
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
		return false
	}
}
