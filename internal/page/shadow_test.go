package page

import (
	"strings"
	"testing"
)

// TestShadowTrees reads shadow trees that a page declares, as a browser shows them.
func TestShadowTrees(t *testing.T) {
	for source, want := range map[string]string{
		`<x-a><template shadowrootmode=open><p>one</p></template></x-a>`:                          "one",
		`<x-a><template shadowrootmode=closed><p>one</p><slot></slot></template><p>two</p></x-a>`: "one|two",
		`<x-a><template shadowrootmode=open><slot></slot><p>one</p></template><p>two</p></x-a>`:   "two|one",
		`<x-a><template shadowrootmode=open><p>one</p></template><p>two</p></x-a>`:                "one",
		`<x-a><template shadowrootmode=open><slot><p>none</p></slot></template><!-- x --></x-a>`:  "none",
		`<x-a><template shadowrootmode=open><slot><p>none</p></slot></template><p>two</p></x-a>`:  "two",
		`<x-a><template><p>one</p></template><p>two</p></x-a>`:                                    "two",
		`<x-a><template shadowrootmode=none><p>one</p></template><p>two</p></x-a>`:                "two",
		`<x-a><template shadowrootmode=open><slot name=b></slot><slot name=a></slot></template>` +
			`<p slot=a>one</p><p slot=b>two</p><p slot=c>three</p><p>four</p></x-a>`: "two|one",
		`<x-a><template shadowrootmode=open><x-b><template shadowrootmode=open><p>in</p><slot></slot></template>` +
			`<slot></slot></x-b></template><p>two</p></x-a>`: "in|two",
		`<x-a><template shadowrootmode=open><slot></slot></template>` +
			`<x-b><template shadowrootmode=open><p>in</p></template></x-b></x-a>`: "in",
	} {
		got := strings.Join(strings.Fields(Parse(source).Whole().Text()), "|")
		if got != want {
			t.Errorf("%s: %q, want %q", source, got, want)
		}
	}
}

// TestManyShadowTrees reads a page with shadow trees in shadow trees in time.
func TestManyShadowTrees(t *testing.T) {
	const host = `<x-a><template shadowrootmode=open><slot></slot>`
	const end = `</template><p>light</p></x-a>`
	source := strings.Repeat(strings.Repeat(host, 150)+"<p>deep</p>"+strings.Repeat(end, 150), 40)
	if text := Parse(source).Whole().Text(); strings.Count(text, "deep") != 40 || strings.Count(text, "light") != 6000 {
		t.Errorf("%d, %d", strings.Count(text, "deep"), strings.Count(text, "light"))
	}
}
