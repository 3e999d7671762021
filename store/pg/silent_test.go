package pg_test

import (
	"context"
	"io"
	"net"
	"net/url"
	"sync"
	"testing"
	"time"

	"techo/internal/testenv"
	"techo/store/kv"
	"techo/store/pg"
)

// relay forwards connections to a server. Silence stops those that exist, without closing them.
type relay struct {
	net.Listener
	mu     sync.Mutex
	silent chan struct{} // closed when the present connections fall silent
}

// newRelay returns a relay to the server of an address, and the address of the store through it.
func newRelay(t *testing.T, address string) (*relay, string) {
	t.Helper()
	u, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	server := u.Host
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	u.Host = l.Addr().String()
	r := &relay{Listener: l, silent: make(chan struct{})}
	go r.serve(server)
	return r, u.String()
}

func (r *relay) serve(server string) {
	for {
		c, err := r.Accept()
		if err != nil {
			return
		}
		r.mu.Lock()
		silent := r.silent
		r.mu.Unlock()
		s, err := net.Dial("tcp", server)
		if err != nil {
			_ = c.Close()
			continue
		}
		go forward(c, s, silent)
		go forward(s, c, silent)
	}
}

// forward copies until the source ends or the connection falls silent, and closes the target at the end.
func forward(from, to net.Conn, silent chan struct{}) {
	b := make([]byte, 1<<16)
	for {
		n, err := from.Read(b)
		select {
		case <-silent:
			_, _ = io.Copy(io.Discard, from)
			return
		default:
		}
		if _, e := to.Write(b[:n]); err != nil || e != nil {
			_ = to.Close()
			return
		}
	}
}

// silence stops the present connections.
func (r *relay) silence() {
	r.mu.Lock()
	defer r.mu.Unlock()
	close(r.silent)
	r.silent = make(chan struct{})
}

// TestSilent lets connections die without a sign. A call goes on over another connection, and a write that hangs
// does not stop the others of its process.
func TestSilent(t *testing.T) {
	r, address := newRelay(t, newAddress(t))
	e := open(t, address+"&statement_timeout=1000", pg.Options{Write: true})
	pg.SetAnswer(e, time.Second)
	pg.SetWait(e, 1500)
	put := func(ctx context.Context, key string) error {
		return e.Update(ctx, func(tx kv.Tx) error {
			if _, _, err := tx.ReadMany([][]byte{[]byte("a")}, nil); err != nil {
				return err
			}
			return tx.Put([]byte(key), []byte("value"))
		})
	}
	if err := put(t.Context(), "a"); err != nil {
		t.Fatal(err)
	}
	r.silence()
	began := time.Now()
	err := e.View(t.Context(), func(tx kv.Tx) error { _, err := tx.Get([]byte("a")); return err })
	if err != nil {
		t.Errorf("a read: %v after %v", err, time.Since(began))
	}

	r.silence()
	results := make(chan error)
	go func() { results <- put(t.Context(), "b") }()
	testenv.Eventually(t, func() bool { return pg.Leads(e) })
	go func() { results <- put(t.Context(), "c") }()
	for range 2 {
		if err := <-results; err != nil {
			t.Errorf("a write: %v after %v", err, time.Since(began))
		}
	}
	err = e.View(t.Context(), func(tx kv.Tx) error {
		values, err := kv.GetMany(tx, [][]byte{[]byte("b"), []byte("c")})
		if err == nil && (values[0] == nil || values[1] == nil) {
			t.Errorf("%q", values)
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
}

// TestIdle closes connections that nobody uses.
func TestIdle(t *testing.T) {
	e := open(t, newAddress(t), pg.Options{Write: true})
	pg.SetIdle(e, 50*time.Millisecond)
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			err := e.View(t.Context(), func(tx kv.Tx) error { _, err := kv.GetMany(tx, [][]byte{[]byte("a")}); return err })
			if err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	testenv.Eventually(t, func() bool { return pg.Idle(e) == 0 })
}
