package ingest

import (
	"archive/zip"
	"bytes"
	"errors"
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"techo/commands/readahead"
	"techo/export"
	"techo/internal/sorting"
	"techo/store/memory"
	"techo/tools"
	"techo/tools/jsontree"
	memories "techo/tools/memory"
)

// noteText is the content of a note.
type noteText struct {
	path    string
	name    string // below the folder of the import
	text    string
	changed time.Time // of the file
	user    string    // whose memories were exported to the folder; "" if unknown
	source  memory.Source
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
	if s.folder.packed != nil && s.allUsers {
		return s.Env.Fail(tools.InvalidInput, "--all-users does not work with a zip archive").
			WithHint(s.Env.Hint("Unpack it and import the folder"))
	}
	notes, err := s.notes()
	if err != nil {
		return err
	}
	users := map[string]string{} // by folder
	for i, n := range notes {
		l, lines := importLine{Number: i + 1, file: noteName(s.folder.dir, n.path)}, [][]byte(nil)
		if n.export && n.err == nil {
			if err := s.exported(n.path, l.file, use); err != nil {
				return err
			}
			continue
		}
		if n.err == nil && !n.folder {
			folder := filepath.Dir(n.path)
			if _, known := users[folder]; s.allUsers && !known {
				users[folder] = export.FolderUser(s.folder.at.Named(folder))
			}
			lines, n.err = s.readNote(n.path, users[folder], &l)
			if errors.Is(n.err, errLeftOut) {
				continue
			}
		}
		if n.err != nil {
			l.problem = unread(s.Env, n.err)
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
	f, err := s.folder.open(path)
	var stopped error
	if err == nil {
		defer f.Close()
		err = s.documents(f, f.size, func(l importLine) error {
			l.file = name
			stopped = use(l)
			return stopped
		})
	}
	if err == nil || stopped != nil {
		return stopped
	}
	return use(importLine{file: name, problem: unread(s.Env, err)})
}

// unread returns the reason that a file cannot be read.
func unread(env *tools.Env, err error) string {
	var why any = err
	switch {
	case errors.Is(err, errDamaged):
		why = env.Localize("it is damaged")
	case errors.Is(err, errEncrypted):
		why = env.Localize("it is encrypted")
	case errors.Is(err, zip.ErrAlgorithm):
		why = env.Localize("it is compressed in an unknown way")
	}
	return env.Localize("cannot be read: %v", why)
}

// errLeftOut says that a note is left out, and counted so.
var errLeftOut = errors.New("left out")

// notes returns the notes in the order of their paths or, in a folder of an export,
// of its INDEX.md.
func (s *importSource) notes() (all []noteFile, err error) {
	add := func(path string) {
		if n, ok := s.folder.part(path, s.exports); ok {
			all = append(all, n)
		} else if filepath.Base(path) != "INDEX.md" {
			s.leaveOut("a file that is not a note")
		}
	}
	if s.folder.packed != nil {
		for _, path := range s.folder.packedPaths() {
			add(path)
		}
	} else {
		err = s.folder.at.Walk(func(path string, d fs.DirEntry, err error) error {
			named := path == s.folder.dir
			switch {
			case named && err != nil:
				return err
			case err != nil:
				all = append(all, noteFile{path, err, d.IsDir(), false})
			case named && !d.IsDir():
				all = append(all, noteFile{path: path})
			case !named && strings.HasPrefix(d.Name(), "."):
			case d.Type().IsRegular():
				add(path)
			}
			if !named && d.IsDir() && (err != nil || strings.HasPrefix(d.Name(), ".")) {
				return filepath.SkipDir
			}
			return nil
		})
	}
	byFolder := map[string][]int{}
	for i, n := range all {
		folder := filepath.Dir(n.path)
		byFolder[folder] = append(byFolder[folder], i)
	}
	for folder, places := range byFolder {
		s.folder.sortByIndex(folder, all, places)
	}
	return all, err
}

// part returns a file in a folder as a note or a part of an export; ok is false for another one.
func (f folder) part(path string, exports bool) (n noteFile, ok bool) {
	n = noteFile{path: path, export: exports && f.isExport(path)}
	// In the folder of a memory tool any text may be a note.
	return n, n.export || filepath.Base(path) != "INDEX.md" && (isMarkdown(path) || f.isMemoryFolder())
}

// maxIndex is the size of the largest INDEX.md that is read, in bytes.
const maxIndex = 256 << 20

// sortByIndex gives some notes of one folder the order of its INDEX.md, in which
// the memories follow each other. Notes that it does not list come last.
func (f folder) sortByIndex(folder string, all []noteFile, places []int) {
	path := filepath.Join(folder, "INDEX.md")
	if !f.has(path) {
		return
	}
	text, long, _, err := f.readFile(path, maxIndex)
	if err != nil || long {
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
func (f folder) isExport(path string) bool {
	name, ok := strings.CutSuffix(filepath.Base(path), ".json")
	folder := filepath.Dir(path)
	part := strings.TrimRight(name, "-_0123456789")
	if ok && !isPart(part) {
		part, folder = filepath.Base(folder), filepath.Dir(folder)
	}
	return ok && isPart(part) && f.hasConversations(folder)
}

// isPart reports whether a part of an export that is read has a name.
func isPart(name string) bool {
	return name == "conversations" || name == "projects" || name == "memories"
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
	b, long, changed, err := s.folder.readFile(path, readahead.MaxLine)
	if l.long = long; err != nil || long {
		return nil, err
	}
	text, ok := decoded(b)
	switch {
	case (!ok || bytes.ContainsRune(b, 0)) && !isMarkdown(path) && path != s.folder.dir:
		s.leaveOut("a file that is not a note")
		return nil, errLeftOut
	case !ok:
		l.problem = s.Env.Localize("is in no encoding that is certain; save it as UTF-8")
		return nil, nil
	}
	lines, l.problem, err = s.note(noteText{path, l.file, text, changed, user, noteSource(s, path, b)})
	return lines, err
}

// leftNote returns the reason to leave out a note, or "".
func leftNote(n noteText) tools.Text {
	if export.Superseded(n.text) {
		return "a superseded memory"
	}
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
	for i := range made {
		l := &made[i]
		l.Source, l.SourceDir, l.SourceHash, l.SourceBlob = n.source.Text, n.source.Dir, n.source.Hash, n.source.Blob
		l.Whole, l.Note, l.Changed = true, wholePath(n.path), n.changed.UTC().Format(time.RFC3339Nano)
	}
	lines, err = marshalled(made)
	return lines, "", err
}

// noteSource returns the source of a note: its path and, of a file, the hash of its content.
func noteSource(s *importSource, path string, content []byte) memory.Source {
	whole := wholePath(path)
	if s.folder.packed != nil || !utf8.ValidString(whole) {
		return memory.Source{Text: "file:" + whole}
	}
	return memories.WholeSource(s.Env, filepath.FromSlash(whole), content)
}

// wholePath returns the whole path of a file.
func wholePath(path string) string {
	if whole, err := filepath.Abs(path); err == nil {
		path = whole
	}
	return strings.ToValidUTF8(filepath.ToSlash(path), "\ufffd")
}

// normalText returns a text without a byte order mark and with the line ends of Unix.
func normalText(text string) string {
	return strings.ReplaceAll(strings.TrimPrefix(text, "\ufeff"), "\r\n", "\n")
}

// note parses a Markdown note. Its caption is the title or the description of its
// front matter, its first heading, or its first line of text. Times without an
// offset are in the zone. dated is which of the times of its front matter it has.
func note(text string, changed time.Time, zone *time.Location) (l export.MemoryLine, dated int) {
	text = normalText(text)
	l = export.MemoryLine{FullText: text, CreatedAt: changed.UTC().Format(time.RFC3339Nano)}
	if front, body, ok := cutFrontMatter(text); ok {
		l.FullText = strings.TrimSpace(body)
		dated = frontMatter(&l, front, changed, zone)
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
	return l, dated
}
