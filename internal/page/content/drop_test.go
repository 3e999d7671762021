package content

import (
	"slices"
	"strings"
	"testing"

	"techo/internal/page/view"
)

// TestDropParts checks which parts of a page are content by its kind, even if they are as
// probable as its text.
func TestDropParts(t *testing.T) {
	prose := strings.Repeat("<p>This paragraph of a page has a dozen words and is a sentence.</p>", 20)
	all := []kind{plainPage, articlePage, documentPage, forumPage, productPage, listingPage}
	texts := []kind{plainPage, articlePage}
	for name, test := range map[string]struct {
		source string
		drops  []kind
	}{
		"a footer":            {prose + "<footer><p>The part</p></footer>", texts},
		"an element named so": {prose + "<div class=site-footer><p>The part</p></div>", texts},
		"a form": {prose + "<form><p>The part</p></form>",
			slices.Concat(texts, []kind{productPage, listingPage})},
		"a form with the page": {"<form>" + prose + "<p>The part</p></form>", nil},
		"a button":             {prose + "<button>The part</button>", []kind{productPage, listingPage}},
		"a comment": {prose + "<div class=comments><div class=comment><p>The part</p></div></div>",
			slices.Concat(texts, []kind{listingPage})},
		"a comment alone": {"<div class=comments><div class=comment><p>The part</p></div></div>", nil},
		"a footer alone":  {"<footer><p>The part</p></footer>", nil},
	} {
		for _, k := range all {
			s := survey(view.Parse("<body><main>" + test.source + "</main></body>").Outline())
			s.kind = k
			odds := slices.Repeat([]float64{2}, len(s.Blocks))
			s.dropParts(odds)
			part := slices.IndexFunc(s.Blocks, func(b view.Block) bool { return b.Text == "The part" })
			if dropped := odds[part] < 0; dropped != slices.Contains(test.drops, k) {
				t.Errorf("%s on a page of kind %d: dropped is %t", name, k, dropped)
			}
			if odds[0] != 2 && len(s.Blocks) > 1 {
				t.Errorf("%s on a page of kind %d: the text is dropped", name, k)
			}
		}
	}
}

// TestDropTeasers drops teasers beside an article, and keeps a list of them.
func TestDropTeasers(t *testing.T) {
	prose := strings.Repeat("<p>This paragraph of a page has a dozen words and is a sentence.</p>", 5)
	dated := strings.Repeat("<li class=story><a href=/b>The part about other things</a><p>March 3, 2020</p></li>", 3)
	cut := strings.Repeat("<div class=story><h4><a href=/b>The part</a></h4><p>It begins with so many words and then …</p></div>", 3)
	told := "<h4><a href=/b>The part</a></h4><p>It is told from its beginning to its end.</p>"
	whole := strings.Repeat("<div class=story>"+told+"</div>", 3)
	articles := strings.Repeat("<article class=story>"+told+"</article>", 3)
	steps := strings.Repeat("<li class=story>The part of a recipe, wait until it boils...</li>", 3)
	links := "<p>You may also like ...</p>" + strings.Repeat("<p><a href=/b>The part about other things</a></p>", 3)
	related := "<section><h3 class=relatedtitle>Mais</h3>" + strings.Repeat("<div class=story><p>It is told from its beginning "+
		"to its end, in a dozen words and more.</p></div>", 3) + "</section>"
	body := "<div itemprop=articleBody>" + prose + "</div>"
	for name, test := range map[string]struct {
		source string
		kind   kind
		drops  bool
	}{
		"links with dates":                    {prose + dated, articlePage, true},
		"cut texts":                           {prose + cut, articlePage, true},
		"before the text":                     {cut + prose, articlePage, true},
		"a list of them":                      {cut, articlePage, false},
		"a listing":                           {prose + cut, listingPage, false},
		"whole texts":                         {prose + whole, articlePage, false},
		"texts without links":                 {prose + steps, articlePage, false},
		"short articles after a long one":     {"<article>" + prose + prose + "</article>" + articles, articlePage, true},
		"short articles in a listing":         {"<article>" + prose + prose + "</article>" + articles, listingPage, false},
		"articles of one length":              {articles + articles, articlePage, false},
		"links that a heading announces":      {prose + links, articlePage, true},
		"the same before the text":            {links + prose, articlePage, false},
		"the same in a manual":                {prose + links, documentPage, false},
		"a part with a related heading":       {prose + related, articlePage, true},
		"the same without a text before":      {related, articlePage, false},
		"beside a text that is marked so":     {body + "<aside>" + told + "</aside>", articlePage, true},
		"beside two texts that are marked so": {body + body + "<aside>" + told + "</aside>", articlePage, false},
		"beside a text":                       {prose + "<aside>" + told + "</aside>", articlePage, false},
		"a link in capitals":                  {prose + "<p><a href=/b>THE PART ABOUT OTHER THINGS</a></p>" + prose, articlePage, true},
		"the same at the end":                 {prose + "<p><a href=/b>THE PART ABOUT OTHER THINGS</a></p>", articlePage, false},
	} {
		s := survey(view.Parse("<body><main>" + test.source + "</main></body>").Outline())
		s.kind = test.kind
		odds := slices.Repeat([]float64{2}, len(s.Blocks))
		s.dropAppeals(odds)
		s.dropTeasers(odds)
		for i, b := range s.Blocks {
			part := !strings.HasPrefix(b.Text, "This paragraph")
			if dropped := odds[i] < 0; dropped != (part && test.drops) {
				t.Errorf("%s: %q dropped: %t", name, b.Text, dropped)
			}
		}
	}
}
