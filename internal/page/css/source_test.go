package css_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"techo/internal/page/css"
	"techo/internal/page/soup"
)

// TestUnusedRules checks that leaving out the rules whose names the source lacks changes
// nothing that is hidden, in a tree and in a plain text.
func TestUnusedRules(t *testing.T) {
	pick := func(r *rand.Rand, from ...string) string { return from[r.IntN(len(from))] }
	for seed := range uint64(1000) {
		r := rand.New(rand.NewPCG(seed, 0))
		var rules, body strings.Builder
		name := func() string {
			return pick(r, "p", "div", "b", ".x", ".y", "#i", "[k]", "[k=\"1\"]", "[class=y]", "P.x.y", "*", ":link",
				"p:first-child", ":not(.x)", "b:nth-child(2)", ":is(.x,#i)", "svg")
		}
		for range 1 + r.IntN(6) {
			rules.WriteString(name())
			for range r.IntN(3) {
				rules.WriteString(pick(r, " ", ">", "+", "~") + name())
			}
			rules.WriteString(pick(r, "{display:none}", "{color:#fff}", "{background:#fff}", "{visibility:hidden}",
				"{visibility:visible}", "{color:#000}", "{display:block!important}", "{font-size:0}",
				"{font-size:2em}"))
		}
		for i := range 30 {
			tag := pick(r, "p", "div", "b", "div", "a href=u", "svg", "nav", "font color=white",
				"table bgcolor=white", "td")
			fmt.Fprintf(&body, "<%s%s%s%s>%d ", tag, pick(r, "", " class=x", " class=\"y x\"", " class=y"),
				pick(r, "", "", " id=i", " k=1", " hidden"),
				pick(r, "", "", "", " style=color:#fff", " style='color:red'"), i)
			if r.IntN(2) == 0 {
				body.WriteString("</" + strings.Fields(tag)[0] + ">")
			}
		}
		source := "<style>" + rules.String() + "</style>" + body.String()
		tree := soup.Parse(source)
		texts := func(names string) string {
			s := css.Read(tree.Styles, source+names, tree.Foreign, tree.Elements)
			var b strings.Builder
			write(&b, s, tree.Root, css.Look{})
			s.Restart()
			text, hidden := soup.Text(source, s, strings.TrimSpace)
			return fmt.Sprint(b.String(), "\n", text, hidden, s.IsCut())
		}
		used := texts(`<script>no class"</script>`)
		all := texts(`<script>"class="</script>`) // an attribute without an end may have any name
		if got, want := used, all; got != want {
			t.Fatalf("%s\n%s\n\nwant %s", source, got, want)
		}
	}
}

// write writes the text of a tree that is not hidden, and in brackets what would be seen of
// a hidden element if a control showed it.
func write(b *strings.Builder, s *css.Sheet, n *html.Node, up css.Look) {
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		switch c.Type {
		case html.TextNode:
			if !up.Silent {
				b.WriteString(c.Data)
			}
		case html.ElementNode:
			own, hidden := s.See(c, up)
			if hidden {
				b.WriteString("[")
				write(b, s, c, up)
				b.WriteString("]")
				continue
			}
			write(b, s, c, own)
		}
	}
}
