package page

import (
	"strings"
	"testing"
)

// story is prose that a page has as data.
const story = "The potter shapes each cup by hand, and lets it dry for a week before it is fired. " +
	"Most of the clay comes from the river, which floods the fields every spring. " +
	"Visitors may watch the work on any day of the week except for Mondays."

// TestSource checks what the text of a page without elements comes from.
func TestSource(t *testing.T) {
	more := "It takes years to learn how to shape a bowl, and a lifetime to shape a good one, the potter says."
	for name, c := range map[string]struct {
		head   string
		source Source
	}{
		"json-ld": {`<script type="application/ld+json">{"@type":"Article","articleBody":"` + story +
			`"}</script>`, FromLD},
		"next": {`<script id=__NEXT_DATA__ type="application/json">{"props":{"a":"` + story + `","b":"` + more +
			`"}}</script>`, FromData},
		"state": {`<script>window.__INITIAL_STATE__ = {"a":"` + story + `","b":"` + more + `"};</script>`, FromData},
		"parsed": {`<script nonce=x>window.__DATA__=JSON.parse("{\"a\":\"` + story + `\",\"b\":\"` + more +
			`\"}")</script>`, FromData},
		"flight": {`<script>self.__next_f.push([1,"3:[\"$\",\"p\",null,{\"children\":\"` + story +
			`\"}]\n4:[\"$\",\"p\",null,{\"children\":\"` + more + `\"}]"])</script>`, FromData},
		"description": {`<meta name=description content="` + story + `">`, FromHTML},
		"code":        {`<script>var a = "` + story + `", b = "` + more + `";</script>`, FromHTML},
	} {
		p := Parse("<html><head><title>Cups</title>" + c.head + "</head><body><div id=root></div>" +
			"<script src=a.js></script></body></html>")
		got := p.Content()
		if got.Source != c.source {
			t.Errorf("%s: %s, want %s", name, got.Source, c.source)
		}
		if has := strings.Contains(got.Text(), story); has == (name == "code") {
			t.Errorf("%s: %q", name, got.Text())
		}
	}
	if c := Parse("<p>" + story + "</p>").Content(); c.Source != FromHTML {
		t.Errorf("elements: %s", c.Source)
	}
}

// TestNestedData checks that data within data within data is read to a limited depth.
func TestNestedData(t *testing.T) {
	deep := story
	for range 12 {
		deep = strings.ReplaceAll(`{"a":"`+deep+`","b":"x"}`, `\`, `\\`)
		deep = strings.ReplaceAll(deep, `"`, `\"`)
	}
	p := Parse(`<script>window.__DATA__={"a":"` + deep + `"}</script><script src=a.js></script>`)
	if text := p.Content().Text(); strings.Contains(text, story) {
		t.Errorf("%q", text)
	}
}
