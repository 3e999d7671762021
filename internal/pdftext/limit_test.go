package pdftext

import (
	"bytes"
	"compress/zlib"
	"context"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"testing"
	"time"

	"techo/internal/testenv"
)

// packed creates a PDF whose first page is a compressed stream.
func packed(t *testing.T, content string) []byte {
	t.Helper()
	var z bytes.Buffer
	w := zlib.NewWriter(&z)
	if _, err := w.Write([]byte(content)); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	body := testenv.PDF("PLACE")
	stream := "BT /F1 12 Tf 72 700 Td (PLACE) Tj ET"
	old := fmt.Sprintf("<< /Length %d >>\nstream\n%s\nendstream", len(stream), stream)
	at := bytes.Index(body, []byte(old))
	if at < 0 {
		t.Fatal("the document has another form")
	}
	whole := append([]byte{}, body[:at]...)
	whole = fmt.Appendf(whole, "<< /Length %d /Filter /FlateDecode >>\nstream\n%s\nendstream", z.Len(), z.Bytes())
	whole = append(whole, body[at+len(old):]...)
	table := bytes.LastIndex(whole, []byte("xref\n0"))
	mark := bytes.LastIndex(whole, []byte("startxref\n"))
	return fmt.Appendf(whole[:mark:mark], "startxref\n%d\n%%%%EOF\n", table)
}

// TestBomb reads a page that decompresses to more than the limit.
func TestBomb(t *testing.T) {
	text, _, _, err := Read(t.Context(), packed(t, "BT /F1 12 Tf (small) Tj ET"), time.Minute)
	if err != nil || text != "small" {
		t.Fatalf("%q, %v", text, err)
	}
	part := testenv.Pick(4, 1) // of the limit, and of the content that reaches it
	for name, content := range map[string]func() string{
		"operands": func() string { return strings.Repeat("1 ", 8<<20) },
		"text": func() string {
			return "BT /F1 12 Tf " + strings.Repeat("(aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa) Tj ", 5<<20/part) + "ET"
		},
	} {
		t.Run(name, func(t *testing.T) {
			if name == "operands" {
				testenv.All(t, "takes much memory")
			}
			body := packed(t, content())
			runtime.GC()
			_, _, _, err := within(t.Context(), body, 1, 1, time.Hour, MaxMemory/uint64(part))
			if !errors.Is(err, ErrLarge) {
				t.Errorf("%d bytes: %v", len(body), err)
			}
		})
	}
}

// TestEnded checks that reading ends with the context.
func TestEnded(t *testing.T) {
	ctx, cancel := context.WithCancelCause(t.Context())
	reason := errors.New("reason")
	cancel(reason)
	if _, _, _, err := Read(ctx, testenv.PDF("Hello"), time.Minute); !errors.Is(err, reason) {
		t.Error(err)
	}
}

// TestCheck checks that files with impossible claims are rejected.
func TestCheck(t *testing.T) {
	for _, part := range []string{
		"/Size 2000000000", "/Size%\n2000000000", "/S#69ze 2000000000", "/Index [0 1 4000000000 1]",
		"/W [1 2 900000000]",
		"/DecodeParms << /Columns 99999999999 >>", "/DecodeParms 5 0 R", "/Filter [5 0 R]",
		"/Filter [/FlateDecode /FlateDecode]",
		"xref\n4000000000 1\n", "xref\n0 1\n0000000000 65535 f \n4000000000 1\n",
	} {
		if err := check(append(testenv.PDF("Hello"), part...)); !errors.Is(err, ErrLarge) {
			t.Errorf("%q: %v", part, err)
		}
	}
	if err := check(testenv.PDF("Hello")); err != nil {
		t.Error(err)
	}
}
