package ingest

import (
	"bytes"
	"encoding/json"
	"strings"
	"time"
	"unicode/utf8"

	"techo/export"
)

// memoryLines passes a line to use as JSON Lines. In the format auto, each line may
// come from an MCP memory server or be JSON Lines.
func (s *importSource) memoryLines(l importLine, use func(importLine) error) error {
	if l.long || s.Format == "jsonl" || !utf8.Valid(l.raw) || s.Format == "auto" && isMemoryLine(l.raw) {
		return use(l)
	}
	if c, ok := readConversation(l.raw); ok {
		return s.statements(l, c, use)
	}
	if all, ok := claudeNotes(l.raw); ok {
		return pass(l.Number, all, use)
	}
	if lines, ok := s.mem0Lines(l.raw); ok {
		return pass(l.Number, lines, use)
	}
	if list := memoryList(l.raw); list != nil {
		for _, raw := range list {
			if err := use(importLine{Number: l.Number, raw: raw}); err != nil {
				return err
			}
		}
		return nil
	}
	texts, bad := graphTexts(l.raw)
	if len(texts) == 0 && bad == 0 {
		if s.Format == "mcp" {
			l.problem = s.Env.Localize("is not an entity, relation or graph of a memory server")
		}
		return use(l) // use reports what else is wrong with it
	}
	for i := range texts {
		if texts[i].Topic != "" {
			texts[i].CreatedAt = s.file.Format(time.RFC3339Nano)
		}
	}
	if err := pass(l.Number, texts, use); err != nil {
		return err
	}
	for range bad {
		problem := s.Env.Localize("an entity needs name and observations (texts), a relation from, to and " +
			"relationType")
		if err := use(importLine{Number: l.Number, problem: problem}); err != nil {
			return err
		}
	}
	return nil
}

// isMemoryLine reports whether a line is an object with a full text. An observation
// may contain the name of this field.
func isMemoryLine(raw []byte) bool {
	if !bytes.Contains(raw, []byte(`"full_text"`)) {
		return false
	}
	other := false
	for _, name := range []string{"entities", "relations", "memories", "entityType", "relationType", "observations"} {
		other = other || bytes.Contains(raw, []byte(`"`+name+`"`))
	}
	if !other {
		return true
	}
	var fields map[string]json.RawMessage
	err := json.Unmarshal(raw, &fields)
	return err != nil || fields["full_text"] != nil
}

// memoryList returns the memories of an answer of a memory service, nil for another
// line.
func memoryList(raw []byte) []json.RawMessage {
	var answer struct {
		Memories []json.RawMessage `json:"memories"`
	}
	if !bytes.Contains(raw, []byte(`"memories"`)) || json.Unmarshal(raw, &answer) != nil {
		return nil
	}
	return answer.Memories
}

// graphPart is an entity or a relation.
type graphPart struct {
	Type         string       `json:"type"`
	Name         string       `json:"name"`
	EntityType   string       `json:"entityType"`
	Observations observations `json:"observations"`
	From         string       `json:"from"`
	To           string       `json:"to"`
	RelationType string       `json:"relationType"`
}

// observations is one text or a list of texts.
type observations []string

// UnmarshalJSON accepts a text, which may be empty, or a list of texts.
func (o *observations) UnmarshalJSON(b []byte) error {
	var one string
	if json.Unmarshal(b, &one) == nil {
		*o = nil
		if one != "" {
			*o = observations{one}
		}
		return nil
	}
	return json.Unmarshal(b, (*[]string)(o))
}

// text converts a part to a memory: an entity with its observations, or a
// relation as a sentence.
func (p graphPart) text() (t export.MemoryLine, ok bool) {
	switch {
	case p.RelationType != "" && p.From != "" && p.To != "":
		return related(p.From, p.RelationType, p.To), true
	case p.Name != "" && p.Type != "relation":
		head := p.Name
		if p.EntityType != "" {
			head += " (" + p.EntityType + ")"
		}
		caption := []rune(head)
		t = export.MemoryLine{FullText: strings.Join(append([]string{head}, p.Observations...), "\n"),
			Caption: string(caption[:min(len(caption), 200)])}
		if topic := "entity/" + strings.Join(strings.Fields(head), " "); utf8.RuneCountInString(topic) <= maxTopic {
			t.Topic = topic
		}
		return t, true
	}
	return t, false
}

// graphTexts parses one line of an MCP memory server's file, or a whole graph.
// bad counts the invalid entities and relations.
func graphTexts(raw []byte) (texts []export.MemoryLine, bad int) {
	var graph struct {
		Type         string            `json:"type"`
		EntityType   string            `json:"entityType"`
		RelationType string            `json:"relationType"`
		Entities     []json.RawMessage `json:"entities"`
		Relations    []json.RawMessage `json:"relations"`
	}
	if json.Unmarshal(raw, &graph) != nil {
		return nil, 0
	}
	parts := append(graph.Entities, graph.Relations...)
	if graph.Type == "entity" || graph.Type == "relation" || graph.EntityType != "" || graph.RelationType != "" {
		parts = append(parts, raw)
	}
	for _, part := range parts {
		var p graphPart
		err := json.Unmarshal(part, &p)
		if t, ok := p.text(); ok && err == nil {
			texts = append(texts, t)
		} else {
			bad++
		}
	}
	return texts, bad
}
