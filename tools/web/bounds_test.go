package web

import (
	"compress/gzip"
	"context"
	"errors"
	"io"
	"net/http"
	"path/filepath"
	"strings"
	"testing"

	"techo/internal/membudget"
	"techo/internal/testenv"
)

// TestTooManyElements checks that a page is reported as incomplete if its tree was
// cut, and that its text is complete where no tree is needed.
func TestTooManyElements(t *testing.T) {
	paragraphs := testenv.Pick(300_000, 1<<20)
	address := serve(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		w.Header().Set("Content-Encoding", "gzip")
		z := gzip.NewWriter(w)
		io.WriteString(z, strings.Repeat("<p>a", paragraphs))
		z.Close()
	})
	if out, e := get(t, newEnv(t, ""), FetchIn{URL: address, Format: "article"}); e != nil || !out.Incomplete {
		t.Errorf("%+v, incomplete %v", e, out.Incomplete)
	}
	out, e := get(t, newEnv(t, ""), FetchIn{URL: address})
	if e != nil || out.Incomplete || out.TotalChars != 2*paragraphs-1 {
		t.Errorf("text: %+v, incomplete %v, %d characters", e, out.Incomplete, out.TotalChars)
	}
}

// TestRoom checks that a fetch waits for memory, and no longer than its timeout.
func TestRoom(t *testing.T) {
	address := serve(t, func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, "<p>page") })
	env := newEnv(t, "")
	env.Room = membudget.New(1 << 20)
	if out, e := get(t, env, FetchIn{URL: address}); e != nil || out.Page != "page" {
		t.Fatalf("%+v %q", e, out.Page)
	}
	if !env.Room.Take(1 << 20) {
		t.Fatal("the room was not returned")
	}
	ctx, stop := context.WithCancelCause(t.Context())
	f := &fetch{env: env, in: FetchIn{Format: "text"}}
	reason := errors.New("reason")
	stop(reason)
	if _, err := f.reserve(ctx, &response{body: []byte("<p>page")}); !errors.Is(err, reason) {
		t.Error(err)
	}
}

// TestKeepsNothingPrivate checks that the cache keeps no private page and no page
// that varies by more than the request.
func TestKeepsNothingPrivate(t *testing.T) {
	for _, header := range [][2]string{
		{"Cache-Control", "private"}, {"Cache-Control", "max-age=600, Private=\"x\""}, {"Vary", "*"},
		{"Vary", "Accept, *"},
	} {
		n := 0
		address := serve(t, func(w http.ResponseWriter, _ *http.Request) {
			n++
			w.Header().Set(header[0], header[1])
			io.WriteString(w, "page")
		})
		env := newEnv(t, filepath.Join(t.TempDir(), "store"))
		for range 2 {
			if out, e := get(t, env, FetchIn{URL: address}); e != nil || out.Cached {
				t.Errorf("%s: %+v, cached %v", header, e, out.Cached)
			}
		}
		if n != 2 {
			t.Errorf("%s: %d requests", header, n)
		}
	}
}
