package remote

import (
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"techo/tools"
)

// env returns an environment whose client uses no proxy.
func env() *tools.Env {
	return &tools.Env{Lang: tools.English, HTTP: &http.Client{Transport: http.DefaultTransport}}
}

// The tools of the tests.
var (
	adds    = &tools.Tool{Name: "add_memo", Effect: tools.Adds}
	changes = &tools.Tool{Name: "edit_memo", Effect: tools.Changes}
	reads   = &tools.Tool{Name: "list_memo", Effect: tools.Reads}
)

func call(t *testing.T, tool *tools.Tool, answer http.HandlerFunc) (*tools.Result, *tools.Error) {
	t.Helper()
	web := httptest.NewServer(answer)
	t.Cleanup(web.Close)
	s, e := New(env(), web.URL, "secret")
	if e != nil {
		t.Fatal(e)
	}
	return s.Call(t.Context(), env(), tool, tools.Call{Input: []byte(`{}`)}, http.Header{})
}

func answerJSON(w http.ResponseWriter, status int, document string) {
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set(ProtocolHeader, Protocol)
	w.WriteHeader(status)
	_, _ = w.Write([]byte(document + "\n"))
}

// TestRepeats: a call whose answer is lost is sent again with the same key. A change
// without a key is sent once, because it may have been made.
func TestRepeats(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		tool *tools.Tool
		sent int64
		ok   bool
	}{{adds, 3, true}, {reads, 3, true}, {changes, 1, false}} {
		var sent atomic.Int64
		var keys []string
		result, e := call(t, test.tool, func(w http.ResponseWriter, r *http.Request) {
			keys = append(keys, r.Header.Get("Idempotency-Key"))
			switch sent.Add(1) {
			case 1:
				panic(http.ErrAbortHandler) // the connection breaks
			case 2:
				w.Header().Set("Retry-After", "1")
				answerJSON(w, 503, `{"error":{"code":"busy","message":"The server is stopping","retryable":true}}`)
			default:
				answerJSON(w, 200, `{"message":"done"}`)
			}
		})
		if sent.Load() != test.sent || (e == nil) != test.ok {
			t.Errorf("%s: sent %d times: %v", test.tool.Name, sent.Load(), e)
			continue
		}
		if test.ok && string(result.JSON) != `{"message":"done"}` {
			t.Errorf("%s: %s", test.tool.Name, result.JSON)
		}
		if same := slices.Compact(slices.Clone(keys)); len(same) != 1 || (same[0] != "") != (test.tool == adds) {
			t.Errorf("%s: the keys %q", test.tool.Name, keys)
		}
	}
}

// TestAnswers reads answers of servers, and of what may be in front of one.
func TestAnswers(t *testing.T) {
	for name, test := range map[string]struct {
		status           int
		header, document string
		code             tools.Code
		hint             string
	}{
		"an error": {404, "", `{"error":{"code":"not_found","message":"Memo not found","retryable":false}}`,
			tools.NotFound, ""},
		"a wrong token": {403, "WWW-Authenticate", `{"error":{"code":"unavailable","message":"m"}}`,
			tools.Unavailable, "techo login "},
		"another code": {400, "", `{"error":{"code":"teapot","message":"m"}}`, tools.Upstream, "proxy"},
		"a redirect":   {302, "Location", ``, tools.Upstream, "/elsewhere"},
		"a login page": {401, "", `<html>`, tools.Unavailable, "proxy"},
		"a firewall":   {403, "", `<html>`, tools.Unavailable, "proxy"},
		"a large body": {413, "", `<html>`, tools.LimitExceeded, "client_max_body_size"},
		"a rate limit": {429, "", `<html>`, tools.RateLimited, "later"},
		"no JSON":      {200, "", `hello`, tools.Upstream, "proxy"},
	} {
		result, e := call(t, changes, func(w http.ResponseWriter, r *http.Request) {
			if r.Header.Get("Authorization") != "Bearer secret" || r.URL.Path != "/tools/edit_memo" {
				t.Errorf("%s: %s %v", name, r.URL, r.Header)
			}
			if test.header != "" {
				w.Header().Set(test.header, "/elsewhere")
			}
			answerJSON(w, test.status, test.document)
		})
		if e == nil || e.Code != test.code || !strings.Contains(e.Hint, test.hint) || e.Tool != "edit_memo" {
			t.Errorf("%s: %v, %+v, hint %q", name, result, e, e.Hint)
		}
	}
}

// TestText: a text is an answer only if it was asked for.
func TestText(t *testing.T) {
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/plain; charset=utf-8")
		w.Header().Set(ProtocolHeader, Protocol)
		w.Header().Set(OutcomeHeader, "busy")
		_, _ = w.Write([]byte("two\nlines\n"))
	}))
	t.Cleanup(web.Close)
	s, _ := New(env(), web.URL, "secret")
	result, e := s.Call(t.Context(), env(), reads, tools.Call{}, http.Header{OutputHeader: {"text"}})
	if e != nil || result.Text != "two\nlines" || result.Outcome != tools.Busy {
		t.Error(result, e)
	}
	if result, e := s.Call(t.Context(), env(), reads, tools.Call{}, http.Header{}); e == nil {
		t.Error(result)
	}
}

// TestStrangers: an answer without the header of techo serve is an error, whatever it contains.
func TestStrangers(t *testing.T) {
	for _, kind := range []string{"text/plain", "application/json"} {
		for _, document := range []string{"hello", "null", `{"foo":1}`, "{}\n{}", `{"error":{"code":"busy"}}`} {
			for _, status := range []int{200, 400} {
				web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
					w.Header().Set("Content-Type", kind)
					w.WriteHeader(status)
					_, _ = w.Write([]byte(document))
				}))
				s, _ := New(env(), web.URL, "secret")
				result, e := s.Call(t.Context(), env(), changes, tools.Call{}, http.Header{OutputHeader: {"text"}})
				web.Close()
				if e == nil || e.Code != tools.Upstream || !strings.Contains(e.Message, "not as techo serve") {
					t.Errorf("%d %s %q: %v, %+v", status, kind, document, result, e)
				}
			}
		}
	}
}

// TestAddresses: a token leaves this machine encrypted only.
func TestAddresses(t *testing.T) {
	for address, code := range map[string]tools.Code{
		"https://example.com":         "",
		"https://example.com/techo/":  "",
		"http://127.0.0.1:80":         "",
		"http://[::1]:80":             "",
		"http://localhost":            "",
		"unix:/run/techo.sock":        "",
		"http://example.com":          tools.Forbidden,
		"http://127.0.0.1.evil.com":   tools.Forbidden,
		"https://":                    tools.InvalidInput,
		"https://user:pass@localhost": tools.InvalidInput,
		"https://example.com?token=x": tools.InvalidInput,
		"http://%zz":                  tools.InvalidInput,
	} {
		_, e := New(env(), address, "secret")
		if e == nil && code != "" || e != nil && e.Code != code {
			t.Errorf("%s: %v, want %q", address, e, code)
		}
	}
	for store, want := range map[string]bool{"https://h": true, "unix:p": true, "postgres://h/d": false, "dir": false} {
		if IsAddress(store) != want {
			t.Errorf("IsAddress(%q) is %v", store, !want)
		}
	}
}

// TestNormal: the spellings of one address are equal.
func TestNormal(t *testing.T) {
	abs := func(path string) string { return filepath.Join("/here", path) }
	for address, want := range map[string]string{
		"http://127.0.0.1:80/": "http://127.0.0.1", "https://H.example:443": "https://h.example",
		"https://h/Techo/": "https://h/Techo", "http://h:8080//": "http://h:8080", "unix:a.sock": "unix:/here/a.sock",
		"unix://a.sock": "unix:/here/a.sock", "http://[::1]:80": "http://[::1]", "http://%zz": "http://%zz",
	} {
		if got := Normal(address, abs); filepath.ToSlash(got) != want {
			t.Errorf("%s: %s, want %s", address, got, want)
		}
	}
}

// TestWhoami asks for the named user, and again if the server does not answer.
func TestWhoami(t *testing.T) {
	asked := 0
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if asked++; asked == 1 {
			panic(http.ErrAbortHandler)
		}
		answerJSON(w, 200, `{"user":"`+r.Header.Get("Techo-User")+`"}`)
	}))
	t.Cleanup(web.Close)
	s, _ := New(env(), web.URL, "secret")
	named := env()
	named.User, named.Named = "alice", true
	if who, e := s.Whoami(t.Context(), named); e != nil || who.User != "alice" || asked != 2 {
		t.Error(who, e, asked)
	}
}

// TestLogins reads a damaged file of tokens.
func TestLogins(t *testing.T) {
	state := t.TempDir()
	l, err := ReadLogins(state)
	if err == nil {
		err = l.Write()
	}
	if err == nil {
		err = os.WriteFile(filepath.Join(state, "techo", loginsFile), []byte("{"), 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	if _, err := ReadLogins(state); err == nil {
		t.Error("a damaged file is no error")
	}
}
