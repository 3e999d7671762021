package remote

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"techo/tools"
)

// TestEncoded: a server gets each value of a header as it was given, also one that a header
// cannot carry.
func TestEncoded(t *testing.T) {
	for _, value := range []string{
		"a", "a b", " a ", "a\nb", "a\r\nX: y", "a\tb", "太郎", "50%", " 50% ", "\xff", "a\x7f", "%41",
	} {
		got := ""
		web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if err := Decode(r.Header); err != nil {
				t.Error(err)
			}
			got = r.Header.Get("Techo-Turn")
			if r.Header.Get("Idempotency-Key") != value || r.Header.Get("Techo-Lang") != "ja" {
				t.Errorf("%q: %v", value, r.Header)
			}
			answerJSON(w, 200, `{}`)
		}))
		s, _ := New(env(), web.URL, "secret")
		header := http.Header{"Techo-Turn": {value}, "Techo-Lang": {"ja"}}
		_, e := s.Call(t.Context(), env(), adds, tools.Call{Key: value}, header)
		web.Close()
		if e != nil || got != value {
			t.Errorf("%q arrives as %q: %v", value, got, e)
		}
	}
}

// TestDecodedOnly: a request decodes its settings, and no other header.
func TestDecodedOnly(t *testing.T) {
	h := http.Header{EncodedHeader: {"Authorization, techo-user"}, "Authorization": {"%41"}, "Techo-User": {"%41"}}
	if err := Decode(h); err != nil || h.Get("Authorization") != "%41" || h.Get("Techo-User") != "A" {
		t.Error(h, err)
	}
	h = http.Header{EncodedHeader: {"Techo-User"}, "Techo-User": {"%4"}}
	if err := Decode(h); err == nil || !strings.Contains(err.Error(), "%4") {
		t.Error(h, err)
	}
}
