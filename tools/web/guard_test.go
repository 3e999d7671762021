package web

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"testing"

	"techo/tools"
)

// TestGuard checks that the loopback is rejected in every spelling, without a connection.
// TestGuardNetwork has other addresses.
func TestGuard(t *testing.T) {
	private, accepted := countingListener(t)
	_, port, _ := net.SplitHostPort(private)
	env := newEnv(t, "")
	for _, host := range []string{
		"127.0.0.2", "127.2", "0x7f000002", "2130706434", "0177.0.0.2", "①②⑦.⓪.⓪.②", "localhost",
		"LOCALHOST", "localhost.", "a.localhost",
		"[::ffff:127.0.0.2]", "[::]", "[::1]", "0", "127.0.0.2.",
	} {
		_, e := get(t, env, FetchIn{URL: "http://" + host + ":" + port + "/"})
		wantError(t, e, tools.Forbidden, "is not on the public internet")
	}
	redirecting := serve(t, func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, "http://127.0.0.2:"+port+"/", http.StatusFound)
	})
	_, e := get(t, env, FetchIn{URL: redirecting})
	wantError(t, e, tools.Forbidden, "127.0.0.2 is not on the public internet")
	if e.Hint != "To allow it, use --allow-private or TECHO_WEB_ALLOW=127.0.0.2" {
		t.Error(e.Hint)
	}
	if n := accepted.Load(); n != 0 {
		t.Errorf("%d connections", n)
	}
	env.Web.Allow = []string{"127.0.0.2:" + port}
	if _, e := get(t, env, FetchIn{URL: redirecting}); e == nil || e.Code != tools.Upstream || accepted.Load() == 0 {
		t.Errorf("allowed: %+v", e)
	}
}

// TestGuardNames checks the address of a name when it is dialled.
func TestGuardNames(t *testing.T) {
	page := serve(t, func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, "public") })
	u, _ := url.Parse(page)
	env := newEnv(t, "")
	open := func(answers ...string) (FetchedPage, *tools.Error) {
		f := newFetch(t, env, FetchIn{URL: "http://name.test:" + u.Port() + "/"})
		f.client.lookup = answering(answers...)
		return runFetch(t, f)
	}
	if out, e := open("127.0.0.2", "127.0.0.1"); e != nil || out.Page != "public" {
		t.Errorf("one of two is public: %+v, %v", out, e)
	}
	_, e := open("127.0.0.2")
	wantError(t, e, tools.Forbidden, "name.test is not")
	_, e = open()
	wantError(t, e, tools.Upstream, "no address for name.test")
}

// TestProxy fetches public pages through a private proxy, and no private pages.
func TestProxy(t *testing.T) {
	var requested []string
	proxy := serve(t, func(w http.ResponseWriter, r *http.Request) {
		requested = append(requested, r.URL.String())
		io.WriteString(w, "through")
	})
	via, _ := url.Parse(proxy)
	env := newEnv(t, "")
	env.Web.Proxy = func(*url.URL) (*url.URL, error) { return via, nil }
	f := newFetch(t, env, FetchIn{URL: "http://name.test/"})
	f.client.public = func(netip.Addr) bool { return false }
	f.client.lookup = func(context.Context, string) ([]netip.Addr, error) { return nil, errors.New("no resolver here") }
	if out, err := f.run(t.Context()); err != nil || out.Page != "through" {
		t.Errorf("%+v, %v", out, err)
	}
	for _, host := range []string{"10.0.0.1", "localhost", "0x7f.1"} {
		f.in.URL = "http://" + host + "/"
		_, e := runFetch(t, f)
		wantError(t, e, tools.Forbidden, "not on the public internet")
	}
	env.Web.AllowPrivate = true
	for url, answers := range map[string][]string{"http://name.test/": {"8.8.8.8", "169.254.169.254"},
		"http://168.63.129.16/": nil} {
		f.in.URL, f.client.lookup = url, answering(answers...)
		_, e := runFetch(t, f)
		wantError(t, e, tools.Forbidden, isCloud)
	}
	if len(requested) != 1 {
		t.Errorf("the proxy received %q", requested)
	}
}
