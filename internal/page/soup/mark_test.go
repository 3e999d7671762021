package soup

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"techo/internal/page/pagetest"
)

// writeTree writes a tree with its attributes in order of their names, scripts and style
// sheets without text that is not data.
func writeTree(b *strings.Builder, n *html.Node) {
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		switch c.Type {
		case html.TextNode:
			fmt.Fprintf(b, "%q", c.Data)
		case html.ElementNode:
			attrs := slices.Clone(c.Attr)
			slices.SortFunc(attrs, func(a, b html.Attribute) int { return strings.Compare(a.Key, b.Key) })
			fmt.Fprintf(b, "<%s %q>", c.Data, attrs)
		}
		writeTree(b, c)
		b.WriteString(";")
	}
}

// checkMarks compares the tree of a source with marks with the tree of the source.
func checkMarks(t *testing.T, source string) {
	t.Helper()
	m := measure(source)
	got, want := parseTree(m.marked(source)), parseTree(m.lean(source))
	if got == nil || want == nil {
		if got != want {
			t.Errorf("%.200q: one has a tree", source)
		}
		return
	}
	restoreMarks(got, source)
	var a, b strings.Builder
	writeTree(&a, got)
	writeTree(&b, want)
	if a.String() != b.String() {
		t.Errorf("%.200q:\n%.1000s\nwant\n%.1000s", source, a.String(), b.String())
	}
}

// markedSources have attributes that are hard to read, and tags that only the parser or
// only the scanner finds.
var markedSources = []string{
	"<p a=1 A=2 b b=3 =c ==d e = f/>g", "<p a='1' b=\"2\"c=3 d/e=4/>f<br h=1 />", "<p a", "<p a='", "<p a=>b",
	"<p CLASS=a\x00b \x00=1 É=É>", "<p a='1\r\n2\r3'>", "<p a=a&amp;b&lt;&gt;&quot;&#39;&#039;&#x27;&#34;>",
	"<a href='?a=1&b=2&copy=3&copy;4&copy5&c'>", "<p a='&' b='& ' c='&#' d='&#65' e='&notit;' f=&amp g='&=1'>",
	"<p a=\"&copy;'\" b=&copy;\"'>", "<p \x7f=1 a=2>b", "<noscript><p \x7f=1></noscript><p a=1>",
	"<p " + strings.Repeat("a ", 40) + ">b", "<p" + strings.Repeat(" aa=1", 32) + ">b<p c=1>",
	"<body a=1><p><body a=2 b=3><html c=4>", "<b a=1><b a='1'><b a=\"1\"><b a=1><p>c", "<a b=1><p><a b='1'><p>c",
	"<a c=1 b=2><div><div d=3></a>e", "<table><input type=hidden a=1><input type=text><tr a=1><td b=2>c",
	"<font color=a><svg><font color=a>b", "<svg viewBox=a><path D=b xlink:href=c></svg><p a=1>", "<svg a=1/><p b=2>",
	"<svg><![CDATA[<p a=1>]]></svg><![CDATA[<p b=2>]]>c", "<math definitionurl=a><mi b=1></math>",
	"<svg><foreignObject><div></svg></div><![CDATA[<a href=x>]]>b", "<template a=1><p b=2></template>",
	"<noscript><p a=1></noscript><p b=2>", "<noscript><!-- </noscript><p a='-->'>b",
	"<noscript><p a='</noscript><p b=''>",
	"<noscript><style></noscript><p a=1></style><p b=2>", "<noscript><svg></noscript><p xlink:href=1>",
	"<noscript><iframe></noscript><p a=1></iframe>", "<head><noscript><link rel=a></noscript><link rel=b>",
	"<textarea a=1><p b=2></textarea>", "<title a=1><p b=2></title>", "<select a=1><p b=2><option c=3>d</select>",
	"<frameset a=1><frame b=2>", "<plaintext a=1><p b=2>", "<p a=1 <p b=2>c", "<image src=a>", "<p a=1/ b=2/>c",
	"<script type='application/json' id=A>{\"a\":'<p b=1>'}</script>", "<script type=json>a\r\nb\x00c</script>d",
	"<script type=json></script>", "<script type=json>a", "<script>json</script>", "<script id=a>b</script>c",
	"<script type=json><!--<script>a</script>--></script>b", "<select><script type=json>a</script></select>",
	"<svg><script type=json>a</script></svg>", "<table><script type=json>a</script><p b=1></table>",
}

// TestMarks checks that the parser finds the same tree if marks stand for attributes.
func TestMarks(t *testing.T) {
	for _, source := range markedSources {
		checkMarks(t, source)
	}
	for _, source := range scanned {
		checkMarks(t, source)
		checkMarks(t, source+"<p a=1>b")
	}
	for _, s := range pagetest.Samples(t, 40) {
		checkMarks(t, s.HTML)
	}
	if m := measure("<p class=a>b"); m.marked("<p class=a>b") != "<p \x7f=2>b" {
		t.Error("the tag has no mark")
	}
}

func FuzzMarks(f *testing.F) {
	for _, source := range markedSources {
		f.Add(source)
	}
	f.Fuzz(checkMarks)
}
