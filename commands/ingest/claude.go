package ingest

import (
	"bytes"
	"cmp"
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"time"

	"techo/export"
	"techo/internal/legible"
)

// # Claude
//
// An export of Claude has conversations, the projects of the person, and what Claude has written down
// about the person. Its statements become one memory each.

// claudeConversation reads a conversation.
func claudeConversation(raw []byte) (c conversation, ok bool) {
	var in struct {
		UUID     string  `json:"uuid"`
		Name     string  `json:"name"`
		Created  anyTime `json:"created_at"`
		Messages []struct {
			Text    string `json:"text"`
			Content []struct {
				Type string `json:"type"`
				Text string `json:"text"`
			} `json:"content"`
			Sender      string            `json:"sender"`
			Created     time.Time         `json:"created_at"`
			Attachments []json.RawMessage `json:"attachments"`
			Files       []json.RawMessage `json:"files"`
		} `json:"chat_messages"`
	}
	if json.Unmarshal(raw, &in) != nil || in.Messages == nil {
		return c, false
	}
	c = conversation{assistant: "Claude", title: in.Name, id: in.UUID}
	for _, m := range in.Messages {
		t := turn{role: m.Sender, text: m.Text, at: m.Created, files: len(m.Attachments) + len(m.Files)}
		if t.role == "human" {
			t.role = "user"
		}
		if legible.Blank(t.text) {
			var parts []string
			for _, part := range m.Content {
				if part.Type == "text" {
					parts = append(parts, part.Text)
				}
			}
			t.text = strings.Join(parts, "\n")
		}
		if t.at.IsZero() {
			t.at, _ = noteTime(string(in.Created), time.UTC)
		}
		c.turns = append(c.turns, t)
	}
	return c, true
}

// claudeNotes reads a project of the person, or what Claude has written down; ok is false for
// another document.
func claudeNotes(raw []byte) (all []export.MemoryLine, ok bool) {
	switch {
	case bytes.Contains(raw, []byte(`"conversations_memory"`)):
		return claudeMemories(raw)
	case bytes.Contains(raw, []byte(`"prompt_template"`)):
		return claudeProject(raw)
	}
	return nil, false
}

// claudeMemories reads what Claude has written down about the person and the projects.
func claudeMemories(raw []byte) (all []export.MemoryLine, ok bool) {
	var in struct {
		Person   *string           `json:"conversations_memory"`
		Projects map[string]string `json:"project_memories"`
	}
	if json.Unmarshal(raw, &in) != nil || in.Person == nil {
		return nil, false
	}
	all = stated(*in.Person, "Claude")
	for _, id := range slices.Sorted(maps.Keys(in.Projects)) {
		c := conversation{title: "Claude", id: id}
		all = append(all, stated(in.Projects[id], c.session())...)
	}
	return all, true
}

// claudeProject reads a project: its instructions, and each document as a whole.
func claudeProject(raw []byte) (all []export.MemoryLine, ok bool) {
	var in struct {
		UUID         string  `json:"uuid"`
		Name         string  `json:"name"`
		Description  string  `json:"description"`
		Instructions *string `json:"prompt_template"`
		Created      string  `json:"created_at"`
		Docs         []struct {
			Name    string `json:"filename"`
			Content string `json:"content"`
			Created string `json:"created_at"`
		} `json:"docs"`
	}
	if json.Unmarshal(raw, &in) != nil || in.Instructions == nil && in.Docs == nil {
		return nil, false
	}
	c := conversation{title: in.Name, id: in.UUID}
	if !legible.Blank(in.Description) {
		all = append(all, export.MemoryLine{FullText: in.Description})
	}
	if in.Instructions != nil {
		all = append(all, stated(*in.Instructions, "")...)
	}
	for i := range all {
		all[i].CreatedAt = in.Created
	}
	for _, d := range in.Docs {
		if !legible.Blank(d.Content) {
			all = append(all, export.MemoryLine{FullText: d.Name + "\n\n" + d.Content, CreatedAt: cmp.Or(d.Created, in.Created)})
		}
	}
	for i := range all {
		all[i].Session = c.session()
	}
	return all, true
}

// stated returns the statements of a text with the headings above them. Claude writes headings as
// lines in bold.
func stated(text, session string) (all []export.MemoryLine) {
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		line = strings.TrimSpace(line)
		inner := strings.TrimSuffix(strings.TrimPrefix(line, "**"), "**")
		if len(inner) == len(line)-4 && inner != "" && !strings.Contains(inner, "*") {
			lines[i] = "## " + strings.TrimSuffix(inner, ":")
		}
	}
	found, _ := statements(strings.Join(lines, "\n"))
	for _, one := range found {
		all = append(all, export.MemoryLine{FullText: one.String(), Session: session})
	}
	return all
}
