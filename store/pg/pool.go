package pg

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
)

// pool keeps connections between transactions.
type pool struct {
	connect func(context.Context) (*pgconn.PgConn, error)
	slots   chan struct{} // one for each connection in use

	mu     sync.Mutex
	idle   []*pgconn.PgConn
	closed bool
}

func newPool(most int, connect func(context.Context) (*pgconn.PgConn, error)) *pool {
	return &pool{connect: connect, slots: make(chan struct{}, most)}
}

// errNoConnection is returned when all connections stay in use.
var errNoConnection = errors.New("all connections are in use")

// get returns an idle connection or a new one. If all are in use, it waits.
func (p *pool) get(ctx context.Context, wait time.Duration) (*pgconn.PgConn, error) {
	select {
	case p.slots <- struct{}{}:
	default:
		timer := time.NewTimer(wait)
		defer timer.Stop()
		select {
		case p.slots <- struct{}{}:
		case <-timer.C:
			return nil, errNoConnection
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
	p.mu.Lock()
	for n := len(p.idle); n > 0; n-- {
		c := p.idle[n-1]
		if p.idle = p.idle[:n-1]; !c.IsClosed() {
			p.mu.Unlock()
			return c, nil
		}
	}
	p.mu.Unlock()
	c, err := p.connect(ctx)
	if err != nil {
		<-p.slots
	}
	return c, err
}

// put takes a connection back. One with an open transaction is rolled back first.
func (p *pool) put(c *pgconn.PgConn) {
	defer func() { <-p.slots }()
	ctx, stop := context.WithTimeout(context.Background(), time.Second)
	defer stop()
	if !c.IsClosed() && c.TxStatus() != 'I' {
		if _, err := c.Exec(ctx, "ROLLBACK").ReadAll(); err != nil || c.TxStatus() != 'I' {
			_ = c.Close(ctx)
		}
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	switch {
	case c.IsClosed():
	case p.closed:
		_ = c.Close(ctx)
	default:
		p.idle = append(p.idle, c)
	}
}

// forget closes the idle connections, after one was found broken: the server may have
// restarted.
func (p *pool) forget() {
	p.mu.Lock()
	idle := p.idle
	p.idle = nil
	p.mu.Unlock()
	closeAll(idle)
}

func (p *pool) close() {
	p.mu.Lock()
	p.closed = true
	p.mu.Unlock()
	p.forget()
}

func closeAll(connections []*pgconn.PgConn) {
	ctx, stop := context.WithTimeout(context.Background(), time.Second)
	defer stop()
	for _, c := range connections {
		_ = c.Close(ctx)
	}
}
