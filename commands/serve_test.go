package commands

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"maps"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"techo/internal/mcptest"
	"techo/internal/testenv"
)

// TestServeToken checks that every route but /health needs the token.
func TestServeToken(t *testing.T) {
	w := newWorld(t)
	w.env["TECHO_TOKEN"] = "a-long-random-text"
	s := w.serve(t, "serve", "--listen", "0.0.0.0:0")
	s.Base = strings.Replace(s.Base, "[::]", "127.0.0.1", 1)
	for _, headers := range [][]string{
		{}, {"Authorization: Bearer"}, {"Authorization: Bearer a-long-random-tex"},
		{"Authorization: Bearer a-long-random-text1"},
		{"Authorization: Basic a-long-random-text"}, {"Authorization: a-long-random-text"},
	} {
		s.Want(401, `"unavailable"`, "POST", "/tools/list_memo", "", headers...)
		s.Want(401, `"unavailable"`, "GET", "/tools", "", headers...)
		s.Want(401, `"unavailable"`, "GET", "/nowhere", "", headers...)
		s.Want(200, `"ok":true`, "GET", "/health", "", headers...)
	}
	s.Want(200, `"total":0`, "POST", "/tools/list_memo", "", "Authorization: Bearer a-long-random-text")
	s.Want(200, `"total":0`, "POST", "/tools/list_memo", "", "Authorization: bearer  a-long-random-text")
	s.Want(403, `"forbidden"`, "POST", "/tools/list_memo", "", "Authorization: Bearer a-long-random-text",
		"Host: evil.example")
	if log := s.log.String(); strings.Contains(log, "a-long-random-text") ||
		!strings.Contains(log, "path=/tools/list_memo status=403") {
		t.Errorf("the log contains the token, or no requests:\n%s", log)
	}
}

// TestServeNarrow checks that tools that are switched off are not offered, and that
// calls of them return the reason.
func TestServeNarrow(t *testing.T) {
	s := newWorld(t).serve(t, "serve", "--read-only", "--only", "memo", "--quiet")
	all := s.Want(200, `"name":"list_memo"`, "GET", "/tools?format=names", "")
	if strings.Contains(all, "add_memo") {
		t.Errorf("--read-only offers %s", all)
	}
	s.Want(403, `--read-only`, "POST", "/tools/add_memo", `{"name":"a","content":"x","priority":1}`)
	s.Want(200, `"total":0`, "POST", "/tools/list_memo", "")
	s.Want(403, `"unavailable"`, "POST", "/tools/calendar", `{}`)
	s.Want(403, `"unavailable"`, "POST", "/tools/calendar", `{"title":"x","start":"2026-01-05"}`)
	s.Want(200, `"off":{`, "GET", "/tools?format=names&all=true", "")
	if log := s.log.String(); strings.Contains(log, "request") {
		t.Errorf("--quiet logs %s", log)
	}
}

// TestServeSocket serves on a socket. It replaces an abandoned socket, but not one
// that is in use.
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
	s.useSocket()
	s.Want(200, `"total":0`, "POST", "/tools/list_memo", "")
	s.Want(403, `"forbidden"`, "POST", "/tools/list_memo", "", "Origin: http://evil.example")
	w.run("serve", "--listen", "unix:"+path).fails("conflict")
	w.run("serve", "--listen", "unix:"+w.dir).fails("conflict")
	s.HTTP.CloseIdleConnections()
}

// TestServeStops checks that a server that is stopped answers a request that has
// begun.
func TestServeStops(t *testing.T) {
	w := newWorld(t)
	s := w.serve(t, "serve")
	c, err := net.Dial("tcp", strings.TrimPrefix(s.Base, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	body := `{"name":"late","content":"x","priority":1}`
	io.WriteString(c, "POST /tools/add_memo HTTP/1.1\r\nHost: localhost\r\nContent-Length: 42\r\n"+
		"Expect: 100-continue\r\n\r\n")
	answer := bufio.NewReader(c)
	for _, want := range []string{"HTTP/1.1 100 Continue\r\n", "\r\n"} { // the server reads the body
		if line, err := answer.ReadString('\n'); line != want {
			t.Fatalf("%q %v, want %q", line, err, want)
		}
	}
	io.WriteString(c, body[:20])
	go func() {
		for !strings.Contains(s.log.String(), "stopping") {
			time.Sleep(time.Millisecond)
		}
		io.WriteString(c, body[20:])
	}()
	s.stop()
	line, err := answer.ReadString('\n')
	if err != nil || !strings.HasPrefix(line, "HTTP/1.1 200") {
		t.Errorf("the request was not finished: %q %v", line, err)
	}
	w.run("memo", "get", "late").ok()
}

// TestServeFiles checks that servers over HTTP offer the file tools only with
// --root.
func TestServeFiles(t *testing.T) {
	w := newWorld(t)
	if err := os.WriteFile(filepath.Join(w.dir, "a.txt"), []byte("kept\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	id := w.run("memory", "add", "text", "--user", "u").ok()["memory"].(map[string]any)["id"].(string)
	memory := []string{"--enable-memory", "--memory-context", "--user", "u", "--max-per-turn", "100"}
	files := []string{"grep", "glob", "read_file", "write_file", "edit_file", "undo_edit"}
	for _, command := range [][]string{{"serve"}, {"mcp", "--http", "127.0.0.1:0", "--no-token"}} {
		s := w.serve(t, append(slices.Clone(command), memory...)...)
		c := connectHTTP(t, s.Base+"/mcp", "", "")
		for _, name := range files {
			if mcptest.Offers(t, c, name) {
				t.Errorf("%q offers %s", command, name)
			}
		}
		for _, call := range []struct{ tool, input string }{
			{"read_file", `{"path":"a.txt"}`}, {"write_file", `{"path":"b.txt","content":"x"}`},
			{"grep", `{"pattern":"kept"}`},
			{investigate, fmt.Sprintf(`{"memory_ids":[%q],"to_dir":"out"}`, id)},
			{investigate, fmt.Sprintf(`{"memory_ids":[%q],"to_dir":""}`, id)},
		} {
			text, isError := mcptest.Call(t, c, call.tool, call.input)
			if !isError || !strings.Contains(text, `"unavailable"`) || !strings.Contains(text, "--root DIR") ||
				strings.Contains(text, "kept") {
				t.Errorf("%q: %s: %s", command, call.tool, text)
			}
			if command[0] == "serve" {
				s.Want(403, `--root DIR`, "POST", "/tools/"+call.tool, call.input)
				s.Want(403, `"unavailable"`, "POST", "/tools/"+call.tool, call.input, "Techo-Lang: ja")
			}
		}
	}
	for _, name := range []string{"b.txt", "out"} {
		if _, err := os.Stat(filepath.Join(w.dir, name)); err == nil {
			t.Errorf("%s was written", name)
		}
	}
	s := w.serve(t, "serve", "--root", w.dir)
	s.Want(200, `kept`, "POST", "/tools/read_file", `{"path":"a.txt"}`)
	s.Want(403, `"forbidden"`, "POST", "/tools/read_file", `{"path":"/etc/passwd"}`)
	w.env["TECHO_ROOTS"] = w.dir
	w.serve(t, "serve").Want(200, `kept`, "POST", "/tools/read_file", `{"path":"a.txt"}`)
}

// TestServeDrain: after a signal the server is not ready, and still takes requests.
func TestServeDrain(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	s := w.serve(t, "serve", "--drain", "1s", "--listen", "127.0.0.1:0", "--no-token")
	s.Want(200, "techo is ready", "GET", "/ready", "")
	go s.stop()
	testenv.Eventually(t, func() bool {
		answer, err := s.HTTP.Get(s.Base + "/ready")
		if err != nil {
			t.Fatal("no answer while it drains:", err)
		}
		answer.Body.Close()
		return answer.StatusCode == 503
	})
	s.Want(200, `"total":0`, "POST", "/tools/list_memo", "")
	if out, code := s.stop(); code != 0 || !strings.Contains(out, "Stopped") {
		t.Error(code, out)
	}
	if !strings.Contains(s.log.String(), "msg=call tool=list_memo code=ok") {
		t.Error(s.log.String())
	}
	w.run("serve", "--drain", "soon").fails("invalid_input", "/drain")
	w.run("serve", "--drain", "25h", "--lang", "ja").fails("invalid_input", "/drain")
}

// TestTokenLimits limits the calls of a token.
func TestTokenLimits(t *testing.T) {
	w := newWorld(t)
	added := w.run("token", "add", "--user", "alice", "--per-minute", "2", "--at-once", "1").ok()
	if added["per_minute"] != 2.0 || added["at_once"] != 1.0 {
		t.Error(added)
	}
	s := w.serve(t, "serve", "--listen", "127.0.0.1:0")
	alice := bearer(added["token"].(string))
	for range 2 {
		s.Want(200, ``, "POST", "/tools/list_memo", "", alice)
	}
	s.Want(429, `"hint":"Try again in 30 seconds"`, "POST", "/tools/list_memo", "", alice)
	s.Want(429, `30秒後にもう一度試してください`, "POST", "/tools/list_memo", "", alice, "Techo-Lang: ja")
	if text := w.run("token", "list", "-o", "text").out; !strings.Contains(text, "--per-minute 2  --at-once 1") {
		t.Error(text)
	}
	w.run("token", "add", "--user", "bob", "--per-minute", "0").fails("invalid_input", "/per_minute")
}

// TestMetricsOfStore: a server that looks for tokens of users before its first call measures
// the transactions of the store too.
func TestMetricsOfStore(t *testing.T) {
	w := newWorld(t)
	alice, monitor := w.token("alice"), w.token("prometheus", "--only", "metrics")
	s := w.serve(t, "serve", "--listen", "127.0.0.1:0", "--quiet")
	s.Want(200, "", "POST", "/tools/add_memo", `{"name":"a","content":"x","priority":1}`, bearer(alice))
	s.Want(200, `techo_store_wait_seconds_count{mode="write"}`, "GET", "/metrics", "", bearer(monitor))
}

// served is a server under test and a client for it.
type served struct {
	testenv.Client
	stop func() (stdout string, code int)
	log  *testenv.Buffer // its stderr
}

// serve starts a server in this process. Unless args contain --listen, serve
// listens on a free port and needs no token; --socket-by-default leaves the
// program's own default.
func (w *world) serve(t *testing.T, args ...string) *served {
	t.Helper()
	ctx, interrupt := context.WithCancel(t.Context())
	own := *w
	own.interrupt, own.env = ctx, maps.Clone(w.env)
	stdout, stderr := &testenv.Buffer{}, &testenv.Buffer{}
	if i := slices.Index(args, "--socket-by-default"); i >= 0 {
		args = slices.Delete(args, i, i+1)
	} else if !strings.Contains(strings.Join(args, " "), "--listen") && args[0] == "serve" {
		args = append(args, "--listen", "127.0.0.1:0", "--no-token")
	}
	ended := make(chan int, 1)
	go func() { ended <- Main(own.World(unreadable{}, stdout, stderr, args...)) }()
	s := &served{Client: testenv.Client{T: t, HTTP: &http.Client{Timeout: 20 * time.Second}}, log: stderr}
	s.stop = sync.OnceValues(func() (string, int) {
		interrupt()
		s.HTTP.CloseIdleConnections()
		select {
		case code := <-ended:
			return stdout.String(), code
		case <-time.After(20 * time.Second):
			t.Fatal("the server does not stop")
			return "", 0
		}
	})
	t.Cleanup(func() { s.stop() })
	s.Base = addressOf(t, ended, stdout, stderr)
	return s
}

// useSocket makes the client connect to the socket that the server listens on.
func (s *served) useSocket() (path string) {
	s.T.Helper()
	path, ok := strings.CutPrefix(s.Base, "unix:")
	if !ok {
		s.T.Fatalf("no socket: %s", s.Base)
	}
	s.Base = "http://techo"
	s.HTTP.Transport = &http.Transport{DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, "unix", path)
	}}
	return path
}

// addressOf waits until a server that is starting logs its address. ended receives
// the exit code if the server ends instead.
func addressOf(t *testing.T, ended <-chan int, stdout, stderr *testenv.Buffer) string {
	t.Helper()
	address := regexp.MustCompile(`msg=listening address=(\S+)`)
	for range 1000 {
		if m := address.FindStringSubmatch(stderr.String()); m != nil {
			return m[1]
		}
		select {
		case code := <-ended:
			t.Fatalf("the server ended with exit code %d\n%s%s", code, stdout, stderr)
		case <-time.After(5 * time.Millisecond):
		}
	}
	t.Fatalf("the server does not listen\n%s", stderr)
	return ""
}
