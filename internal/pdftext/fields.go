package pdftext

import (
	"strings"

	"github.com/klippa-app/go-pdfium/enums"
	"github.com/klippa-app/go-pdfium/references"
	"github.com/klippa-app/go-pdfium/requests"
	"github.com/klippa-app/go-pdfium/responses"
	"github.com/klippa-app/go-pdfium/structs"
)

// maxFields limits the fields and links of a page, and the choices of a field.
const maxFields = 10_000

// annotations returns what stands on a page beside its own text: the values of the fields of
// a form and notes, where they stand, and links.
func (f *file) annotations(page requests.Page, text references.FPDF_TEXTPAGE) (runs []run, links []Link) {
	count, err := f.FPDFPage_GetAnnotCount(&requests.FPDFPage_GetAnnotCount{Page: page})
	if err != nil {
		return nil, nil
	}
	for i := range min(count.Count, maxFields) {
		got, err := f.FPDFPage_GetAnnot(&requests.FPDFPage_GetAnnot{Page: page, Index: i})
		if err != nil {
			continue
		}
		a := annotation{f, got.Annotation}
		kind, err := f.FPDFAnnot_GetSubtype(&requests.FPDFAnnot_GetSubtype{Annotation: a.ref})
		if err == nil {
			switch kind.Subtype {
			case enums.FPDF_ANNOT_SUBTYPE_WIDGET:
				runs = append(runs, a.shown(a.value(text))...)
			case enums.FPDF_ANNOT_SUBTYPE_FREETEXT:
				runs = append(runs, a.shown(a.entry("Contents"))...)
			case enums.FPDF_ANNOT_SUBTYPE_LINK:
				if l := a.link(text); l.URL != "" {
					links = append(links, l)
				}
			}
		}
		_, _ = f.FPDFPage_CloseAnnot(&requests.FPDFPage_CloseAnnot{Annotation: a.ref})
	}
	return runs, links
}

// annotation is something on a page that is not its own text.
type annotation struct {
	*file
	ref references.FPDF_ANNOTATION
}

func (a annotation) entry(key string) string {
	v, err := a.FPDFAnnot_GetStringValue(&requests.FPDFAnnot_GetStringValue{Annotation: a.ref, Key: key})
	if err != nil {
		return ""
	}
	return v.Value
}

// shown places a text in the box of an annotation, unless that is hidden.
func (a annotation) shown(text string) (runs []run) {
	const hidden, noView = 1 << 1, 1 << 5
	text = strings.TrimSpace(strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(text))
	flags, err := a.FPDFAnnot_GetFlags(&requests.FPDFAnnot_GetFlags{Annotation: a.ref})
	if text == "" || err != nil || flags.Flags&(hidden|noView) != 0 {
		return nil
	}
	box, err := a.FPDFAnnot_GetRect(&requests.FPDFAnnot_GetRect{Annotation: a.ref})
	if err != nil {
		return nil
	}
	lines := strings.Split(text, "\n")
	left, low, high := float64(box.Rect.Left), float64(box.Rect.Bottom), float64(box.Rect.Top)
	low, high = min(low, high), max(low, high)
	const usual = 12
	size := min(usual, (high-low)/float64(len(lines))*0.8)
	base := (low+high)/2 - size*0.35
	if len(lines) > 1 {
		base = high - size
	}
	for i, line := range lines {
		line = logical(line, true) // as it looks
		wide := 0.0
		for _, r := range line {
			wide += widthOf(r)
		}
		runs = append(runs, run{text: []byte(line), from: left + 2, to: left + 2 + wide*size,
			across: base - float64(i)*size*1.15, size: size, guessed: true, field: true})
	}
	return runs
}

// value returns the visible value of a field. Boxes that can be ticked are ☑ or ☐.
func (a annotation) value(text references.FPDF_TEXTPAGE) string {
	form, ok := a.fields()
	if !ok {
		return ""
	}
	kind, err := a.FPDFAnnot_GetFormFieldType(&requests.FPDFAnnot_GetFormFieldType{FormHandle: form, Annotation: a.ref})
	if err != nil {
		return ""
	}
	switch kind.FormFieldType {
	case enums.FPDF_FORMFIELD_TYPE_CHECKBOX, enums.FPDF_FORMFIELD_TYPE_RADIOBUTTON:
		on, err := a.FPDFAnnot_IsChecked(&requests.FPDFAnnot_IsChecked{FormHandle: form, Annotation: a.ref})
		if state := a.entry("AS"); err == nil && on.IsChecked || state != "" && state != "Off" {
			return "☑"
		}
		return "☐"
	case enums.FPDF_FORMFIELD_TYPE_PUSHBUTTON:
		return a.caption(text)
	case enums.FPDF_FORMFIELD_TYPE_COMBOBOX, enums.FPDF_FORMFIELD_TYPE_LISTBOX:
		if chosen := a.chosen(form); chosen != "" {
			return chosen
		}
	case enums.FPDF_FORMFIELD_TYPE_TEXTFIELD:
		const password = 1 << 13
		flags, err := a.FPDFAnnot_GetFormFieldFlags(&requests.FPDFAnnot_GetFormFieldFlags{FormHandle: form,
			Annotation: a.ref})
		if err != nil || flags.Flags&password != 0 {
			return ""
		}
	default:
		return ""
	}
	v, err := a.FPDFAnnot_GetFormFieldValue(&requests.FPDFAnnot_GetFormFieldValue{FormHandle: form, Annotation: a.ref})
	if err != nil {
		return ""
	}
	return v.FormFieldValue
}

func (a annotation) caption(text references.FPDF_TEXTPAGE) string {
	count, err := a.FPDFAnnot_GetObjectCount(&requests.FPDFAnnot_GetObjectCount{Annotation: a.ref})
	if err != nil {
		return ""
	}
	var parts []string
	for i := range min(count.Count, maxFields) {
		object, err := a.FPDFAnnot_GetObject(&requests.FPDFAnnot_GetObject{Annotation: a.ref, Index: i})
		if err != nil {
			continue
		}
		said, err := a.FPDFTextObj_GetText(&requests.FPDFTextObj_GetText{PageObject: object.PageObject, TextPage: text})
		if err == nil {
			parts = append(parts, said.Text)
		}
	}
	return strings.Join(parts, " ")
}

func (a annotation) chosen(form references.FPDF_FORMHANDLE) string {
	count, err := a.FPDFAnnot_GetOptionCount(&requests.FPDFAnnot_GetOptionCount{FormHandle: form, Annotation: a.ref})
	if err != nil {
		return ""
	}
	var all []string
	for i := range min(count.OptionCount, maxFields) {
		is, err := a.FPDFAnnot_IsOptionSelected(&requests.FPDFAnnot_IsOptionSelected{FormHandle: form, Annotation: a.ref,
			Index: i})
		if err != nil || !is.IsOptionSelected {
			continue
		}
		label, err := a.FPDFAnnot_GetOptionLabel(&requests.FPDFAnnot_GetOptionLabel{FormHandle: form, Annotation: a.ref,
			Index: i})
		if err == nil {
			all = append(all, label.OptionLabel)
		}
	}
	return strings.Join(all, ", ")
}

// fields returns the form of the document. Nothing in it runs.
func (f *file) fields() (references.FPDF_FORMHANDLE, bool) {
	if f.form == nil {
		made, err := f.FPDFDOC_InitFormFillEnvironment(&requests.FPDFDOC_InitFormFillEnvironment{Document: f.document,
			FormFillInfo: structs.FPDF_FORMFILLINFO{
				FFI_Invalidate:         func(references.FPDF_PAGE, float64, float64, float64, float64) {},
				FFI_SetCursor:          func(enums.FXCT) {},
				FFI_SetTimer:           func(int, func(int)) int { return 0 },
				FFI_KillTimer:          func(int) {},
				FFI_GetLocalTime:       func() structs.FPDF_SYSTEMTIME { return structs.FPDF_SYSTEMTIME{} },
				FFI_GetPage:            func(references.FPDF_DOCUMENT, int) *references.FPDF_PAGE { return nil },
				FFI_GetCurrentPage:     func(references.FPDF_DOCUMENT) *references.FPDF_PAGE { return nil },
				FFI_GetRotation:        func(references.FPDF_PAGE) enums.FPDF_PAGE_ROTATION { return 0 },
				FFI_ExecuteNamedAction: func(string) {},
			}})
		form := references.FPDF_FORMHANDLE("")
		if err == nil {
			form = made.FormHandle
		}
		f.form = &form
	}
	return *f.form, *f.form != ""
}

// link returns the address of a link and the text in its box.
func (a annotation) link(text references.FPDF_TEXTPAGE) (l Link) {
	got, err := a.FPDFAnnot_GetLink(&requests.FPDFAnnot_GetLink{Annotation: a.ref})
	if err != nil {
		return l
	}
	action, err := a.FPDFLink_GetAction(&requests.FPDFLink_GetAction{Link: got.Link})
	if err != nil || action.Action == nil {
		return l
	}
	uri, err := a.FPDFAction_GetURIPath(&requests.FPDFAction_GetURIPath{Document: a.document, Action: *action.Action})
	if err != nil || uri.URIPath == nil {
		return l
	}
	l.URL = strings.ToValidUTF8(*uri.URIPath, "")
	box, err := a.FPDFAnnot_GetRect(&requests.FPDFAnnot_GetRect{Annotation: a.ref})
	if err == nil {
		r := box.Rect
		said, err := a.FPDFText_GetBoundedText(&requests.FPDFText_GetBoundedText{TextPage: text,
			Left: float64(r.Left), Top: float64(r.Top), Right: float64(r.Right), Bottom: float64(r.Bottom)})
		if err == nil {
			l.Text = strings.Join(strings.Fields(said.Text), " ")
		}
	}
	return l
}

// outline returns the entries of the document's outline.
func (f *file) outline() (all []Heading) {
	marks, err := f.GetBookmarks(&requests.GetBookmarks{Document: f.document})
	if err != nil {
		return nil
	}
	return headings(nil, 1, marks.Bookmarks)
}

func headings(all []Heading, level int, marks []responses.GetBookmarksBookmark) []Heading {
	for _, m := range marks {
		if len(all) >= maxFields {
			break
		}
		h := Heading{Level: level, Title: strings.Join(strings.Fields(m.Title), " ")}
		to := m.DestInfo
		if to == nil && m.ActionInfo != nil {
			to = m.ActionInfo.DestInfo
		}
		if to != nil {
			h.Page = to.PageIndex + 1
		}
		all = headings(append(all, h), level+1, m.Children)
	}
	return all
}
