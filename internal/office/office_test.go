package office

import (
	"archive/zip"
	"bytes"
	"errors"
	"strings"
	"testing"
)

func pack(t *testing.T, files map[string]string) []byte {
	t.Helper()
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for name, text := range files {
		f, err := w.Create(name)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := f.Write([]byte(text)); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func TestRead(t *testing.T) {
	const r = `xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships"`
	for name, c := range map[string]struct {
		files  map[string]string
		want   string
		images int
	}{
		"docx": {map[string]string{
			"word/document.xml": `<w:document xmlns:w="w"><w:body><w:p><w:pPr><w:pStyle w:val="Heading1"/></w:pPr><w:r><w:t>Lamps</w:t></w:r></w:p>` +
				`<w:p><w:r><w:t xml:space="preserve">Lit </w:t></w:r><w:del><w:r><w:delText>never</w:delText></w:r></w:del><w:ins><w:r><w:t>daily</w:t></w:r></w:ins><w:r><w:footnoteReference w:id="2"/></w:r></w:p>` +
				`<w:p><w:pPr><w:numPr/></w:pPr><w:r><w:t>One</w:t></w:r></w:p>` +
				`<w:tbl><w:tr><w:tc><w:p><w:r><w:t>Item</w:t></w:r></w:p></w:tc><w:tc><w:p><w:r><w:t>12</w:t></w:r></w:p></w:tc></w:tr></w:tbl></w:body></w:document>`,
			"word/footnotes.xml":    `<w:footnotes xmlns:w="w"><w:footnote w:type="separator" w:id="0"><w:p/></w:footnote><w:footnote w:id="2"><w:p><w:r><w:t>By oil.</w:t></w:r></w:p></w:footnote></w:footnotes>`,
			"word/media/image1.png": "x",
		}, "# Lamps\n\nLit daily[2]\n\n- One\n\nItem\t12\n\n[2] By oil.", 1},
		"xlsx": {map[string]string{
			"xl/workbook.xml":            `<workbook ` + r + `><sheets><sheet name="Second" sheetId="2" r:id="r2"/><sheet name="First" sheetId="1" r:id="r1"/></sheets></workbook>`,
			"xl/_rels/workbook.xml.rels": `<Relationships><Relationship Id="r1" Target="worksheets/a.xml"/><Relationship Id="r2" Target="/xl/worksheets/b.xml"/></Relationships>`,
			"xl/sharedStrings.xml":       `<sst><si><t>Item</t></si><si><r><t>La</t></r><r><t>mp</t></r><rPh><t>ランプ</t></rPh></si></sst>`,
			"xl/styles.xml":              `<styleSheet><cellXfs><xf numFmtId="0"/><xf numFmtId="14"/></cellXfs></styleSheet>`,
			"xl/worksheets/a.xml":        `<worksheet><sheetData><row><c r="A1" t="s"><v>0</v></c><c r="C1" t="s"><v>1</v></c></row><row><c r="A2" s="1"><v>46146</v></c><c r="B2"><f>1+2</f><v>0.30000000000000004</v></c><c r="C2"><f>B2*2</f><v/></c><c r="D2" t="str"><f>T(B2)</f><v></v></c></row></sheetData></worksheet>`,
			"xl/worksheets/b.xml":        `<worksheet><sheetData><row><c t="inlineStr"><is><t>in line</t></is></c><c t="b"><v>1</v></c></row></sheetData></worksheet>`,
		}, "## Second\n\nin line\tTRUE\n\n## First\n\nItem\t\tLamp\n2026-05-04\t0.3\t=B2*2", 0},
		"pptx": {map[string]string{
			"ppt/presentation.xml":            `<p:presentation xmlns:p="p" ` + r + `><p:sldIdLst><p:sldId id="1" r:id="r2"/><p:sldId id="2" r:id="r1"/></p:sldIdLst></p:presentation>`,
			"ppt/_rels/presentation.xml.rels": `<Relationships><Relationship Id="r1" Target="slides/s1.xml"/><Relationship Id="r2" Target="slides/s2.xml"/></Relationships>`,
			"ppt/slides/s1.xml":               `<p:sld xmlns:p="p" xmlns:a="a"><p:sp><p:txBody><a:p><a:r><a:t>Last</a:t></a:r></a:p></p:txBody></p:sp></p:sld>`,
			"ppt/slides/s2.xml":               `<p:sld xmlns:p="p" xmlns:a="a"><p:sp><p:nvPr><p:ph type="title"/></p:nvPr><p:txBody><a:p><a:r><a:t>Lamps</a:t></a:r></a:p></p:txBody></p:sp></p:sld>`,
			"ppt/slides/_rels/s2.xml.rels":    `<Relationships><Relationship Id="n" Target="../notesSlides/n1.xml"/></Relationships>`,
			"ppt/notesSlides/n1.xml":          `<p:notes xmlns:p="p" xmlns:a="a"><p:sp><p:nvPr><p:ph type="body"/></p:nvPr><p:txBody><a:p><a:r><a:t>Slowly</a:t></a:r></a:p></p:txBody></p:sp></p:notes>`,
		}, "## Slide 1\n\n### Lamps\n\nNotes: Slowly\n\n## Slide 2\n\nLast", 0},
	} {
		d, err := Read(pack(t, c.files))
		if err != nil || d.Kind != name || d.Text != c.want || d.Images != c.images {
			t.Errorf("%s: %+v, %v, want %q", name, d, err, c.want)
		}
	}
}

// TestSaved reads a page that a browser saved in one file.
func TestSaved(t *testing.T) {
	file := "From: <Saved by Blink>\r\nSnapshot-Content-Location: https://cape.example/a\r\nSubject: =?utf-8?Q?L=C3=A4mps?=\r\n" +
		"MIME-Version: 1.0\r\nContent-Type: multipart/related;\r\n\ttype=\"text/html\";\r\n\tboundary=\"--B\"\r\n\r\n\r\n" +
		"----B\r\nContent-Type: text/html\r\nContent-Transfer-Encoding: quoted-printable\r\n\r\n<p>The l=C3=A4mp=\r\n is lit\r\n" +
		"----B\r\nContent-Type: image/png\r\n\r\nx\r\n----B--\r\n"
	d, err := Read([]byte(file))
	if err != nil || d.Kind != Saved || d.URL != "https://cape.example/a" || d.Title != "Lämps" || d.Images != 1 ||
		len(d.HTML) != 1 || d.HTML[0] != "<p>The lämp is lit" {
		t.Errorf("%+v, %v", d, err)
	}
}

// TestHostile refuses archives that unpack to much more than they are, and never panics.
func TestHostile(t *testing.T) {
	for name, text := range map[string]string{
		"blanks":   "<a>" + strings.Repeat(" ", maxPart) + "</a>",
		"elements": "<a>" + strings.Repeat("<b/>", maxNodes+1) + "</a>",
	} {
		if _, err := Read(pack(t, map[string]string{"word/document.xml": text})); !errors.Is(err, ErrLarge) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := Read(pack(t, map[string]string{"word/document.xml": strings.Repeat("<a>", maxDepth+2)})); !errors.Is(err, ErrDamaged) {
		t.Error(err)
	}
	whole := pack(t, map[string]string{"word/document.xml": "<a><p><t>x</t></p></a>"})
	for n := range whole {
		_, _ = Read(whole[:n])
	}
	if KindOf(pack(t, map[string]string{"a.txt": "x"})) != "" {
		t.Error("an archive is taken for a document")
	}
}
