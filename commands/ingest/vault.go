package ingest

import (
	"os"
	"path"
	"path/filepath"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/goccy/go-yaml"

	"techo/export"
	"techo/internal/lazyregexp"
	"techo/store/memory"
	"techo/store/memory/wording"
)

// # Notes of other programs
//
// A note of Obsidian becomes one memory, with its title and the facts of its front matter. Its links stay in the
// text: that one note leads to another is no fact. Its topic is its first tag, or the folder of the import, and its
// path. Of a note of basic-memory the observations and relations become memories one by one, and the rest of its text
// another one. Files for agents, such as CLAUDE.md, and the files of a memory tool become a memory for each statement.
// All memories of a note have its name as their session.

// maxTopic is the most characters of a topic that is made from a tag.
const maxTopic = 100

// parts returns the memories of a note that techo did not export.
func (s *importSource) parts(n noteText) []export.MemoryLine {
	made, dated := note(n.text, n.changed, s.Env.Zone)
	at, named := namedTime(wholePath(n.path), n.changed, s.Env.Zone)
	if named = named && !isForAgents(n.name); named && dated <= changedDate {
		made.CreatedAt = at.UTC().Format(time.RFC3339Nano)
	}
	front, _, _ := cutFrontMatter(normalText(n.text))
	fields := fieldsOf(front)
	tags := tagsOf(fields, made.FullText)
	title := made.Title
	if title == "" {
		title = strings.TrimSuffix(path.Base(n.name), path.Ext(n.name))
		if named && strings.Trim(title, "0123456789-_月日") == "" && len(title) < len("2006-1-2") {
			title = at.Format(time.DateOnly) // its folders say the rest
		}
	}
	made.Title = title
	if s.isStated(n.name) && !s.whole {
		return s.stated(made, n.name)
	}
	made.Topic = topicOf(tags, folderOf(s.folder.dir), strings.TrimSuffix(n.name, path.Ext(n.name)))
	if s.whole {
		return []export.MemoryLine{made}
	}
	all := observed(&made, title)
	if named && made.Caption == "" && strings.IndexFunc(title, unicode.IsLetter) < 0 { // a day says little
		made.Caption = title + " " + wording.CaptionOf(made.FullText)
	}
	if made.FullText != "" && !strings.Contains(strings.ToLower(made.FullText), strings.ToLower(title)) {
		made.FullText = title + "\n\n" + made.FullText // what it is about, and what tells equal bodies apart
	}
	for key, value := range factsOf(fields) {
		also(&made, key, []string{value})
	}
	also(&made, "Aliases", frontList(fields, false, "aliases", "alias"))
	if len(tags) > 1 {
		also(&made, "Tags", tags) // the topic has the first one alone
	}
	if len(all) == 0 {
		return []export.MemoryLine{made}
	}
	if strings.TrimSpace(made.FullText) != "" {
		all = append([]export.MemoryLine{made}, all...)
	}
	for i := range all {
		all[i].Session, all[i].CreatedAt = title, made.CreatedAt
	}
	return all
}

// also adds a list of the front matter to a text, so that a search finds it.
func also(n *export.MemoryLine, name string, all []string) {
	if n.FullText != "" && len(all) > 0 {
		n.FullText = strings.TrimRight(n.FullText, "\n") + "\n\n" + name + ": " + strings.Join(all, ", ")
	}
}

// observed cuts the observations and relations of basic-memory out of a note. What has no form of
// theirs stays in the note.
func observed(n *export.MemoryLine, title string) (all []export.MemoryLine) {
	var rest []string
	section, says := "", false
	for line := range strings.SplitSeq(n.FullText, "\n") {
		if heading, ok := strings.CutPrefix(line, "#"); ok && strings.HasPrefix(strings.TrimLeft(heading, "#"), " ") {
			section = strings.ToLower(strings.TrimSpace(strings.TrimLeft(heading, "#")))
			if section == "observations" || section == "relations" {
				continue
			}
		} else if item, ok := strings.CutPrefix(strings.TrimSpace(line), "- "); ok {
			if kind, said, ok := observation(item); ok && section == "observations" {
				all = append(all, export.MemoryLine{FullText: title + " (" + kind + "): " + said})
				continue
			}
			if kind, target, ok := relation(item); ok && section == "relations" {
				if kind != "" {
					all = append(all, related(title, kind, target))
					continue
				}
			} else {
				says = true
			}
		} else if strings.TrimSpace(line) != "" {
			says = true
		}
		rest = append(rest, line)
	}
	if len(all) > 0 {
		if n.FullText = strings.TrimSpace(strings.Join(rest, "\n")); !says {
			n.FullText = "" // headings alone
		}
	}
	return all
}

// observation reads "[kind] what was seen". A checkbox or a link is not an observation.
func observation(item string) (kind, said string, ok bool) {
	rest, ok := strings.CutPrefix(item, "[")
	kind, said, closed := strings.Cut(rest, "]")
	kind, said = strings.TrimSpace(kind), strings.TrimSpace(said)
	if !ok || !closed || kind == "" || strings.EqualFold(kind, "x") || strings.HasPrefix(kind, "[") || said == "" ||
		strings.HasPrefix(said, "(") {
		return "", "", false
	}
	return kind, said, true
}

// relation reads "kind [[Target]]". A link alone has no kind.
func relation(item string) (kind, target string, ok bool) {
	found := linkPattern.Get().FindStringSubmatchIndex(item)
	if found == nil {
		return "", "", false
	}
	target = strings.TrimSpace(item[found[2]:found[3]])
	return strings.TrimSpace(item[:found[0]]), target, target != ""
}

// related returns the memory of a relation.
func related(from, kind, to string) export.MemoryLine {
	return export.MemoryLine{FullText: from + " " + kind + " " + to, Relation: memory.Relation{From: from, Type: kind, To: to}}
}

var linkPattern = lazyregexp.New(`\[\[([^\[\]|#\n]+)(?:[#|][^\[\]\n]*)?\]\]`)

func isFence(line string) bool {
	line = strings.TrimSpace(line)
	return strings.HasPrefix(line, "```") || strings.HasPrefix(line, "~~~")
}

// topicOf returns the topic of a note: its first tag, or else the folder of the import, and its path,
// because a topic has one memory. So a note that has changed supersedes what it was before, and no
// other memory.
func topicOf(tags []string, folder, name string) string {
	if len(tags) > 0 {
		folder = tags[0]
	}
	topic := strings.Join(strings.Fields(folder+"/"+name), " ")
	if utf8.RuneCountInString(topic) > maxTopic {
		return ""
	}
	return topic
}

// folderOf returns the name of the folder of an import, of a single note the one that it is in.
func folderOf(dir string) string {
	if whole, err := filepath.Abs(dir); err == nil {
		dir = whole
	}
	if st, err := os.Stat(dir); err == nil && !st.IsDir() {
		dir = filepath.Dir(dir)
	}
	return strings.ToValidUTF8(filepath.Base(dir), "\ufffd")
}

var tagPattern = lazyregexp.New(`(?:^|[\s　])#(\p{L}[\p{L}\p{N}_/-]*)`)

// tagsOf returns the tags in a note's front matter, or else in its text.
func tagsOf(fields yaml.MapSlice, body string) []string {
	if tags := frontList(fields, true, "tags", "tag"); len(tags) > 0 {
		return tags
	}
	fenced := false
	for line := range strings.SplitSeq(body, "\n") {
		if isFence(line) {
			fenced = !fenced
		}
		if item, ok := strings.CutPrefix(strings.TrimSpace(line), "- ["); fenced || ok && item != "" {
			continue // the tag of an observation
		}
		if found := tagPattern.Get().FindStringSubmatch(line); found != nil {
			return found[1:]
		}
	}
	return nil
}

// isStated reports whether a note is written as statements: for agents, or by a memory tool.
func (s *importSource) isStated(name string) bool {
	return isForAgents(name) ||
		s.folder.isMemoryFolder() && (isMarkdown(name) || strings.EqualFold(path.Ext(name), ".txt"))
}

// isForAgents reports whether a file is written for agents, by its name.
func isForAgents(name string) bool {
	switch name = strings.ToLower(filepath.Base(name)); name {
	case "claude.md", "claude.local.md", "agents.md", "agents.override.md", "gemini.md", "memory.md",
		"copilot-instructions.md", ".cursorrules", ".windsurfrules", ".clinerules":
		return true
	}
	return filepath.Ext(name) == ".mdc"
}

// isMemoryFolder reports whether the import is of the folder of a memory tool.
func (f folder) isMemoryFolder() bool {
	return filepath.Base(f.dir) == "memories" && !f.has(filepath.Join(f.dir, "INDEX.md")) // of an export of techo
}

// stated returns a memory for each statement of a note, with its headings.
func (s *importSource) stated(n export.MemoryLine, name string) (all []export.MemoryLine) {
	found, comments := statements(n.FullText)
	for range comments {
		s.leaveOut("a comment")
	}
	for _, st := range found {
		all = append(all, export.MemoryLine{FullText: st.String(), Session: name, CreatedAt: n.CreatedAt})
	}
	return all
}
