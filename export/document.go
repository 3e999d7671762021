package export

import (
	"context"
	"os"
	"path/filepath"
	"strings"

	"techo/internal/confine"
	"techo/internal/legible"
	"techo/internal/regular"
)

// Document is the content of one file in a folder.
type Document struct {
	ID      string
	Caption string
	Created string  // formatted
	Fields  []Field // after Created
	Text    string
	Note    string // behind the caption in the index, "" for none
}

// Field is a further field of a document. The value is one line.
type Field struct{ Name, Value string }

func (d Document) fileName() string { return safeName(d.ID) + ".md" }

func (d Document) markdown() []byte {
	var b strings.Builder
	b.WriteString("# " + plain(d.Caption) + "\n\n**ID:** " + OneLine(d.ID) + "\n**Created:** " + d.Created)
	for _, f := range d.Fields {
		b.WriteString("\n**" + f.Name + ":** " + f.Value)
	}
	b.WriteString("\n\n## Full Content\n\n" + d.Text)
	return []byte(b.String())
}

// ParseDocument parses the file of a document, also if an editor has added a byte
// order mark or changed the line ends.
func ParseDocument(text string) (d Document, ok bool) {
	text = strings.TrimPrefix(text, "\ufeff")
	if head, _, _ := strings.Cut(text, "\n"); strings.HasSuffix(head, "\r") {
		text = strings.ReplaceAll(text, "\r\n", "\n")
	}
	head, body, ok := strings.Cut(text, "\n\n## Full Content\n\n")
	lines := strings.Split(head, "\n")
	if !ok || len(lines) < 4 || lines[1] != "" {
		return d, false
	}
	caption, ok := strings.CutPrefix(lines[0], "# ")
	d = Document{Caption: unescaped(caption), Text: body}
	for i, line := range lines[2:] {
		name, value, found := strings.Cut(strings.TrimPrefix(line, "**"), ":** ")
		switch {
		case !found || !strings.HasPrefix(line, "**"):
			return d, false
		case i == 0:
			d.ID, ok = value, ok && name == "ID"
		case i == 1:
			d.Created, ok = value, ok && name == "Created"
		default:
			d.Fields = append(d.Fields, Field{name, value})
		}
	}
	return d, ok
}

// unescaped is the inverse of plain for a text on one line.
func unescaped(text string) string {
	return strings.NewReplacer(`\[`, "[", `\]`, "]", `\<`, "<").Replace(text)
}

// indexLine returns the document's line in the index.
func (d Document) indexLine(name string) string {
	line := "- [" + plain(d.ID) + "](" + name + "): " + plain(legible.Escape(d.Caption))
	if d.Note != "" {
		line += " (" + plain(legible.Escape(d.Note)) + ")"
	}
	return line
}

func indexOf(title string, lines []string) []byte {
	return []byte(strings.Join(append([]string{"# " + title + "\n"}, lines...), "\n"))
}

const memoryTitle = "Memory Index"

// Researched is the result of Research.
type Researched struct {
	Dir   string   // absolute
	Index string   // path of INDEX.md
	Files []string // paths, in the order of the documents
}

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
	at, err := confine.Locate(roots, dir)
	if err != nil {
		return nil, "", err
	}
	root, err := openRoot(at)
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
	m, err := openMirror(ctx, root, source{})
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

// maxIndex bounds the INDEX.md of earlier calls, in bytes.
const maxIndex = 64 << 20

// indexed returns the lines of INDEX.md from earlier calls. It replaces the lines
// of files in fresh, and removes those files from fresh.
func (m *mirror) indexed(fresh map[string]string) (lines []string, err error) {
	if _, exists, err := m.found(indexName, m.before[indexName]); err != nil || !exists {
		return nil, err
	}
	text, err := regular.ReadBy(m.root.OpenFile, indexName, maxIndex)
	if err != nil {
		return nil, err
	}
	for line := range strings.SplitSeq(string(text), "\n") {
		name, ok := indexedName(line)
		if !ok {
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

// indexedName returns the file name in a line of INDEX.md.
func indexedName(line string) (name string, ok bool) {
	_, rest, linked := strings.Cut(line, "](")
	name, _, closed := strings.Cut(rest, "): ")
	return name, linked && closed && strings.HasPrefix(line, "- [")
}

// IndexOrder returns the position of each file in the text of an INDEX.md.
func IndexOrder(text string) map[string]int {
	order := map[string]int{}
	for line := range strings.SplitSeq(text, "\n") {
		if name, ok := indexedName(line); ok {
			order[name] = len(order)
		}
	}
	return order
}
