package web

import (
	"context"
	"io"
	"net"
	"net/http"
	"net/netip"
	"slices"
	"strings"
	"sync"
	"testing"

	"techo/internal/testenv"
	"techo/tools"
)

// everywhere starts a server at all addresses of an isolated network. hits returns the
// addresses at which it was reached since the last call.
func everywhere(t *testing.T) (port string, hits func() []string) {
	t.Helper()
	l, err := net.Listen("tcp", ":0")
	if err != nil {
		t.Fatal(err)
	}
	var mu sync.Mutex
	var reached []string
	server := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if to := r.URL.Query().Get("to"); to != "" {
			http.Redirect(w, r, to, http.StatusFound)
		}
		io.WriteString(w, "text")
	}), ConnContext: func(ctx context.Context, c net.Conn) context.Context {
		mu.Lock()
		defer mu.Unlock()
		host, _, _ := net.SplitHostPort(c.LocalAddr().String())
		reached = append(reached, host)
		return ctx
	}}
	go server.Serve(l)
	t.Cleanup(func() { server.Close() })
	_, port, _ = net.SplitHostPort(l.Addr().String())
	return port, func() []string {
		mu.Lock()
		defer mu.Unlock()
		was := reached
		reached = nil
		return was
	}
}

// fetchOf fetches with the rules for addresses as they are. answers are what the name server returns.
func fetchOf(t *testing.T, env *tools.Env, url string, answers ...string) *tools.Error {
	t.Helper()
	f := newFetch(t, env, FetchIn{URL: url})
	f.client = newClient(env)
	f.client.lookup = answering(answers...)
	_, e := runFetch(t, f)
	return e
}

// privateHosts and cloudHosts are addresses that are refused, in several spellings.
var (
	privateHosts = []string{"10.0.0.1", "100.64.0.1", "127.0.0.2", "172.16.0.1", "192.0.0.8", "192.0.2.1",
		"192.88.99.1", "192.168.0.1", "198.18.0.1", "198.51.100.1", "203.0.113.1", "240.0.0.1", "[::1]", "[::10.0.0.1]",
		"[::ffff:10.0.0.1]", "[::ffff:0:10.0.0.1]", "[64:ff9b::10.0.0.1]", "[64:ff9b:1::1]", "[100::1]",
		"[100:0:0:1::1]", "[2001::1]", "[2001:db8::1]", "[2002:a00:1::1]", "[3fff::1]", "[4000::1]", "[5f00::1]",
		"[fc00::1]", "[fd00::1]", "[fec0::1]"}
	cloudHosts = []string{"169.254.169.254", "2852039166", "0xa9fea9fe", "169.254.43518",
		"①⑥⑨.②⑤④.①⑥⑨.②⑤④",
		"169.254.170.2", "169.254.1.1", "168.63.129.16", "100.100.100.200", "192.0.0.192", "[fd00:ec2::254]",
		"[fd20:ce::254]", "[fd00:c1::a9fe:a9fe]", "[::ffff:a9fe:a9fe]", "[::ffff:168.63.129.16]",
		"[64:ff9b::a9fe:a9fe]", "[64:ff9b::168.63.129.16]", "[2002:a9fe:a9fe::1]", "[2002:a83f:8110::1]"}
)

// guarded is an isolated network in which a test fetches.
type guarded struct {
	*testing.T
	env  *tools.Env
	port string
	hits func() []string
}

// refused checks that a URL is refused, and that no listener but the one at 8.8.8.8 is reached.
func (g guarded) refused(url, message string, answers ...string) {
	g.Helper()
	if e := fetchOf(g.T, g.env, url, answers...); e == nil || e.Code != tools.Forbidden ||
		!strings.Contains(e.Message, message) {
		g.Errorf("%s %q: %+v, want %s", url, answers, e, message)
	}
	if reached := g.hits(); slices.ContainsFunc(reached, func(a string) bool { return a != "8.8.8.8" }) {
		g.Errorf("%s %q: reached %q", url, answers, reached)
	}
}

// reaches checks that a URL reaches a listener.
func (g guarded) reaches(url string, answers ...string) {
	g.Helper()
	if e := fetchOf(g.T, g.env, url, answers...); e != nil {
		g.Errorf("%s %q: %+v", url, answers, e)
	}
	if len(g.hits()) == 0 {
		g.Errorf("%s %q: no listener", url, answers)
	}
}

// at returns a URL of the listener at a host.
func (g guarded) at(host string) string { return "http://" + host + ":" + g.port + "/" }

// Parts of the messages for refused addresses.
const (
	isPrivate = "is not on the public internet"
	isCloud   = "is a service of a cloud for its own machines ("
)

// TestGuardNetwork fetches from addresses that are not on the public internet, in a network
// where they have a listener and nothing else can be reached.
func TestGuardNetwork(t *testing.T) {
	if !testenv.Isolated(t) {
		return
	}
	port, hits := everywhere(t)
	g := guarded{t, newEnv(t, ""), port, hits}
	for _, public := range []string{"8.8.8.8", "168.63.129.17", "[2606:4700::1111]", "[64:ff9b::8.8.8.8]"} {
		g.reaches(g.at(public))
	}
	for message, hosts := range map[string][]string{isPrivate: privateHosts, isCloud: cloudHosts} {
		for _, host := range hosts {
			g.refused(g.at(host), message)
			g.refused(g.at("8.8.8.8")+"?to="+g.at(host), message)
			a, err := netip.ParseAddr(strings.Trim(host, "[]"))
			if err != nil {
				continue // a spelling that no name server answers with
			}
			g.refused(g.at("name.test"), "", a.String())
			g.reaches(g.at("name.test"), a.String(), "8.8.8.8")
		}
	}
	g.refused(g.at("metadata.google.internal"), isCloud+"Google Cloud)", "8.8.8.8")
}

// TestAllowNetwork checks which addresses the person's settings admit.
func TestAllowNetwork(t *testing.T) {
	if !testenv.Isolated(t) {
		return
	}
	port, hits := everywhere(t)
	g := guarded{t, newEnv(t, ""), port, hits}
	g.env.Web.AllowPrivate = true
	for _, host := range privateHosts {
		g.reaches(g.at(host))
	}
	for _, host := range cloudHosts {
		g.refused(g.at(host), isCloud)
		g.refused(g.at("8.8.8.8")+"?to="+g.at(host), isCloud)
	}
	g.refused(g.at("name.test"), "169.254.169.254 "+isCloud, "169.254.169.254")
	g.refused(g.at("metadata.google.internal"), isCloud, "8.8.8.8")

	g.env.Web.AllowPrivate = false
	g.env.Web.Allow = []string{"name.test", "10.0.0.1", "metadata.google.internal"}
	g.reaches(g.at("10.0.0.1"))
	g.reaches(g.at("name.test"), "10.0.0.2")
	g.refused(g.at("name.test"), isCloud, "169.254.169.254")
	g.refused(g.at("10.0.0.2"), isPrivate)
	g.reaches(g.at("metadata.google.internal"), "169.254.169.254")
	g.env.Web.Allow = []string{"169.254.169.254:" + port, "168.63.129.16"}
	for _, host := range []string{"169.254.169.254", "2852039166", "168.63.129.16"} {
		g.reaches(g.at(host))
	}
	g.refused(g.at("100.100.100.200"), isCloud)
}
