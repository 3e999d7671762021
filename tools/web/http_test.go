package web

import (
	"net/http"
	"strings"
	"testing"
	"time"
	"unicode/utf16"
)

// TestAnswers reads answers as browsers read them.
func TestAnswers(t *testing.T) {
	base := serve(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		switch r.URL.Path {
		case "/coding":
			w.Header().Set("Content-Encoding", r.URL.RawQuery)
		case "/refresh":
			w.Header().Set("Refresh", "0; url=/there")
			return
		case "/set":
			http.SetCookie(w, &http.Cookie{Name: "seen", Value: "yes"})
			http.Redirect(w, r, "/cookie", http.StatusFound)
			return
		case "/cookie":
			w.Write([]byte("<p>Cookie " + r.Header.Get("Cookie") + "."))
			return
		case "/wide":
			w.Header().Set("Content-Type", "text/html; charset=utf-16")
			for _, u := range utf16.Encode([]rune("<p>The lamp шина")) {
				w.Write([]byte{byte(u), byte(u >> 8)})
			}
			return
		}
		w.Write([]byte("<p>The lamp"))
	})
	for path, want := range map[string]string{"/coding?utf-8": "The lamp", "/coding?none": "The lamp",
		"/coding?8bit": "The lamp", "/set": "Cookie seen=yes.", "/cookie": "Cookie .", "/wide": "The lamp шина"} {
		out, err := get(t, newEnv(t, ""), FetchIn{URL: base + path})
		if err != nil || !strings.Contains(out.Page, want) {
			t.Errorf("%s: %q, %v, want %q", path, out.Page, err, want)
		}
	}
	if out, err := get(t, newEnv(t, ""), FetchIn{URL: base + "/refresh"}); err != nil || out.RefreshTo != base+"/there" {
		t.Errorf("%q, %v", out.RefreshTo, err)
	}
}

// TestExpired asks again for a page whose time has passed.
func TestExpired(t *testing.T) {
	now := time.Date(2026, 5, 4, 12, 0, 0, 0, time.UTC)
	for expires, want := range map[string]time.Duration{"": maxFreshness, "0": 0, "Mon, 04 May 2026 11:00:00 GMT": 0,
		"Mon, 04 May 2026 12:10:00 GMT": 10 * time.Minute} {
		h := http.Header{}
		if expires != "" {
			h.Set("Expires", expires)
		}
		if got := untilExpiry(h, now); got != want {
			t.Errorf("%q: %v, want %v", expires, got, want)
		}
	}
	if got := untilExpiry(http.Header{"Expires": {"0"}, "Cache-Control": {"max-age=60"}}, now); got != maxFreshness {
		t.Error(got)
	}
}
