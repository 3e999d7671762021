// Package pdftext extracts the text of PDF files. It decodes texts itself and leaves the structure of
// the file to the library, whose map of glyph names would be built at every start of the program.
package pdftext

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/ledongthuc/pdf"
)

// Errors for PDF files that cannot be read.
var (
	ErrSlow      = errors.New("pdf: takes too long to read")
	ErrEmpty     = errors.New("pdf: has no text, only images perhaps")
	ErrEncrypted = errors.New("pdf: needs a password or an unsupported decryption")
	ErrDamaged   = errors.New("pdf: malformed")
)

// Read returns the text of a PDF, one paragraph per page, and the number of pages.
// It stops when the context ends, after timeout, because a malformed file may
// send the library into a loop (ErrSlow), and when it takes too much memory
// (ErrLarge). cut reports that the text is incomplete: it was too long, or pages
// could not be read.
func Read(ctx context.Context, body []byte, timeout time.Duration) (text string, pages int, cut bool, err error) {
	all, pages, cut, err := Pages(ctx, body, 1, maxPages, timeout)
	if err != nil {
		return "", pages, cut, err
	}
	all = slices.DeleteFunc(all, func(text string) bool { return text == "" })
	if len(all) == 0 {
		return "", pages, cut, ErrEmpty
	}
	return strings.Join(all, "\n\n"), pages, cut || pages > maxPages, nil
}

// Pages returns the texts of some pages of a PDF, from 1, and the number of all its
// pages. It stops like Read. cut reports that texts are missing: they were too long, or
// could not be read.
func Pages(ctx context.Context, body []byte, first, last int, timeout time.Duration) (texts []string, pages int,
	cut bool, err error) {
	return within(ctx, body, first, last, timeout, MaxMemory)
}

// within is Pages with a limit of memory, in bytes.
func within(ctx context.Context, body []byte, first, last int, timeout time.Duration, most uint64) (texts []string,
	pages int, cut bool, err error) {
	if err := check(body); err != nil {
		return nil, 0, false, err
	}
	type result struct {
		texts []string
		pages int
		cut   bool
		err   error
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(ErrSlow) // ends the library's next read
	done := make(chan result, 1)
	from := &source{Reader: bytes.NewReader(body), ctx: ctx, stop: time.Now().Add(timeout), start: heap(), most: most}
	go func() {
		var r result
		r.texts, r.pages, r.cut, r.err = read(from, first, last)
		if from.err != nil {
			r.err = from.err
		}
		done <- r
	}()
	select {
	case r := <-done:
		return r.texts, r.pages, r.cut, r.err
	case <-ctx.Done():
		return nil, 0, false, context.Cause(ctx)
	case <-time.After(timeout):
		return nil, 0, false, ErrSlow
	}
}

func read(from *source, first, last int) (texts []string, pages int, cut bool, err error) {
	defer func() {
		if r := recover(); r != nil { // the library panics on unexpected input
			err = fmt.Errorf("%w: %v", ErrDamaged, r)
		}
	}()
	r, err := open(from)
	if err != nil {
		return nil, 0, false, err
	}
	pages = r.NumPage()
	size := 0
	for n := first; n <= min(last, pages) && from.err == nil; n++ {
		if n-first >= maxPages || size > maxText {
			cut = true
			break
		}
		text, err := page(r.Page(n))
		cut = cut || err != nil // the rest of it, and other pages, may be readable
		text = strings.TrimSpace(text)
		texts, size = append(texts, text), size+len(text)
	}
	return texts, pages, cut, nil
}

// open opens a PDF. It repairs one whose table of objects cannot be found.
func open(from *source) (*pdf.Reader, error) {
	r, err := pdf.NewReader(from, from.Size())
	switch {
	case err == nil:
		return r, nil
	case errors.Is(err, pdf.ErrInvalidPassword), strings.Contains(err.Error(), "unsupported PDF: encryption"):
		return nil, fmt.Errorf("%w: %w", ErrEncrypted, err)
	}
	damaged := fmt.Errorf("%w: %w", ErrDamaged, err)
	body := make([]byte, from.Size())
	if _, err := from.ReadAt(body, 0); err != nil || bytes.Contains(body, []byte("/Encrypt")) {
		return nil, damaged
	}
	for _, repaired := range repairs(body) {
		from.Reader = bytes.NewReader(repaired)
		if r, err := pdf.NewReader(from, from.Size()); err == nil && pageCount(r) > 0 {
			return r, nil
		}
	}
	return nil, damaged
}

// pageCount returns the number of pages, 0 if the library panics.
func pageCount(r *pdf.Reader) (n int) {
	defer func() {
		if recover() != nil {
			n = 0
		}
	}()
	return r.NumPage()
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
	text, err = pageText(p)
	return ligatures.Replace(text), err
}

// ligatures replaces ligatures by their letters, which is what a person would search for.
var ligatures = strings.NewReplacer("\ufb00", "ff", "\ufb01", "fi", "\ufb02", "fl", "\ufb03", "ffi", "\ufb04", "ffl",
	"\ufb05", "st", "\ufb06", "st")
