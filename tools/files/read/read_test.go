package read

import (
	"context"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"techo/internal/charset"
	"techo/internal/testenv"
	"techo/tools/files/document"
	"techo/tools/files/filestest"
	"techo/tools/files/paths"
	"techo/tools/jsontree"
)

func read(t *testing.T, path string, offset, limit int, encoding string) Out {
	t.Helper()
	out, err := readFile(context.Background(), testEnv(filepath.Dir(path)),
		In{Path: path, Offset: offset, Limit: limit, Encoding: document.Encoding(encoding)})
	check(t, err)
	return out
}

// TestReadPages reads random files of all encodings page by page. The pages must
// add up to the file and agree with a plain split into lines.
func TestReadPages(t *testing.T) {
	r := testenv.Random(t)
	dir := t.TempDir()
	for range 300 {
		name := charset.Names()[r.IntN(5)]
		c, _ := charset.Find(name)
		ends := [][]string{{"\n"}, {"\r\n"}, {"\n", "\r\n"}, {"\r"}}[r.IntN(4)]
		var text strings.Builder
		for range r.IntN(50) {
			// In UTF-16 the second and third have bytes that look like line ends.
			text.WriteString(strings.Repeat([]string{"a", "日", "表", "", " "}[r.IntN(5)], r.IntN(40)))
			if r.IntN(10) > 0 {
				text.WriteString(ends[r.IntN(len(ends))])
			}
		}
		raw, err := c.Encode(text.String())
		check(t, err)
		if r.IntN(2) == 0 {
			raw = append(c.BOM()[:len(c.BOM()):len(c.BOM())], raw...)
		}
		path := filepath.Join(dir, "f")
		check(t, os.WriteFile(path, raw, 0o644))
		end := "\n"
		if document.Newline(text.String()) == "cr" {
			end = "\r"
		}
		lines := strings.SplitAfter(text.String(), end)
		if lines[len(lines)-1] == "" {
			lines = lines[:len(lines)-1]
		}
		limit := 1 + r.IntN(20)
		var all strings.Builder
		for next := 1; next > 0; {
			out := read(t, path, next, limit, name)
			want := strings.Join(lines[min(next-1, len(lines)):min(next-1+limit, len(lines))], "")
			if out.Content != want || out.TotalLines != len(lines) || out.Hash != paths.Hash(raw) ||
				out.Newline != document.Newline(text.String()) || out.Encoding != name ||
				out.Bytes != int64(len(raw)) || out.Truncated != (next-1+limit < len(lines)) ||
				out.BOM != (len(c.BOM()) > 0 && strings.HasPrefix(string(raw), string(c.BOM()))) {
				t.Fatalf("%s from line %d: %+v, want %q of %d lines, %s", name, next, out, want, len(lines),
					document.Newline(text.String()))
			}
			all.WriteString(out.Content)
			next = out.NextOffset
		}
		if all.String() != text.String() {
			t.Fatalf("the pages make %q, not %q", all.String(), text.String())
		}
	}
}

// TestReadLarge reads a file larger than a page and a buffer, with lines of all
// lengths.
func TestReadLarge(t *testing.T) {
	dir := t.TempDir()
	long := strings.Repeat("日本語", 200_000)
	path := put(t, filepath.Join(dir, "long"), "first\n"+long+"\nlast\n")
	if out := read(t, path, 1, 10, ""); out.Content != "first\n" || out.NextOffset != 2 || !out.Truncated ||
		out.TotalLines != 3 {
		t.Errorf("the page before a long line: %d bytes, %+v", len(out.Content), out.Message)
	}
	out := read(t, path, 2, 10, "")
	if !strings.HasPrefix(long, out.Content) || len(out.Content) < maxPage-4 || out.Lossy || !out.Truncated ||
		out.NextOffset != 3 || out.EndLine != 2 {
		t.Errorf("a long line: %d bytes, %+v", len(out.Content), out.Message)
	}
	var whole strings.Builder
	for at := 0; ; {
		out, err := readFile(t.Context(), testEnv(dir), In{Path: path, Offset: 2, Limit: 1, LineOffset: at})
		check(t, err)
		whole.WriteString(out.Content)
		if at = out.NextLineOffset; at == 0 {
			break
		}
	}
	if whole.String() != long+"\n" {
		t.Errorf("the parts of a long line: %d bytes, want %d", whole.Len(), len(long)+1)
	}
	if out := read(t, path, 3, 10, ""); out.Content != "last\n" || out.Truncated {
		t.Errorf("behind it: %+v", out)
	}
	path = put(t, filepath.Join(dir, "many"), strings.Repeat("a line of some length\n", 100_000))
	var all strings.Builder
	for next := 1; next > 0; {
		out := read(t, path, next, 1_000_000, "")
		if len(out.Content) > maxPage || out.TotalLines != 100_000 {
			t.Fatalf("%d bytes, %s", len(out.Content), out.Message)
		}
		all.WriteString(out.Content)
		next = out.NextOffset
	}
	if all.Len() != 22*100_000 {
		t.Errorf("the pages make %d bytes", all.Len())
	}
	if out := read(t, path, 99_999, math.MaxInt, ""); out.EndLine != 100_000 || out.Truncated {
		t.Errorf("to the end: %s", out.Message)
	}
	wide, err := mustFind(t, "utf-16le").Encode("a" + strings.Repeat("👍", 200_000))
	check(t, err)
	path = put(t, filepath.Join(dir, "wide"), "\xff\xfe"+string(wide))
	if out := read(t, path, 1, 1, ""); out.Lossy || !strings.HasSuffix(out.Content, "👍") || !out.Truncated ||
		out.Newline != "none" {
		t.Errorf("a long line of pairs: %v, %q", out.Lossy, out.Content[max(0, len(out.Content)-10):])
	}
	// Detection must also work if other bytes come late.
	sjis, err := mustFind(t, "shift_jis").Encode("日本語の設定です\n")
	check(t, err)
	path = put(t, filepath.Join(dir, "late"), strings.Repeat("plain\n", 100_000)+string(sjis))
	if out := read(t, path, 100_001, 1, ""); out.Encoding != "shift_jis" ||
		out.Content != "日本語の設定です\n" {
		t.Errorf("%+v", out)
	}
}

func mustFind(t *testing.T, name string) *charset.Charset {
	t.Helper()
	c, ok := charset.Find(name)
	if !ok {
		t.Fatal(name)
	}
	return c
}

// TestReadBounded reads files page by page within a bound: no page is longer, and
// together they are the file.
func TestReadBounded(t *testing.T) {
	quotes := strings.Repeat("\"\\\t<>\u00e9\u001f\n", 3000)
	for name, text := range map[string]string{"quotes": quotes, "one line": strings.Repeat("\"x", 20_000),
		"code": strings.Repeat("\tif x != nil {\n", 6000)} {
		env := testEnv(filestest.PutFiles(t, map[string]string{"f": text}))
		env.MaxBytes = 8 << 10
		in := In{Path: "f", Offset: 1, Limit: 2000}
		var all strings.Builder
		for pages := 0; ; pages++ {
			out, err := readFile(t.Context(), env, in)
			check(t, err)
			all.WriteString(out.Content)
			if b, err := jsontree.Marshal(out); err != nil || len(b) > env.MaxBytes || pages > 1000 {
				t.Fatalf("%s: a page of %d bytes: %v", name, len(b), err)
			}
			if in.LineOffset = out.NextLineOffset; in.LineOffset > 0 {
				continue
			}
			if in.Offset = out.NextOffset; in.Offset == 0 {
				break
			}
		}
		if all.String() != text {
			t.Errorf("%s: %d bytes, want %d", name, all.Len(), len(text))
		}
	}
}
