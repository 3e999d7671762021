package page

import (
	"fmt"
	"net/url"
	"strings"
	"testing"
	"unicode/utf8"

	"techo/internal/testenv"
)

// TestPlain compares with the output of get_text.
func TestPlain(t *testing.T) {
	for _, test := range []struct{ source, want string }{
		{
			"<html><head><title> T \n x </title><style>s</style></head>" +
				"<body>a<b>b</b>c<script>x</script></body></html>",
			"T \n x\na\nb\nc",
		},
		{"<nav>n</nav><main>m<footer>f</footer></main><aside>a</aside><header>h</header>", "m\na\nh"},
		{"<p>  one\n two </p><br>&nbsp;<p>three", "one\n two\nthree"},
		{"<noscript>shown</noscript><textarea>t</textarea>", "shown\nt"},
		{"text before <script>unclosed", "text before"},
		{"before <!-- unclosed", "before"},
		{"a\x00b", "ab"},
		{"<ruby>子<rp>(</rp><rt>こ</rt><rp>)</rp></ruby>ども", "子\nども"},
		{"<div hidden>x</div>a<p aria-hidden=true>y</p><!--z-->", "a"},
		{"", ""},
	} {
		if got := Parse(test.source).Plain(); got != test.want {
			t.Errorf("%q: %q, want %q", test.source, got, test.want)
		}
	}
}

// TestRemoved counts comments, and drops templates.
func TestRemoved(t *testing.T) {
	if p := Parse("<!-- a --><p>x<!-- b --></p><template>t</template>"); p.Removed.Comments != 2 || p.Plain() != "x" {
		t.Errorf("%+v %q", p.Removed, p.Plain())
	}
}

// TestDeep parses nesting beyond the parser's limit, and very wide pages.
func TestDeep(t *testing.T) {
	wide := testenv.Pick(10_000, 20_000)
	for name, source := range map[string]string{
		"600 div":       strings.Repeat("<div>", 600) + "deep" + strings.Repeat("</div>", 600) + "<p>after</p>",
		"100,000 div":   strings.Repeat("<div>", 100_000) + "deep<p>after",
		"3,000 tables":  strings.Repeat("<table><tr><td>", 3000) + "deep<p>after",
		"3,000 svg":     strings.Repeat("<svg>", 3000) + strings.Repeat("</svg>", 3000) + "deep<p>after",
		"3,000 links":   strings.Repeat("<a href=x><div>", 3000) + "deep<p>after",
		"5,000 b and p": strings.Repeat("<b><p>", 5000) + "deep<p>after",
		"end tags":      strings.Repeat("</div></b>", 50_000) + strings.Repeat("<i>", 600) + "deep<p>after",
		"wide li":       "<ul>" + strings.Repeat("<li>x", wide) + "<li>deep</ul><p>after",
		"wide ol":       "<ol>" + strings.Repeat("<li>x", wide) + "<li>deep</ol><p>after",
		"wide tr":       "<table>" + strings.Repeat("<tr><td>x", wide) + "<tr><td>deep</table><p>after",
		"wide cells":    "<table><tr>" + strings.Repeat("<td>x", wide) + "<td>deep</table><p>after",
		"wide classes":  strings.Repeat("<p class='a b'>x</p>", wide) + "<p>deep<p>after",
		"an attribute":  "<div x='" + strings.Repeat("y", 1<<20) + "'>deep</div><p>after",
		"attributes":    "<div " + strings.Repeat("a ", 100_000) + ">deep</div><p>after",
		"pieces":        "<p>" + strings.Repeat("x<!-- -->", 100_000) + "<p>deep<p>after",
		"one line":      "<p>" + strings.Repeat("word ", 200_000) + "<p>deep<p>after",
	} {
		t.Run(name, func(t *testing.T) {
			p := Parse(source)
			if text := p.Plain(); !strings.Contains(text, "deep") || !strings.Contains(text, "after") {
				t.Errorf("text is missing: %.100q", text)
			}
			c := p.Content()
			c.Text()
			c.Links(&url.URL{})
			if text := p.Whole().Markdown(&url.URL{}); !strings.Contains(text, "deep") ||
				!strings.Contains(text, "after") {
				t.Errorf("Markdown is missing: %.100q", text)
			}
		})
	}
}

// TestLinear counts steps: twice the page takes twice the steps, however it is
// nested and hidden.
func TestLinear(t *testing.T) {
	const panel = "<div role=tabpanel hidden><p>One two three.</p>"
	for name, source := range map[string]func(n int) string{
		"siblings": func(n int) string { return strings.Repeat("<p class='a b'>One two three.</p>", n) },
		"items":    func(n int) string { return "<ol>" + strings.Repeat("<li>One <b>two</b> three.", n) + "</ol>" },
		"cells":    func(n int) string { return "<table><tr>" + strings.Repeat("<td>One two", n) + "</table>" },
		"rows":     func(n int) string { return "<table>" + strings.Repeat("<tr><td>One<td>two", n) + "</table>" },
		"panels":   func(n int) string { return strings.Repeat(panel+"</div>", n) },
		"nested panels": func(n int) string {
			return strings.Repeat(strings.Repeat(panel, 100)+strings.Repeat("</div>", 100), n/100)
		},
		"nested":         func(n int) string { return strings.Repeat("<div>One two three.", n) },
		"nested and not": func(n int) string { return strings.Repeat("<div><p>One two.</p><p>Three four.</p>", n) },
		"posts": func(n int) string {
			return strings.Repeat("<div class=post><div class=comment>One.</div>Two.</div>", n)
		},
		"styles": func(n int) string {
			return "<style>" + strings.Repeat("div .a p{display:none}", 200) + "</style>" +
				strings.Repeat("<div class=b><p>One two three.</p></div>", n)
		},
		"hidden": func(n int) string { return strings.Repeat("<div hidden><i></i></div>", n) },
	} {
		t.Run(name, func(t *testing.T) {
			steps := func(n int) int {
				p := Parse(source(n))
				p.Content().Text()
				p.Whole().Markdown(&url.URL{})
				p.Whole().Headings()
				if p.Work < n {
					t.Fatalf("%d parts took %d steps: they are not counted", n, p.Work)
				}
				return p.Work
			}
			const n = 2500
			if one, two := steps(n), steps(2*n); two > 2*one+one/5 {
				t.Errorf("%d parts took %d steps, %d took %d", n, one, 2*n, two)
			}
		})
	}
}

// TestMarkdown renders each kind of element.
func TestMarkdown(t *testing.T) {
	checkMarkdown(t, map[string]string{
		"<h2>A <em>b</em></h2><p>c</p>": "## A *b*\n\nc",
		"<p>see <a href='x?a=(1)'>this <b>page</b></a>, now": "see [this " +
			"**page**](https://example.com/dir/x?a=%281%29), now",
		"<a href='javascript:x'>y</a> <a href='#z'>z</a>":            "y z",
		"<ul><li>a<li>b<ul><li>c</ul></ul><ol><li>d<li>e</ol>":       "- a\n- b\n  - c\n\n1. d\n2. e",
		"<pre>  x\n\n   y</pre>":                                     "```\n  x\n\n   y\n```",
		"<pre>a ``` b</pre>":                                         "````\na ``` b\n````",
		"<p>use <code>go  vet</code>":                                "use `go vet`",
		"<blockquote><p>q<p>r</blockquote>":                          "> q\n>\n> r",
		"<table><tr><th>a<th>b<tr><td>1|2<td>3</table>":              "| a | b |\n|---|---|\n| 1\\|2 | 3 |",
		"<table><tr><td>only layout<tr><td>two</table>":              "only layout\n\ntwo",
		"<p>a<br>b</p>":                                              "a\nb",
		"<p>x <img src=i.png alt='a cat'> y</p>":                     "x ![a cat](https://example.com/dir/i.png) y",
		"<p>字<ruby>漢<rp>(</rp><rt>かん</rt><rp>)</rp></ruby>だ</p>":     "字漢（かん）だ",
		`<base href="https://other.example/b/"><p><a href="c">d</a>`: "[d](https://other.example/b/c)",
	})
}

// TestContent separates contents from their surroundings.
func TestContent(t *testing.T) {
	sentence := "This is a sentence of the article, which goes on for a while and says something. "
	source := "<html><body><header><ul>" + strings.Repeat("<li><a href=/>Menu entry</a>", 20) +
		"</ul></header><main><article><h1>Title</h1>" +
		strings.Repeat("<p>"+strings.Repeat(sentence, 4)+"</p>", 8) +
		"</article></main><footer><p>© 2025 Example. All rights reserved.</p></footer></body></html>"
	c := Parse(source).Content()
	if text := c.Text(); strings.Count(text, sentence[:40]) != 32 || strings.Contains(text, "Menu entry") ||
		strings.Contains(text, "rights reserved") {
		t.Errorf("%q", text)
	}
	if c.Quality < 0.8 {
		t.Errorf("quality %.2f", c.Quality)
	}
	forum := "<html><body><div id=main-outlet></div><noscript>" +
		strings.Repeat("<div class=post><p>"+sentence+"</p></div>", 8) + "</noscript></body></html>"
	if text := Parse(forum).Content().Text(); !strings.Contains(text, "sentence of the article") {
		t.Errorf("noscript: %q", text)
	}
	shell := Parse("<html><head><title>App</title><meta name=description content='An application that shows the " +
		"weather.'></head><body><div id=root></div><script src=a.js></script>" +
		strings.Repeat("<script>x</script>", 5) + "</body></html>")
	if text := shell.Content().Text(); !shell.Shell || text != "An application that shows the weather." {
		t.Errorf("shell %v: %q", shell.Shell, text)
	}
}

// FuzzPage checks that the output is valid UTF-8 and not longer than the input
// allows.
func FuzzPage(f *testing.F) {
	for _, s := range []string{"<p>a</p>", "<table><tr><td>x<table>", "<ruby>a<rt>b", "<svg><title>x</title></svg>",
		"<ul><li><p>a<li>", "<noscript><p>x", "\xff<p>\x00", "<pre>\n x</pre>", "<base href=%%><a href=x>y"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, source string) {
		source = strings.ToValidUTF8(source, "")
		p := Parse(source)
		base, _ := url.Parse("http://a/")
		c := p.Content()
		for _, text := range []string{p.Plain(), c.Text(), c.Markdown(base), p.Whole().Markdown(base),
			fmt.Sprint(c.Links(base), c.Headings())} {
			if !utf8.ValidString(text) {
				t.Fatalf("not UTF-8: %q", text)
			}
		}
		if c.Quality < 0 || c.Quality > 1 {
			t.Fatalf("quality %v", c.Quality)
		}
	})
}

// TestPlainHiddenEnds checks that hidden elements without an end tag end as in a
// browser.
func TestPlainHiddenEnds(t *testing.T) {
	for source, want := range map[string]string{
		"<p hidden>x<p>y":                                           "y 1",
		"<p hidden>x<b>z<div>y</div>":                               "y 1",
		"<p hidden>x<span>z</span></p>y":                            "y 1",
		"<ul><li hidden>x<li>y</ul>":                                "y 1",
		"<ul><li hidden>x<ul><li>z</ul><li>y</ul>":                  "y 1",
		"<dl><dt hidden>x<dd>y</dl>":                                "y 1",
		"<table><tr hidden><td>x<tr><td>y</table>":                  "y 1",
		"<table><tr><td hidden>x<table><tr><td>z</table><td>y":      "y 1",
		"<select><option hidden>x<option>y</select>":                "y 1",
		"<div hidden>x<div>z</div></div>y":                          "y 1",
		"<div hidden>x<p>z":                                         " 1",
		"<p hidden></p>y":                                           "y 0",
		"<p hidden><p hidden>x<p>y":                                 "y 1",
		"<nav hidden>x</nav>y":                                      "y 0",
		"<template>x</template>y":                                   "y 1",
		"<img hidden alt=x>y<br hidden>z":                           "y\nz 0",
		"<body style='opacity:0'>y</body>":                          "y 0",
		"<script hidden>x</script>y<style hidden>.a{}</style>":      "y 0",
		"<div style='display:none'><script>x</script> </div>y":      "y 0",
		"<p style='display:none'>x<table><tr><td>z</table><p>y</p>": "z\ny 1",
	} {
		p := Parse(source)
		if got := fmt.Sprint(p.Plain(), " ", p.Removed.Hidden); got != want {
			t.Errorf("%q: %q, want %q", source, got, want)
		}
	}
}
