package read

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"image"
	"image/png"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"techo/internal/testenv"
	"techo/tools"
	"techo/tools/files/filestest"
	"techo/tools/files/paths"
	"techo/tools/jsontree"
)

func readRange(t *testing.T, env *tools.Env, path, pages string) (Out, error) {
	t.Helper()
	return readFile(t.Context(), env, In{Path: path, Offset: 1, Limit: 2000, Pages: pageRange(pages)})
}

// TestReadPDF reads ranges of pages.
func TestReadPDF(t *testing.T) {
	dir := t.TempDir()
	env := testEnv(dir)
	raw := testenv.PDF("First", "Second", "Third")
	put(t, filepath.Join(dir, "a.pdf"), string(raw))
	for pages, want := range map[string]string{
		"": "First Second Third", "2": "Second", "2-3": "Second Third", "2-": "Second Third",
		"1-99": "First Second Third",
	} {
		out, err := readRange(t, env, "a.pdf", pages)
		check(t, err)
		var got []string
		for line := range strings.Lines(out.Content) {
			if !strings.HasPrefix(line, "---") {
				got = append(got, strings.TrimSpace(line))
			}
		}
		if strings.Join(got, " ") != want || out.Pages != 3 || out.Type != "application/pdf" ||
			out.Hash != paths.Hash(raw) {
			t.Errorf("pages %q: %q, %+v", pages, got, out)
		}
	}
	for _, pages := range []string{"0", "x", "3-2", "-1", "4", "1-x"} {
		if _, err := readRange(t, env, "a.pdf", pages); codeOf(err) != tools.InvalidInput {
			t.Errorf("pages %q: %v", pages, err)
		}
	}
	put(t, filepath.Join(dir, "broken.pdf"), "%PDF-1.4\nbroken")
	if _, err := readRange(t, env, "broken.pdf", ""); codeOf(err) != tools.InvalidInput {
		t.Error(err)
	}
	put(t, filepath.Join(dir, "plain.txt"), "text")
	if _, err := readRange(t, env, "plain.txt", "1"); codeOf(err) != tools.InvalidInput {
		t.Error(err)
	}
}

// TestReadRenderedBounded continues through the text of a PDF in small results, within
// its lines.
func TestReadRenderedBounded(t *testing.T) {
	filestest.Once(t)
	dir := t.TempDir()
	env := testEnv(dir)
	env.MaxBytes = 2048
	long := strings.Repeat("word ", 600)
	put(t, filepath.Join(dir, "a.pdf"), string(testenv.PDF("start", long, "end")))
	whole, err := readRange(t, testEnv(dir), "a.pdf", "")
	check(t, err)
	var b strings.Builder
	in := In{Path: "a.pdf", Offset: 1, Limit: 2000}
	for range 100 {
		out, err := readFile(t.Context(), env, in)
		check(t, err)
		if document, _ := jsontree.Marshal(out); len(document) > env.MaxBytes {
			t.Fatalf("%d bytes", len(document))
		}
		b.WriteString(out.Content)
		switch in.LineOffset = out.NextLineOffset; {
		case out.NextLineOffset > 0:
			in.Offset = out.StartLine
		case out.NextOffset > 0:
			in.Offset = out.NextOffset
		default:
			if b.String() != whole.Content {
				t.Errorf("%d bytes, want %d", b.Len(), len(whole.Content))
			}
			return
		}
	}
	t.Error("it never ended")
}

// TestReadNotebook reads cells with bounded outputs.
func TestReadNotebook(t *testing.T) {
	dir := t.TempDir()
	env := testEnv(dir)
	put(t, filepath.Join(dir, "n.ipynb"), `{"nbformat":4,"nbformat_minor":5,"metadata":{},"cells":[
{"cell_type":"markdown","metadata":{},"source":["# Title\n","text"]},
{"cell_type":"code","execution_count":7,"metadata":{},"source":"print(1)","outputs":[
 {"output_type":"stream","name":"stdout","text":["1\n"]},
 {"output_type":"stream","name":"stdout","text":"`+strings.Repeat("x", 5000)+`"},
 {"output_type":"display_data","data":{"image/png":"iVBORw0KGgo=","text/plain":["<Figure>"]}},
 {"output_type":"error","ename":"E","evalue":"v","traceback":["\u001b[31mTrace\u001b[0m\n","E: v"]}]},
{"cell_type":"code","execution_count":null,"metadata":{},"source":[],"outputs":[]}]}`)
	out, err := readRange(t, env, "n.ipynb", "")
	check(t, err)
	want := "--- cell 1 (markdown) ---\n# Title\ntext\n--- cell 2 (code [7]) ---\nprint(1)\n" +
		"--- output of cell 2 (stream) ---\n1\n--- output of cell 2 (stream) ---\n" + strings.Repeat("x", maxOutput) +
		"\n... (3000 more characters)\n--- output of cell 2 (display_data) ---\n<Figure>\n" +
		"(image/png, 12 characters)\n" +
		"--- output of cell 2 (error) ---\nTrace\nE: v\n--- cell 3 (code) ---\n"
	if out.Content != want || out.Pages != 3 || out.Type != "application/x-ipynb+json" {
		t.Errorf("%+v", out)
	}
	if out, err = readRange(t, env, "n.ipynb", "3"); err != nil || out.Content != "--- cell 3 (code) ---\n" {
		t.Errorf("%+v, %v", out, err)
	}
	if _, err := readRange(t, env, "n.ipynb", "4"); codeOf(err) != tools.InvalidInput {
		t.Error(err)
	}
	raw, err := readFile(t.Context(), env, In{Path: "n.ipynb", Offset: 1, Limit: 1, Raw: true})
	if err != nil || !strings.HasPrefix(raw.Content, `{"nbformat":4`) {
		t.Errorf("%+v, %v", raw, err)
	}
	for _, text := range []string{"plain", "{}", `{"cells":7}`, `{"cells":[],"nbformat":3}`} {
		put(t, filepath.Join(dir, "no.ipynb"), text)
		if out, err := readRange(t, env, "no.ipynb", ""); err != nil || out.Content != text {
			t.Errorf("%q: %+v, %v", text, out, err)
		}
	}
}

// TestReadImage describes an image, and attaches it if a model can take it.
func TestReadImage(t *testing.T) {
	dir := t.TempDir()
	env := testEnv(dir)
	var b bytes.Buffer
	check(t, png.Encode(&b, image.NewGray(image.Rect(0, 0, 30, 20))))
	put(t, filepath.Join(dir, "a.png"), b.String())
	out, err := readFile(t.Context(), env, In{Path: "a.png", Offset: 1, Limit: 1, Base64: true})
	check(t, err)
	data, _ := base64.StdEncoding.DecodeString(out.Base64)
	if out.Type != "image/png" || out.Width != 30 || out.Height != 20 || !bytes.Equal(data, b.Bytes()) ||
		out.image == nil || !bytes.Equal(out.image.Data, b.Bytes()) {
		t.Errorf("%+v", out)
	}
	if document, _ := json.Marshal(out); bytes.Count(document, []byte("iVBOR")) != 1 {
		t.Errorf("%s", document)
	}
	b.Reset()
	check(t, png.Encode(&b, image.NewGray(image.Rect(0, 0, maxImageSide+1, 1))))
	put(t, filepath.Join(dir, "wide.png"), b.String())
	out, err = readRange(t, env, "wide.png", "")
	if err != nil || out.image != nil || out.Width != maxImageSide+1 || !strings.Contains(out.Message, "too large") {
		t.Errorf("%+v, %v", out, err)
	}
	put(t, filepath.Join(dir, "large.bin"), strings.Repeat("\x00", maxBase64+1))
	_, err = readFile(t.Context(), env, In{Path: "large.bin", Offset: 1, Limit: 1, Base64: true})
	if codeOf(err) != tools.LimitExceeded {
		t.Error(err)
	}
	put(t, filepath.Join(dir, "false.png"), "\x89PNG\r\n\x1a\n\x00\x00not an image")
	if out, err := readRange(t, env, "false.png", ""); err != nil || out.image != nil || out.Encoding != "binary" {
		t.Errorf("%+v, %v", out, err)
	}
	for name, head := range map[string]string{
		"lossy": "RIFF\x1e\x00\x00\x00WEBPVP8 \x12\x00\x00\x00\x30\x01\x00\x9d\x01\x2a\x0a\x00\x14\x00",
		"plain": "RIFF\x1e\x00\x00\x00WEBPVP8L\x12\x00\x00\x00\x2f\x09\xc0\x04\x00\x00\x00\x00\x00\x00",
		"more":  "RIFF\x1e\x00\x00\x00WEBPVP8X\x0a\x00\x00\x00\x00\x00\x00\x00\x09\x00\x00\x13\x00\x00",
	} {
		put(t, filepath.Join(dir, name), head)
		if out, err := readRange(t, env, name, ""); err != nil || out.Width != 10 || out.Height != 20 {
			t.Errorf("%s: %+v, %v", name, out, err)
		}
	}
	check(t, os.Remove(filepath.Join(dir, "a.png")))
}
