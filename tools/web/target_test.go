package web

import (
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"techo/tools"
)

// TestHostAlone reads hosts without a scheme by https, and nothing else.
func TestHostAlone(t *testing.T) {
	for text, want := range map[string]string{
		"example.com": "https://example.com", " example.com/a?b=c#d\n": "https://example.com/a?b=c#d",
		"example.com:8443/x": "https://example.com:8443/x", "EXAMPLE.com.": "https://EXAMPLE.com.",
		"例え.テスト": "https://例え.テスト", "xn--r8jz45g.xn--zckzah": "https://xn--r8jz45g.xn--zckzah",
		"localhost": "https://localhost", "localhost:8080": "https://localhost:8080", "127.0.0.1": "https://127.0.0.1",
		"127.0.0.1:80/x": "https://127.0.0.1:80/x", "[::1]:80": "https://[::1]:80", "docs.rs": "https://docs.rs",
		"example.com/?u=https://a.b/": "https://example.com/?u=https://a.b/", "readme.md/": "https://readme.md/",
		"archive.zip:443": "https://archive.zip:443",
		"x":               "", "x:80": "", "": "", ".": "", "..": "", "../a.html": "", "./a.b": "",
		".a.b": "", "a..b": "",
		"127.1": "", "1.5": "", "0x7f.1": "", "2130706433": "", "readme.md": "", "site/none.html": "", "Page.HTML": "",
		"//example.com/": "", "/example.com": "", "https://example.com": "", "ftp://a.b/": "", "http:example.com": "",
		"mailto:a@example.com": "", "a@example.com": "", "user:secret@example.com": "", "data:text/html,x": "",
		"javascript:alert(1)": "", "example.com is nice": "", "<p>example.com</p>": "", "a.b": "", "example.com:x": "",
		"C:\\a.txt": "", "a.b\\c.de": "",
	} {
		got := target(text)
		if want == "" {
			want = strings.TrimSpace(text)
		}
		if got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

// FuzzTarget checks that only a scheme is added, and that the host is what was typed.
func FuzzTarget(f *testing.F) {
	for _, seed := range []string{"example.com", "localhost:8080", "[::1]", "a@b.cd", "a.bc/..//", "a.bc:1?x#y"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		trimmed := strings.TrimSpace(text)
		switch got := target(text); got {
		case trimmed:
		case "https://" + trimmed:
			u, err := url.Parse(got)
			if err != nil || u.User != nil || !strings.HasPrefix(trimmed, u.Host) || u.Host == "" {
				t.Errorf("%q: %q %v", text, got, err)
			}
		default:
			t.Errorf("%q: %q", text, got)
		}
	})
}

// TestHostAloneFetched fetches hosts without a scheme by https.
func TestHostAloneFetched(t *testing.T) {
	server := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		io.WriteString(w, "by TLS")
	}))
	defer server.Close()
	env := newEnv(t, "")
	env.Dir = t.TempDir()
	fetch := func(text string) (FetchedPage, *tools.Error) {
		f := newFetch(t, env, FetchIn{URL: text})
		f.client.roots = server.Client().Transport.(*http.Transport).TLSClientConfig.RootCAs
		f.client.lookup = answering("127.0.0.1")
		return runFetch(t, f)
	}
	port := strings.TrimPrefix(server.URL, "https://127.0.0.1:")
	for _, host := range []string{"127.0.0.1:" + port, "example.com:" + port + "/x"} {
		if out, e := fetch(host); e != nil || out.Page != "by TLS" || out.URL != "https://"+host ||
			out.FinalURL != "https://"+host {
			t.Errorf("%s: %+v %+v", host, e, out)
		}
	}
}

// TestFilesFirst reads a file with the name of a host, unless the roots exclude it.
func TestFilesFirst(t *testing.T) {
	env := newEnv(t, "")
	env.Dir = t.TempDir()
	fetch := func(text string) (FetchedPage, *tools.Error) {
		f := newFetch(t, env, FetchIn{URL: text})
		f.client.lookup = answering()
		return runFetch(t, f)
	}
	if err := os.WriteFile(filepath.Join(env.Dir, "example.com"), []byte("<p>a file"), 0o600); err != nil {
		t.Fatal(err)
	}
	if out, e := fetch("example.com"); e != nil || out.Page != "a file" || out.URL != "example.com" {
		t.Errorf("a file: %+v %+v", e, out)
	}
	for input, want := range map[string]bool{`{"url":"example.com"}`: true, `{"url":"example.org"}`: false,
		`{"url":"none.html"}`: true, `{"url":"example.com","urls":["example.org"]}`: false} {
		if got := (FetchIn{}).Here(env, []byte(input)); got != want {
			t.Errorf("%s names files: %v", input, got)
		}
	}
	root, err := os.OpenRoot(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	env.Roots = func() ([]*os.Root, error) { return []*os.Root{root}, nil }
	_, e := fetch("example.com")
	wantError(t, e, tools.Upstream, "no address for example.com")
	for text, want := range map[string]string{"main.go": "no file main.go can be read here",
		" x.tar.gz ": "no file x.tar.gz can be read here", "https://main.go": "Check the name of the host"} {
		_, e := fetch(text)
		if wantError(t, e, tools.Upstream, "no address for "); !strings.HasSuffix(e.Hint, want) {
			t.Errorf("%q: %s", text, e.Hint)
		}
	}
	_, err = Fetch.Invoke(t.Context(), env, tools.Call{Input: []byte(`{"url":"localhost:1","max_chars":0}`)})
	wantError(t, Fetch.AsError(env, err), tools.Forbidden, "localhost is not on the public internet")
}

// TestRedirectUser checks that a redirect to a URL with a user name or password is not followed.
func TestRedirectUser(t *testing.T) {
	for _, user := range []string{"user:secret@", "user@", "@"} {
		asked := 0
		var address string
		address = serve(t, func(w http.ResponseWriter, r *http.Request) {
			if asked++; asked == 1 {
				http.Redirect(w, r, strings.Replace(address, "http://", "http://"+user, 1), http.StatusFound)
			}
		})
		_, e := get(t, newEnv(t, ""), FetchIn{URL: address})
		wantError(t, e, tools.Upstream, "redirected to a URL with a user name or password")
		if asked != 1 {
			t.Errorf("%s: %d requests", user, asked)
		}
	}
}
