package proof

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"techo/internal/postgres"
	"techo/internal/testenv"
)

// team is a number of clients of two servers that share a store in a database. Each
// client repeats a write with the same idempotency key until it is acknowledged.
type team struct {
	servers []*teamServer
	client  *http.Client

	mu     sync.Mutex
	done   int            // acknowledged writes
	errors map[string]int // by code, if the call may be repeated
	faults []string       // all others
}

func teamSize() (clients, writes int) {
	switch {
	case testenv.Long():
		return 64, 100
	case testenv.Full():
		return 16, 12
	}
	return 8, 6
}

type teamCall struct{ tool, input, key string }

// write returns the n-th write of a client: a memo, an event or a memory. Only the
// idempotency key prevents a second event with the same title.
func (t *team) write(client, n int) teamCall {
	name := fmt.Sprintf("%d-%d", client, n)
	call := teamCall{key: "key-" + name}
	switch n % 3 {
	case 0:
		call.tool = "add_memo"
		call.input = fmt.Sprintf(`{"name":"memo-%s","content":"x","priority":3,"tags":["t%d"]}`, name, client%8)
	case 1:
		call.tool = "create_event"
		call.input = fmt.Sprintf(`{"title":"event-%s","start":"2026-12-%02dT10:00:00Z"}`, name, 1+client%28)
	default:
		call.tool = "add_memory"
		call.input = fmt.Sprintf(`{"full_text":"memory-%s: Tanaka likes ramen"}`, name)
	}
	return call
}

// run makes all writes of a client, by turns at the two servers when one fails. Every
// eighth client is the command line.
func (t *team) run(test *testing.T, client, writes int) {
	at := client
	for n := range writes {
		call := t.write(client, n)
		for {
			send := t.overHTTP
			if client%8 == 7 {
				send = t.asCommand
			}
			if send(test, t.servers[at%len(t.servers)], call) {
				break
			}
			if at++; test.Context().Err() != nil || t.broken() {
				return
			}
			time.Sleep(20 * time.Millisecond)
		}
		t.mu.Lock()
		t.done++
		t.mu.Unlock()
	}
}

// broken reports whether the clients shall stop: an error that must not happen.
func (t *team) broken() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return len(t.faults) > 0
}

// overHTTP sends a write. It reports whether the write was acknowledged.
func (t *team) overHTTP(test *testing.T, s *teamServer, call teamCall) bool {
	r, err := http.NewRequestWithContext(test.Context(), http.MethodPost, s.base+"/tools/"+call.tool,
		strings.NewReader(call.input))
	if err != nil {
		t.fault(err.Error())
		return false
	}
	r.Header.Set("Idempotency-Key", call.key)
	answer, err := t.client.Do(r)
	if err != nil { // the server was killed
		t.count("connection")
		return false
	}
	defer answer.Body.Close()
	document, err := io.ReadAll(answer.Body)
	if err != nil {
		t.count("connection")
		return false
	}
	return t.acknowledged(call, document)
}

// asCommand sends a write by a call of the program.
func (t *team) asCommand(test *testing.T, s *teamServer, call teamCall) bool {
	a := collect(command(test.Context(), s.base, "call", call.tool, call.input, "--idempotency-key", call.key))
	if a.Doc == nil || a.Code != 0 && a.Code != 6 {
		t.fault(a.String())
		return false
	}
	return t.acknowledged(call, a.Out)
}

// acknowledged reports whether a document is a result. An error must be of the class
// that may be repeated.
func (t *team) acknowledged(call teamCall, document []byte) bool {
	var a struct {
		Error *struct {
			Code      string
			Retryable bool
		}
	}
	switch err := json.Unmarshal(document, &a); {
	case err != nil, a.Error != nil && !a.Error.Retryable:
		t.fault(fmt.Sprintf("%s %s: %s", call.tool, call.input, document))
		return false
	case a.Error != nil:
		t.count(a.Error.Code)
		return false
	}
	return true
}

func (t *team) count(code string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.errors[code]++
}

func (t *team) fault(what string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.faults = append(t.faults, what)
}

// reached waits until a part of all writes is acknowledged, or the clients stop.
func (t *team) reached(test *testing.T, writes int) {
	for test.Context().Err() == nil && !t.broken() {
		t.mu.Lock()
		done := t.done
		t.mu.Unlock()
		if done >= writes {
			return
		}
		time.Sleep(5 * time.Millisecond)
	}
}

// disturb kills a server, restarts the database, kills the other server, and promotes the
// standby of a database that is gone, each after a fifth of the writes.
func (t *team) disturb(test *testing.T, writes int, primary, standby *postgres.Server) {
	restart := func(s *teamServer) func() error {
		return func() error { s.kill(); s.start(test); return nil }
	}
	failover := func() error {
		if err := primary.Kill(); err != nil {
			return err
		}
		return standby.Promote()
	}
	steps := []func() error{restart(t.servers[0]), primary.Restart, restart(t.servers[1]), failover}
	for i, step := range steps {
		t.reached(test, (i+1)*writes/(len(steps)+1))
		if err := step(); err != nil {
			t.fault(err.Error())
		}
	}
}

// TestTeam lets clients of two servers write to one database, while a server is killed,
// the database is restarted, and a synchronous standby takes over: no acknowledged write
// is lost, none is made twice, and all errors say that the call may be repeated.
func TestTeam(t *testing.T) {
	primary := startDatabase(t)
	standby := startStandby(t, primary)
	address := migrated(t, primary.Address("team", standby))
	clients, writes := teamSize()
	g := &team{errors: map[string]int{}, client: &http.Client{Timeout: 90 * time.Second,
		Transport: &http.Transport{MaxIdleConnsPerHost: clients}}}
	for range 2 {
		g.servers = append(g.servers, startServer(t, address))
	}
	began := time.Now()
	var all sync.WaitGroup
	for client := range clients {
		all.Go(func() { g.run(t, client, writes) })
	}
	g.disturb(t, clients*writes, primary, standby)
	all.Wait()
	t.Logf("%d writes of %d clients in %v, repeated after: %v", g.done, clients, time.Since(began).Round(time.Second),
		g.errors)
	for _, fault := range g.faults {
		t.Error(fault)
	}
	if g.done != clients*writes {
		t.Errorf("%d of %d writes were acknowledged", g.done, clients*writes)
	}
	g.wantOnce(t, address, clients, writes)
}

// wantOnce checks that a store has each write once.
func (t *team) wantOnce(test *testing.T, address string, clients, writes int) {
	test.Helper()
	stored := map[string]int{}
	for name := range contentsOf(test, address) {
		stored[name]++
	}
	for line := range strings.Lines(string(exported(test, address, "cal", "export", "--to", "-"))) {
		if title, ok := strings.CutPrefix(strings.TrimSpace(line), "SUMMARY:"); ok {
			stored[title]++
		}
	}
	for line := range bytes.Lines(exported(test, address, "export", "memories", "--to", "-")) {
		var m struct {
			FullText string `json:"full_text"`
		}
		if err := json.Unmarshal(line, &m); err != nil {
			test.Fatal(err)
		}
		name, _, _ := strings.Cut(m.FullText, ":")
		stored[name]++
	}
	kinds := []string{"memo", "event", "memory"}
	for client := range clients {
		for n := range writes {
			name := fmt.Sprintf("%s-%d-%d", kinds[n%3], client, n)
			if stored[name] != 1 {
				test.Errorf("%s is stored %d times", name, stored[name])
			}
			delete(stored, name)
		}
	}
	if len(stored) > 0 {
		test.Errorf("stored without a write: %v", slices.Sorted(maps.Keys(stored)))
	}
	if total := mustTecho(test, address, "history", "--limit", "1").Doc["total"]; total != float64(clients*writes) {
		test.Errorf("the history has %v changes, want %d", total, clients*writes)
	}
	mustTecho(test, address, "store", "verify", "--deep")
}

// exported returns a document that a command prints instead of JSON.
func exported(t *testing.T, store string, args ...string) []byte {
	t.Helper()
	a := collect(command(t.Context(), store, args...))
	if a.Code != 0 {
		t.Fatalf("%v", a)
	}
	return a.Out
}
