package commands

import (
	"bufio"
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"maps"
	"net"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	mcpface "techo/commands/mcp"
	"techo/commands/offer"
	"techo/commands/serve"
	"techo/commands/server"
	"techo/internal/testenv"
	"techo/tools"
)

// served is a server under test.
type served struct {
	t      *testing.T
	base   string // http://127.0.0.1:PORT
	client *http.Client
	stop   func() (stdout string, code int)
	log    *lines
}

// lines keeps what a server writes to stderr.
type lines struct {
	mu   sync.Mutex
	text strings.Builder
}

func (l *lines) Write(b []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(b)
}

func (l *lines) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}

// serve starts a server in this process, on a free port without a token unless
// args say where; --socket-by-default is the default of the program.
func (w *world) serve(t *testing.T, args ...string) *served {
	t.Helper()
	ctx, interrupt := context.WithCancel(t.Context())
	own := *w
	own.interrupt, own.env = ctx, maps.Clone(w.env)
	stdout, stderr := &lines{}, &lines{}
	if i := slices.Index(args, "--socket-by-default"); i >= 0 {
		args = slices.Delete(args, i, i+1)
	} else if !strings.Contains(strings.Join(args, " "), "--listen") && args[0] == "serve" {
		args = append(args, "--listen", "127.0.0.1:0", "--no-token")
	}
	ended := make(chan int, 1)
	go func() { ended <- Main(own.World(unreadable{}, stdout, stderr, args...)) }()
	s := &served{t: t, log: stderr, client: &http.Client{Timeout: 20 * time.Second}}
	s.stop = sync.OnceValues(func() (string, int) {
		interrupt()
		s.client.CloseIdleConnections()
		select {
		case code := <-ended:
			return stdout.String(), code
		case <-time.After(20 * time.Second):
			t.Fatal("the server does not stop")
			return "", 0
		}
	})
	t.Cleanup(func() { s.stop() })
	address := regexp.MustCompile(`msg=listening address=(\S+)`)
	for range 1000 {
		if m := address.FindStringSubmatch(stderr.String()); m != nil {
			s.base = m[1]
			return s
		}
		select {
		case code := <-ended:
			t.Fatalf("%q ended: exit %d\n%s%s", args, code, stdout, stderr)
		case <-time.After(5 * time.Millisecond):
		}
	}
	t.Fatalf("%q does not listen\n%s", args, stderr)
	return nil
}

// ask sends a request with headers given as "Name: value".
func (s *served) ask(method, path, body string, headers ...string) (status int, answer string) {
	s.t.Helper()
	r, err := http.NewRequest(method, s.base+path, strings.NewReader(body))
	if err != nil {
		s.t.Fatal(err)
	}
	for _, h := range headers {
		name, value, _ := strings.Cut(h, ": ")
		if name == "Host" {
			r.Host = value
		} else {
			r.Header.Add(name, value)
		}
	}
	got, err := s.client.Do(r)
	if err != nil {
		s.t.Fatal(err)
	}
	defer got.Body.Close()
	b, err := io.ReadAll(got.Body)
	if err != nil {
		s.t.Fatal(err)
	}
	return got.StatusCode, string(b)
}

// want asks, and wants a status and a part of the answer.
func (s *served) want(status int, part, method, path, body string, headers ...string) string {
	s.t.Helper()
	got, answer := s.ask(method, path, body, headers...)
	if got != status || !strings.Contains(answer, part) {
		s.t.Errorf("%s %s %.200s %q: %d %s\nwant %d with %s", method, path, body, headers, got, answer, status, part)
	}
	return answer
}

// TestServeSame wants of HTTP what the command line prints, byte for byte, and
// the command line to work beside the server.
func TestServeSame(t *testing.T) {
	w := newWorld(t)
	s := w.serve(t, "serve", "--audience", "host")
	for _, c := range []struct{ tool, input string }{
		{"add_memo", `{"name":"らーめん","content":"<b>&\u2028\"好き","priority":4,"tags":["a"]}`},
		{"get_memo", `{"memo_name":"らーめん"}`},
		{"list_memo", ``},
		{"list_memo", `{"limit":3}`},
		{"memo_context", `{}`},
		{"calendar", `{"check_type":"day","date":"2026-01-05"}`},
		{"calendar", `{"event_id":"nope","title":"x"}`},
		{"get_memo", `{"memo_name":"nope"}`},
		{"add_memo", `{"nam":1}`},
		{"add_memo", `{`},
		{"add_memo", "{\"name\":\"\xff\",\"content\":\"x\",\"priority\":1}"},
		{"nope", `{}`},
	} {
		_, over := s.ask("POST", "/tools/"+c.tool, c.input)
		if c.tool == "add_memo" && strings.Contains(over, `"memo":`) {
			w.env["TECHO_STORE"] += "2" // the same call in another store
		}
		beside := w.feed(c.input, "call", c.tool)
		w.env["TECHO_STORE"] = filepath.Join(w.dir, "store")
		if over != beside.out {
			t.Errorf("%s %s: over HTTP\n%sbeside it\n%s", c.tool, c.input, over, beside.out)
		}
	}
	w.run("memo", "add", "beside", "x", "--priority", "1")
	s.want(200, `"total":2`, "POST", "/tools/list_memo", "")
	out, code := s.stop()
	if code != 0 || !json.Valid([]byte(out)) {
		t.Errorf("stopped with exit %d: %s", code, out)
	}
}

// TestServeStatuses wants the status of each error, and the routes.
func TestServeStatuses(t *testing.T) {
	s := newWorld(t).serve(t, "serve")
	memo := `{"name":"a","content":"x","priority":1}`
	s.want(200, `"memo":`, "POST", "/tools/add_memo", memo)
	s.want(409, `"already_exists"`, "POST", "/tools/add_memo", memo)
	s.want(404, `"not_found"`, "POST", "/tools/get_memo", `{"memo_name":"b"}`)
	s.want(400, `"invalid_input"`, "POST", "/tools/get_memo", ``)
	s.want(422, `"limit_exceeded"`, "POST", "/tools/add_memo",
		`{"name":"t","content":"x","priority":1,"tags":["1","2","3","4"]}`)
	s.want(400, `Did you mean 'add_memo'`, "POST", "/tools/add_mem", `{}`)
	s.want(404, `POST /tools/{name}`, "GET", "/", "")
	s.want(405, `accepts GET, HEAD, POST, not DELETE`, "DELETE", "/tools/add_memo", "")
	s.want(200, `"ok":true`, "GET", "/health", "")
	s.want(200, ``, "HEAD", "/health", "")
	s.want(405, ``, "OPTIONS", "/tools/add_memo", "")
	s.want(200, `"inputSchema"`, "GET", "/tools", "")
	s.want(200, `{"tools":[{"name":"add_memo","command"`, "GET", "/tools?format=names", "")
	s.want(200, `"input_schema"`, "GET", "/tools/add_memo?format=anthropic", "")
	s.want(400, `must be one of`, "GET", "/tools?format=yaml", "")
	s.want(400, `is not a field`, "GET", "/tools?fromat=mcp", "")
	s.want(400, `There is no tool`, "GET", "/tools/nope", "")
	s.want(400, `format is given twice`, "GET", "/tools?format=mcp&format=names", "")
	s.want(200, `"name":"get_memo"`, "GET", "/tools?format=names&names=get_memo&names=grep", "")
	s.want(400, `{"path":"/limit","message":"is in the URL"`, "POST", "/tools/list_memo?limit=3", "")
	for _, query := range []string{"a;b", "%zz", "limit=3;x", "&&%", "a=%ff%f"} {
		s.want(400, `the query of the URL cannot be read`, "POST", "/tools/list_memo?"+query, "")
		s.want(400, `the query of the URL cannot be read`, "GET", "/tools?"+query, "")
		s.want(400, `クエリを読めません`, "GET", "/memories/full?user_id=u&ids=a&"+query, "", "Techo-Lang: ja")
	}
	s.want(400, `"path":"/user_id","message":"is given twice"`, "GET", "/memories/full?user_id=u&user_id=u&ids=a", "")
	s.want(422, `at most 33554432 bytes`, "POST", "/tools/add_memo", strings.Repeat(" ", server.MaxBody+1))
}

// TestServeHeaders wants of the headers what the global flags do.
func TestServeHeaders(t *testing.T) {
	s := newWorld(t).serve(t, "serve", "--lang", "ja")
	memo := `{"name":"a","content":"x","priority":1}`
	first := s.want(200, `メモを追加`, "POST", "/tools/add_memo", memo, "Idempotency-Key: k", "Techo-Tz: Asia/Tokyo")
	if !strings.Contains(first, "+09:00") {
		t.Errorf("not in Tokyo's time: %s", first)
	}
	if again := s.want(200, "", "POST", "/tools/add_memo", memo, "Idempotency-Key: k",
		"Techo-Tz: Asia/Tokyo"); again != first {
		t.Errorf("the same key: %s\nthen %s", first, again)
	}
	s.want(409, `"conflict"`, "POST", "/tools/add_memo", `{"name":"b","content":"x","priority":1}`,
		"Idempotency-Key: k")
	s.want(200, `Memos (1-1 of 1)`, "POST", "/tools/list_memo", "", "Techo-Lang: en")
	s.want(400, `{"path":"/user","message":"is not valid UTF-8"`, "POST", "/tools/list_memo", "", "Techo-Lang: en",
		"Techo-User: \xff")
	s.want(400, `"path":"/tz"`, "POST", "/tools/list_memo", "", "Techo-Tz: Nowhere")
	s.want(400, `/idempotency-key`, "POST", "/tools/list_memo", "", "Idempotency-Key: k2")
	s.want(404, `There is nothing at`, "GET", "/x", "", "Techo-Lang: en")
	s.want(404, `はありません`, "GET", "/x", "")
}

// TestServeGuard sends the mixes of headers that pages and rebound names make
// a browser send, to each route of both servers.
func TestServeGuard(t *testing.T) {
	w := newWorld(t)
	s := w.serve(t, "serve", "--host", "notes.example")
	guardRoutes(s, "/tools/list_memo", "/tools", "/health", "/memories/full?user_id=u&ids=a", "/mcp")
	guardRoutes(w.serve(t, "mcp", "--http", "127.0.0.1:0", "--no-token", "--host", "notes.example"), "/", "/health",
		"/mcp")
}

func guardRoutes(s *served, paths ...string) {
	port := s.base[strings.LastIndex(s.base, ":"):]
	refused := [][]string{
		{"Host: evil.example"},
		{"Host: evil.example" + port},
		{"Host: evil.example", "Origin: http://evil.example"},
		{"Host: evil.example" + port, "Origin: http://evil.example" + port, "Sec-Fetch-Site: same-origin"},
		{"Host: 127.0.0.1.evil.example"},
		{"Host: localhost.evil.example" + port},
		{"Host: localhost@evil.example"},
		{"Origin: http://evil.example"},
		{"Origin: null"},
		{"Origin: http://localhost:1"},
		{"Origin: https://127.0.0.1.evil.example" + port},
		{"Origin: file://"},
		{"Sec-Fetch-Site: cross-site"},
		{"Sec-Fetch-Site: same-site"},
		{"Origin: http://127.0.0.1" + port, "Origin: http://evil.example"},
	}
	heard := [][]string{
		{},
		{"Host: localhost" + port},
		{"Host: LocalHost"},
		{"Host: [::1]" + port},
		{"Host: notes.example"},
		{"Host: localhost" + port, "Origin: http://localhost" + port},
		{"Host: notes.example", "Origin: https://notes.example", "Sec-Fetch-Site: same-origin"},
		{"Sec-Fetch-Site: none"},
	}
	for _, path := range paths {
		method, body := "GET", ""
		var speaks []string
		switch path {
		case "/", "/mcp":
			method, body = "POST", `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`
			speaks = []string{"Content-Type: application/json", "Accept: application/json, text/event-stream"}
		case "/tools/list_memo":
			method = "POST"
		}
		for _, headers := range refused {
			s.want(403, `"forbidden"`, method, path, body, append(headers, speaks...)...)
			s.want(403, `"forbidden"`, "OPTIONS", path, "", headers...) // what a browser asks first
		}
		for _, headers := range heard {
			s.want(200, "", method, path, body, append(headers, speaks...)...)
		}
	}
}

// TestServeToken wants the token on all that is worth something.
func TestServeToken(t *testing.T) {
	w := newWorld(t)
	w.env["TECHO_TOKEN"] = "a-long-random-text"
	s := w.serve(t, "serve", "--listen", "0.0.0.0:0")
	s.base = strings.Replace(s.base, "[::]", "127.0.0.1", 1)
	for _, headers := range [][]string{
		{}, {"Authorization: Bearer"}, {"Authorization: Bearer a-long-random-tex"},
		{"Authorization: Bearer a-long-random-text1"},
		{"Authorization: Basic a-long-random-text"}, {"Authorization: a-long-random-text"},
	} {
		s.want(403, `"unavailable"`, "POST", "/tools/list_memo", "", headers...)
		s.want(403, `"unavailable"`, "GET", "/tools", "", headers...)
		s.want(403, `"unavailable"`, "GET", "/nowhere", "", headers...)
		s.want(200, `"ok":true`, "GET", "/health", "", headers...)
	}
	s.want(200, `"total":0`, "POST", "/tools/list_memo", "", "Authorization: Bearer a-long-random-text")
	s.want(200, `"total":0`, "POST", "/tools/list_memo", "", "Authorization: bearer  a-long-random-text")
	s.want(403, `"forbidden"`, "POST", "/tools/list_memo", "", "Authorization: Bearer a-long-random-text",
		"Host: evil.example")
	if log := s.log.String(); strings.Contains(log, "a-long-random-text") ||
		!strings.Contains(log, "path=/tools/list_memo status=403") {
		t.Errorf("the log shows the token, or no requests:\n%s", log)
	}
}

// TestServeNarrow wants what is switched off to be off and to say so.
func TestServeNarrow(t *testing.T) {
	s := newWorld(t).serve(t, "serve", "--read-only", "--only", "memo", "--quiet")
	all := s.want(200, `"name":"list_memo"`, "GET", "/tools?format=names", "")
	if strings.Contains(all, "add_memo") {
		t.Errorf("--read-only offers %s", all)
	}
	s.want(403, `--read-only`, "POST", "/tools/add_memo", `{"name":"a","content":"x","priority":1}`)
	s.want(200, `"total":0`, "POST", "/tools/list_memo", "")
	s.want(403, `"unavailable"`, "POST", "/tools/calendar", `{}`)
	s.want(403, `"unavailable"`, "POST", "/tools/calendar", `{"title":"x","start":"2026-01-05"}`)
	s.want(200, `"off":{`, "GET", "/tools?format=names&all=true", "")
	if log := s.log.String(); strings.Contains(log, "request") {
		t.Errorf("--quiet logs %s", log)
	}
}

// TestServeSocket serves on a socket that only its owner can use, takes over
// one that was left, and leaves alone one that is in use.
func TestServeSocket(t *testing.T) {
	w := newWorld(t)
	path := filepath.Join(t.TempDir(), "s")
	left, err := net.ListenUnix("unix", &net.UnixAddr{Name: path})
	if err != nil {
		testenv.Missing(t, "no unix sockets here: "+err.Error())
	}
	left.SetUnlinkOnClose(false)
	left.Close()
	s := w.serve(t, "serve", "--listen", "unix:"+path)
	s.base = "http://techo"
	s.client.Transport = &http.Transport{DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, "unix", path)
	}}
	s.want(200, `"total":0`, "POST", "/tools/list_memo", "")
	s.want(403, `"forbidden"`, "POST", "/tools/list_memo", "", "Origin: http://evil.example")
	w.run("serve", "--listen", "unix:"+path).fails("conflict")
	w.run("serve", "--listen", "unix:"+w.dir).fails("conflict")
	s.client.CloseIdleConnections()
}

// TestServeCrowded tells those who are too many to come back, and hears them
// when there is room again.
func TestServeCrowded(t *testing.T) {
	s := newWorld(t).session()
	t.Cleanup(s.Close)
	h, e := server.New(s, offer.Choice{Audience: tools.Agents})
	if e != nil {
		t.Fatal(e)
	}
	f := serve.New(h, serve.Options{MCP: mcpface.Handler(mcpface.NewServer(h, nil))})
	f.Access = serve.Access{Open: true}
	server := httptest.NewServer(f.Handler())
	t.Cleanup(server.Close)
	asks := &served{t: t, base: server.URL, client: server.Client()}
	for range serve.MaxRequests {
		f.Intake.Slots <- struct{}{}
	}
	asks.want(429, `"retryable":true,"details":[{"path":"","message":"Come back in 1 second"}]`, "POST",
		"/tools/list_memo", "")
	<-f.Intake.Slots
	asks.want(200, `"total":0`, "POST", "/tools/list_memo", "")
}

// TestServeStops lets a request that is under way finish.
func TestServeStops(t *testing.T) {
	w := newWorld(t)
	s := w.serve(t, "serve")
	c, err := net.Dial("tcp", strings.TrimPrefix(s.base, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	body := `{"name":"late","content":"x","priority":1}`
	io.WriteString(c, "POST /tools/add_memo HTTP/1.1\r\nHost: localhost\r\nContent-Length: 42\r\n\r\n"+body[:20])
	s.want(200, "", "GET", "/health", "") // the server has seen the first by then
	go func() {
		for !strings.Contains(s.log.String(), "stopping") {
			time.Sleep(time.Millisecond)
		}
		io.WriteString(c, body[20:])
	}()
	s.stop()
	line, err := bufio.NewReader(c).ReadString('\n')
	if err != nil || !strings.HasPrefix(line, "HTTP/1.1 200") {
		t.Errorf("the request was not finished: %q %v", line, err)
	}
	w.run("memo", "get", "late").ok()
}

// TestServeEnds lets a request that outlasts the first wait answer that it was
// ended.
func TestServeEnds(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	log := slog.New(slog.NewTextHandler(io.Discard, nil))
	h := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		stop()
		<-r.Context().Done()
		time.Sleep(100 * time.Millisecond) // what a tool needs to undo and to answer
		io.WriteString(w, "was ended")
	})
	served := make(chan error, 1)
	go func() { served <- serve.Until(ctx, l, h, log, 50*time.Millisecond, 20*time.Second) }()
	r, err := http.Get("http://" + l.Addr().String())
	if err != nil {
		t.Fatalf("no answer: %v", err)
	}
	defer r.Body.Close()
	if b, err := io.ReadAll(r.Body); err != nil || string(b) != "was ended" {
		t.Errorf("%q, %v", b, err)
	}
	if err := <-served; err != nil {
		t.Error(err)
	}
}
