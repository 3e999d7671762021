package memfile

import (
	"net/url"
	"path"
	"strings"
	"testing"

	"golang.org/x/text/unicode/norm"
)

func TestClean(t *testing.T) {
	for given, want := range map[string]string{
		"/memories": "/memories", "/memories/": "/memories", "/memories//a///b.md/": "/memories/a/b.md",
		"/memories/お茶.md": "/memories/お茶.md", "/memories/か\u3099.md": "/memories/が.md",
		"/memories/50% off": "/memories/50% off", "/memories/a%20b": "/memories/a%20b",
		"/memories/.hidden": "/memories/.hidden", "/memories/a..b": "/memories/a..b",
		"/memories/wait…": "/memories/wait…", "/memories/👩🏽": "/memories/👩🏽",
	} {
		if got, err := Clean(given); err != nil || got != want {
			t.Errorf("%q: %q, %v", given, got, err)
		}
	}
	for _, hostile := range []string{
		"", "/", "memories", "memories/a", "/memoriesx", "/memories.md", "/Memories/a", "/etc/passwd", " /memories",
		"//memories", "./memories", "C:/memories", "file:///memories/a", "/tmp/../memories",
		"/memories/..", "/memories/../x", "/memories/a/../../x", "/memories/a/..", "/memories/.", "/memories/./a",
		"/memories/...", "/memories/.. /x", "/memories/ ../x",
		`/memories\..\x`, `/memories/..\x`, `/memories/a\b`,
		"/memories/%2e%2e%2fx", "/memories/%2E%2E/x", "/memories/.%2e/x", "/memories/..%2fx", "/memories/a%2fb",
		"/memories/%252e%252e%252fx", "/memories/%25252e/x", "/memories/..%5cx", "/memories/%5c", "/memories/a%00",
		"/memories/%c0%ae%c0%ae/x", "/memories/%u002e%u002e/x", "/memories/％２ｅ％２ｅ/x",
		"/memories/a\x00.md", "/memories/a\nb", "/memories/a\tb", "/memories/\x7f", "/memories/a\u202eb",
		"/memories/a\u200b", "/memories/\ufeff", "/memories/a\xff",
		"/memories/．．/x", "/memories/‥/x", "/memories/…/x", "/memories/․․/x",
		"/memories/。。/x", "/memories/··/x",
		"/memories/..／x", "/memories/a∕b", "/memories/a⁄b", "/memories/a＼b",
		"/memories/a﹨b", "/memories/a⧵b",
		"/memories/a½",
		"/memories/" + strings.Repeat("a", 256), "/memories/" + strings.Repeat("a/", 300),
	} {
		if clean, err := Clean(hostile); err == nil {
			t.Errorf("%q is accepted as %q", hostile, clean)
		}
	}
}

// FuzzClean: however a program decodes an accepted path, it stays below the root.
func FuzzClean(f *testing.F) {
	for _, s := range []string{"/memories/a", "/memories/%2e%2e/x", "/memories/．．／x", `/memories/..\x`} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, given string) {
		clean, err := Clean(given)
		if err != nil {
			return
		}
		if again, err := Clean(clean); err != nil || again != clean {
			t.Errorf("%q: again %q, %v", clean, again, err)
		}
		read := clean
		for range 4 {
			for _, form := range []string{read, norm.NFKC.String(read), strings.ReplaceAll(read, `\`, "/")} {
				if p := path.Clean(form); p != Root && !Below(p, Root) || strings.ContainsRune(form, 0) {
					t.Errorf("%q leads to %q", given, p)
				}
			}
			decoded, err := url.PathUnescape(norm.NFKC.String(read))
			if err != nil {
				return
			}
			read = decoded
		}
	})
}
