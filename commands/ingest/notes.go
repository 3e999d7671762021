package ingest

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"techo/commands/readahead"
	"techo/export"
	"techo/internal/charset"
	"techo/internal/sorting"
	"techo/store/memory"
	"techo/tools"
	"techo/tools/jsontree"
)

// noteText is the content of a note.
type noteText struct {
	name    string // below the folder of the import
	text    string
	changed time.Time // of the file
	user    string    // whose memories were exported to the folder; "" if unknown
}

// noteFile is a note to read, or a path that cannot be read.
type noteFile struct {
	path   string
	err    error
	folder bool
	export bool // it is JSON of an export of ChatGPT or Claude
}

// noteLines calls use with each Markdown file in the folder and its subfolders,
// as one line that is numbered by file. It skips hidden files and links. If the
// source is a single file, any name will do.
func (s *importSource) noteLines(use func(importLine) error) error {
	notes, err := s.notes()
	if err != nil {
		return err
	}
	users := map[string]string{} // by folder
	for i, n := range notes {
		l, lines := importLine{Number: i + 1, file: noteName(s.dir, n.path)}, [][]byte(nil)
		if n.export && n.err == nil {
			if err := s.exported(n.path, l.file, use); err != nil {
				return err
			}
			continue
		}
		if n.err == nil && !n.folder {
			folder := filepath.Dir(n.path)
			if _, known := users[folder]; s.allUsers && !known {
				users[folder] = export.FolderUser(folder)
			}
			lines, n.err = s.readNote(n.path, users[folder], &l)
			if errors.Is(n.err, errLeftOut) {
				continue
			}
		}
		if n.err != nil {
			l.problem = s.Env.Localize("cannot be read: %v", n.err)
		}
		if n.err != nil || len(lines) == 0 {
			lines = [][]byte{l.raw}
		}
		for _, l.raw = range lines {
			if err := use(l); err != nil {
				return err
			}
		}
	}
	return nil
}

// exported calls use with each value of a file of JSON in a folder.
func (s *importSource) exported(path, name string, use func(importLine) error) error {
	f, err := os.Open(path)
	if err != nil {
		return use(importLine{file: name, problem: s.Env.Localize("cannot be read: %v", err)})
	}
	defer f.Close()
	return s.documents(f, func(l importLine) error {
		l.file = name
		return use(l)
	})
}

// errLeftOut says that a note is left out, and counted so.
var errLeftOut = errors.New("left out")

// notes returns the notes in the order of their paths or, in a folder of an export,
// of its INDEX.md.
func (s *importSource) notes() (all []noteFile, err error) {
	texts := isMemoryFolder(s.dir)
	err = filepath.WalkDir(s.dir, func(path string, d fs.DirEntry, err error) error {
		named := path == s.dir
		if named && err != nil {
			return err
		}
		if !named && strings.HasPrefix(d.Name(), ".") && err == nil {
			if d.IsDir() {
				return filepath.SkipDir
			}
			return nil
		}
		if err == nil && s.exports && d.Type().IsRegular() && isExport(path) {
			all = append(all, noteFile{path: path, export: true})
			return nil
		}
		if err == nil && (d.IsDir() || !named && !isNote(d, texts)) {
			if d.Type().IsRegular() && d.Name() != "INDEX.md" {
				s.leaveOut("a file that is not a note")
			}
			return nil
		}
		all = append(all, noteFile{path, err, d.IsDir(), false})
		if err != nil && d.IsDir() {
			return filepath.SkipDir
		}
		return nil
	})
	byFolder := map[string][]int{}
	for i, n := range all {
		folder := filepath.Dir(n.path)
		byFolder[folder] = append(byFolder[folder], i)
	}
	for folder, places := range byFolder {
		sortByIndex(folder, all, places)
	}
	return all, err
}

// maxIndex is the size of the largest INDEX.md that is read, in bytes.
const maxIndex = 256 << 20

// sortByIndex gives some notes of one folder the order of its INDEX.md, in which
// the memories follow each other. Notes that it does not list come last.
func sortByIndex(folder string, all []noteFile, places []int) {
	path := filepath.Join(folder, "INDEX.md")
	if st, err := os.Lstat(path); err != nil || !st.Mode().IsRegular() || st.Size() > maxIndex {
		return
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return
	}
	order := export.IndexOrder(string(text))
	sorted := make([]noteFile, len(places))
	for i, place := range places {
		sorted[i] = all[place]
	}
	position := func(n noteFile) int {
		if i, ok := order[filepath.Base(n.path)]; ok {
			return i
		}
		return len(order)
	}
	sorting.By(sorted, func(a, b noteFile) int { return position(a) - position(b) })
	for i, place := range places {
		all[place] = sorted[i]
	}
}

// isNote reports whether a file is a note; with texts, any text may be one.
func isNote(d fs.DirEntry, texts bool) bool {
	return d.Type().IsRegular() && (isMarkdown(d.Name()) || texts) && d.Name() != "INDEX.md"
}

// isMarkdown reports whether a file is Markdown by its name.
func isMarkdown(name string) bool {
	switch strings.ToLower(filepath.Ext(name)) {
	case ".md", ".markdown", ".mdc":
		return true
	}
	return isForAgents(name)
}

// isExport reports whether a file of JSON is a part of an export of ChatGPT or Claude: in the
// folder of the conversations, or in a folder beside them that is named after the part.
func isExport(path string) bool {
	name, ok := strings.CutSuffix(filepath.Base(path), ".json")
	folder := filepath.Dir(path)
	part := strings.TrimRight(name, "-_0123456789")
	if ok && !isPart(part) {
		part, folder = filepath.Base(folder), filepath.Dir(folder)
	}
	if !ok || !isPart(part) {
		return false
	}
	found, err := filepath.Glob(filepath.Join(globbed(folder), "conversations*.json"))
	return err == nil && len(found) > 0
}

// isPart reports whether a part of an export that is read has a name.
func isPart(name string) bool {
	return name == "conversations" || name == "projects" || name == "memories"
}

// globbed returns a pattern that matches a folder alone.
func globbed(folder string) string {
	return strings.NewReplacer(`*`, `\*`, `?`, `\?`, `[`, `\[`, `\`, `\\`).Replace(folder)
}

// noteName returns the name of a note in errors.
func noteName(dir, path string) string {
	name, err := filepath.Rel(dir, path)
	if err != nil || name == "." {
		name = filepath.Base(path)
	}
	return strings.ToValidUTF8(filepath.ToSlash(name), "\ufffd")
}

// readNote reads a note into lines, or what is wrong with it into l.
func (s *importSource) readNote(path, user string, l *importLine) (lines [][]byte, err error) {
	st, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if st.Size() > readahead.MaxLine {
		l.long = true
		return nil, nil
	}
	b, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	text, ok := decoded(b)
	switch {
	case (!ok || bytes.ContainsRune(b, 0)) && !isMarkdown(path) && path != s.dir:
		s.leaveOut("a file that is not a note")
		return nil, errLeftOut
	case !ok:
		l.raw = b // the line is refused later
		return nil, nil
	}
	lines, l.problem, err = s.note(noteText{l.file, text, st.ModTime(), user})
	return lines, err
}

// decoded returns the text of a note: UTF-8, or another encoding in which no byte is wrong. In one of
// Western Europe no byte can be, so that it proves nothing.
func decoded(b []byte) (string, bool) {
	if utf8.Valid(b) {
		return string(b), true
	}
	c, _ := charset.Detect(b)
	if c == nil || c.Name() == "windows-1252" {
		return "", false
	}
	text := c.Decode(b)
	return text.String, !text.Lossy
}

// leftNote returns the reason to leave out a note, or "".
func leftNote(n noteText) tools.Text {
	front, _, _ := cutFrontMatter(normalText(n.text))
	if strings.Contains(front, "excalidraw-plugin:") {
		return "a drawing"
	}
	folder := strings.ToLower(path.Base(path.Dir(n.name)))
	ofTemplates := strings.Contains(folder, "template") || strings.Contains(folder, "テンプレート")
	for _, mark := range []string{"{{title", "{{date", "{{time", "<% tp.", "<%* "} {
		if ofTemplates && strings.Contains(n.text, mark) {
			return "a template"
		}
	}
	return ""
}

// memoryNote returns the memories of a note as lines of JSON Lines.
func (s *importSource) memoryNote(n noteText) (lines [][]byte, problem string, err error) {
	if m, ok := export.ParseMemory(n.text); ok && memoryID(m.ID) {
		if _, err := time.Parse(time.RFC3339Nano, m.CreatedAt); err == nil {
			m.UserID = n.user
			line, err := jsontree.Marshal(m)
			return [][]byte{line}, "", err
		}
	}
	if why := leftNote(n); why != "" {
		s.leaveOut(why)
		return nil, "", errLeftOut
	}
	made := s.parts(n)
	if len(made) == 0 || strings.TrimSpace(made[0].FullText) == "" {
		return nil, s.Env.Localize("has no text"), nil
	}
	lines, err = jsonLines(made)
	return lines, "", err
}

// noteLine is a note as a line of JSON lines.
type noteLine struct {
	FullText  string `json:"full_text"`
	Caption   string `json:"caption,omitempty"`
	CreatedAt string `json:"created_at"`
	Session   string `json:"session,omitempty"`
	Topic     string `json:"topic,omitempty"`

	Relation *memory.Relation `json:"relation,omitempty"`

	title string // in the front matter
}

// normalText returns a text without a byte order mark and with the line ends of Unix.
func normalText(text string) string {
	return strings.ReplaceAll(strings.TrimPrefix(text, "\ufeff"), "\r\n", "\n")
}

// note parses a Markdown note. Its caption is the title or the description of its
// front matter, its first heading, or its first line of text. Times without an
// offset are in the zone.
func note(text string, changed time.Time, zone *time.Location) noteLine {
	text = normalText(text)
	l := noteLine{FullText: text, CreatedAt: changed.UTC().Format(time.RFC3339Nano)}
	if front, body, ok := cutFrontMatter(text); ok {
		l.FullText = strings.TrimSpace(body)
		l.frontMatter(front, zone)
	}
	lines := strings.Split(l.FullText, "\n")
	for _, line := range lines {
		if title, ok := strings.CutPrefix(line, "# "); ok && l.Caption == "" {
			l.Caption = strings.TrimSpace(title)
		}
	}
	says := func(line string) bool {
		return strings.ContainsFunc(line, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) })
	}
	if i := slices.IndexFunc(lines, says); l.Caption == "" && i > 0 &&
		strings.TrimSpace(strings.Join(lines[:i], "")) != "" {
		l.Caption = strings.TrimSpace(lines[i]) // skips rules and fences
	}
	if r := []rune(l.Caption); len(r) > 200 {
		l.Caption = string(r[:199]) + "…"
	}
	return l
}
