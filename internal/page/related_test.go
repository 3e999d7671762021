package page

import (
	"net/url"
	"strings"
	"testing"

	"techo/internal/page/traits"
)

// TestRelated finds links to other articles outside of the content.
func TestRelated(t *testing.T) {
	prose := "<p>" + strings.Repeat("The plants of the garden are listed with their height and their water. ", 4) +
		"See <a href=/soil>the soil of a garden</a>.</p>"
	card := "<a href=/tea><h3>How to grow tea</h3><p>A teaser about the tea that grows in the garden.</p></a>"
	base, _ := url.Parse("https://example.com/plants")
	for source, want := range map[string]string{
		"<aside class=related><h2>More</h2>" + card + "<a href=/b>Share</a></aside>": "How to grow tea",
		"<section><h2>You may also like</h2><div>" + card + "</div></section>":       "How to grow tea",
		"<h2>関連記事</h2><a href=/c>茶を育てる方法</a>": "" +
			"茶を育てる方法",
		"<div class=related>" + card +
			"<a href=/2024/01>January 7, 2024</a><a href=/author/eve>Eve of the Garden</a></div>": "" +
			"How to grow tea",
		"<div class=related><a href=/soil>The soil of a garden</a></div>":                         "",
		"<div class=related><a href=/plants>The plants of the garden</a></div>":                   "",
		"<nav class=related><a href=/x>All that we have</a></nav>":                                "",
		"<footer><h2>Read next</h2><a href=/imprint>The imprint of the garden</a></footer>":       "",
		"<div><h2>Read next</h2></div><div><h2>About</h2><a href=/x>All about our site</a></div>": "",
	} {
		p := Parse("<link rel=canonical href=https://example.com/plants><article><h1>Plants</h1>" + prose + prose +
			"</article>" + source)
		c := p.Content()
		for i := range c.Keep { // as if the model had kept exactly the article
			c.Keep[i] = c.Outline.Elems[c.Outline.Blocks[i].Elem].Traits&traits.InArticle != 0
		}
		var texts []string
		for _, link := range c.Related(base) {
			texts = append(texts, link.Text)
		}
		if got := strings.Join(texts, ", "); got != want {
			t.Errorf("%s: %q, want %q", source, got, want)
		}
	}
}
