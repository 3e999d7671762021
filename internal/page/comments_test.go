package page

import (
	"fmt"
	"strings"
	"testing"
)

// TestCommentMarkup checks that a comment is one, with its author and date, in the markup of
// publishing programs.
func TestCommentMarkup(t *testing.T) {
	prose := "<p>" + strings.Repeat("A cup holds what is poured into it. ", 20) + "</p>"
	article := "<article><h1>Cups</h1>" + prose + prose[:200] + "</article>"
	byline := "<footer class=comment-meta><div class='comment-author vcard'><b class=fn><a href=/e>Eve Adams</a></b> " +
		"<span class=says>says:</span></div><div class=comment-metadata><a href=#1>" +
		"<time datetime=%s>Jan 2, 2020 at 9:46</time></a></div></footer>"
	wordpress := func(date, text, replies string) string {
		return "<li class='comment even depth-1' id=comment-1><article id=div-comment-1 class=comment-body>" +
			fmt.Sprintf(byline, date) + "<div class=comment-content><p>" + text + "</p></div></article>" + replies +
			"</li>"
	}
	for name, c := range map[string]struct{ source, want string }{
		"articles in items": {"<ol class=comment-list>" + wordpress("2020-01-02", "One of them.", "<ol class=children>"+
			wordpress("2020-01-03", "Two of them.", "")+"</ol>") + wordpress("", "Three of them.", "") + "</ol>",
			"{Eve Adams 2020-01-02 0 One of them.} {Eve Adams 2020-01-03 1 Two of them.} " +
				"{Eve Adams Jan 2, 2020 at 9:46 0 Three of them.}"},
		"the date beside the name": {"<ol class=comments><li class=comment><div class='comment-author vcard'>" +
			"<span class=comment-name>Eve</span><br> <a class=comment-time href=#1><time datetime=2020-01-02>" +
			"January 2, 2020, 9:46 pm</time></a></div><div class=comment-content><p>One of them.</p></div></li></ol>",
			"{Eve 2020-01-02 0 One of them.}"},
		"a heading": {"<div class=comments><div class=comment><h3><a class=author href=/e>Eve</a> " +
			"commented Dec 18, 2025</h3><div class=comment-body><p>One.</p><p>Two.</p></div></div></div>",
			"{Eve  0 One.\nTwo.}"},
		"several in one": {"<div class=comment><div class=comment-body>One of them.</div>" +
			"<div class=comment-body>Two of them.</div></div>", "{  0 One of them.} {  0 Two of them.}"},
		"the author of a reply": {"<ul class=comments><li class=comment><p>One of them.</p><ul class=children>" +
			wordpress("2020-01-03", "Two of them.", "") + "</ul></li></ul>",
			"{  0 One of them.} {Eve Adams 2020-01-03 1 Two of them.}"},
		"a reply": {`<ol class=comments><li class=comment><div class=comment-body>First words here.</div>` +
			`<ol class=children><li class=comment><div class=comment-body>A reply to them.</div></li></ol></li>` +
			`<li class=comment><div class=comment-body>Second words here.</div></li></ol>`,
			"{  0 First words here.} {  1 A reply to them.} {  0 Second words here.}"},
		"a name in the text": {"<ul class=comments><li class=comment><b class=author>Happy</b><p>Happy birthday</p>" +
			"</li></ul>",
			"{Happy  0 Happy birthday}"},
	} {
		got := strings.Trim(fmt.Sprint(Parse(article+c.source).Content().Comments()), "[]")
		if got != c.want {
			t.Errorf("%s:\n%q\nwant\n%q", name, got, c.want)
		}
	}
}
