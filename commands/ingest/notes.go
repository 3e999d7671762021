package ingest

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"techo/commands/readahead"
	"techo/export"
	"techo/tools"
)

// noteLines calls use with each Markdown file in the folder and its subfolders,
// as one line that is numbered by file. It skips hidden files and links. If the
// source is a single file, any name will do.
func (s *importSource) noteLines(use func(importLine) error) error {
	n := 0
	return filepath.WalkDir(s.dir, func(path string, d fs.DirEntry, err error) error {
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
		if err == nil && (d.IsDir() || !named && !isNote(d)) {
			return nil
		}
		n++
		l := importLine{Number: n, file: noteName(s.dir, path)}
		if err == nil {
			err = s.readNote(path, &l)
		}
		if err != nil {
			l.problem = s.Env.Localize("cannot be read: %v", err)
		}
		if err := use(l); err != nil {
			return err
		}
		if err != nil && d.IsDir() {
			return filepath.SkipDir
		}
		return nil
	})
}

func isNote(d fs.DirEntry) bool {
	ending := strings.ToLower(filepath.Ext(d.Name()))
	return d.Type().IsRegular() && (ending == ".md" || ending == ".markdown") && d.Name() != "INDEX.md"
}

// noteName returns the name of a note in errors.
func noteName(dir, path string) string {
	name, err := filepath.Rel(dir, path)
	if err != nil || name == "." {
		name = filepath.Base(path)
	}
	return strings.ToValidUTF8(filepath.ToSlash(name), "\ufffd")
}

// readNote reads a note into a line.
func (s *importSource) readNote(path string, l *importLine) error {
	st, err := os.Stat(path)
	if err != nil {
		return err
	}
	if st.Size() > readahead.MaxLine {
		l.long = true
		return nil
	}
	b, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	if !utf8.Valid(b) {
		l.raw = b // the line is refused later
		return nil
	}
	l.raw, l.problem, err = s.note(string(b), st.ModTime())
	return err
}

// memoryNote returns the memory of a note as a line of JSON Lines.
func (s *importSource) memoryNote(text string, changed time.Time) (line []byte, problem string, err error) {
	made := note(text, changed)
	if strings.TrimSpace(made.FullText) == "" {
		return nil, s.Env.Localize("has no text"), nil
	}
	line, err = tools.Marshal(made)
	return line, "", err
}

// noteLine is a note as a line of JSON lines.
type noteLine struct {
	ID        string `json:"id,omitempty"`
	FullText  string `json:"full_text"`
	Caption   string `json:"caption,omitempty"`
	CreatedAt string `json:"created_at"`
}

// note parses a Markdown note. An exported note becomes the memory that it was.
// The caption of another note is the title or the description of its front
// matter, its first heading, or its first line of text.
func note(text string, changed time.Time) noteLine {
	if l, ok := exportedNote(text); ok {
		return l
	}
	text = strings.ReplaceAll(strings.TrimPrefix(text, "\ufeff"), "\r\n", "\n")
	l := noteLine{FullText: text, CreatedAt: changed.UTC().Format(time.RFC3339)}
	if rest, ok := strings.CutPrefix(text, "---\n"); ok {
		if front, body, ok := strings.Cut("\n"+rest+"\n", "\n---\n"); ok {
			l.FullText = strings.TrimSpace(body)
			l.frontMatter(front)
		}
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

// exportedNote parses a note that techo exported.
func exportedNote(text string) (l noteLine, ok bool) {
	d, ok := export.ParseDocument(text)
	if _, err := time.Parse(time.RFC3339Nano, d.Created); !ok || err != nil || !memoryID(d.ID) {
		return l, false
	}
	return noteLine{ID: d.ID, FullText: d.Text, Caption: d.Caption, CreatedAt: d.Created}, true
}

// frontMatter reads the caption and the time in a note's front matter.
func (l *noteLine) frontMatter(front string) {
	for line := range strings.SplitSeq(front, "\n") {
		key, value, _ := strings.Cut(line, ":")
		value = strings.Trim(strings.TrimSpace(value), `"'`)
		switch strings.ToLower(strings.TrimSpace(key)) {
		case "title":
			l.Caption = value
		case "description":
			if l.Caption == "" {
				l.Caption = value
			}
		case "date", "created", "created_at":
			for _, form := range []string{time.RFC3339Nano, time.DateOnly, "2006-01-02 15:04:05", "2006-01-02 15:04"} {
				if at, err := time.Parse(form, value); err == nil {
					l.CreatedAt = at.UTC().Format(time.RFC3339Nano)
				}
			}
		}
	}
}
