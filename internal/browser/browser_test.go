package browser

import (
	"context"
	"encoding/base64"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"techo/internal/testenv"
)

// openGate is a gate that lets all through.
type openGate struct{}

func (openGate) Check(context.Context, *url.URL, bool) error { return nil }
func (openGate) Dial(ctx context.Context, network, addr string) (net.Conn, error) {
	return (&net.Dialer{}).DialContext(ctx, network, addr)
}
func (openGate) Via(*url.URL) (*url.URL, error) { return nil, nil }

func installed(t *testing.T) string {
	t.Helper()
	path, err := Find()
	if err != nil {
		testenv.Missing(t, "a browser")
	}
	return path
}

func render(t *testing.T, address string, change ...func(*Job)) (*Page, error) {
	t.Helper()
	u, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	job := Job{Program: installed(t), URL: u, Agent: "techo/test", Language: "en", Gate: openGate{},
		patience: 5 * time.Second}
	for _, f := range change {
		f(&job)
	}
	ctx, stop := context.WithTimeout(t.Context(), 60*time.Second)
	defer stop()
	return Render(ctx, job)
}

func serve(t *testing.T, page string) string {
	t.Helper()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		io.WriteString(w, page)
	}))
	t.Cleanup(s.Close)
	return s.URL
}

// TestBounds renders pages whose scripts do not end or take much memory. Most of its time is patience, so that
// they wait together.
func TestBounds(t *testing.T) {
	folder := t.TempDir()
	if os.Geteuid() != 0 { // the browser of root could not use a folder of root
		t.Setenv("TMPDIR", folder)
	}
	const page = `<p>Before</p><script>`
	scripts := map[string]struct {
		err  error
		busy bool
		full bool // only in the complete tests
		lost bool // or a request fails, by the limit of requests, and the script ends
	}{
		`setTimeout(() => document.body.append("after"), 100)`: {},
		`alert(1); confirm(2); document.body.append("after")`:  {full: true},
		`while (true) {}`: {busy: true, full: true},
		`setTimeout(() => { while (true) {} }, 50)`:                      {busy: true, full: true},
		`setInterval(() => document.body.append("after"), 20)`:           {busy: true, full: true},
		`setInterval(() => { while (true) {} }, 50)`:                     {err: ErrBusy, full: true},
		`setTimeout(() => { location = "?" + Math.random() }, 20)`:       {err: ErrBusy, full: true, lost: true},
		`(function f() { fetch("/").then(f) })()`:                        {busy: true, full: true, lost: true},
		`const a = []; for (;;) a.push(new Uint8Array(1 << 26).fill(1))`: {err: ErrMemory, full: true},
		`const a = "const a = []; for (;;) a.push(new Uint8Array(1 << 26).fill(1))"; // in a worker
		new Worker(URL.createObjectURL(new Blob([a])));
		setInterval(() => document.body.append("."), 20)`: {err: ErrMemory, full: true},
	}
	t.Run("scripts", func(t *testing.T) {
		for script, c := range scripts {
			if c.full && !testenv.Full() {
				continue
			}
			t.Run(script, func(t *testing.T) {
				t.Parallel()
				p, err := render(t, serve(t, page+script+`</script>`), func(j *Job) {
					if c.err == ErrMemory {
						j.patience = 30 * time.Second // a busy machine takes long to fill it
					}
				})
				switch {
				case c.lost && errors.As(err, new(*LoadError)):
				case !errors.Is(err, c.err):
					t.Errorf("%s: %v, want %v", script, err, c.err)
				case err == nil && (p.Busy != c.busy && !c.lost || !strings.Contains(p.HTML, "Before") ||
					strings.Contains(script, "after") && !strings.Contains(p.HTML, "after")):
					t.Errorf("%s: %+v", script, p)
				}
			})
		}
	})
	if left, _ := filepath.Glob(filepath.Join(folder, "techo-browser-*")); len(left) > 0 {
		t.Errorf("left behind: %q", left)
	}
}

// TestCancel ends a rendering. Nothing of the browser may run afterwards.
func TestCancel(t *testing.T) {
	if testenv.All(t, "a browser"); runtime.GOOS != "linux" {
		return
	}
	u, err := url.Parse(serve(t, `<script>while (true) {}</script>`))
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithTimeout(t.Context(), time.Minute)
	time.AfterFunc(time.Second, stop)
	if _, err := Render(ctx, Job{Program: installed(t), URL: u, Gate: openGate{}}); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	stats, _ := filepath.Glob("/proc/[0-9]*/cmdline")
	for _, name := range stats {
		if line, _ := os.ReadFile(name); strings.Contains(string(line), "/techo-browser-") {
			t.Errorf("%s: %.200q", name, line)
		}
	}
}

// TestStart names the reason why a browser does not start.
func TestStart(t *testing.T) {
	u, _ := url.Parse("http://127.0.0.1:1/")
	for program, want := range map[string]string{"/nowhere/chromium": "no such file",
		"/bin/false": "it ended at once"} {
		ctx, stop := context.WithTimeout(t.Context(), time.Minute)
		_, err := Render(ctx, Job{Program: program, URL: u, Gate: openGate{}})
		stop()
		failed := new(StartError)
		if runtime.GOOS != "windows" && (!errors.As(err, &failed) || !strings.Contains(failed.Reason, want)) {
			t.Errorf("%s: %v", program, err)
		}
	}
}

// TestProxy sends requests that the proxy must not serve.
func TestProxy(t *testing.T) {
	address := serve(t, strings.Repeat("x", 100))
	p, err := newProxy(t.Context(), openGate{})
	if err != nil {
		t.Fatal(err)
	}
	defer p.close()
	ask := func(lines ...string) string {
		conn, err := net.Dial("tcp", p.address())
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close()
		io.WriteString(conn, strings.Join(lines, "\r\n"))
		out, _ := io.ReadAll(conn)
		return string(out)
	}
	key := "Proxy-Authorization: Basic " + base64.StdEncoding.EncodeToString([]byte(proxyUser+":"+p.secret))
	host := strings.TrimPrefix(address, "http://")
	get := "GET " + address + "/ HTTP/1.1"
	const end = "Connection: close\r\n\r\n"
	for _, c := range []struct{ got, want string }{
		{ask(get, "Host: "+host, key, end), "HTTP/1.1 200"},
		{ask(get, "Host: "+host, end), "HTTP/1.1 407"},
		{ask(get, "Host: "+host, key+"x", end), "HTTP/1.1 407"},
		{ask("CONNECT "+host+" HTTP/1.1", "Host: "+host, end), "HTTP/1.1 407"},
		{ask("GET / HTTP/1.1", "Host: "+host, key, end), ""},
		{ask("GET ftp://"+host+"/ HTTP/1.1", "Host: "+host, key, end), ""},
		{ask("GET http://a:b@"+host+"/ HTTP/1.1", "Host: "+host, key, end), ""},
	} {
		if !strings.HasPrefix(c.got, c.want) || c.want == "" && c.got != "" {
			t.Errorf("%q, want %q", c.got, c.want)
		}
	}
	plain := ask("CONNECT "+host+" HTTP/1.1", "Host: "+host, key, "", "GET / HTTP/1.1\r\nHost: "+host+"\r\n"+end)
	if strings.Contains(plain, "xxx") {
		t.Errorf("a tunnel without TLS: %q", plain)
	}
	p.left.Store(50)
	if got := ask(get, "Host: "+host, key, end); strings.Contains(got, "xxx") {
		t.Errorf("beyond the limit: %q", got)
	}
}
