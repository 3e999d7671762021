package pdftext

import (
	"bytes"
	"errors"
	"strings"
	"testing"
	"time"

	"techo/internal/testenv"
)

// options of these tests: PDFium is compiled once a process.
var options = Options{Timeout: time.Minute}

func TestRead(t *testing.T) {
	d, err := Read(t.Context(), testenv.PDF("Hello PDF", "Second page"), options)
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
		if _, err := Read(t.Context(), []byte(c.body), options); !errors.Is(err, c.want) {
			t.Errorf("%v, want %v", err, c.want)
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
		d, err := Read(t.Context(), []byte(body), options)
		if err != nil || d.Total != 2 || d.Text() != "Hello PDF\n\nSecond page" {
			t.Errorf("%s: %+v, %v", name, d, err)
		}
	}
}

// TestReadBroken checks that truncated files give an error and never a panic.
func TestReadBroken(t *testing.T) {
	whole := testenv.PDF("Hello PDF")
	for n := 0; n < len(whole); n += 37 {
		if _, err := Read(t.Context(), whole[:n], options); err == nil && n < len(whole)/2 {
			t.Errorf("%d bytes of it are read", n)
		}
	}
	for i := range whole {
		broken := bytes.Clone(whole)
		broken[i] ^= 0x15
		_, _ = Read(t.Context(), broken, options)
	}
}
