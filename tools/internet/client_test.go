package internet_test

import (
	"net"
	"net/http"
	"sync/atomic"
	"testing"

	"techo/internal/testenv"
	"techo/tools"
	"techo/tools/internet"
)

// TestGuardedClient sends requests to addresses that are not on the public internet, in a
// network where they have a listener and nothing else can be reached.
func TestGuardedClient(t *testing.T) {
	if !testenv.Isolated(t) {
		return
	}
	l, err := net.Listen("tcp", ":0")
	if err != nil {
		t.Fatal(err)
	}
	var hits atomic.Int32
	server := &http.Server{Handler: http.HandlerFunc(func(http.ResponseWriter, *http.Request) { hits.Add(1) })}
	go server.Serve(l)
	t.Cleanup(func() { server.Close() })
	_, port, _ := net.SplitHostPort(l.Addr().String())
	const closed, allowed, named = 0, 1, 2 // the rules, and for each host the first one that reaches it
	for host, from := range map[string]int{"8.8.8.8": closed, "[2606:4700::1111]": closed,
		"10.0.0.1": allowed, "127.0.0.2": allowed, "localhost": allowed, "[fd00::1]": allowed, "100.64.0.1": allowed,
		"169.254.169.254": named, "168.63.129.16": named, "100.100.100.200": named, "192.0.0.192": named,
		"[fd00:ec2::254]": named, "[::ffff:a9fe:a9fe]": named, "[64:ff9b::168.63.129.16]": named} {
		for rule, web := range []tools.WebSettings{closed: {}, allowed: {AllowPrivate: true},
			named: {Allow: []string{host + ":" + port}}} {
			hits.Store(0)
			r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://"+host+":"+port+"/", nil)
			if err != nil {
				t.Fatal(err)
			}
			answer, err := internet.GuardedClient(&tools.Env{Web: web}).Do(r)
			if err == nil {
				answer.Body.Close()
			}
			reached := hits.Load() > 0
			if reached != (rule >= from) || reached != (err == nil) || err != nil && !internet.IsPrivateAddress(err) {
				t.Errorf("%s, rule %d: %v, reached %v", host, rule, err, reached)
			}
		}
	}
}
