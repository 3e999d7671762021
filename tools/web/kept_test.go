package web

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"techo/store"
	"techo/tools"
	"techo/tools/internet"
)

// TestSave checks that a body is saved completely or not at all.
func TestSave(t *testing.T) {
	folder := t.TempDir()
	env := newEnv(t, filepath.Join(folder, "store"))
	env.Web.Save = filepath.Join(folder, "body")
	large := bytes.Repeat([]byte("\x00large"), 1<<20) // 6 MiB
	broken := serveRaw(t, "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 1000\r\n\r\nnine byte", 0)
	address := serve(t, func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/large":
			w.Write(large)
		case "/endless":
			for w.Header().Get("X") == "" {
				if _, err := w.Write(large); err != nil {
					return
				}
			}
		}
	})
	saved := func() string {
		body, err := os.ReadFile(internet.Of(env).Save)
		if err != nil {
			t.Fatal(err)
		}
		return string(body)
	}
	if _, e := get(t, env, FetchIn{URL: address + "/large"}); e != nil || saved() != string(large) {
		t.Errorf("large: %+v, %d bytes", e, len(saved()))
	}
	_, e := get(t, env, FetchIn{URL: "http://127.0.0.1:1/"}) // never requested
	wantError(t, e, tools.AlreadyExists, "body already exists; nothing was saved")
	env.Web.Overwrite = true
	_, e = get(t, env, FetchIn{URL: broken})
	wantError(t, e, tools.Upstream, "ended early, after 9 bytes; nothing was saved")
	_, e = get(t, env, FetchIn{URL: address + "/endless"})
	wantError(t, e, tools.LimitExceeded, "more than 100 MB; nothing was saved")
	if saved() != string(large) {
		t.Error("the old content is gone")
	}
	names, _ := filepath.Glob(filepath.Join(folder, "*"))
	hidden, _ := filepath.Glob(filepath.Join(folder, ".*"))
	if names = append(names, hidden...); len(names) != 2 {
		t.Errorf("left behind: %q", names)
	}
	env.Web.Save = filepath.Join(folder, "none", "body")
	_, e = get(t, env, FetchIn{URL: address + "/large"})
	if wantError(t, e, tools.InvalidInput, "cannot write "+internet.Of(env).Save+
		": no such file or folder"); e.Details[0].Path != "/save" {
		t.Errorf("%+v", e)
	}
}

// TestNoStore fetches without a store, and with a store that cannot be opened.
func TestNoStore(t *testing.T) {
	address := serve(t, func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, "page") })
	env := newEnv(t, "")
	if out, e := get(t, env, FetchIn{URL: address}); e != nil || out.Page != "page" || out.CacheProblem != "" {
		t.Errorf("none: %+v %+v", out, e)
	}
	env.Open = func(context.Context, bool) (*store.Store, error) { return nil, os.ErrPermission }
	if out, e := get(t, env, FetchIn{URL: address}); e != nil || out.Page != "page" || out.CacheProblem == "" {
		t.Errorf("closed: %+v %+v", out, e)
	}
}

// TestModified revalidates by date where there is no ETag, and uses stale pages
// only after that.
func TestModified(t *testing.T) {
	var since []string
	text := "one"
	address := serve(t, func(w http.ResponseWriter, r *http.Request) {
		since = append(since, r.Header.Get("If-Modified-Since"))
		w.Header().Set("Last-Modified", "Mon, 06 Jan 2025 10:00:00 GMT")
		w.Header().Set("Content-Type", "text/plain")
		w.Header().Set("Cache-Control", "no-cache")
		if r.Header.Get("If-Modified-Since") != "" && text == "one" {
			w.WriteHeader(http.StatusNotModified)
			return
		}
		io.WriteString(w, text)
	})
	env := newEnv(t, filepath.Join(t.TempDir(), "store"))
	for i, want := range []struct {
		text   string
		cached bool
	}{{"one", false}, {"one", true}, {"two", false}} {
		if i == 2 {
			text = "two"
		}
		if out, e := get(t, env, FetchIn{URL: address}); e != nil || out.Page != want.text ||
			out.Cached != want.cached {
			t.Errorf("%d: %q %v %+v", i, out.Page, out.Cached, e)
		}
	}
	if !slices.Equal(since, []string{"", "Mon, 06 Jan 2025 10:00:00 GMT", "Mon, 06 Jan 2025 10:00:00 GMT"}) {
		t.Errorf("asked since %q", since)
	}
}

// TestTitle checks that a title is one line of visible characters.
func TestTitle(t *testing.T) {
	address := serve(t, func(w http.ResponseWriter, _ *http.Request) {
		io.WriteString(w, "<html><title>one\n two\u200b \x1b]0;x\x07</title><body>\x1b[31mred\u009b0m</body></html>")
	})
	out, e := get(t, newEnv(t, ""), FetchIn{URL: address})
	if e != nil || out.Title != "one two ]0;x" || strings.ContainsAny(out.Page+out.Message, "\x1b\x07\u009b\u200b") ||
		out.Removed.Invisible != 5 {
		t.Errorf("%q %q %+v %+v", out.Title, out.Page, out.Removed, e)
	}
}

// TestComeBack checks the detail for Retry-After.
func TestComeBack(t *testing.T) {
	address := serve(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Retry-After", "7")
		http.Error(w, "slow down", http.StatusTooManyRequests)
	})
	_, e := get(t, newEnv(t, ""), FetchIn{URL: address})
	if wantError(t, e, tools.RateLimited, "429 Too Many Requests"); !e.Retryable || len(e.Details) != 2 ||
		e.Details[0].Message != "retry after 7s" || e.Details[1].Message != "slow down" {
		t.Errorf("%+v", e)
	}
}

// TestPDF reads a PDF with the Content-Type of HTML, and reports why another is
// unreadable.
func TestPDF(t *testing.T) {
	objects := []string{"<< /Type /Catalog /Pages 2 0 R >>", "<< /Type /Pages /Kids [4 0 R] /Count 1 >>",
		"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>",
		"<< /Type /Page /Parent 2 0 R /Contents 5 0 R /Resources << /Font << /F1 3 0 R >> >> >>",
		"<< /Length 31 >>\nstream\nBT /F1 12 Tf (Hello PDF) Tj ET  \nendstream"}
	var b strings.Builder
	b.WriteString("%PDF-1.4\n")
	table := "xref\n0 6\n0000000000 65535 f \n"
	for i, o := range objects {
		table += fmt.Sprintf("%010d 00000 n \n", b.Len())
		fmt.Fprintf(&b, "%d 0 obj\n%s\nendobj\n", i+1, o)
	}
	fmt.Fprintf(&b, "%strailer\n<< /Size 6 /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF\n", table, b.Len())
	for body, want := range map[string]string{b.String(): "pdf: Hello PDF: PDF, 1 page: 9 characters",
		"%PDF-1.4\nbroken": "pdf: : Fetched PDF, 0 pages: the text of the PDF cannot be read (it is damaged)"} {
		address := serve(t, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "text/html")
			io.WriteString(w, body)
		})
		out, e := get(t, newEnv(t, ""), FetchIn{URL: address})
		if got := out.Kind + ": " + out.Page + ": " + out.Message; e != nil || !strings.HasPrefix(got, want) ||
			out.ContentType != "application/pdf" {
			t.Errorf("%q, want %q, %+v", got, want, e)
		}
	}
}

// TestUpright checks that vertical punctuation is normalized in the main content
// only.
func TestUpright(t *testing.T) {
	address := serve(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		io.WriteString(w, "<p>﹁はい︑そうです﹂︒")
	})
	for format, want := range map[string]string{
		"text":    "﹁はい︑そうです﹂︒",
		"article": "「はい、そうです」。", "markdown": "「はい、そうです」。",
	} {
		if out, e := get(t, newEnv(t, ""), FetchIn{URL: address, Format: format}); e != nil || out.Page != want {
			t.Errorf("%s: %q %+v", format, out.Page, e)
		}
	}
}

// TestBounded reads a text in parts under a byte limit and checks that the parts
// make the whole.
func TestBounded(t *testing.T) {
	whole := strings.TrimSpace(strings.Repeat("段落 \"quoted\" <b>\ttext\n", 2000))
	address := serve(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/plain; charset=utf-8")
		io.WriteString(w, whole)
	})
	env := newEnv(t, filepath.Join(t.TempDir(), "store"))
	env.Web.AllowPrivate = true
	var all strings.Builder
	for start, calls := 0, 0; ; calls++ {
		input := fmt.Sprintf(`{"url":%q,"start":%d,"max_chars":100000}`, address, start)
		result, err := Fetch.Invoke(t.Context(), env, tools.Call{Input: []byte(input), MaxBytes: 2000})
		if err != nil || len(result.JSON) > 2000 || len(result.JSON) < 1200 && calls == 0 || calls > 200 {
			t.Fatalf("%v: %d bytes: %s", err, len(result.JSON), result.JSON)
		}
		var out FetchOut
		if err := json.Unmarshal(result.JSON, &out); err != nil || strings.Contains(out.Message, "Cut to") {
			t.Fatalf("%v: %s", err, out.Message)
		}
		all.WriteString(out.Page)
		if start = out.End; !out.Truncated {
			break
		}
	}
	if all.String() != whole {
		t.Error("the parts do not make the whole")
	}
}
