package feed

import (
	"reflect"
	"testing"
	"time"
)

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
