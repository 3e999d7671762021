package page

import (
	"fmt"
	"net/url"
	"strings"
	"testing"
)

func encodeEmail(address string, key byte) string {
	code := fmt.Sprintf("%02x", key)
	for i := range len(address) {
		code += fmt.Sprintf("%02x", address[i]^key)
	}
	return code
}

// TestEmails checks that encoded e-mail addresses are shown as a browser shows them,
// and that other texts in their place change nothing.
func TestEmails(t *testing.T) {
	base, _ := url.Parse("https://example.com/")
	code := encodeEmail("tea@example.org", 0x5f)
	for source, want := range map[string]string{
		`<p>To <span class="__cf_email__" data-cfemail="` + code + `">[email&#160;protected]</span>.`: "" +
			"To tea@example.org.",
		`<p><a href="/cdn-cgi/l/email-protection" class="__cf_email__" data-cfemail='` + code +
			`'>[email&#160;protected]</a> now`: "[tea@example.org](mailto:tea@example.org) now",
		`<p><a href="/cdn-cgi/l/email-protection#` + code + `">Write to us</a>`: "" +
			"[Write to us](mailto:tea@example.org)",
		`<p data-cfemail="` + encodeEmail("<b>@x", 7) + `">a</p>`:      `\<b>@x`,
		`<p data-cfemail="` + encodeEmail("no address", 7) + `">a</p>`: "a",
		`<p data-cfemail="` + encodeEmail("a@b\x1b[0m", 7) + `">a</p>`: "a",
		`<p data-cfemail="12`:    "",
		`<p data-cfemail="0z">a`: "a",
		`<p data-cfemail=>a`:     "a",
		`<p>data-cfemail=`:       "data-cfemail=",
	} {
		p := Parse(source)
		if got := p.Whole().Markdown(base); got != want {
			t.Errorf("%s: %q, want %q", source, got, want)
		}
		if text := p.Plain(); strings.Contains(want, "tea@") && !strings.Contains(text, "tea@example.org") &&
			!strings.Contains(want, "Write") {
			t.Errorf("%s: %q", source, text)
		}
	}
	many := strings.Repeat("data-cfemail=", 200_000)
	if text := Parse("<p>" + many).Plain(); text != many {
		t.Errorf("%d bytes of marks became %d", len(many), len(text))
	}
}
