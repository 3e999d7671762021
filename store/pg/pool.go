package pg

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
)

// pool keeps connections between transactions.
type pool struct {
	connect func(context.Context) (*pgconn.PgConn, error)
	slots   chan struct{} // one for each connection in use

	maxIdle time.Duration

	mu     sync.Mutex
	idle   []idle
	timer  *time.Timer // closes idle connections; nil without any
	closed bool
}

// How long a connection is kept. Idle ones are closed, because the servers of a team share those of the
// database; old ones, because the database may have moved.
const (
	maxIdle = 30 * time.Second
	maxAge  = time.Hour
)

// bornKey is the key of the time at which a connection was made, in its data.
const bornKey = "techo born"

func newPool(most int, connect func(context.Context) (*pgconn.PgConn, error)) *pool {
	return &pool{connect: connect, slots: make(chan struct{}, most), maxIdle: maxIdle}
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
	if c := p.usable(); c != nil {
		return c, nil
	}
	c, err := p.connect(ctx)
	if err != nil {
		<-p.slots
		return nil, err
	}
	c.CustomData()[bornKey] = time.Now()
	return c, nil
}

// put takes a connection back. A transaction that is open is rolled back, for which the caller
// does not wait.
func (p *pool) put(c *pgconn.PgConn) {
	defer func() { <-p.slots }()
	i := idle{c, make(chan struct{}), time.Now()}
	if c.IsClosed() {
		return
	}
	if c.TxStatus() == 'I' {
		close(i.ready)
	} else {
		go i.rollBack()
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	born, _ := c.CustomData()[bornKey].(time.Time)
	if p.closed {
		closeAll([]idle{i})
		return
	}
	if time.Since(born) > maxAge {
		go closeAll([]idle{i})
		return
	}
	p.idle = append(p.idle, i)
	if p.timer == nil {
		p.timer = time.AfterFunc(p.maxIdle, p.closeIdle)
	}
}

// closeIdle closes the connections that were not used for long.
func (p *pool) closeIdle() {
	p.mu.Lock()
	var old []idle
	p.idle = slices.DeleteFunc(p.idle, func(i idle) bool {
		if time.Since(i.since) < p.maxIdle {
			return false
		}
		old = append(old, i)
		return true
	})
	p.timer = nil
	if len(p.idle) > 0 && !p.closed {
		p.timer = time.AfterFunc(p.maxIdle, p.closeIdle)
	}
	p.mu.Unlock()
	closeAll(old)
}

// idle is a connection that no transaction uses.
type idle struct {
	*pgconn.PgConn
	ready chan struct{} // closed when the last transaction has ended
	since time.Time
}

func (i idle) rollBack() {
	defer close(i.ready)
	ctx, stop := context.WithTimeout(context.Background(), time.Second)
	defer stop()
	if _, err := i.Exec(ctx, "ROLLBACK").ReadAll(); err != nil || i.TxStatus() != 'I' {
		_ = i.Close(ctx)
	}
}

// usable returns the latest idle connection, of those that are ready if there are any, and
// removes it; nil without one.
func (p *pool) usable() *pgconn.PgConn {
	for {
		p.mu.Lock()
		n := len(p.idle) - 1
		if n < 0 {
			p.mu.Unlock()
			return nil
		}
		for k := n; k >= 0; k-- {
			if isClosed(p.idle[k].ready) {
				n = k
				break
			}
		}
		i := p.idle[n]
		p.idle = slices.Delete(p.idle, n, n+1)
		p.mu.Unlock()
		if <-i.ready; !i.IsClosed() {
			return i.PgConn
		}
	}
}

func isClosed(c chan struct{}) bool {
	select {
	case <-c:
		return true
	default:
		return false
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
	if p.timer != nil {
		p.timer.Stop()
	}
	p.mu.Unlock()
	p.forget()
}

func closeAll(connections []idle) {
	ctx, stop := context.WithTimeout(context.Background(), time.Second)
	defer stop()
	for _, c := range connections {
		<-c.ready
		_ = c.Close(ctx)
	}
}
