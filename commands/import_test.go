package commands

import (
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// hostileText returns a random text that is hard for parsers of lines, JSON and
// Markdown.
func hostileText(r *rand.Rand) string {
	parts := []string{"a", "犬", "\n", "\r\n", "\r", "\ufeff", "# ", "---\n", "## Full Content\n\n", "**ID:** mem_x\n",
		"](", "[", "]", "<b>", "\\", "\\[", "`", "\u2028", "\t", " ", "\x00", "\x1b[2J", "\"", "é", "e\u0301", "𠮷",
		"..", "/"}
	var b strings.Builder
	for range 1 + r.IntN(12) {
		b.WriteString(parts[r.IntN(len(parts))])
	}
	return b.String() + "x"
}

// TestImportNotes imports a folder of ordinary and broken files: every skipped
// file is reported.
func TestImportNotes(t *testing.T) {
	w := newWorld(t)
	for name, text := range map[string]string{
		"bom.md": "\ufeff# 見出し\n\n本文", "crlf.md": "---\r\ntitle: 'It: is'\r\n---\r\nbody\r\n",
		"open.md":  "---\ntitle: x\n",
		"latin.md": "caf\xe9", "empty.md": "", "front.md": "---\ntitle: x\n---", "日本語.MD": "深い",
		"sub/more.markdown": "more",
		".hidden.md":        "no", ".obsidian/x.md": "no", "INDEX.md": "no", "x.txt": "no",
		"huge.md": strings.Repeat("a", 5<<20),
	} {
		path := filepath.Join(w.dir, "notes", name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink("/etc/passwd", filepath.Join(w.dir, "notes", "link.md")); err == nil {
		_ = os.Symlink("..", filepath.Join(w.dir, "notes", "loop"))
	}
	got := w.run("import", "memories", "notes").ok()
	var wrong []string
	for _, e := range got["errors"].([]any) {
		wrong = append(wrong, e.(map[string]any)["file"].(string))
	}
	if want := "empty.md front.md huge.md latin.md"; strings.Join(wrong, " ") != want ||
		got["imported"] != float64(5) || got["skipped"] != float64(4) {
		t.Errorf("%v", got)
	}
	var captions []string
	for _, m := range w.run("memory", "list").ok()["memories"].([]any) {
		captions = append(captions, m.(map[string]any)["caption"].(string))
	}
	for _, want := range []string{"見出し", "It: is", "title: x", "深い", "more"} {
		if !strings.Contains(strings.Join(captions, "|"), want) {
			t.Errorf("no %q in %q", want, captions)
		}
	}
	w.run("import", "memories", "notes", "--strict", "--user", "suzuki").fails("invalid_input", "/3", "/4", "/5", "/6")
	if got := w.run("memory", "list", "--user", "suzuki").ok()["total"]; got != float64(0) {
		t.Errorf("%v memories of a refused import", got)
	}
}
