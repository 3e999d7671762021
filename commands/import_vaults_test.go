package commands

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"techo/internal/testenv"
)

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

// TestImportVaults imports folders of other programs: a dry run leaves the store as it is, and after
// an import of a part, or of the whole, another one adds the rest alone.
func TestImportVaults(t *testing.T) {
	for name, vault := range vaults {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			for kind := range testenv.Pick(1, 2) {
				for i, lang := range []string{"en", "ja"} {
					n := testenv.Pick(30, 100)
					if kind == 0 && i == len(name)%2 { // the largest of a kind is in one language
						n = testenv.Pick(30, map[bool]int{true: 10_000, false: 2_000}[name == "memories"])
					}
					checkNotes(t, w, vault, name, lang, kind, n)
				}
			}
			w.run("store", "verify").ok()
		})
	}
}

func checkNotes(t *testing.T, w *world, vault func(string, int, int) (map[string]string, int, int), name, lang string,
	kind, n int) {
	t.Helper()
	files, parts, notes := vault(lang, kind, n)
	user := fmt.Sprint(lang, kind)
	dir, half := filepath.Join(user, name), filepath.Join(user, "half", name)
	i := 0
	for path, text := range files {
		w.put(filepath.Join(dir, path), text)
		if i++; i <= len(files)/2 { // an import that ended in the middle
			w.put(filepath.Join(half, path), text)
		}
	}
	do := func(dir, user string, flags ...string) map[string]any {
		return w.run(append([]string{"import", "memories", dir, "--user", user}, flags...)...).ok()
	}
	total := func() int {
		return int(w.run("memory", "list", "--user", user, "--fields", "total").ok()["total"].(float64))
	}
	if got := do(dir, user, "--dry-run"); got["imported"] != float64(parts) || got["skipped"] != 0.0 || total() != 0 ||
		len(got["sample"].([]any)) == 0 {
		t.Errorf("%s: a dry run: %v, want %d", user, got, parts)
	}
	do(half, user)
	before := total()
	if got := do(dir, user); got["imported"] != float64(parts-before) || got["skipped"] != 0.0 || total() != parts {
		t.Errorf("%s: %v after %d, then %d, want %d", user, got, before, total(), parts)
	}
	if got := do(dir, user); got["imported"] != 0.0 || total() != parts {
		t.Errorf("%s: again: %v", user, got)
	}
	if got := do(dir, user+"-whole", "--whole"); got["imported"] != float64(notes) {
		t.Errorf("%s: whole: %v, want %d", user, got, notes)
	}
}
