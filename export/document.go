package export

import (
	"context"
	"os"
	"path/filepath"
	"strings"
)

// Document is what becomes one file of a folder.
type Document struct {
	ID      string
	Caption string
	Created string // as it is written
	Text    string
}

// fileName is the document's file.
func (d Document) fileName() string { return safeName(d.ID) + ".md" }

// markdown writes the document.
func (d Document) markdown() []byte {
	return []byte("# " + plain(d.Caption) + "\n\n**ID:** " + oneLine(d.ID) + "\n**Created:** " + d.Created + "\n\n## Full Content\n\n" + d.Text)
}

// indexLine is the document's line in the index.
func (d Document) indexLine(name string) string {
	return "- [" + plain(d.ID) + "](" + name + "): " + plain(d.Caption)
}

// indexOf writes INDEX.md.
func indexOf(title string, lines []string) []byte {
	return []byte(strings.Join(append([]string{"# " + title + "\n"}, lines...), "\n"))
}

// memoryTitle heads the index of memories.
const memoryTitle = "Memory Index"

// Researched is a folder of memories to be read.
type Researched struct {
	Dir   string   // absolute
	Index string   // path of INDEX.md
	Files []string // paths, in the order of the documents
}

// Research writes memories into a folder, each a file, and INDEX.md. dir is
// absolute; "" makes a new temporary folder. What else is in the folder stays.
func Research(ctx context.Context, dir string, docs []Document) (r Researched, err error) {
	if dir == "" {
		if dir, err = os.MkdirTemp("", "techo_memories_"); err != nil {
			return r, err
		}
	}
	root, err := openRoot(dir)
	if err != nil {
		return r, err
	}
	f, err := openFolder(ctx, root)
	if err != nil {
		return r, err
	}
	defer f.close()
	r = Researched{Dir: dir, Index: filepath.Join(dir, indexName)}
	var lines []string
	names := distinct{}
	seen := map[string]bool{}
	for _, d := range docs {
		if seen[d.ID] { // a service may send an id twice
			continue
		}
		seen[d.ID] = true
		name := names.of(d.ID) + ".md"
		if err := f.put(name, d.markdown()); err != nil {
			return r, err
		}
		r.Files = append(r.Files, filepath.Join(dir, name))
		lines = append(lines, d.indexLine(name))
	}
	if err := f.put(indexName, indexOf(memoryTitle, lines)); err != nil {
		return r, err
	}
	return r, f.commit(ctx)
}
