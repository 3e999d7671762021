package soup

import (
	"strings"
	"testing"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"techo/internal/page/pagetest"
)

// TestLean checks that the source without scripts, style sheets and drawings has the
// same text, and that other elements keep theirs.
func TestLean(t *testing.T) {
	for source, want := range map[string]string{
		"<script>a</script>b<style>c{}</style>d":                     "<script></script>b<style></style>d",
		"<script src=a></script>b<style></style>c":                   "",
		`<script type="application/ld+json">{}</script>`:             "",
		"<noscript><style>a</style></noscript>b":                     "",
		"a<svg><path d=b /><g></g></svg>c":                           "a<svg></svg>c",
		"<svg><title>a</title></svg>b":                               "<svg></svg>b",
		"<svg/><x-y>a</x-y><svg></svg>":                              "",
		"<svg><p>a</svg>b":                                           "",
		"<svg><title><p>a</title></svg>b":                            "",
		"<svg><foreignObject><x-y>a</x-y></foreignObject></svg>":     "",
		"<svg><script>a</script></svg><math><style>b</style></math>": "",
		"<textarea><script>a</script></textarea>":                    "",
		"<script>a": "<script>",
	} {
		if want == "" {
			want = source
		}
		m := measure(source)
		if got := m.lean(source); got != want {
			t.Errorf("%s: %s", source, got)
		}
	}
	for _, s := range pagetest.Samples(t, 60) {
		m := measure(s.HTML)
		if got, want := shownText(parseTree(m.lean(s.HTML))), shownText(parseTree(s.HTML)); got != want {
			t.Errorf("%s: %d bytes of text, want %d", s.Name, len(got), len(want))
		}
	}
}

// shownText returns the text of a tree without scripts, style sheets and drawings.
func shownText(n *html.Node) (text string) {
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		switch c.DataAtom {
		case atom.Script, atom.Style, atom.Svg:
		default:
			if c.Type == html.TextNode {
				text += c.Data
			}
			text += shownText(c)
		}
	}
	return text
}

// TestUnclosedInTables checks that unclosed tags in the cells of tables are not taken for an attack.
func TestUnclosedInTables(t *testing.T) {
	tables := Parse(strings.Repeat("<table><tr><td><font size=2>a<td><b>b</table>", 20_000))
	if tables.flat || tables.Cut {
		t.Error("the tables are taken for one")
	}
}
