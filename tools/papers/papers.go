// Package papers reads documents for the tools that fetch pages and read files.
package papers

import (
	"context"
	"errors"
	"html"
	"net/url"
	"strings"
	"time"

	"techo/internal/charset"
	"techo/internal/office"
	"techo/internal/page"
	"techo/internal/pdftext"
	"techo/tools"
	"techo/tools/message"
)

// PDF reads pages of a PDF, from 1.
func PDF(ctx context.Context, env *tools.Env, body []byte, first, last int, patience time.Duration) (*pdftext.Document,
	error) {
	return pdftext.Pages(ctx, body, first, last, pdftext.Options{Timeout: patience, Cache: env.Cache,
		Starting: func() { env.Doing("preparing the reader of PDFs, once") }})
}

// Office is a document of an office program, a book or a saved page, as Markdown.
type Office struct {
	*office.Document

	Page string // the HTML of a saved page
}

// ReadOffice reads a document, nil if the file is none.
func ReadOffice(body []byte) (*Office, error) {
	if office.KindOf(body) == "" {
		return nil, nil
	}
	d, err := office.Read(body)
	if err != nil {
		return nil, err
	}
	o := &Office{Document: d}
	from, err := url.Parse(d.URL)
	if err != nil {
		from = &url.URL{}
	}
	switch d.Kind {
	case office.Saved:
		o.Page, _ = charset.DecodePage([]byte(d.HTML[0]), "")
		if d.URL != "" {
			o.Page = `<base href="` + html.EscapeString(d.URL) + `">` + o.Page
		}
		p := page.Parse(o.Page)
		if d.Text = p.Content().Edited().Markdown(from); d.Text == "" {
			d.Text = p.Whole().Markdown(from)
		}
	case office.Book:
		var chapters []string
		for _, chapter := range d.HTML {
			text, _ := charset.DecodePage([]byte(chapter), "")
			if text = page.Parse(text).Whole().Markdown(from); text != "" {
				chapters = append(chapters, text)
			}
		}
		d.Text = strings.Join(chapters, "\n\n")
	}
	return o, nil
}

// Note says what of a document is not in its text, "" for nothing.
func (o *Office) Note(env *tools.Env) string {
	if o.Images == 0 {
		return ""
	}
	return env.Localize("without %s", env.Count(o.Images, "%d image", "%d images"))
}

// Cause gives the errors of a document a text in every language.
func Cause(err error) error {
	switch {
	case errors.Is(err, pdftext.ErrSlow):
		return message.NewError("it takes too long to read")
	case errors.Is(err, pdftext.ErrLarge), errors.Is(err, office.ErrLarge):
		return message.NewError("it takes too much memory to read")
	case errors.Is(err, pdftext.ErrEmpty):
		return message.NewError("it has no text, perhaps only images")
	case errors.Is(err, pdftext.ErrEncrypted), errors.Is(err, office.ErrLocked):
		return message.NewError("it needs a password")
	case errors.Is(err, pdftext.ErrDamaged), errors.Is(err, office.ErrDamaged):
		return message.NewError("it is damaged")
	}
	return err
}
