package pg

import (
	"context"
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
			_ = send(t.ctx, t.conn, []statement{{sql: "SELECT 1"}})
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

// groupKey is the key of a group in a context.
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
	if err := g.tx.engine.take(ctx, g.turn); err != nil {
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
	if err := e.begin(ctx); err != nil {
		return final(err)
	}
	defer e.finish()
	g := &group{turn: make(chan struct{}, 1), tx: &tx{ctx: ctx, engine: e, mode: modeUpdate}}
	defer func() {
		g.turn <- struct{}{} // also after an Update that fn did not wait for
		g.tx.end()
	}()
	err := fn(context.WithValue(ctx, groupKey{}, g))
	switch {
	case g.tx.err != nil:
		return g.tx.err
	case err != nil:
		return final(err)
	}
	return e.commit(g.tx)
}
