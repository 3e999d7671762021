package pdftext

import (
	"math"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/klippa-app/go-pdfium/enums"
	"github.com/klippa-app/go-pdfium/references"
	"github.com/klippa-app/go-pdfium/requests"
	"github.com/klippa-app/go-pdfium/structs"
)

// Limits of a page.
const (
	maxCharacters = 1 << 20
	maxRules      = 100_000
	maxForms      = 12 // within each other
)

// readPage returns the text of a page in the order of reading, and its links.
func (f *file) readPage(n int) (string, []Link, error) {
	page := requests.Page{ByIndex: &requests.PageByIndex{Document: f.document, Index: n}}
	d := f.drawn(page)
	loaded, err := f.FPDFText_LoadPage(&requests.FPDFText_LoadPage{Page: page})
	if err != nil {
		return "", nil, err
	}
	defer f.FPDFText_ClosePage(&requests.FPDFText_ClosePage{TextPage: loaded.TextPage})
	glyphs, err := f.glyphs(loaded.TextPage)
	if err != nil {
		return "", nil, err
	}
	fields, links := f.annotations(page, loaded.TextPage)
	return arrange(append(runsOf(byPlace(glyphs)), fields...), d.rules), links, nil
}

// drawn returns the horizontal lines of a page, and prepares its texts for PDFium's reader.
func (f *file) drawn(page requests.Page) (d drawing) {
	objects, err := f.FPDFPage_CountObjects(&requests.FPDFPage_CountObjects{Page: page})
	if err != nil {
		return d
	}
	for i := 0; i < objects.Count && len(d.rules) < maxRules; i++ {
		object, err := f.FPDFPage_GetObject(&requests.FPDFPage_GetObject{Page: page, Index: i})
		if err == nil {
			f.draw(&d, object.PageObject, upright, 0)
		}
	}
	return d
}

// widen gives a text a border if PDFium takes it for one without width, which it leaves out: a
// single character of a font that the file lacks.
func (f *file) widen(object references.FPDF_PAGEOBJECT) {
	box, err := f.FPDFPageObj_GetBounds(&requests.FPDFPageObj_GetBounds{PageObject: object})
	if err != nil || box.Right-box.Left > 0.02 {
		return
	}
	_, _ = f.FPDFTextObj_SetTextRenderMode(&requests.FPDFTextObj_SetTextRenderMode{PageObject: object,
		TextRenderMode: enums.FPDF_TEXTRENDERMODE_STROKE})
	_, _ = f.FPDFPageObj_SetStrokeWidth(&requests.FPDFPageObj_SetStrokeWidth{PageObject: object, StrokeWidth: 1})
	_, _ = f.FPDFPageObj_Transform(&requests.FPDFPageObj_Transform{PageObject: object,
		Transform: structs.FPDF_FS_MATRIX{A: 1, D: 1}}) // measures it again
}

// glyph is a character at its place. Distances are in units of the page.
type glyph struct {
	r        rune
	from, to float64 // along the line
	origin   float64 // likewise
	across   float64 // of the line
	size     float64
	turn     int

	low, high float32 // of its box
}

// glyphs returns the characters of a page as PDFium orders them, without the blanks and line
// ends that it adds.
func (f *file) glyphs(page references.FPDF_TEXTPAGE) ([]glyph, error) {
	count, err := f.FPDFText_CountChars(&requests.FPDFText_CountChars{TextPage: page})
	if err != nil {
		return nil, err
	}
	var all []glyph
	var half rune // the first of two that are one character, which PDFium counts as two
	for i := range min(count.Count, maxCharacters) {
		code, err := f.FPDFText_GetUnicode(&requests.FPDFText_GetUnicode{TextPage: page, Index: i})
		if err != nil {
			return nil, err
		}
		r := rune(code.Unicode)
		if utf16.IsSurrogate(r) {
			if half, r = r, utf16.DecodeRune(half, r); r == utf8.RuneError {
				continue
			}
		}
		switch {
		case r == ' ':
			made, err := f.FPDFText_IsGenerated(&requests.FPDFText_IsGenerated{TextPage: page, Index: i})
			if err != nil || made.IsGenerated {
				continue
			}
		case r == 2: // a hyphen at the end of a line
			r = softHyphen
		case r == 0, r == '\r', r == '\n', r == 0xfffe, r == utf8.RuneError, unicode.IsControl(r):
			continue
		}
		var before *glyph
		if len(all) > 0 && !isRTL(r) { // where the ink of an Arabic letter begins says nothing about gaps
			before = &all[len(all)-1]
		}
		if g, ok := f.place(page, i, before); ok && (r != ' ' || g.to > g.from) {
			g.r = r
			all = append(all, g)
		}
	}
	return all, nil
}

// place returns the place of a character. A call of PDFium takes two microseconds, so what the
// character before it has is not asked again: one whose box has the same height is on its line,
// in its font.
func (f *file) place(page references.FPDF_TEXTPAGE, i int, before *glyph) (g glyph, ok bool) {
	box, err := f.FPDFText_GetLooseCharBox(&requests.FPDFText_GetLooseCharBox{TextPage: page, Index: i})
	if err != nil {
		return g, false
	}
	g.low, g.high = box.Rect.Bottom, box.Rect.Top
	if before != nil && before.turn == 0 && g.low == before.low && g.high == before.high && g.high > g.low {
		g.across, g.size = before.across, before.size
		g.from, g.to = float64(box.Rect.Left), float64(box.Rect.Right)
		g.origin = g.from
		return g, true
	}
	m, err := f.FPDFText_GetMatrix(&requests.FPDFText_GetMatrix{TextPage: page, Index: i})
	if err != nil {
		return g, false
	}
	size, err := f.FPDFText_GetFontSize(&requests.FPDFText_GetFontSize{TextPage: page, Index: i})
	if err != nil {
		return g, false
	}
	origin, err := f.FPDFText_GetCharOrigin(&requests.FPDFText_GetCharOrigin{TextPage: page, Index: i})
	if err != nil {
		return g, false
	}
	at := matrix{float64(m.Matrix.A), float64(m.Matrix.B), float64(m.Matrix.C), float64(m.Matrix.D), 0, 0}
	g.turn, g.size = at.turn(), at.height()*math.Abs(size.FontSize)
	if size.FontSize < 0 {
		g.turn = (g.turn + 180) % 360
	}
	r := box.Rect
	left, low, right, high := float64(r.Left), float64(r.Bottom), float64(r.Right), float64(r.Top)
	g.from, g.across = along(g.turn, origin.X, origin.Y)
	g.origin = g.from
	switch g.turn {
	case 0:
		if bearing := left - g.from; bearing < 0 || bearing > g.size*0.8 {
			g.from = left
		} // else PDFium gives the ink, as for a font without height
		g.to = right
	case 90:
		g.from, g.to = low, high
	case 180:
		g.from, g.to = -right, -left
	case 270:
		g.from, g.to = -high, -low
	default:
		g.to = g.from + math.Min(math.Hypot(right-left, high-low), g.size)
	}
	return g, true
}

// runsOf joins characters that follow each other.
func runsOf(glyphs []glyph) (runs []run) {
	for _, g := range glyphs {
		r := run{text: utf8.AppendRune(nil, g.r), from: g.from, to: g.to, across: g.across, size: g.size, turn: g.turn}
		if last := len(runs) - 1; last >= 0 && runs[last].continues(r) {
			runs[last].text = append(runs[last].text, r.text...)
			runs[last].to = max(runs[last].to, r.to)
			continue
		}
		runs = append(runs, r)
	}
	return runs
}

// draw collects the horizontal lines of an object of a page.
func (f *file) draw(d *drawing, object references.FPDF_PAGEOBJECT, page matrix, depth int) {
	kind, err := f.FPDFPageObj_GetType(&requests.FPDFPageObj_GetType{PageObject: object})
	switch {
	case err == nil && kind.Type == enums.FPDF_PAGEOBJ_TEXT:
		f.widen(object)
		return
	case err != nil, kind.Type != enums.FPDF_PAGEOBJ_PATH && kind.Type != enums.FPDF_PAGEOBJ_FORM:
		return
	}
	if m, err := f.FPDFPageObj_GetMatrix(&requests.FPDFPageObj_GetMatrix{PageObject: object}); err == nil {
		m := m.Matrix
		page = matrix{float64(m.A), float64(m.B), float64(m.C), float64(m.D), float64(m.E), float64(m.F)}.times(page)
	}
	if kind.Type == enums.FPDF_PAGEOBJ_FORM {
		parts, err := f.FPDFFormObj_CountObjects(&requests.FPDFFormObj_CountObjects{PageObject: object})
		if err != nil || depth >= maxForms {
			return
		}
		for i := 0; i < parts.Count && len(d.rules) < maxRules; i++ {
			part, err := f.FPDFFormObj_GetObject(&requests.FPDFFormObj_GetObject{PageObject: object, Index: uint64(i)})
			if err == nil {
				f.draw(d, part.PageObject, page, depth+1)
			}
		}
		return
	}
	segments, err := f.FPDFPath_CountSegments(&requests.FPDFPath_CountSegments{PageObject: object})
	if err != nil {
		return
	}
	d.move(0, 0)
	for i := 0; i < segments.Count && len(d.rules) < maxRules; i++ {
		at := requests.FPDFPath_GetPathSegment{PageObject: object, Index: i}
		if segment, err := f.FPDFPath_GetPathSegment(&at); err == nil {
			f.segment(d, segment.PathSegment, page)
		}
	}
}

func (f *file) segment(d *drawing, segment references.FPDF_PATHSEGMENT, page matrix) {
	kind, err := f.FPDFPathSegment_GetType(&requests.FPDFPathSegment_GetType{PathSegment: segment})
	if err != nil {
		return
	}
	point, err := f.FPDFPathSegment_GetPoint(&requests.FPDFPathSegment_GetPoint{PathSegment: segment})
	if err != nil {
		return
	}
	to := page.moved(float64(point.X), float64(point.Y))
	switch kind.Type {
	case enums.FPDF_SEGMENT_MOVETO:
		d.move(to[4], to[5])
	case enums.FPDF_SEGMENT_LINETO:
		d.line(to[4], to[5])
	default:
		d.x, d.y = to[4], to[5]
	}
	if shut, err := f.FPDFPathSegment_GetClose(&requests.FPDFPathSegment_GetClose{PathSegment: segment}); err == nil &&
		shut.IsClose {
		d.line(d.startX, d.startY)
	}
}
