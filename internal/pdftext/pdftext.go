// Package pdftext reads the text of a PDF.
package pdftext

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/ledongthuc/pdf"
)

// Errors of a PDF that cannot be read.
var (
	ErrSlow  = errors.New("pdf: takes too long to read")
	ErrEmpty = errors.New("pdf: has no text, only images perhaps")
)

// Read returns the text of a PDF, a page a paragraph, and how many pages there
// are. It gives up after some time, since a broken file may lead the reader in
// circles.
func Read(body []byte, patience time.Duration) (text string, pages int, err error) {
	type result struct {
		text  string
		pages int
		err   error
	}
	done := make(chan result, 1)
	stop := time.Now().Add(patience)
	go func() {
		var r result
		r.text, r.pages, r.err = read(body, stop)
		done <- r
	}()
	select {
	case r := <-done:
		return r.text, r.pages, r.err
	case <-time.After(patience):
		return "", 0, ErrSlow
	}
}

func read(body []byte, stop time.Time) (text string, pages int, err error) {
	defer func() {
		if r := recover(); r != nil { // the reader panics on what it does not expect
			err = fmt.Errorf("pdf: %v", r)
		}
	}()
	r, err := pdf.NewReader(bytes.NewReader(body), int64(len(body)))
	if err != nil {
		return "", 0, fmt.Errorf("pdf: %w", err)
	}
	var parts []string
	for n := 1; n <= r.NumPage() && time.Now().Before(stop); n++ {
		part, err := page(r.Page(n))
		if err != nil {
			continue // the rest may be read all the same
		}
		if part = strings.TrimSpace(part); part != "" {
			parts = append(parts, part)
		}
	}
	if len(parts) == 0 {
		return "", r.NumPage(), ErrEmpty
	}
	return strings.Join(parts, "\n\n"), r.NumPage(), nil
}

func page(p pdf.Page) (text string, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("pdf: %v", r)
		}
	}()
	if p.V.IsNull() {
		return "", nil
	}
	fonts := map[string]*pdf.Font{} // the names are the page's own
	for _, name := range p.Fonts() {
		f := p.Font(name)
		fonts[name] = &f
	}
	return p.GetPlainText(fonts)
}
