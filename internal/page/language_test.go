package page

import "testing"

// TestLanguage reads the declared language of a page, and detects the language of other pages.
func TestLanguage(t *testing.T) {
	const (
		english  = "<p>The cups of the town are made of clay.</p>"
		japanese = "<p>町の茶碗は土で作られます。</p><pre>go build -o cup ./cmd/cup</pre>"
		german   = "<p>Die Tassen der Stadt sind aus Ton, und das Holz war teuer in the year.</p>"
	)
	for _, c := range []struct{ source, want string }{
		{"<html lang=fr>" + english, "fr"},
		{"<html lang=' en-GB '>" + japanese, "en-GB"},
		{"<html xml:lang=ja>" + english, "ja"},
		{"<meta http-equiv=Content-Language content='de'>" + english, "de"},
		{"<html lang=ja><meta http-equiv=content-language content=en>" + english, "ja"},
		{"<meta http-equiv=content-language content='en, ja'>" + japanese, "ja"},
		{"<html lang=''>" + japanese, "ja"},
		{english, "en"},
		{japanese, "ja"},
		{english + "<p>茶碗</p>", "en"},
		{german, ""},
		{"<p>茶碗 土 町</p>", ""},
		{"<p>町</p><p>Чашки города сделаны из глины, the end</p>", ""},
		{"", ""},
	} {
		if p := Parse(c.source); p.Language(p.Plain()) != c.want {
			t.Errorf("%s: %q, want %q", c.source, p.Language(p.Plain()), c.want)
		}
	}
}
