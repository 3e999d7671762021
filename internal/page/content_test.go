package page

import (
	"net/url"
	"strings"
	"testing"
)

// TestUnfold checks that panels with a control and animated elements are shown,
// and that other hidden elements, dialogs and menus are not.
func TestUnfold(t *testing.T) {
	for _, test := range []struct{ source, want string }{
		{`<button aria-controls=a>more</button><div id=a hidden>text</div>`, "more\ntext"},
		{`<div id=a hidden>text</div><button aria-controls=a>more</button>`, "text\nmore"},
		{`<a data-toggle=collapse href="#a">more</a><div id=a style="display:none">text</div>`, "more\ntext"},
		{`<div role=tabpanel aria-hidden=true>text</div>`, "text"},
		{`<div class="faq-accordion"><div class="accordion__body" style="display: none">text</div></div>`, "text"},
		{`<li class="slick-slide" aria-hidden="true">text</li>`, "text"},
		{`<p style="opacity:0; transform: translateY(20px)">text</p>`, "text"},
		{`<div role=tabpanel hidden>text<i style="display:none">unseen</i></div>`, "text"},
		{`<div role=tabpanel hidden><div class=accordion-panel hidden>text</div></div>`, "text"},
		{`<h3><button>more</button></h3> <div style="display:none">text</div>`, "more\ntext"},
		{`<div><style></style><div role=button>more</div></div><style></style><div hidden>text</div>`, "more\ntext"},
		{`<p aria-expanded=false>more</p><div style="height:0;overflow:hidden">text</div>`, "more\ntext"},
		{`<button>more</button><div><p style="visibility:hidden">text</p></div>`, "more\ntext"},
		{`<details><summary>more</summary><div aria-hidden=true>text</div></details>`, "more\ntext"},
		{`<del aria-hidden=true>$9</del> <i style="font-size:0">unseen</i> <ins aria-hidden=true>$7</ins>`, "$9 $7"},
		{`<button>more</button>and<div hidden>unseen</div>`, "more\nand"},
		{`<p>more <button>x</button></p><div hidden>unseen</div>`, "more\nx"},
		{`<button>more</button><button hidden>unseen</button>`, "more"},
		{`<div><button>more</button><p>and</p></div><div hidden>unseen</div>`, "more\nand"},
		{`<button>more</button> <p>and</p><div hidden>unseen</div>`, "more\nand"},
		{`<button>more</button><span hidden>unseen</span>`, "more"},
		{`<button>menu</button><div class=nav-menu style="visibility:hidden">unseen</div>`, "menu"},
		{`<a href="#a">to it</a><div id=a hidden>unseen</div>`, "to it"},
		{`<button aria-controls=a>cookies</button><div id=a class=cookie-panel hidden>unseen</div>`, "cookies"},
		{`<button aria-controls=a>menu</button><div id=a class="nav-menu" hidden>unseen</div>`, "menu"},
		{`<button aria-controls=a>sign in</button><div id=a role=dialog hidden>unseen</div>`, "sign in"},
		{
			`<nav><button aria-controls=a>x</button></nav>` +
				`<footer><div id=a class=panel hidden>unseen</div></footer>seen`,
			"x\nseen",
		},
		{`<p style="opacity:0">unseen</p>seen`, "seen"},
		{`<div class="post" style="display:none">unseen</div>seen`, "seen"},
	} {
		p := Parse(test.source)
		if got := strings.ReplaceAll(p.Whole().Text(), "\n\n", "\n"); got != test.want {
			t.Errorf("%s: %q, want %q", test.source, got, test.want)
		}
		if unseen := strings.Count(test.source, "unseen"); p.Removed.Hidden != unseen {
			t.Errorf("%s: counted %d", test.source, p.Removed.Hidden)
		}
	}
}

// TestSeparate checks that words which only a style sheet separates stay separate.
func TestSeparate(t *testing.T) {
	for source, want := range map[string]string{
		`<a href=/a>Action</a><a href=/b>Open World</a>`: "Action Open World",
		`<span>POR</span><span>Portland</span>`:          "POR Portland",
		`<x-price>20</x-price><x-unit>each</x-unit>`:     "20 each",
		`<span>D</span><span>rop</span> cap`:             "Drop cap",
		`un<b>believ</b>able`:                            "unbelievable",
		`<span>「</span><span>日本</span><span>語</span>`:    "「日本語",
		`<pre><span>go</span><span>fmt</span></pre>`:     "gofmt",
		`<code><span>foo</span><span>Bar</span></code>`:  "fooBar",
		`<span>a, </span><span>b</span>`:                 "a, b",
	} {
		if got := Parse(source).Whole().Text(); got != want {
			t.Errorf("%s: %q, want %q", source, got, want)
		}
	}
}

// TestStructuredBody checks that the body in the structured data replaces other
// text, and that it helps to recognize the visible content.
func TestStructuredBody(t *testing.T) {
	body := strings.Repeat("The harbour was closed for weeks, and the ships had to wait outside. Nobody in the town "+
		"knew why this was so. ", 4)
	jsonLD := func(kind, key string) string {
		return `<script type="application/ld+json">{"@type":"` + kind + `","` + key + `":"` + body + `"}</script>`
	}
	for _, head := range []string{jsonLD("NewsArticle", "articleBody"), jsonLD("Product", "description"),
		jsonLD("DiscussionForumPosting", "text")} {
		if text := Parse("<head>" + head + "</head><h1>A name</h1><p>Loading").Content().Text(); !strings.Contains(text,
			"ships had to wait") {
			t.Errorf("%.60s: %q", head, text)
		}
		page := "<head>" + head + "</head><div><h1>A name</h1><p>" + body + "</p></div>"
		if text := Parse(page).Content().Text(); strings.Count(text, "ships had to wait") != 4 {
			t.Errorf("%.60s: repeated: %q", head, text)
		}
	}
}

// TestEscapedBody checks that markup which the structured data escapes twice is not
// shown as text.
func TestEscapedBody(t *testing.T) {
	body := strings.Repeat("The harbour was closed &amp;hellip; "+
		"and the ships &lt;b&gt;had&lt;/b&gt; to wait outside. ", 4)
	source := `<script type="application/ld+json">{"@type":"NewsArticle","articleBody":"` +
		strings.ReplaceAll(body, "&", "&amp;") + `&lt;img src=x&gt;"}</script><p>Loading`
	text := Parse(source).Content().Text()
	if strings.ContainsAny(text, "&<>") || strings.Count(text, "closed … and the ships had") != 4 {
		t.Errorf("%q", text)
	}
}

// TestMisnamed checks that no name of an element discards nearly all sentences of
// a page.
func TestMisnamed(t *testing.T) {
	prose := strings.Repeat("<p>The harbour was closed for weeks, and the ships had to wait outside for it to open "+
		"again.</p>", 8)
	for _, open := range []string{"<div class='with-sidebar'>", "<div class='comments-open related'>",
		"<div class='newsletter popup'>", "<footer>", "<header>", "<aside>", "<nav>", "<form>", "<div class='reviews'>",
		"<div id='cookie-footer'>"} {
		if text := Parse("<body>" + open + "<h1>A name</h1>" + prose).Content().Text(); strings.Count(text,
			"harbour") != 8 {
			t.Errorf("%s: %.60q", open, text)
		}
	}
}

// TestState checks that the sentences of embedded data are used if the page shows
// none, in order and without markup.
func TestState(t *testing.T) {
	state := `<script id="__NEXT_DATA__" type="application/json">{"props":{
		"path":"/a/b/c/d/e/f/g/h/i/j/k/l/m/n/o/p/q/r/s/t/u/v/w/x/y/z/a/b",
		"css":"a { color: red; background: none; border: 0 } b { margin: 0 auto 1em 2em }",
		"post":{"html":"<p>The first of the sentences is about the sea, and it goes on for a while.</p>",
			"more":["The second one is about the hills behind the town, where nobody lives.",
				"The second one is about the hills behind the town, where nobody lives."]}}}</script>`
	want := "The first of the sentences is about the sea, and it goes on for a while.\n\nThe second one is about " +
		"the hills behind the town, where nobody lives."
	for _, source := range []string{"<div id=root></div>" + state, "<nav><a href=/>Home</a></nav><div id=root></div>" +
		state} {
		if got := Parse(source).Content().Text(); got != want {
			t.Errorf("%q", got)
		}
	}
	shown := "<p>This page shows what it has to say, in a paragraph of its own, which is long enough to be one.</p>"
	if got := Parse(shown + state).Content().Text(); strings.Contains(got, "about the sea") {
		t.Errorf("%q", got)
	}
	unseen := Parse(`<meta name=description content="This is for&#x1b;]0; machines alone&#x200b; and shown nowhere.">` +
		`<div id=root></div><script src=a></script>`)
	if got := unseen.Content().Text(); got != "This is for]0; machines alone and shown nowhere." {
		t.Errorf("%q", got)
	}
	Parse("<div></div><script type=application/json>{\"a\": [\"b\"").Content().Text() // truncated
}

// FuzzShow checks that no metadata causes a panic.
func FuzzShow(f *testing.F) {
	for _, s := range []string{`{"@type":"Product","description":"x"}`,
		`[{"@graph":[{"@type":["Article"],"articleBody":"a b c d e"}]}]`, `{"@type":{},"mainEntity":[[[[]]]]}`, `"`} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, data string) {
		p := Parse(`<link rel=canonical href="` + data + `"><script type="application/ld+json">` + data +
			"</script><p>One two three four five six seven eight.")
		p.Content().Markdown(&url.URL{})
	})
}

// TestAwait checks that an element with most of the text of a page is shown if the
// page has scripts.
func TestAwait(t *testing.T) {
	prose := "<p>" + strings.Repeat("This is what the page has to say, and it says so at length. ", 9) + "</p>"
	menu := "<ul style='display:none'><li>" + strings.Repeat("One more entry of the menu ", 12) + "</ul>"
	for _, open := range []string{"<main style='opacity:0'>", "<style>.x{display:none}</style><div class=x>",
		"<style>.x,.y{visibility:hidden}</style><main class=x><div class=y>",
		"<main aria-hidden=true>", "<main style='visibility:hidden'>", "<style>main{visibility:hidden}</style>" +
			menu + "<main>"} {
		page := "<p>Loading</p>" + open + prose
		for source, want := range map[string]bool{"<script></script>" + page: true, page: false} {
			p := Parse(source)
			for _, text := range []string{p.Whole().Text(), p.Plain()} {
				if strings.Contains(text, "has to say") != want || strings.Contains(text, "menu") {
					t.Errorf("%.60s: %q", source, text)
				}
			}
		}
	}
}

// TestAwaitSaved checks that a saved page without its scripts shows a hidden element
// with nearly all of its text.
func TestAwaitSaved(t *testing.T) {
	prose := strings.Repeat("This is what the page has to say, and it says so at length. ", 50)
	page := "<p>Loading</p><main style='opacity:0'><p>" + prose + "</p></main>"
	if text := Parse(page).Whole().Text(); !strings.Contains(text, "has to say") {
		t.Errorf("%q", text)
	}
	for shown, want := range map[string]bool{"<main style='opacity:0'><p>" + prose[:1900] + "</p></main>": false,
		"<p>Loading<main style='opacity:0'><p>" + prose[:2100] + "</p></main>":                 true,
		"<p>Loading<script></script><main style='opacity:0'><p>" + prose[:250] + "</p></main>": false} {
		if text := Parse(shown).Whole().Text(); strings.Contains(text, "has to say") != want {
			t.Errorf("%.60s: %q", shown, text)
		}
	}
	page += "<p>" + prose[:400]
	if text := Parse(page).Whole().Text(); strings.Count(text, "has to say") > 7 {
		t.Errorf("%q", text)
	}
}

// TestSwallowed checks that an iframe without an end in a noscript does not hide the
// page.
func TestSwallowed(t *testing.T) {
	p := Parse("<body><noscript><iframe src=a /></noscript><p>One two three.</p><noscript><b>four</b></noscript>")
	if text := p.Whole().Text(); text != "One two three." {
		t.Errorf("%q", text)
	}
}

// TestCopies checks that the content has a long text once, and a short one as often
// as the page.
func TestCopies(t *testing.T) {
	const long = "The quick brown fox jumps over the lazy dog, and then it rests in the shade."
	const other = "On the next morning the dog is awake, the fox is gone, and the shade has moved."
	page := "<article><h1>Fox and dog</h1><p>" + long + "</p><p>Yes.</p><p>" + other + "</p>"
	text := Parse(page + "<blockquote>" + long + "</blockquote><p>Yes.</p></article>").Content().Text()
	if strings.Count(text, long) != 1 || strings.Count(text, "Yes.") != 2 {
		t.Errorf("%q", text)
	}
}
