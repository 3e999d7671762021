package proof

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"techo/internal/testenv"
)

// maxMemory limits the peak memory of a server.
const maxMemory = 512 << 20

// TestRoom sends a server large requests and large pages at once. Each gets an
// answer, /health and get_memo are answered meanwhile, and the peak memory stays
// below maxMemory.
func TestRoom(t *testing.T) {
	requests, pages := 6, 2
	if testenv.Long() {
		requests, pages = 64, 8
	}
	site := largeSite(t)
	s := start(t, "TECHO_WEB_ALLOW=127.0.0.1")
	s.want(t, 200, "add_memo", strings.NewReader(`{"name":"kept","content":"x","priority":1}`))

	ctx, stop := context.WithCancel(t.Context())
	var watch, work sync.WaitGroup
	watch.Go(func() {
		for n := 0; ctx.Err() == nil; n++ {
			if code, out := s.ask(t, "GET", "/health", nil); code != 200 {
				t.Errorf("health: %d %s", code, out)
			}
			s.want(t, 200, "get_memo", strings.NewReader(`{"memo_name":"kept"}`))
			time.Sleep(20 * time.Millisecond)
		}
	})
	large := `{"name":"large","priority":1,"content":"` + strings.Repeat("x", 30_000_000) + `"}`
	var mu sync.Mutex
	codes := map[string]int{}
	count := func(what string, code int, out []byte) {
		var d map[string]any
		if err := json.Unmarshal(out, &d); err != nil {
			t.Errorf("%s: %d %.200s", what, code, out)
		}
		mu.Lock()
		defer mu.Unlock()
		codes[what+" "+strconv.Itoa(code)]++
	}
	for range requests {
		work.Go(func() {
			code, out := s.ask(t, "POST", "/tools/add_memo", strings.NewReader(large))
			count("body", code, out)
		})
	}
	for i := range pages {
		work.Go(func() {
			input := fmt.Sprintf(`{"url":"%s/%d","format":"markdown","max_chars":1000000,"timeout":600}`, site.URL, i)
			code, out := s.ask(t, "POST", "/tools/web_fetch", strings.NewReader(input))
			count("page", code, out)
		})
	}
	work.Wait()
	stop()
	watch.Wait()
	peak := s.peak(t)
	t.Logf("%d requests of %d MB and %d pages: %v; peak %d MB", requests, len(large)>>20, pages, codes, peak>>20)
	if codes["page 200"] != pages || codes["body 422"]+codes["body 429"] != requests {
		t.Errorf("%v", codes)
	}
	if peak > maxMemory {
		t.Errorf("the peak is %d MB", peak>>20)
	}
}

// largeSite serves a page with 150,000 links at every path.
func largeSite(t *testing.T) *httptest.Server {
	var page strings.Builder
	for i := range 150_000 {
		fmt.Fprintf(&page, "<a href=/%d>x</a>\n", i%1000)
	}
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		_, _ = io.WriteString(w, page.String())
	}))
	t.Cleanup(site.Close)
	return site
}

// server is a process of techo serve on a socket.
type server struct {
	process *exec.Cmd
	client  *http.Client
}

func start(t *testing.T, env ...string) *server {
	t.Helper()
	dir := t.TempDir()
	socket := filepath.Join(dir, "s")
	c := command(context.Background(), filepath.Join(dir, "store"), "serve", "--listen", "unix:"+socket, "--quiet")
	c.Env = append(c.Env, env...)
	log := new(bytes.Buffer)
	c.Stderr = log
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = c.Process.Signal(os.Interrupt)
		if err := c.Wait(); err != nil {
			t.Errorf("%v\n%s", err, log)
		}
	})
	s := &server{c, &http.Client{Timeout: 5 * time.Minute, Transport: &http.Transport{
		DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
			return new(net.Dialer).DialContext(ctx, "unix", socket)
		},
	}}}
	for range 1000 {
		if r, err := s.client.Get("http://techo/health"); err == nil {
			_ = r.Body.Close()
			return s
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Fatal("the server does not answer")
	return nil
}

func (s *server) ask(t *testing.T, method, path string, body io.Reader) (int, []byte) {
	r, err := http.NewRequestWithContext(context.Background(), method, "http://techo"+path, body)
	if err != nil {
		t.Error(err)
		return 0, nil
	}
	got, err := s.client.Do(r)
	if err != nil {
		t.Errorf("%s: %v", path, err)
		return 0, nil
	}
	defer got.Body.Close()
	out, err := io.ReadAll(got.Body)
	if err != nil {
		t.Errorf("%s: %v", path, err)
	}
	return got.StatusCode, out
}

func (s *server) want(t *testing.T, code int, tool string, input io.Reader) {
	if got, out := s.ask(t, "POST", "/tools/"+tool, input); got != code {
		t.Errorf("%s: %d %.300s", tool, got, out)
	}
}

func (s *server) peak(t *testing.T) int64 {
	t.Helper()
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", s.process.Process.Pid))
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(status)) {
		if rest, ok := strings.CutPrefix(line, "VmHWM:"); ok {
			n, err := strconv.ParseInt(strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(rest), "kB")), 10, 64)
			if err != nil {
				t.Fatal(err)
			}
			return n << 10
		}
	}
	t.Fatal("/proc does not show the peak")
	return 0
}
