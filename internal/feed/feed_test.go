package feed

import (
	"reflect"
	"strings"
	"testing"
	"time"
)

func TestParse(t *testing.T) {
	rss := `<?xml version="1.0" encoding="Shift_JIS"?><rss version="2.0"
	xmlns:content="http://purl.org/rss/1.0/modules/content/" xmlns:dc="http://purl.org/dc/elements/1.1/">
<channel><title>便り</title><link>http://a/</link>
<item><title>古い &amp; 長い</title><link>http://a/1</link><dc:date>2024-01-01T09:00:00+09:00</dc:date>
<description>short</description><content:encoded><![CDATA[<p>long</p>]]></content:encoded></item>
<item><title>新しい</title><link>http://a/2</link><pubDate>Tue, 2 Jan 2024 09:00:00 +0900</pubDate></item>
</channel></rss>`
	f, ok := Parse(rss)
	if !ok || f.Title != "便り" || len(f.Entries) != 2 {
		t.Fatalf("%+v %v", f, ok)
	}
	if e := f.Entries[0]; e.Title != "新しい" || e.Link != "http://a/2" ||
		!e.When.Equal(time.Date(2024, 1, 2, 0, 0, 0, 0, time.UTC)) {
		t.Errorf("newest: %+v", e)
	}
	if e := f.Entries[1]; e.Title != "古い & 長い" || e.Body != "<p>long</p>" {
		t.Errorf("oldest: %+v", e)
	}
	if f, ok := Parse(rss[:len(rss)-40]); !ok || len(f.Entries) != 1 {
		t.Errorf("truncated: %+v %v", f, ok)
	}
	rdf := `<rdf:RDF xmlns:rdf="x" xmlns="y"><channel><title>R</title></channel>
<item><title>I</title><link>http://a/</link></item></rdf:RDF>`
	if f, ok := Parse(rdf); !ok || f.Title != "R" || len(f.Entries) != 1 {
		t.Errorf("RDF: %+v %v", f, ok)
	}
	for _, other := range []string{"", "text", "<a><item/></a>", "<html></html>", `{"rss":1}`} {
		if _, ok := Parse(other); ok {
			t.Errorf("%q counts as a feed", other)
		}
	}
}

// TestJSON parses JSON Feeds, and refuses other JSON.
func TestJSON(t *testing.T) {
	f, ok := ParseJSON("\ufeff" + `{"version":"https:\/\/jsonfeed.org\/version\/1.1","title":"器の店",
"items":[
{"id":1,"url":"http://a.test/1","title":"湯のみ","content_html":"<p>白い</p>",
"date_published":"2024-01-02T03:04:05Z"},
{"id":"2","external_url":"http://b.test/","content_text":"a < b\nc","date_modified":"2025-01-02T03:04:05+09:00"},
{"id":"3","summary":"short"}]}`)
	second, _ := time.Parse(time.RFC3339, "2025-01-02T03:04:05+09:00")
	want := Feed{"器の店", []Entry{
		{"", "http://b.test/", second, "2025-01-02T03:04:05+09:00", "a &lt; b<br>c"},
		{"湯のみ", "http://a.test/1", time.Date(2024, 1, 2, 3, 4, 5, 0, time.UTC), "2024-01-02T03:04:05Z",
			"<p>白い</p>"},
		{"", "", time.Time{}, "", "short"}}}
	if !ok || !reflect.DeepEqual(f, want) {
		t.Errorf("%+v", f)
	}
	for _, source := range []string{``, `[]`, `{"version":"1","about":"https://jsonfeed.org/version/1"}`,
		`{"version":"https://jsonfeed.org/version/1","items":[`} {
		if _, ok := ParseJSON(source); ok {
			t.Error(source)
		}
	}
}

// TestParseHostile checks that entities are not expanded and nesting is bounded.
func TestParseHostile(t *testing.T) {
	laughs := `<!DOCTYPE x [<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;&a;"><!ENTITY c SYSTEM "file:///etc/passwd">]>
<rss><channel><title>&b;&c;</title></channel></rss>`
	if f, ok := Parse(laughs); !ok || strings.Contains(f.Title, "ha") || strings.Contains(f.Title, "root") {
		t.Errorf("%+v %v", f, ok)
	}
	Parse("<rss>" + strings.Repeat("<a>", 100_000))
	Parse("<rss><item><title>" + strings.Repeat("<a>", 100_000))
}

func FuzzParse(f *testing.F) {
	f.Add("<rss><channel><item><title>a</title></item></channel></rss>")
	f.Add(`<feed><entry><link href="x"/>`)
	f.Fuzz(func(t *testing.T, source string) { Parse(source) })
}
