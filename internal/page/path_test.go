package page

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
)

// TestPaths checks that neither the looks which are kept by path nor the filters of names
// change what is hidden.
func TestPaths(t *testing.T) {
	pick := func(r *rand.Rand, from ...string) string { return from[r.IntN(len(from))] }
	for seed := range uint64(3000) {
		r := rand.New(rand.NewPCG(seed, 0))
		var css, body strings.Builder
		name := func() string {
			return pick(r, "p", "div", "b", ".x", ".y", "#i", "[k]", "[k=\"1\"]", "[class=y]", "P.x.y", "*", ":link",
				"p:first-child", ":not(.x)", "b:nth-child(2)", ":is(.x,#i)", "svg")
		}
		for range 1 + r.IntN(6) {
			css.WriteString(name())
			for range r.IntN(3) {
				css.WriteString(pick(r, " ", ">", "+", "~") + name())
			}
			css.WriteString(pick(r, "{display:none}", "{color:#fff}", "{background:#fff}", "{visibility:hidden}",
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
		source := "<style>" + css.String() + "</style>" + body.String()
		texts := func(full bool) string {
			p := newPage(source + `<script>no class"</script>`)
			if p.styles.paths.full = full; full { // an attribute without an end may have any name
				p.source = source + `<script>"class="</script>`
			}
			p.read()
			before, whole := p.Removed, p.Whole().Text()
			return fmt.Sprint(p.Plain(), "\n", whole, before, p.Removed, p.Cut)
		}
		if got, want := texts(false), texts(true); got != want {
			t.Fatalf("%s\n%s\n\nwant %s", source, got, want)
		}
	}
}
