package proof

import (
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"techo/internal/testenv"
)

// balancer is a load balancer: it asks its servers whether they are ready, and forwards
// each request once, to the next ready server.
type balancer struct {
	backends []*backend
	next     atomic.Uint64
}

type backend struct {
	server *teamServer
	proxy  http.Handler
	ready  atomic.Bool
}

// allReady reports whether the balancer uses all its servers.
func (b *balancer) allReady() bool {
	for _, one := range b.backends {
		if !one.ready.Load() {
			return false
		}
	}
	return true
}

// balance starts a load balancer, and returns it and its address.
func balance(t *testing.T, servers []*teamServer) (*balancer, string) {
	t.Helper()
	b := &balancer{}
	for _, s := range servers {
		u, err := url.Parse(s.base)
		if err != nil {
			t.Fatal(err)
		}
		proxy := testenv.Forward(httputil.NewSingleHostReverseProxy(u))
		b.backends = append(b.backends, &backend{server: s, proxy: proxy})
	}
	for _, one := range b.backends {
		one.ready.Store(one.server.isReady())
		go func() {
			for t.Context().Err() == nil {
				one.ready.Store(one.server.isReady())
				time.Sleep(20 * time.Millisecond)
			}
		}()
	}
	web := httptest.NewServer(b)
	t.Cleanup(web.Close)
	return b, web.URL
}

func (b *balancer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	first := b.next.Add(1)
	for i := range b.backends {
		one := b.backends[(first+uint64(i))%uint64(len(b.backends))]
		if one.ready.Load() {
			one.proxy.ServeHTTP(w, r)
			return
		}
	}
	w.WriteHeader(http.StatusServiceUnavailable)
}

// TestTeamRollingRestart restarts two servers behind a load balancer, one after the
// other, while clients write: no call fails.
func TestTeamRollingRestart(t *testing.T) {
	database := migrated(t, startDatabase(t).Address("rolling"))
	servers := []*teamServer{startServer(t, database, "--drain", "3s"), startServer(t, database, "--drain", "3s")}
	b, address := balance(t, servers)
	entrance := &teamServer{base: address}
	g := &team{errors: map[string]int{}, client: http.DefaultClient, servers: []*teamServer{entrance}}
	const clients = 4
	restarted := make(chan struct{})
	made := make([]int, clients)
	var all sync.WaitGroup
	for client := range clients {
		all.Go(func() {
			for ; !closed(restarted) && !g.broken(); made[client]++ {
				call := g.write(client, made[client])
				if !g.overHTTP(t, entrance, call) {
					g.fault("failed: " + call.key)
				}
			}
		})
	}
	for _, s := range servers {
		s.restart(t)
		testenv.Eventually(t, b.allReady)
	}
	close(restarted)
	all.Wait()
	for _, fault := range g.faults {
		t.Error(fault)
	}
	if len(g.errors) > 0 {
		t.Errorf("calls failed: %v", g.errors)
	}
	writes := 0
	for _, n := range made {
		writes += n
	}
	t.Logf("%d writes of %d clients during two restarts", writes, clients)
	if total := mustTecho(t, database, "history", "--limit", "1").Doc["total"]; total != float64(writes) {
		t.Errorf("the history has %v changes, want %d", total, writes)
	}
}

func closed(c <-chan struct{}) bool {
	select {
	case <-c:
		return true
	default:
		return false
	}
}
