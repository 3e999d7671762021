package proof

import (
	"archive/zip"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"techo/internal/testenv"
)

// leftBehind is what a person leaves behind in other programs, by kind: the path to import below a
// folder, and its files from statements.
var leftBehind = map[string]struct {
	path  string
	files func(said []string) map[string]string
}{
	"chatgpt": {"export.zip", func(said []string) map[string]string {
		return map[string]string{"conversations.json": list(said, func(i int, text string) string {
			return fmt.Sprintf(`{"title":"Stories","conversation_id":"%08d","mapping":{"own":{"message":{`+
				`"author":{"role":"user"},"create_time":%d,"content":{"content_type":"text","parts":[%q]}}},`+
				`"answer":{"parent":"own","message":{"author":{"role":"assistant"},"create_time":%[2]d,`+
				`"content":{"content_type":"text","parts":["Noted"]}}}}}`, i/20, 1767600000+i, text)
		})}
	}},
	"claude": {"export.zip", func(said []string) map[string]string {
		return map[string]string{"users.json": "[]", "conversations.json": list(said, func(i int, text string) string {
			return fmt.Sprintf(`{"uuid":"%08d","name":"Stories","chat_messages":[{"sender":"human","text":%q,`+
				`"created_at":"2026-01-05T08:00:00Z"},{"sender":"assistant","text":"Noted"}]}`, i, text)
		})}
	}},
	"mem0": {"files/mem0.json", func(said []string) map[string]string {
		return map[string]string{"mem0.json": `{"results":` + list(said, func(i int, text string) string {
			return fmt.Sprintf(`{"id":"%d","memory":%q,"user_id":"alex"}`, i, text)
		}) + `}`}
	}},
	"obsidian": {"files", func(said []string) map[string]string {
		return files(said, 1, "part%d/Note %d.md", "---\ntags: [t]\n---\nSee [[Other]].\n", "")
	}},
	"basic-memory": {"files", func(said []string) map[string]string {
		return files(said, 10, "part%d/note-%d.md", "# Note\n## Observations\n", "- [fact] ")
	}},
	"agents": {"files", func(said []string) map[string]string {
		return files(said, 10, "part%d/%d/AGENTS.md", "# Project\n\n## Rules\n\n", "- ")
	}},
	"memories": {"memories", func(said []string) map[string]string {
		return files(said, 10, "part%d/volume%d.txt", "# Volume\n", "- ")
	}},
}

// list returns texts as a list of JSON.
func list(said []string, one func(i int, text string) string) string {
	all := make([]string, len(said))
	for i, text := range said {
		all[i] = one(i, text)
	}
	return "[" + strings.Join(all, ",\n") + "]"
}

// files returns notes with some statements each, below a head and as items.
func files(said []string, each int, name, head, item string) map[string]string {
	all := map[string]string{}
	for i := 0; i < len(said); i += each {
		some := said[i:min(i+each, len(said))]
		all[fmt.Sprintf(name, i%7, i)] = head + item + strings.Join(some, "\n"+item) + "\n"
	}
	return all
}

// leave writes what is left behind: as a folder, or as an archive.
func leave(t *testing.T, dir, path string, files map[string]string) string {
	t.Helper()
	put := func(name, text string) error {
		name = filepath.Join(dir, strings.TrimSuffix(path, "/mem0.json"), name)
		if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
			return err
		}
		return os.WriteFile(name, []byte(text), 0o600)
	}
	if filepath.Ext(path) == ".zip" {
		f, err := os.Create(filepath.Join(dir, path))
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		archive := zip.NewWriter(f)
		defer archive.Close()
		put = func(name, text string) error {
			w, err := archive.Create(name)
			if err == nil {
				_, err = io.WriteString(w, text)
			}
			return err
		}
	}
	for name, text := range files {
		if err := put(name, text); err != nil {
			t.Fatal(err)
		}
	}
	return filepath.Join(dir, path)
}

// TestKillMoving kills imports of what other programs leave behind, in two languages. Imported again,
// all of it is there, and nothing twice.
func TestKillMoving(t *testing.T) {
	var said []string
	for i := range testenv.Pick(200, 10_000) {
		text := fmt.Sprintf("My story %d is in volume %d.", i, i%97)
		if i%2 == 1 {
			text = fmt.Sprintf("私の%d番目の話は第%d巻にあります。", i, i%97)
		}
		said = append(said, text)
	}
	for kind, from := range leftBehind {
		t.Run(kind, func(t *testing.T) {
			source := leave(t, t.TempDir(), from.path, from.files(said))
			k := newKilling(t)
			first := k.store
			began := time.Now()
			whole := k.count(t, "imported", "import", "memories", source)
			if k.record(time.Since(began)); whole < len(said) {
				t.Fatalf("%d memories of %d statements", whole, len(said))
			}
			k.rounds(t, 2, 20, func(n int) {
				k.store = fmt.Sprint(first, n)
				if _, killed := k.strike(t, command(t.Context(), k.store, "import", "memories", source)); killed {
					k.goOn(t, source, whole)
				}
			})
		})
	}
}

// goOn continues an import that was killed: in the end it has a number of memories, each once.
func (k *killing) goOn(t *testing.T, source string, whole int) {
	t.Helper()
	there := k.count(t, "total", "memory", "list")
	a := mustTecho(t, k.store, "import", "memories", source).Doc
	if a["imported"] != float64(whole-there) || a["existing"] != float64(there) || a["skipped"] != 0.0 {
		t.Errorf("after %d of %d: %v", there, whole, a)
	}
	if got := k.count(t, "imported", "import", "memories", source); got != 0 {
		t.Errorf("%d were imported twice", got)
	}
	if got := k.count(t, "total", "memory", "list"); got != whole {
		t.Errorf("%d memories of %d", got, whole)
	}
	mustTecho(t, k.store, "store", "verify")
}
