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
	return []byte("# " + plain(d.Caption) + "\n\n**ID:** " + OneLine(d.ID) + "\n**Created:** " + d.Created + "\n\n## Full Content\n\n" + d.Text)
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

// OutsideError says that a folder lies outside of those that confine.
type OutsideError struct{ Dir string }

func (e *OutsideError) Error() string { return e.Dir + ": outside of the roots" }

// openWithin opens a folder, which is made when it is not there, beneath one of
// the roots, if there are any. dir is absolute; "" makes a new temporary
// folder, in the first root.
func openWithin(roots []*os.Root, dir string) (*os.Root, string, error) {
	if dir == "" {
		base := ""
		if len(roots) > 0 {
			base = roots[0].Name()
		}
		made, err := os.MkdirTemp(base, "techo_memories_")
		if err != nil {
			return nil, "", err
		}
		dir = made
	}
	if len(roots) == 0 {
		root, err := openRoot(dir)
		return root, dir, err
	}
	for _, r := range roots {
		rel, err := filepath.Rel(r.Name(), dir)
		if err != nil || !filepath.IsLocal(rel) {
			continue
		}
		if err := r.MkdirAll(rel, 0o700); err != nil {
			return nil, "", err
		}
		root, err := r.OpenRoot(rel)
		return root, dir, err
	}
	return nil, "", &OutsideError{dir}
}

// Research writes memories into a folder, each a file, and INDEX.md. dir is
// absolute, "" a new temporary folder; it lies in one of the roots, unless there
// are none. What else is in the folder stays.
func Research(ctx context.Context, roots []*os.Root, dir string, docs []Document) (r Researched, err error) {
	root, dir, err := openWithin(roots, dir)
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
		if _, err := f.put(name, d.markdown()); err != nil {
			return r, err
		}
		r.Files = append(r.Files, filepath.Join(dir, name))
		lines = append(lines, d.indexLine(name))
	}
	if _, err := f.put(indexName, indexOf(memoryTitle, lines)); err != nil {
		return r, err
	}
	return r, f.commit(ctx)
}
