package pdftext

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"techo/internal/testenv"
)

// options of these tests: PDFium is compiled once.
var options = Options{Timeout: time.Minute, Cache: testenv.Cache()}

// readAll returns the text of all pages.
func readAll(ctx context.Context, body []byte, o Options) (*Document, error) {
	d, err := Pages(ctx, body, 1, MaxPages, o)
	if err == nil && d.Text() == "" {
		err = ErrEmpty
	}
	return d, err
}

func TestRead(t *testing.T) {
	d, err := readAll(t.Context(), testenv.PDF("Hello PDF", "Second page"), options)
	if err != nil || d.Cut || d.Total != 2 || d.Text() != "Hello PDF\n\nSecond page" {
		t.Errorf("%+v, %v", d, err)
	}
}

// TestFailures checks that the library's failures have errors of this package.
func TestFailures(t *testing.T) {
	whole := string(testenv.PDF("Hello"))
	for _, c := range []struct {
		body string
		want error
	}{
		{"%PDF-1.4\nbroken", ErrDamaged},
		{strings.NewReplacer("startxref\n", "startxref\n9", "/Catalog", "/Else", "/Root", "/Stem").Replace(whole),
			ErrDamaged},
		{strings.Replace(whole, "/Root 1 0 R", "/Root 1 0 R /Encrypt << /Filter /Other >>", 1), ErrEncrypted},
	} {
		if _, err := readAll(t.Context(), []byte(c.body), options); !errors.Is(err, c.want) {
			t.Errorf("%v, want %v", err, c.want)
		}
	}
}

// TestRightToLeft reads Arabic and Hebrew by two writers: letters that are joined, lam and alef as
// one sign, numbers and parentheses. The files have the same text in other lines.
func TestRightToLeft(t *testing.T) {
	want := strings.Fields(`المنارة على الرأس
		بنى المنارة أربعون شخصا خلال ثلاثة أصياف، وكتب الحارس ذلك في دفتره سنة 1850.
		لا أحد يعرف لماذا انطفأ المصباح، لكن الزجاج كان دافئا (كما قال الحارس) والسلالم تقود إلى الماء.
		המגדלור על הכף נבנה בידי ארבעים איש במשך שלושה קיצים, והשומר כתב זאת ביומנו בשנת 1850 (כך אמר).`)
	for _, writer := range []string{"chromium", "weasyprint"} {
		body, err := os.ReadFile("testdata/rtl/" + writer + ".pdf")
		if err != nil {
			t.Fatal(err)
		}
		d, err := readAll(t.Context(), body, options)
		if err != nil || !slices.Equal(strings.Fields(d.Text()), want) {
			t.Errorf("%s: %q, %v", writer, d.Text(), err)
		}
	}
}

// TestRepair reads files whose table of objects is elsewhere, wrong or missing.
func TestRepair(t *testing.T) {
	whole := string(testenv.PDF("Hello PDF", "Second page"))
	table := strings.Index(whole, "xref\n")
	for name, body := range map[string]string{
		"a wrong offset":    strings.Replace(whole, "startxref\n", "startxref\n9", 1),
		"an offset of zero": whole[:strings.Index(whole, "startxref")] + "startxref\n0\n%%EOF\n",
		"no end":            whole[:strings.Index(whole, "startxref")],
		"no table":          whole[:table],
		"moved objects": strings.NewReplacer("%PDF-1.4\n", "%PDF-1.4\n% moved\n", "\nxref",
			"\nxxxx").Replace(whole),
	} {
		d, err := readAll(t.Context(), []byte(body), options)
		if err != nil || d.Total != 2 || d.Text() != "Hello PDF\n\nSecond page" {
			t.Errorf("%s: %+v, %v", name, d, err)
		}
	}
}

// TestReadBroken checks that truncated and broken files give an error, never a panic, and soon.
func TestReadBroken(t *testing.T) {
	whole := testenv.PDF("Hello PDF")
	for n := 0; n < len(whole); n += 37 {
		if _, err := readAll(t.Context(), whole[:n], options); err == nil && n < len(whole)/2 {
			t.Errorf("%d bytes of it are read", n)
		}
	}
	for i := 0; i < len(whole); i += testenv.Pick(29, 13) {
		broken := bytes.Clone(whole)
		broken[i] ^= 0x15
		if _, err := readAll(t.Context(), broken, options); errors.Is(err, ErrSlow) {
			t.Errorf("with another byte at %d: %v", i, err)
		}
	}
}

// build makes a PDF of one page. Of the parts, op is its content, cat stands in its catalog, pad
// is the size of a stream that nothing uses, and pre stands before the header.
func build(op, cat string, pad int, pre string) []byte {
	stream := "BT /F 12 Tf 20 100 Td " + op + " ET"
	var b bytes.Buffer
	b.WriteString("%PDF-1.4\n")
	var at []int
	for i, object := range []string{
		"<</Type/Catalog/Pages 2 0 R" + cat + ">>", "<</Type/Pages/Kids[3 0 R]/Count 1>>",
		"<</Type/Page/Parent 2 0 R/MediaBox[0 0 300 200]/Resources<</Font<</F 4 0 R>>>>/Contents 5 0 R>>",
		"<</Type/Font/Subtype/Type1/BaseFont/Helvetica/ToUnicode 6 0 R>>",
		fmt.Sprintf("<</Length %d>>stream\n%s\nendstream", len(stream), stream),
		fmt.Sprintf("<</Length %d>>stream\n%s\nendstream", pad, strings.Repeat("x", pad)),
		"<</Title(Lamps)/Parent 8 0 R/Dest[3 0 R/Fit]>>",
		"<</First 7 0 R/Last 7 0 R/Count 1>>",
	} {
		at = append(at, b.Len())
		fmt.Fprintf(&b, "%d 0 obj\n%s\nendobj\n", i+1, object)
	}
	xref := b.Len()
	fmt.Fprintf(&b, "xref\n0 %d\n0000000000 65535 f \n", len(at)+1)
	for _, offset := range at {
		fmt.Fprintf(&b, "%010d 00000 n \n", offset)
	}
	fmt.Fprintf(&b, "trailer<</Size %d/Root 1 0 R>>\nstartxref\n%d\n%%%%EOF\n", len(at)+1, xref)
	return append([]byte(pre), b.Bytes()...)
}

// TestKinds reads files of kinds that other readers refuse or garble.
func TestKinds(t *testing.T) {
	const plain = "(Lamp words) Tj"
	for name, c := range map[string]struct {
		body []byte
		want string
	}{
		"more than 1 MiB":     {build(plain, "", 1_050_000, ""), "Lamp words"},
		"a font without size": {build("/F 0 Tf (Lamp) Tj", "", 0, ""), "Lamp"},
		"no matrix":           {build("0 0 0 0 0 0 Tm (Lamp) Tj", "", 0, ""), "Lamp"},
		"an endless size":     {build("/F 1e39 Tf (Lamp) Tj", "", 0, ""), "Lamp"},
		"an endless way":      {build("1 0 0 1 1e38 1e38 Tm (Lamp) Tj", "", 0, ""), "Lamp"},
		"an escaped name":     {build(plain, "/RoleMap<</Heading#201/H1>>", 0, ""), "Lamp words"},
		"a URI":               {build(plain, "/URI(https://cape.example/#2024)", 0, ""), "Lamp words"},
		"a large number":      {build(plain, "/Params<</Size 2500000>>", 0, ""), "Lamp words"},
		"a word":              {build("(the xref 2000000) Tj", "", 0, ""), "the xref 2000000"},
		"a byte mark":         {build(plain, "", 0, "\ufeff"), "Lamp words"},
		"lines before":        {build(plain, "", 0, "\r\n\r\n"), "Lamp words"},
		"headers before":      {build(plain, "", 0, "HTTP/1.1 200 OK\r\nServer: x\r\n\r\n"), "Lamp words"},
		"text as shown":       {build("/Span<</ActualText(lamp)>>BDC (xxxx) Tj EMC", "", 0, ""), "lamp"},
		"a ligature":          {build("/Span<</ActualText<FEFF00660069>>>BDC (x) Tj EMC (sh) Tj", "", 0, ""), "fish"},
	} {
		if !Is(c.body) {
			t.Errorf("%s: not taken for a PDF", name)
		}
		d, err := readAll(t.Context(), c.body, options)
		if err != nil || d.Text() != c.want {
			t.Errorf("%s: %+v, %v, want %q", name, d, err, c.want)
		}
	}
	const letters = "/CMapName/x def 1 begincodespacerange <00><ff> endcodespacerange " +
		"1 beginbfchar <78> <D835DC5B> endbfchar endcmap"
	formula := bytes.Replace(build("(x=1) Tj", "", len(letters), ""), bytes.Repeat([]byte("x"), len(letters)), []byte(letters), 1)
	if d, err := readAll(t.Context(), formula, options); err != nil || d.Text() != "𝑛=1" {
		t.Errorf("a letter of two code units: %+v, %v", d, err)
	}
	d, err := readAll(t.Context(), build(plain, "/Outlines 8 0 R", 0, ""), options)
	if err != nil || !slices.Equal(d.Outline, []Heading{{1, "Lamps", 1}}) {
		t.Errorf("%+v, %v", d, err)
	}
	for _, text := range []string{"<p>A file begins with %PDF-1.7 and 1 0 obj", "The header is %PDF-1.7.", ""} {
		if Is([]byte(text)) {
			t.Errorf("%q is taken for a PDF", text)
		}
	}
}

// TestLogical puts lines, as they look, into the order of their writing.
func TestLogical(t *testing.T) {
	for _, c := range []struct {
		looks, want string
		onRTL       bool
	}{
		{"םלוע םולש", "שלום עולם", true},
		{".2024 תנשב ,Hello World דיל ,12.5 רדחב אצמנ (key) חתפמה", "המפתח (key) נמצא בחדר 12.5, ליד Hello World, בשנת 2024.", true},
		{"The word םלוע םולש means hello", "The word שלום עולם means hello", false},
		{"plain 12.5", "plain 12.5", true},
		{"5% החנה", "הנחה 5%", true},
	} {
		if got := logical(c.looks, c.onRTL); got != c.want {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
}

// TestMemory grows the memory of a module in place, and not beyond its limit.
func TestMemory(t *testing.T) {
	m := reserve(0, 1<<40)
	small := m.Reallocate(1 << 16)
	large := m.Reallocate(1 << 20)
	if len(small) != 1<<16 || len(large) != 1<<20 || &small[0] != &large[0] {
		t.Errorf("%d bytes at %p, then %d at %p", len(small), small, len(large), large)
	}
	if beyond := m.Reallocate(MaxMemory + 1); beyond != nil {
		t.Errorf("%d bytes, of at most %d", len(beyond), MaxMemory)
	}
}
