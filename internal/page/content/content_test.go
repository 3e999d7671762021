package content

import (
	"slices"
	"strings"
	"testing"

	"techo/internal/page/runes"
	"techo/internal/page/view"
)

// TestKind derives the type of a page from its claims.
func TestKind(t *testing.T) {
	data := func(kind string) string {
		return `<script type="application/ld+json">{"@type":"` + kind + `"}</script>`
	}
	at := func(address string) string { return `<link rel=canonical href="` + address + `">` }
	prose := "<p>" + strings.Repeat("This is what somebody wrote here, and it is long enough. ", 3) + "</p>"
	for source, want := range map[string]kind{
		"<p>nothing":                           plainPage,
		data("NewsArticle"):                    articlePage,
		data("https://schema.org/BlogPosting"): articlePage,
		at("https://example.com/2019/05/how-the-old-bridge-was-built"): articlePage,
		`<meta property="og:type" content="article">` + data("Product") +
			at("https://example.com/product/cup"): productPage,
		at("https://example.com/news/cup-review") + data("NewsArticle") +
			data("Product"): articlePage,
		at("https://shop.example/products/cup"):            productPage,
		`<body class="single single-product woocommerce">`: productPage,
		strings.Repeat(data("Product"),
			5): listingPage,
		at("https://shop.example/collections/cups"): listingPage,
		data("QAPage"): forumPage,
		`<meta name=generator content="Discourse 3.1">`: forumPage,
		`<html id="XF" data-template="thread_view">`:    forumPage,
		strings.Repeat("<div class=post><div class=postbody>"+prose+"</div></div><div class=message>"+prose+"</div>",
			4): forumPage,
		`<meta name=generator content="Docusaurus v2">`: documentPage,
		at("https://docs.example.com/install"):          documentPage,
		`<body class="mediawiki">`:                      documentPage,
		at("https://example.com/") +
			`<meta property="og:type" content="website">`: plainPage,
		"<article>" + strings.Repeat(prose, 4) +
			"</article>": articlePage,
		data("FAQPage"): plainPage,
	} {
		if got := survey(view.Parse(source + "<p>x").Outline()).kind; got != want {
			t.Errorf("%.150s: kind %d, want %d", source, got, want)
		}
	}
}

// TestPhrases checks the wording around contents in several languages.
func TestPhrases(t *testing.T) {
	for text, want := range map[string]phrases{
		"Read more: How the bridge was built":    phraseAppeal,
		"► Lesen Sie auch: Der Hafen":            phraseAppeal,
		"関連記事はこちら":                               phraseAppeal | phraseOther,
		"Follow Ann on Twitter":                  phraseAppeal,
		"Follow the river until it bends.":       0,
		"Share":                                  phraseControl,
		"You may also like":                      phraseOther,
		"We use cookies to improve this site.":   phraseConsent,
		"Bake the cookies until they are brown.": 0,
		"© 2024 Example":                         phraseRights,
		"May 3, 2019 10:30 AM":                   phraseDate,
		"2025年3月1日 10時30分":                       phraseDate,
		"3. Mai 2009":                            phraseDate,
		"In 2009 the bridge was built":           0,
		"Marketing 2019":                         0,
		"12 people":                              0,
	} {
		b := view.Block{Text: text, Words: runes.CountWords(text)}
		if got := phrasesOf(&b); got != want {
			t.Errorf("%q: %b, want %b", text, got, want)
		}
	}
}

// TestShingles compares texts in scripts with and without blanks.
func TestShingles(t *testing.T) {
	s := shinglesOf("One two three four five six seven. 朝の道を歩いていると風が吹いてきた。")
	for text, want := range map[string]float64{
		"two THREE four, five six": 1, "朝の道を歩いていると": 1,
		"seven six five four three two one": 0, "one two": 0, "": 0,
	} {
		if got, _ := s.holds(text); got != want {
			t.Errorf("%q: %.2f, want %.0f", text, got, want)
		}
	}
}

// TestDoubtful checks that a page with sentences keeps its most probable blocks even if
// all are doubtful, and that a page with little else than furniture has no content.
func TestDoubtful(t *testing.T) {
	const sentence = "<p>This paragraph of a page has a dozen words and is a sentence.</p>"
	for _, test := range []struct {
		paragraphs int
		odds       float64
		empty      bool
	}{{20, -2, false}, {20, -3, true}, {3, -2, true}} {
		source := strings.Repeat(sentence, test.paragraphs) + strings.Repeat("<div>a menu</div>", 100)
		s := survey(view.Parse(source).Outline())
		odds := make([]float64, len(s.Blocks))
		for i := range odds {
			if odds[i] = -9; s.Blocks[i].IsProse() {
				odds[i] = test.odds
			}
		}
		keep, quality := s.decide(odds)
		if quality >= minQuality {
			t.Errorf("quality %.2f is not low", quality)
		}
		if empty := !slices.Contains(keep, true); empty != test.empty {
			t.Errorf("%+v: empty is %t", test, empty)
		}
	}
}

// TestReconsider checks that a doubtful block is more probable between content than
// between furniture, and that the second stage leaves certain blocks as they are.
func TestReconsider(t *testing.T) {
	const sentence = "<p>This paragraph of a page has a dozen words and is a sentence.</p>"
	s := survey(view.Parse(strings.Repeat(sentence, 41)).Outline())
	at := func(others float64) float64 {
		odds := slices.Repeat([]float64{others}, len(s.Blocks))
		odds[20] = 0
		s.reconsider(odds)
		if odds[0] != others {
			t.Errorf("certain odds %v became %v", others, odds[0])
		}
		return odds[20]
	}
	if high, low := at(4), at(-4); high < low+0.5 {
		t.Errorf("between content %.2f, between furniture %.2f", high, low)
	}
}

// TestBody checks that blocks are found in the body in the structured data.
func TestBody(t *testing.T) {
	body := strings.Repeat("The harbour was closed for weeks, and the ships had to wait outside. Nobody in the town "+
		"knew why this was so. ", 4)
	o := view.Parse(`<script type="application/ld+json">{"@type":"NewsArticle","articleBody":"` + body +
		`"}</script><div><p>` + body +
		"</p><p>Something else that reads like it, but was written by another hand for other reasons.</p></div>",
	).Outline()
	if s := survey(o); s.inBody == nil || s.inBody[0] < 0.9 || s.inBody[1] > 0.1 {
		t.Errorf("shares of the blocks: %v", s.inBody)
	}
}
