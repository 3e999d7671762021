package page

import (
	"fmt"
	"net/url"
	"runtime"
	"strings"
	"testing"

	"techo/internal/page/soup"
)

// allocated returns the number of bytes that a function allocates.
func allocated(f func()) int64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	f()
	runtime.ReadMemStats(&after)
	return int64(after.TotalAlloc - before.TotalAlloc)
}

// TestManyLinks checks that memory is proportional to the number of links.
func TestManyLinks(t *testing.T) {
	var b strings.Builder
	for i := range 150_000 {
		fmt.Fprintf(&b, "<a href=/%d>x</a>\n", i%1000)
	}
	from, err := url.Parse("http://example.com/")
	if err != nil {
		t.Fatal(err)
	}
	var text string
	took := allocated(func() {
		p := Parse(b.String())
		if text = p.Whole().Markdown(from); p.Cut {
			t.Error("the page is cut")
		}
	})
	if n := strings.Count(text, "](http://example.com/"); n != 150_000 {
		t.Errorf("%d links", n)
	}
	if took > 500<<20 {
		t.Errorf("%d bytes take %d MB of allocations", b.Len(), took>>20)
	}
	if w := soup.Weight(b.String()); w < 60<<20 || w > 160<<20 {
		t.Errorf("%d MB are expected", w>>20)
	}
}

// TestManyElements checks that a page with too many elements is cut.
func TestManyElements(t *testing.T) {
	const n = 1 << 19 // twice the limit of elements
	var manyAttributes strings.Builder
	manyAttributes.WriteString("<p")
	for i := range 1 << 19 {
		fmt.Fprintf(&manyAttributes, " a%d", i)
	}
	manyAttributes.WriteString(">text")
	for name, source := range map[string]string{
		"paragraphs": strings.Repeat("<p>a", 1<<18),
		"attributes": manyAttributes.String(),
		"comments":   strings.Repeat("<!---->", 1<<19),
		"svg":        "<svg><title>" + strings.Repeat("<p>a", n),
		"deep":       strings.Repeat("<div>a", n),
	} {
		t.Run(name, func(t *testing.T) {
			var p *Page
			took := allocated(func() { p = Parse("<title>T</title>" + source); p.Whole().Text() })
			if !p.Cut || p.Title != "T" {
				t.Errorf("cut: %v, title %q", p.Cut, p.Title)
			}
			if took > 500<<20 {
				t.Errorf("%d MB of allocations", took>>20)
			}
		})
	}
}

// TestReopened checks pages in which the HTML rules reopen elements again and
// again.
func TestReopened(t *testing.T) {
	var fonts strings.Builder
	for i := range 400 {
		fmt.Fprintf(&fonts, "<font a=%d>", i)
	}
	closed := strings.Repeat("</font>", 400)
	long := strings.ReplaceAll(fonts.String(), "a=", "b="+strings.Repeat("x", 300)+" a=")
	text := strings.Repeat("<p>x", 2000)
	for name, source := range map[string]string{
		"plain":        "<p>" + fonts.String() + text,
		"long tags":    "<p>" + long + text,
		"in a cell":    "<p>" + fonts.String() + "<table><td>" + closed + "</table>" + text,
		"no cell":      "<p><td>" + fonts.String() + "</td>" + text,
		"two tables":   "<table><table></table><p><td>" + fonts.String() + "</td>" + text,
		"in an object": "<p>" + fonts.String() + "<object>" + closed + "</object>" + text,
		"object left":  "<p><object>" + fonts.String() + "</object>" + text,
	} {
		t.Run(name, func(t *testing.T) {
			var p *Page
			if took := allocated(func() { p = Parse(source) }); took > 100<<20 {
				t.Errorf("%d bytes take %d MB", len(source), took>>20)
			}
			if n := strings.Count(p.Whole().Text(), "x"); n != 2000 {
				t.Errorf("%d of 2000 paragraphs", n)
			}
		})
	}
}
