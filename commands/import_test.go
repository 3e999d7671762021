package commands

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"techo/internal/testenv"
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

// TestStrictPieces imports strictly what is more than one batch, from a file and from stdin: all of it, or nothing.
func TestStrictPieces(t *testing.T) {
	const n = 4200 // more than a batch
	w := newWorld(t)
	var lines strings.Builder
	for i := range n {
		fmt.Fprintf(&lines, "{\"full_text\":\"text %d\"}\n", i)
	}
	good := lines.String()
	for name, wrong := range map[string]string{
		"json": "{", "id": `{"id":"mem_a","full_text":"one"}` + "\n" + `{"id":"mem_a","full_text":"two"}`,
	} {
		w.feed(good+wrong+"\n", "import", "memories", "-", "--strict").fails("invalid_input", fmt.Sprint("/", n+1+strings.Count(wrong, "\n")))
		if got := w.run("memory", "list").ok()["total"]; got != float64(0) {
			t.Errorf("%s: %v memories of a refused import", name, got)
		}
	}
	w.put("good.jsonl", good)
	for _, c := range []struct {
		user string
		run  func(args ...string) answer
		file string
	}{
		{"suzuki", w.run, "good.jsonl"},
		{"tanaka", func(args ...string) answer { return w.feed(good, args...) }, "-"},
	} {
		got := c.run("import", "memories", c.file, "--strict", "--user", c.user).ok()
		if got["imported"] != float64(n) || got["skipped"] != float64(0) {
			t.Errorf("%s: %v", c.file, got["message"])
		}
	}
}

// vaults make n notes or statements of an invented person: the files, the memories that an import
// makes of them, and those with --whole.
var vaults = map[string]func(lang string, kind, n int) (files map[string]string, parts, notes int){
	"obsidian": func(lang string, kind, n int) (map[string]string, int, int) {
		files := map[string]string{}
		for i := range n {
			files[fmt.Sprintf("part%d/Note %d.md", i%7, i)] =
				fmt.Sprintf("---\ntags: [t%d]\n---\n%s\nSee [[Note %d]].\n", i%3, said(lang, kind, i), i+1)
		}
		return files, n, n
	},
	"basic-memory": func(lang string, kind, n int) (map[string]string, int, int) {
		files := map[string]string{}
		for i := 0; i < n; i += 10 {
			var b strings.Builder
			fmt.Fprintf(&b, "---\ntitle: Note %d\npermalink: note-%d\n---\n# Note %d\n## Observations\n", i, i, i)
			for j := range 9 {
				fmt.Fprintf(&b, "- [fact] %s\n", said(lang, kind, i+j))
			}
			b.WriteString("## Relations\n- follows [[Other]]\n")
			files[fmt.Sprintf("note-%d.md", i)] = b.String()
		}
		return files, n, n / 10
	},
	"memories": func(lang string, kind, n int) (map[string]string, int, int) {
		files := map[string]string{}
		for i := 0; i < n; i += 10 {
			var b strings.Builder
			fmt.Fprintf(&b, "# Volume %d\n", i)
			for j := range 10 {
				fmt.Fprintf(&b, "- %s\n", said(lang, kind, i+j))
			}
			files[fmt.Sprintf("volume%d.txt", i)] = b.String()
		}
		return files, n, n / 10
	},
	"agents": func(lang string, kind, n int) (map[string]string, int, int) {
		files, names := map[string]string{}, []string{"CLAUDE.md", "AGENTS.md"}
		for i := 0; i < n; i += 10 {
			var b strings.Builder
			fmt.Fprintf(&b, "# Project %d\n\n%s\n\n## Rules\n\n", i, said(lang, kind, i))
			for j := 1; j < 10; j++ {
				fmt.Fprintf(&b, "- %s\n", said(lang, kind, i+j))
			}
			fmt.Fprintf(&b, "\n```sh\n# no heading: %d\n- no item\n```\n", i)
			files[fmt.Sprintf("service%d/%s", i, names[i/10%2])] = b.String()
		}
		return files, n, n / 10
	},
}

// TestImportVaults imports folders of other programs.
func TestImportVaults(t *testing.T) {
	for name, vault := range vaults {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			checkNotes(t, w, vault, name, "en", 30)
			n := 30
			if name == "memories" { // more than one transaction takes
				n = testenv.Pick(30, 7_000)
			}
			checkNotes(t, w, vault, name, "ja", n)
			w.run("store", "verify").ok()
		})
	}
}

func checkNotes(t *testing.T, w *world, vault func(string, int, int) (map[string]string, int, int), name, lang string, n int) {
	t.Helper()
	files, parts, notes := vault(lang, 0, n)
	dir, half := filepath.Join(lang, name), filepath.Join(lang, "half", name)
	i := 0
	for path, text := range files {
		w.put(filepath.Join(dir, path), text)
		if i++; i <= len(files)/2 { // an import that ended in the middle
			w.put(filepath.Join(half, path), text)
		}
	}
	checkImport(t, w, dir, half, lang, parts, 0)
	if got := w.run("import", "memories", dir, "--user", lang+"-whole", "--whole").ok(); got["imported"] != float64(notes) {
		t.Errorf("%s: whole: %v, want %d", lang, got, notes)
	}
}
