package commands

import (
	"strings"
	"testing"

	"techo/internal/testenv"
)

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
