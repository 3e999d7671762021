package page

import (
	"net/url"
	"testing"

	"techo/internal/page/pagetest"
)

// BenchmarkFormats renders every 50th page of WCXB in each format. Run it once per page
// in callgrind to count instructions.
func BenchmarkFormats(b *testing.B) {
	pages := pagetest.Samples(b, 50)
	from := &url.URL{Scheme: "https", Host: "example.com"}
	for _, format := range []struct {
		name   string
		render func(p *Page) string
	}{
		{"text", (*Page).Plain},
		{"article", func(p *Page) string { return p.Content().Text() }},
		{"markdown", func(p *Page) string { return p.Content().Markdown(from) }},
	} {
		b.Run(format.name, func(b *testing.B) {
			for b.Loop() {
				for _, s := range pages {
					format.render(Parse(s.HTML))
				}
			}
		})
	}
}
