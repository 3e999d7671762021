package soup

import (
	"strings"
	"testing"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"techo/internal/page/pagetest"
)

// scanned are sources with tags, comments and raw text that are hard to tell apart.
var scanned = []string{
	"", "<", "a<", "</", "a</", "</>", "<a", "<a ", "<a b", "<a b=", "<a b='", "<a b='>'>c", "<a/>",
	"<a / >", "<a/b>", "<a =b>", "<a ==b>", "<a b = c/>d", "<a b=c'd>e", "<a b=\"c\"d>e", "<a\nb\f=\tc\r>",
	"<!", "<!a", "<!>", "<!->", "<!-->b", "<!--->b", "<!-- a --!> b -->c", "<!-- a --!- --> b",
	"<!-- a ---> b", "<!-- a -- > b --> c", "<!-- a", "<!doctype html>a", "<?a b?>c", "</ a>b",
	"</a b='>'>c", "<3 a", "a < b <c>", "<script>a<!--<script>b</script>c--></script>d",
	"<script><!-- </script>a", "<script>a</scripts></script b>c", "<script></script>", "<SCRIPT>a</sCript>b",
	"<title>a<b></title>c", "<style>a</style", "<style>a</style>", "<textarea>a</textarea/>b",
	"<plaintext>a</plaintext>", "<noscript><b></noscript>c", "<iframe/>a</iframe>b", "<xmp a>b</xmp>",
	"<script>a", "<script><!--a--></script>b", "<svg><style><b></style></svg>", "<annotation-xml a>",
	"<" + strings.Repeat("a", 30) + ">b",
}

// checkScanner compares the scanner with the tokenizer of the HTML library.
func checkScanner(t *testing.T, source string) {
	t.Helper()
	z := html.NewTokenizer(strings.NewReader(source))
	s := scanner{source: source}
	for at := 0; ; {
		want := z.Next()
		got := s.next()
		raw := string(z.Raw())
		if want == html.ErrorToken && got.kind == want {
			return
		}
		var name atom.Atom
		attributes := 0
		switch want {
		case html.DoctypeToken:
			want = html.CommentToken
		case html.SelfClosingTagToken, html.StartTagToken, html.EndTagToken:
			tag, more := z.TagName()
			name = atom.Lookup(tag)
			for ; more; attributes++ {
				_, _, more = z.TagAttr()
			}
			if want == html.SelfClosingTagToken {
				want = html.StartTagToken
			}
			if want == html.EndTagToken {
				attributes = got.attributes // the tokenizer ignores them
			}
		}
		if got.kind != want || got.from != at || source[got.from:got.to] != raw || got.name != name ||
			got.attributes < attributes || attributes == 0 && got.attributes > 0 {
			t.Fatalf("%.200q at %d: got %v %q %v %v, want %v %q %v %v", source, at, got.kind, source[got.from:got.to],
				got.name, got.attributes, want, raw, name, attributes)
		}
		at = got.to
	}
}

// TestScanner checks that the scanner finds the tokens of the HTML library.
func TestScanner(t *testing.T) {
	for _, source := range scanned {
		checkScanner(t, source)
	}
	for _, s := range pagetest.Samples(t, 40) {
		checkScanner(t, s.HTML)
	}
}

func FuzzScanner(f *testing.F) {
	for _, source := range scanned {
		f.Add(source)
	}
	f.Fuzz(checkScanner)
}
