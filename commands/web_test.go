//go:build linux || darwin

package commands

import (
	"bytes"
	"net/http"
	"net/http/httptest"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"techo/internal/testenv"
)

// TestWebKilled kills processes while they write a page to the cache and others
// fetch it: each process that ends has the whole page, and the store is sound.
func TestWebKilled(t *testing.T) {
	binary, dir := testenv.Program(t), t.TempDir()
	body := bytes.Repeat([]byte("a line of the page\n"), 60_000)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/plain")
		w.Write(body)
	}))
	defer server.Close()
	fetch := func(more ...string) *exec.Cmd {
		return exec.Command(binary,
			append([]string{"web", "fetch", server.URL, "--allow-private", "--store", filepath.Join(dir, "s"),
				"--max-chars", "30", "--fields", "text,bytes,cached,cache_problem"}, more...)...)
	}
	want := func(cached string) string {
		return `{"text":"a line of the page\na line of t","cached":` + cached + `,"bytes":1140000}` + "\n"
	}
	var group sync.WaitGroup
	for i := range 24 {
		group.Go(func() {
			cmd := fetch("--refresh")
			if i%3 > 0 {
				if err := cmd.Start(); err == nil {
					time.Sleep(time.Duration(i) * 3 * time.Millisecond)
					cmd.Process.Signal(syscall.SIGKILL)
					cmd.Wait()
				}
				return
			}
			if out, err := cmd.Output(); err != nil || string(out) != want("false") {
				t.Errorf("%v: %s", err, out)
			}
		})
	}
	group.Wait()
	if out, err := fetch().Output(); err != nil || string(out) != want("true") {
		t.Errorf("%v: %s", err, out)
	}
	if out, err := shell(dir, binary, "techo store verify --store s"); err != nil ||
		!strings.Contains(out, `"web_pages":1`) {
		t.Errorf("%v: %s", err, out)
	}
}
