package commands

import (
	"bytes"
	"encoding/json"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"techo/tools"
)

// line hands a line over, in the form of JSON lines. In auto every line says
// itself whether it is one of an MCP memory server.
func (s *importSource) line(l importLine, use func(importLine) error) error {
	if l.long || s.format == "jsonl" {
		return use(l)
	}
	if s.format == "auto" && !bytes.Contains(l.raw, []byte(`"entityType"`)) && !bytes.Contains(l.raw, []byte(`"relationType"`)) {
		return use(l)
	}
	texts := graphTexts(l.raw)
	if texts == nil {
		return use(l) // which says what is wrong with it
	}
	for _, t := range texts {
		raw, err := tools.Marshal(t)
		if err != nil {
			return err
		}
		if err := use(importLine{number: l.number, raw: raw}); err != nil {
			return err
		}
	}
	return nil
}

// graphText is a memory made of a graph's node or edge.
type graphText struct {
	FullText string `json:"full_text"`
	Caption  string `json:"caption,omitempty"`
	Session  string `json:"session,omitempty"`
}

// graphTexts reads one line of an MCP memory server's file, or its whole graph:
// an entity becomes a memory of its observations, a relation one of a sentence.
func graphTexts(raw []byte) (texts []graphText) {
	type entity struct {
		Type         string   `json:"type"`
		Name         string   `json:"name"`
		EntityType   string   `json:"entityType"`
		Observations []string `json:"observations"`
		From         string   `json:"from"`
		To           string   `json:"to"`
		RelationType string   `json:"relationType"`
	}
	var one struct {
		entity
		Entities  []entity `json:"entities"`
		Relations []entity `json:"relations"`
	}
	if json.Unmarshal(raw, &one) != nil {
		return nil
	}
	for _, e := range append(append([]entity{one.entity}, one.Entities...), one.Relations...) {
		switch {
		case e.RelationType != "" && e.From != "" && e.To != "":
			texts = append(texts, graphText{FullText: e.From + " " + e.RelationType + " " + e.To})
		case e.Name != "":
			head := e.Name
			if e.EntityType != "" {
				head += " (" + e.EntityType + ")"
			}
			texts = append(texts, graphText{FullText: strings.Join(append([]string{head}, e.Observations...), "\n"), Caption: head})
		}
	}
	return texts
}

// noteLines hands over the Markdown files of a folder and those below it, each
// as a line; the number is that of the file.
func noteLines(dir string, use func(importLine) error) error {
	n := 0
	return filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && path != dir && strings.HasPrefix(d.Name(), ".") {
			return filepath.SkipDir
		}
		if !d.Type().IsRegular() || !strings.EqualFold(filepath.Ext(path), ".md") || d.Name() == "INDEX.md" {
			return nil
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		st, err := d.Info()
		if err != nil {
			return err
		}
		n++
		raw, err := tools.Marshal(note(string(text), st.ModTime()))
		if err != nil {
			return err
		}
		return use(importLine{number: n, raw: raw})
	})
}

// noteLine is a note as a line of JSON lines.
type noteLine struct {
	ID        string `json:"id,omitempty"`
	FullText  string `json:"full_text"`
	Caption   string `json:"caption,omitempty"`
	CreatedAt string `json:"created_at"`
}

// note reads a Markdown note: one that was exported comes back as it was;
// another has its first heading, or the title or description of its front
// matter, for a caption.
func note(text string, changed time.Time) noteLine {
	text = strings.ReplaceAll(text, "\r\n", "\n")
	l := noteLine{FullText: text, CreatedAt: changed.UTC().Format(time.RFC3339)}
	if head, body, ok := strings.Cut(text, "\n\n## Full Content\n\n"); ok {
		var title, id, created string
		for line := range strings.SplitSeq(head, "\n") {
			switch {
			case strings.HasPrefix(line, "# ") && title == "":
				title = strings.TrimPrefix(line, "# ")
			case strings.HasPrefix(line, "**ID:** "):
				id = strings.TrimPrefix(line, "**ID:** ")
			case strings.HasPrefix(line, "**Created:** "):
				created = strings.TrimPrefix(line, "**Created:** ")
			}
		}
		if _, err := time.Parse(time.RFC3339Nano, created); err == nil && memoryID(id) {
			title = strings.NewReplacer(`\[`, "[", `\]`, "]", `\<`, "<").Replace(title)
			return noteLine{ID: id, FullText: body, Caption: title, CreatedAt: created}
		}
	}
	if rest, ok := strings.CutPrefix(text, "---\n"); ok {
		if front, body, ok := strings.Cut(rest, "\n---\n"); ok {
			l.FullText = strings.TrimSpace(body)
			l.frontMatter(front)
		}
	}
	for line := range strings.SplitSeq(l.FullText, "\n") {
		if title, ok := strings.CutPrefix(line, "# "); ok && l.Caption == "" {
			l.Caption = strings.TrimSpace(title)
		}
	}
	if r := []rune(l.Caption); len(r) > 200 {
		l.Caption = string(r[:199]) + "…"
	}
	return l
}

// frontMatter takes a caption and a time out of a note's front matter.
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
