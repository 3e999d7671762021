package export

import (
	"context"
	"os"
	"path/filepath"
	"strings"

	"techo/internal/confine"
)

// Document is the content of one file in a folder.
type Document struct {
	ID      string
	Caption string
	Created string // formatted
	Text    string
}

// fileName returns the name of the document's file.
func (d Document) fileName() string { return safeName(d.ID) + ".md" }

// markdown returns the document as Markdown.
func (d Document) markdown() []byte {
	return []byte("# " + plain(d.Caption) + "\n\n**ID:** " + OneLine(d.ID) + "\n**Created:** " + d.Created +
		"\n\n## Full Content\n\n" + d.Text)
}

// ParseDocument parses the file of a document.
func ParseDocument(text string) (d Document, ok bool) {
	head, body, ok := strings.Cut(text, "\n\n## Full Content\n\n")
	lines := strings.Split(head, "\n")
	if !ok || len(lines) != 4 || lines[1] != "" {
		return d, false
	}
	caption, isCaption := strings.CutPrefix(lines[0], "# ")
	id, isID := strings.CutPrefix(lines[2], "**ID:** ")
	created, isTime := strings.CutPrefix(lines[3], "**Created:** ")
	caption = strings.NewReplacer(`\[`, "[", `\]`, "]", `\<`, "<").Replace(caption)
	return Document{ID: id, Caption: caption, Created: created, Text: body}, isCaption && isID && isTime
}

// indexLine returns the document's line in the index.
func (d Document) indexLine(name string) string {
	return "- [" + plain(d.ID) + "](" + name + "): " + plain(d.Caption)
}

// indexOf returns the content of INDEX.md.
func indexOf(title string, lines []string) []byte {
	return []byte(strings.Join(append([]string{"# " + title + "\n"}, lines...), "\n"))
}

// memoryTitle is the title of the index of memories.
const memoryTitle = "Memory Index"

// Researched is the result of Research.
type Researched struct {
	Dir   string   // absolute
	Index string   // path of INDEX.md
	Files []string // paths, in the order of the documents
}

// OutsideError reports a folder outside of the permitted roots.
type OutsideError struct{ Dir string }

func (e *OutsideError) Error() string { return e.Dir + ": outside of the roots" }

// openWithin opens a folder beneath one of the roots, if there are any, and
// creates it if needed. dir is absolute; "" creates a temporary folder in the
// first root.
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
	real, err := confine.Follow(dir)
	if err != nil {
		return nil, "", err
	}
	within, rel := confine.Find(roots, real)
	if within == nil {
		return nil, "", &OutsideError{dir}
	}
	if err := within.MkdirAll(rel, 0o700); err != nil {
		return nil, "", err
	}
	root, err := within.OpenRoot(rel)
	return root, dir, err
}

// Research writes each memory to a file in a folder and adds the files to
// INDEX.md. dir is absolute; "" creates a temporary folder. Unless roots is empty,
// the folder must lie in one of the roots. Other files in the folder remain. If a
// file to be written exists and techo did not write it, or it changed since,
// Research fails with a ForeignError and writes nothing.
func Research(ctx context.Context, roots []*os.Root, dir string, docs []Document) (r Researched, err error) {
	root, dir, err := openWithin(roots, dir)
	if err != nil {
		return r, err
	}
	m, err := openMirror(ctx, root)
	if err != nil {
		return r, err
	}
	defer m.close()
	r = Researched{Dir: dir, Index: filepath.Join(dir, indexName)}
	fresh := map[string]string{} // lines of the index, by file
	var order []string
	names := distinct{}
	seen := map[string]bool{}
	for _, d := range docs {
		if seen[d.ID] { // a service may send an id twice
			continue
		}
		seen[d.ID] = true
		name := names.of(d.ID) + ".md"
		if _, err := m.file(name, d.markdown()); err != nil {
			return r, err
		}
		r.Files = append(r.Files, filepath.Join(dir, name))
		fresh[name], order = d.indexLine(name), append(order, name)
	}
	lines, err := m.indexed(fresh)
	if err != nil {
		return r, err
	}
	for _, name := range order {
		if line, ok := fresh[name]; ok {
			lines = append(lines, line)
		}
	}
	if _, err := m.file(indexName, indexOf(memoryTitle, lines)); err != nil {
		return r, err
	}
	return r, m.keep(ctx)
}

// indexed returns the lines of INDEX.md from earlier calls. It replaces the lines
// of files in fresh, and removes those files from fresh.
func (m *mirror) indexed(fresh map[string]string) (lines []string, err error) {
	if _, exists, err := m.found(indexName, m.before[indexName]); err != nil || !exists {
		return nil, err
	}
	text, err := m.root.ReadFile(indexName)
	if err != nil {
		return nil, err
	}
	for line := range strings.SplitSeq(string(text), "\n") {
		_, rest, ok := strings.Cut(line, "](")
		name, _, closed := strings.Cut(rest, "): ")
		if !ok || !closed || !strings.HasPrefix(line, "- [") {
			continue
		}
		if now, again := fresh[name]; again {
			line = now
			delete(fresh, name)
		}
		lines = append(lines, line)
	}
	return lines, nil
}
