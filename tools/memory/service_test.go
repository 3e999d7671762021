package memory

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"techo/tools"
)

// service is a memory service that records its requests.
func service(t *testing.T, answer http.HandlerFunc) *tools.Env {
	t.Helper()
	s := httptest.NewServer(answer)
	t.Cleanup(s.Close)
	return &tools.Env{Zone: time.UTC, Now: time.Now, User: "tanaka", Dir: t.TempDir(),
		Memory: tools.MemorySettings{Service: s.URL + "/"}}
}

func investigate(t *testing.T, env *tools.Env, input string) (InvestigateOut, string, *tools.Error) {
	t.Helper()
	r, e := Investigate.Invoke(t.Context(), env, tools.Call{Input: []byte(input), SkipWhen: true})
	if e != nil {
		return InvestigateOut{}, "", e
	}
	var out InvestigateOut
	if err := json.Unmarshal(r.JSON, &out); err != nil {
		t.Fatal(err)
	}
	return out, r.Text, nil
}

// TestService reads memories from a service.
func TestService(t *testing.T) {
	asked := ""
	env := service(t, func(w http.ResponseWriter, r *http.Request) {
		asked = r.Method + " " + r.URL.Path + " " + r.URL.Query().Get("user_id") + " " + r.URL.Query().Get("ids")
		_, _ = w.Write([]byte(`{"memories":[{"id":"mem_a","caption":"About\nMax",` +
			`"created_at":"2026-01-01T00:00:00Z","full_text":"Max is a dog."}],"missing":["mem_b"]}`))
	})
	out, text, e := investigate(t, env, `{"memory_ids":["mem_a","mem_b"],"query":"dog"}`)
	if e != nil {
		t.Fatal(e)
	}
	if want := "GET /memories/full tanaka mem_a,mem_b"; asked != want {
		t.Errorf("asked %q, want %q", asked, want)
	}
	want := "*Investigating: dog*\n\n## Retrieved Memories\n\n### [mem_a] About Max\n**Created:** " +
		"2026-01-01T00:00:00Z\n\nMax is a dog.\n\nMissing: mem_b"
	if text != want {
		t.Errorf("got\n%q, want\n%q", text, want)
	}
	if len(out.Memories) != 1 || out.Memories[0].CreatedAt != "2026-01-01T00:00:00Z" ||
		len(out.Memories[0].Passages) != 1 {
		t.Errorf("%+v", out)
	}
}

// TestServiceHostile writes memories with hostile ids and captions to a folder.
func TestServiceHostile(t *testing.T) {
	ids := []string{"../../outside", "a/b", `a\b`, "..", ".", "INDEX", "index", "CON", "con.x", "x\ny", "長い名前",
		strings.Repeat("x", 500), "MEM", "mem", "", "\x00", "a:b", "ok.", "-rf"}
	env := service(t, func(w http.ResponseWriter, _ *http.Request) {
		var all []map[string]string
		for _, id := range ids {
			all = append(all, map[string]string{"id": id, "caption": "x](../../etc/passwd)\n# [y](z)\x1b[2J",
				"created_at": "now\n", "full_text": "of " + id})
		}
		_ = json.NewEncoder(w).Encode(map[string]any{"memories": all})
	})
	out, _, e := investigate(t, env, `{"memory_ids":["mem_a"],"to_dir":"in"}`)
	if e != nil {
		t.Fatal(e)
	}
	inside, err := os.ReadDir(filepath.Join(env.Dir, "in"))
	if err != nil {
		t.Fatal(err)
	}
	around, err := os.ReadDir(env.Dir)
	if err != nil || len(around) != 1 {
		t.Errorf("outside: %v, %v", around, err)
	}
	// The folder also holds the index and the manifest.
	if len(inside) != *out.Count+2 || *out.Count != len(ids) {
		t.Errorf("%d files, %d told, %d ids", len(inside), *out.Count, len(ids))
	}
	index, err := os.ReadFile(out.Index)
	if err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(string(index), "\n- ["); n != *out.Count || strings.ContainsAny(string(index), "\x1b\x00") ||
		strings.Contains(string(index), "x](..") {
		t.Errorf("%d lines of %d files:\n%s", n, *out.Count, index)
	}
}

// TestServiceFails checks the sentence of the specification and whether the error
// is retryable.
func TestServiceFails(t *testing.T) {
	for _, c := range []struct {
		status int
		body   string
		retry  bool
	}{
		{404, "", false}, {401, "", false}, {429, "", true}, {500, "", true}, {503, "", true}, {408, "", true},
		{200, "not json", true}, {200, `{"memories":5}`, true},
	} {
		env := service(t, func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(c.status)
			_, _ = w.Write([]byte(c.body))
		})
		_, _, e := investigate(t, env, `{"memory_ids":["mem_a"]}`)
		if e == nil || e.Code != tools.Upstream || !strings.HasPrefix(e.Message, "Error retrieving memories: ") ||
			e.Retryable != c.retry {
			t.Errorf("%d %q: %+v", c.status, c.body, e)
		}
	}
	hangs := make(chan struct{})
	env := service(t, func(http.ResponseWriter, *http.Request) { <-hangs })
	defer close(hangs)
	_, e := Investigate.Invoke(t.Context(), env,
		tools.Call{Input: []byte(`{"memory_ids":["mem_a"]}`), SkipWhen: true, Timeout: 50 * time.Millisecond})
	if e == nil || e.Code != tools.Timeout {
		t.Errorf("the call's own time: %+v", e)
	}
}

// TestServiceSlow checks that ten seconds is the limit for the whole response,
// even if its body arrives byte by byte.
func TestServiceSlow(t *testing.T) {
	if serviceTime != 10*time.Second {
		t.Errorf("a service has %v", serviceTime)
	}
	done := make(chan struct{})
	for name, answer := range map[string]http.HandlerFunc{
		"no answer": func(http.ResponseWriter, *http.Request) { <-done },
		"a body that drips": func(w http.ResponseWriter, _ *http.Request) {
			for {
				select {
				case <-done:
					return
				case <-time.After(time.Millisecond):
					_, _ = w.Write([]byte(" "))
					w.(http.Flusher).Flush()
				}
			}
		},
	} {
		env := service(t, answer)
		_, err := ask(t.Context(), env, []string{"mem_a"}, 50*time.Millisecond)
		if !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("%s: %v", name, err)
		}
		e, ok := serviceError(env, err).(*tools.Error)
		if !ok || e.Code != tools.Upstream || !e.Retryable ||
			!strings.HasPrefix(e.Message, "Error retrieving memories: ") {
			t.Errorf("%s: %+v", name, e)
		}
	}
	close(done)
}

// TestServiceToken checks that the token goes to the service and to no redirect
// target.
func TestServiceToken(t *testing.T) {
	const token = "a-long-random-text"
	var stray []string
	elsewhere := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		stray = append(stray, r.Header.Get("Authorization"))
		_, _ = w.Write([]byte(`{"memories":[]}`))
	}))
	t.Cleanup(elsewhere.Close)
	var own []string
	to := ""
	env := service(t, func(w http.ResponseWriter, r *http.Request) {
		own = append(own, r.Header.Get("Authorization"))
		switch {
		case to == "refuse":
			http.Error(w, "no", http.StatusUnauthorized)
		case to != "" && r.URL.Path == "/memories/full":
			http.Redirect(w, r, to, http.StatusTemporaryRedirect)
		default:
			_, _ = w.Write([]byte(`{"memories":[]}`))
		}
	})
	env.Memory.Token = token
	for _, to = range []string{"", "/here", elsewhere.URL + "/there"} { // the same name, another port
		if _, _, e := investigate(t, env, `{"memory_ids":["mem_a"]}`); e != nil {
			t.Fatal(to, e)
		}
	}
	if want := "Bearer " + token; len(own) != 4 || strings.Join(own, "|") != strings.Repeat(want+"|", 3)+want {
		t.Errorf("the service was sent %q", own)
	}
	if len(stray) != 1 || stray[0] != "" {
		t.Errorf("elsewhere was sent %q", stray)
	}
	to = "refuse"
	_, _, e := investigate(t, env, `{"memory_ids":["mem_a"]}`)
	if e == nil || e.Code != tools.Upstream || e.Retryable || !strings.Contains(e.Hint, "TECHO_MEMORY_SERVICE_TOKEN") ||
		strings.Contains(e.Message+e.Hint, token) {
		t.Errorf("refused: %+v", e)
	}
}

// TestServiceClient checks that the client of the Env is used.
func TestServiceClient(t *testing.T) {
	env := service(t, nil)
	used := false
	env.HTTP = &http.Client{Transport: roundTrip(func(*http.Request) (*http.Response, error) {
		used = true
		return nil, errors.New("no line")
	})}
	if _, _, e := investigate(t, env, `{"memory_ids":["mem_a"]}`); e == nil || !used ||
		!strings.Contains(e.Message, "no line") {
		t.Errorf("used %v: %+v", used, e)
	}
}

type roundTrip func(*http.Request) (*http.Response, error)

func (f roundTrip) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }
