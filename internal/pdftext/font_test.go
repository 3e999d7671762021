package pdftext

import (
	"fmt"
	"strings"
	"testing"
)

// TestEncodings shows texts in predefined encodings, and codes that a table maps to
// characters.
func TestEncodings(t *testing.T) {
	const table = "1 begincodespacerange <00> <ff> endcodespacerange 1 beginbfchar <41> <3042> endbfchar"
	for font, c := range map[string]struct{ codes, want string }{
		"/Encoding /UniJIS-UTF16-H":                   {"\x65\xe5\x67\x2c", "日本"},
		"/Encoding /UniJIS-UCS2-HW-V":                 {"\x65\xe5\x67\x2c", "日本"},
		"/Encoding /90ms-RKSJ-H":                      {"\x93\xfa\x96\x7b", "日本"},
		"/Encoding /90msp-RKSJ-V":                     {"\x93\xfa\x96\x7bA", "日本A"},
		"/Encoding /EUC-H":                            {"\xc6\xfc\xcb\xdc", "日本"},
		"/Encoding /H":                                {"\x46\x7c\x4b\x5c", "日本"},
		"/Encoding /GBK-EUC-H":                        {"\xc8\xd5\xb1\xbe", "日本"},
		"/Encoding /ETen-B5-H":                        {"\xa4\xe9\xa5\xbb", "日本"},
		"/Encoding /KSCms-UHC-H":                      {"\xc7\xd1", "한"},
		"/Encoding /Identity-V /ToUnicode 6 0 R":      {"A", "あ"},
		"/Encoding /WinAnsiEncoding /ToUnicode 6 0 R": {"ABC", "あBC"},
		"/Encoding << /Differences [65 /g1 /g2 /fi] >> /ToUnicode 6 0 R": {"ABC", "あBfi"},
		"/Encoding << /Differences [65 /ff /ffi /fl] >>":                 {"ABC", "ffffifl"},
		"/Subtype /Type0 /Encoding /90ms-RKSJ-H /ToUnicode 6 0 R":        {"\x93\xfa\x96\x7b", "日本"},
	} {
		got, err := page(pageWith(t, font, table, fmt.Sprintf("BT /F1 12 Tf <%x> Tj ET", c.codes)))
		if strings.TrimSpace(got) != c.want || err != nil {
			t.Errorf("%s: %q, %v, want %q", font, got, err, c.want)
		}
	}
}

// TestVertical shows wide characters one below the other, as a browser prints vertical text.
func TestVertical(t *testing.T) {
	down := func(x, y, step float64, text string) (stream string) {
		for _, r := range text {
			stream += fmt.Sprintf("1 0 0 1 %g %g Tm <%04x> Tj ", x, y, r)
			y -= step
		}
		return stream
	}
	for want, stream := range map[string]string{
		"縦書き\nです": down(100, 500, 12, "縦書き") + down(80, 500, 12, "です"),
		"一\n二":    down(100, 500, 18, "一二"),
		"A\nB":    down(100, 500, 12, "AB"),
	} {
		got, err := page(pageWith(t, "/Encoding /UniJIS-UTF16-H", "", "BT /F1 12 Tf "+stream+"ET"))
		if strings.TrimSpace(got) != want || err != nil {
			t.Errorf("%q, %v, want %q", got, err, want)
		}
	}
}
