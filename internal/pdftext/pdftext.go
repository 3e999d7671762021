// Package pdftext extracts the text of PDF files in the order of reading. PDFium opens and
// decrypts them and gives characters with their places; this package orders them into
// columns, tables and forms.
//
// PDFium is a program of WebAssembly that runs inside this process, with a limit of memory and
// without files or network, so that a hostile file has nothing to attack.
package pdftext

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/klippa-app/go-pdfium"
)

// Errors for PDF files that cannot be read.
var (
	ErrSlow      = errors.New("pdf: takes too long to read")
	ErrLarge     = errors.New("pdf: takes too much memory to read")
	ErrEmpty     = errors.New("pdf: has no text, only images perhaps")
	ErrEncrypted = errors.New("pdf: needs a password or an unsupported decryption")
	ErrDamaged   = errors.New("pdf: malformed")
)

// MaxPages is how many pages are read at once.
const MaxPages = 5000

// Limits of one PDF.
const (
	maxObjects = 1 << 20 // of a table that is made again
	maxText    = 5 << 20 // bytes
)

// Options are how a PDF is read.
type Options struct {
	Timeout  time.Duration // for the file, without PDFium's own start
	Cache    string        // the folder for compiled code, which must be the user's own; "" for none
	Starting func()        // if set, called from time to time while PDFium is compiled
}

// Document is the text of a PDF.
type Document struct {
	Pages   []string // those asked for
	Total   int      // pages of the file
	Cut     bool     // texts are missing: they were too long, or could not be read
	Outline []Heading
	Links   []Link
}

// Heading is an entry of a PDF's outline.
type Heading struct {
	Level int // from 1
	Title string
	Page  int // from 1; 0 if it is elsewhere
}

// Link is an address on a page.
type Link struct {
	Text, URL string
}

// Text returns the text of all pages, one paragraph per page.
func (d *Document) Text() string {
	return strings.Join(slices.DeleteFunc(slices.Clone(d.Pages), func(text string) bool { return text == "" }), "\n\n")
}

// Is reports whether a file is a PDF, by its first 1,024 bytes or more. A byte order mark,
// blanks and stray lines may come first.
func Is(head []byte) bool {
	at := bytes.Index(head[:min(len(head), 1024)], []byte("%PDF-"))
	if at <= 0 {
		return at == 0
	}
	before := bytes.TrimPrefix(head[:at], []byte("\ufeff"))
	before = bytes.Trim(before, "\x00\t\n\f\r ")
	if len(before) == 0 {
		return true
	}
	// A text may speak of %PDF- itself. Objects follow a header.
	return before[0] != '<' && before[0] != '{' && bytes.Contains(head[at:], []byte(" obj"))
}

// Pages returns the text of some pages of a PDF, from 1. They may be without text. It stops when the
// context ends, when the time of the options ends (ErrSlow), and when it takes too much memory (ErrLarge).
func Pages(ctx context.Context, body []byte, first, last int, o Options) (*Document, error) {
	p, err := shared.acquire(ctx, o)
	if err != nil {
		return nil, err
	}
	type result struct {
		d   *Document
		err error
	}
	ctx, cancel := context.WithTimeoutCause(ctx, o.Timeout, ErrSlow)
	defer cancel()
	done := make(chan result, 1)
	go func() {
		d, err := read(ctx, p, body, first, last)
		done <- result{d, err}
	}()
	select {
	case r := <-done:
		if r.err == nil || errors.Is(r.err, ErrDamaged) || errors.Is(r.err, ErrEncrypted) {
			_ = p.Close()
		} else {
			_ = p.Kill() // its state is unknown
		}
		return r.d, r.err
	case <-ctx.Done():
		_ = p.Kill()
		return nil, context.Cause(ctx)
	}
}

func read(ctx context.Context, p pdfium.Pdfium, body []byte, first, last int) (d *Document, err error) {
	defer func() {
		if r := recover(); r != nil {
			d, err = nil, fmt.Errorf("%w: %v", ErrDamaged, r)
		}
	}()
	f, total, err := open(p, body)
	if err != nil {
		return nil, failure(err)
	}
	d = &Document{Total: total}
	size := 0
	for n := first; n <= min(last, total) && ctx.Err() == nil; n++ {
		if n-first >= MaxPages || size > maxText {
			d.Cut = true
			break
		}
		text, links, err := f.readPage(n - 1)
		if isFatal(err) {
			return d, failure(err)
		}
		d.Cut = d.Cut || err != nil // other pages may be readable
		text = strings.TrimSpace(letters.Replace(text))
		d.Pages, size = append(d.Pages, text), size+len(text)
		d.Links = append(d.Links, links...)
	}
	d.Outline = f.outline()
	return d, context.Cause(ctx)
}

// isFatal reports whether PDFium itself stopped.
func isFatal(err error) bool { return err != nil && strings.Contains(err.Error(), "wasm error") }

// failure gives an error of PDFium a name. It stops itself where its memory ends.
func failure(err error) error {
	if isFatal(err) || strings.Contains(err.Error(), "memory") {
		return fmt.Errorf("%w: %w", ErrLarge, err)
	}
	return err
}

// softHyphen divides a word at the end of a line.
const softHyphen = '\u00ad'

// letters replaces ligatures by their letters, which is what a person would search for, and
// shows hyphens.
var letters = strings.NewReplacer("\ufb00", "ff", "\ufb01", "fi", "\ufb02", "fl", "\ufb03", "ffi", "\ufb04", "ffl",
	"\ufb05", "st", "\ufb06", "st", "\u00ad\n", "-\n")
