package pdftext

import (
	"bytes"
	"compress/zlib"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
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

// TestBomb reads small files that want much memory or time.
func TestBomb(t *testing.T) {
	d, err := readAll(t.Context(), packed(t, "BT /F1 12 Tf (small) Tj ET"), options)
	if err != nil || d.Text() != "small" {
		t.Fatalf("%+v, %v", d, err)
	}
	testenv.All(t, "takes much memory")
	for name, content := range map[string]func() string{
		"blanks":   func() string { return strings.Repeat(" ", 128<<20) },
		"operands": func() string { return strings.Repeat("1 ", 16<<20) },
		"text":     func() string { return "BT /F1 12 Tf " + strings.Repeat("(aaaaaaaa) Tj ", 1<<20) + "ET" },
	} {
		t.Run(name, func(t *testing.T) {
			body := packed(t, content())
			runtime.GC()
			start := time.Now()
			d, err := readAll(t.Context(), body, Options{Timeout: 5 * time.Second})
			if !errors.Is(err, ErrLarge) && !errors.Is(err, ErrSlow) && !errors.Is(err, ErrEmpty) && !d.Cut {
				t.Errorf("%d bytes: %v", len(body), err)
			}
			if took := time.Since(start); took > 20*time.Second {
				t.Error(took)
			}
		})
	}
}

// TestEnded checks that reading ends with the context.
func TestEnded(t *testing.T) {
	ctx, cancel := context.WithCancelCause(t.Context())
	reason := errors.New("reason")
	cancel(reason)
	if _, err := readAll(ctx, testenv.PDF("Hello"), options); !errors.Is(err, reason) {
		t.Error(err)
	}
}

// TestTrusted keeps compiled code only where nobody else can write.
func TestTrusted(t *testing.T) {
	if runtime.GOOS == "windows" {
		return
	}
	own, open, link := t.TempDir(), t.TempDir(), filepath.Join(t.TempDir(), "link")
	if err := os.Chmod(open, 0o777); err != nil {
		t.Fatal(err)
	}
	testenv.Symlink(t, own, link)
	for folder, want := range map[string]bool{own: true, filepath.Join(own, "new"): true, open: false, link: false, "": false} {
		if got := trusted(folder); (got != "") != want {
			t.Errorf("%s: %q", folder, got)
		}
	}
}
