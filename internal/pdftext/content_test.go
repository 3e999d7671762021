package pdftext

import (
	"bytes"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/ledongthuc/pdf"
)

// pageWith creates a PDF with one page that shows a content stream. The font F1
// has the entries that are given, and 6 0 R is a stream with a table of codes.
func pageWith(t *testing.T, font, table, stream string) pdf.Page {
	t.Helper()
	var b bytes.Buffer
	var at []int
	b.WriteString("%PDF-1.4\n")
	for n, object := range []string{
		"<< /Type /Catalog /Pages 2 0 R >>",
		"<< /Type /Pages /Kids [4 0 R] /Count 1 >>",
		"<< /Type /Font /Subtype /Type1 " + font + " >>",
		"<< /Type /Page /Parent 2 0 R /Contents 5 0 R /Resources << /Font << /F1 3 0 R >> >> >>",
		fmt.Sprintf("<< /Length %d >>\nstream\n%s\nendstream", len(stream), stream),
		fmt.Sprintf("<< /Length %d >>\nstream\n%s\nendstream", len(table), table),
	} {
		at = append(at, b.Len())
		fmt.Fprintf(&b, "%d 0 obj\n%s\nendobj\n", n+1, object)
	}
	xref := b.Len()
	fmt.Fprintf(&b, "xref\n0 %d\n0000000000 65535 f \n", len(at)+1)
	for _, offset := range at {
		fmt.Fprintf(&b, "%010d 00000 n \n", offset)
	}
	fmt.Fprintf(&b, "trailer\n<< /Size %d /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF\n", len(at)+1, xref)
	r, err := pdf.NewReader(bytes.NewReader(b.Bytes()), int64(b.Len()))
	if err != nil {
		t.Fatal(err)
	}
	return r.Page(1)
}

// allBytes shows every byte.
func allBytes() string {
	var codes []byte
	for b := range 256 {
		codes = append(codes, byte(b))
	}
	return fmt.Sprintf("BT /F1 12 Tf <%x> Tj [(ab) -120 (cd)] TJ ET", codes)
}

// codeTable is a ToUnicode table as word processors write it.
const codeTable = `/CIDInit /ProcSet findresource begin
12 dict begin
begincmap
/CIDSystemInfo << /Registry (Adobe) /Ordering (UCS) /Supplement 0 >> def
/CMapName /Adobe-Identity-UCS def
/CMapType 2 def
1 begincodespacerange
<0000> <ffff>
endcodespacerange
3 beginbfchar
<0001> <0048>
<0002> <00660069>
<0003> <d83dde00>
endbfchar
2 beginbfrange
<0010> <0020> <3042>
<0030> <0032> [<0061> <0062>
<0063>]
endbfrange
endcmap
CMapName currentdict /CMap defineresource pop
end
end`

// TestAsLibrary compares the text of pages with the one that the library's own
// GetPlainText returns, for each kind of font.
func TestAsLibrary(t *testing.T) {
	fonts := map[string]string{
		"":                                                    allBytes(),
		"/Encoding /WinAnsiEncoding":                          allBytes(),
		"/Encoding /MacRomanEncoding":                         allBytes(),
		"/Encoding /StandardEncoding":                         allBytes(),
		"/Encoding /Identity-H":                               allBytes(),
		"/Encoding << /Differences [ ] >>":                    allBytes(),
		"/Encoding /UniGB-UCS2-H":                             "BT /F1 12 Tf <4e2d6587d83dde000041> Tj ET",
		"/Encoding /Unknown":                                  "BT /F1 12 Tf (caf\xc3\xa9 \xe9) Tj ET",
		"/ToUnicode 6 0 R":                                    "BT /F1 9 Tf <000100030010001200210032ffff00> Tj ET",
		"/Encoding /Identity-H /ToUnicode 6":                  "BT /F1 9 Tf <0001> Tj /F2 9 Tf (unknown font) Tj ET",
		"/Encoding /Identity-H /ToUnicode 6 0 R":              "BT /F1 9 Tf [<0001> 50 <0012>] TJ ET BT <0002> Tj ET",
		"/Encoding << /Differences [65 /eacute /b 300 /c] >>": allBytes(),
	}
	names := slices.Sorted(maps.Keys(glyphNames()))
	names = slices.DeleteFunc(names, func(name string) bool { return name == "euro" }) // the library lacks it
	if len(names) < 4200 {
		t.Fatalf("%d names of glyphs", len(names))
	}
	for some := range slices.Chunk(names, 256) {
		fonts["/Encoding << /Differences [0 /"+strings.Join(some, " /")+"] >>"] = allBytes()
	}
	for font, stream := range fonts {
		p := pageWith(t, font, codeTable, stream)
		want, err := p.GetPlainText(nil)
		if err != nil {
			t.Fatalf("%.100s: the library: %v", font, err)
		}
		visible := func(text string) string { return strings.Join(strings.FieldsFunc(text, isSpace), "") }
		if got, err := pageText(p); visible(got) != visible(want) || err != nil {
			t.Errorf("%.100s:\ngot  %q, %v\nwant %q", font, got, err, want)
		}
	}
}

// TestOperators shows lines with operators that the library decodes as codes, or
// fails for.
func TestOperators(t *testing.T) {
	for stream, want := range map[string]string{
		`BT 14 TL /F1 12 Tf (one) ' 1 2 (two) " ET`: "one\ntwo",
		// Lines by moves and positions; a raised character stays in its line.
		"BT /F1 12 Tf 72 700 Td (one) Tj 0 -14 Td (two) Tj ET":               "one\ntwo",
		"BT /F1 12 Tf 72 700 Td 14 TL (one) Tj T* (two) Tj ET":               "one\ntwo",
		"BT /F1 12 Tf 7 70 TD (one) Tj 20 4 Td (2) Tj -20 -18 TD (two) Tj":   "one2\ntwo",
		"BT /F1 12 Tf 7 70 TD (one) Tj 4 Ts (2) Tj 0 Ts 0 -14 TD (two) Tj":   "one2\ntwo",
		"BT /F1 1 Tf 9 0 0 9 7 99 Tm (one) Tj 9 0 0 9 7 80 Tm (two) Tj ET":   "one\ntwo",
		"BT /F1 1 Tf 9 0 0 9 7 99 Tm (one) Tj 0 -1.2 Td (two) Tj ET":         "one\ntwo",
		"BT /F1 1 Tf 9 0 0 9 7 99 Tm (one) Tj 9 0 0 9 36 99 Tm (and two) Tj": "one and two",
		"BT /F1 9 Tf 72 700 Td (on) Tj 10 0 Td (e) Tj 0 -20 Td (two) Tj ET":  "one\ntwo",
		// Columns whose rows are written one after the other.
		"BT /F1 9 Tf 72 700 Td (one) Tj 200 0 Td (1) Tj -200 -12 Td (two) Tj " +
			"200 0 Td (or two) Tj": "one\t1\ntwo\tor two",
		// Lines from the last to the first.
		"BT /F1 9 Tf 72 680 Td (two) Tj ET BT 72 700 Td (one) Tj ET": "one\ntwo",
		// A scaled page, and a part of it that is elsewhere.
		"2 0 0 2 0 0 cm q 1 0 0 1 0 9 cm BT /F1 9 Tf (one) Tj ET Q BT /F1 9 Tf (two) Tj ET": "one\ntwo",
		// A text that looks bold.
		"BT /F1 9 Tf 72 700 Td (one) Tj ET BT 72.2 700 Td (one) Tj ET": "one",
		// Text that runs upwards.
		"BT /F1 9 Tf 0 1 -1 0 50 60 Tm (o) Tj 5 0 Td (ne) Tj 0 1 -1 0 62 60 Tm (two) Tj ET": "one\ntwo",
		"BT /F1 9 Tf 72 700 Td (one) Tj 0 1 -1 0 72 700 Tm (two) Tj ET":                     "one\ntwo",
	} {
		got, err := pageText(pageWith(t, "", "", stream))
		if strings.TrimSpace(got) != want || err != nil {
			t.Errorf("%s: %q, %v, want %q", stream, got, err, want)
		}
	}
	for _, stream := range []string{"BT /F1 12 Tf (one) Tj /F1 Tf (two) Tj ET", "BT Tj (a) (b) Tj (one) Tj ET"} {
		got, err := pageText(pageWith(t, "", "", stream))
		if !strings.HasPrefix(got, "one") || err == nil {
			t.Errorf("%s: %q, %v", stream, got, err)
		}
	}
}

// TestOpenText reads content streams that end within a text.
func TestOpenText(t *testing.T) {
	for stream, open := range map[string]bool{
		"BT (one) Tj <c": true, "<": true, "<</A (>)>> <41": true, "(\\)) <": true, "(a<b) Tj": false,
		"(a (b) <) Tj": false, "% <": false, "% <\n<41": true, "<41> Tj": false, "<< /A 1 >>": false,
	} {
		_, err := pageText(pageWith(t, "", "", stream))
		if got := err != nil && strings.Contains(err.Error(), "does not end"); got != open {
			t.Errorf("%s: %v", stream, err)
		}
	}
}

// TestDamagedCodeMap reads tables that are cut off or claim lists without end.
func TestDamagedCodeMap(t *testing.T) {
	for n := range len(codeTable) {
		_ = pageMust(t, codeTable[:n])
	}
	for _, table := range []string{
		"99999999999999 begincodespacerange endcodespacerange 99999999999999 beginbfchar endbfchar",
		"<00> endcodespacerange <> <> <0041> endbfrange <> <41> endbfchar [<41> endbfrange",
		"<00> <ff> endcodespacerange <00> <ff> [] endbfrange", "<zz> <0> endcodespacerange", "( ( % <", "]]>>}}",
	} {
		_ = pageMust(t, table)
	}
}

// pageMust returns the text of a page whose font has a table of codes.
func pageMust(t *testing.T, table string) string {
	t.Helper()
	text, err := pageText(pageWith(t, "/ToUnicode 6 0 R", table, allBytes()))
	if err != nil {
		t.Fatalf("%q: %v", table, err)
	}
	return text
}
