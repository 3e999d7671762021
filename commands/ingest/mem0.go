package ingest

import (
	"bytes"
	"cmp"
	"encoding/json"
	"slices"

	"techo/store/memory"
	"techo/tools/jsontree"
)

// mem0Memory is a memory of mem0: of its API, of its export, or of a vector store.
type mem0Memory struct {
	Memory  string `json:"memory"`
	Data    string `json:"data"`
	UserID  string `json:"user_id"`
	RunID   string `json:"run_id"`
	Created string `json:"created_at"`
	Updated string `json:"updated_at"`
	Expires string `json:"expiration_date"`
	Event   string `json:"event"`

	Payload *mem0Memory `json:"payload"`
}

// mem0Relation is an edge of the graph of mem0.
type mem0Relation struct {
	Source       string `json:"source"`
	Relationship string `json:"relationship"`
	Relation     string `json:"relation"`
	Target       string `json:"target"`
	Destination  string `json:"destination"`
}

// mem0Line is a memory of mem0 as a line of JSON Lines.
type mem0Line struct {
	FullText  string           `json:"full_text"`
	UserID    string           `json:"user_id,omitempty"`
	Session   string           `json:"session,omitempty"`
	CreatedAt string           `json:"created_at,omitempty"`
	UpdatedAt string           `json:"updated_at,omitempty"`
	ExpiresAt string           `json:"expires_at,omitempty"`
	Relation  *memory.Relation `json:"relation,omitempty"`
}

// mem0Lines returns the memories in a document of mem0: {"results":[…],"relations":[…]}, a
// {"memories":[…]} of its, or one memory. ok is false for another document.
func (s *importSource) mem0Lines(raw []byte) (lines []mem0Line, ok bool) {
	if !bytes.Contains(raw, []byte(`"memory"`)) && !bytes.Contains(raw, []byte(`"payload"`)) {
		return nil, false
	}
	var all struct {
		Results   []mem0Memory   `json:"results"`
		Memories  []mem0Memory   `json:"memories"`
		Relations []mem0Relation `json:"relations"`
		mem0Memory
	}
	if json.Unmarshal(raw, &all) != nil {
		return nil, false
	}
	found := append(all.Results, all.Memories...)
	if one := all.mem0Memory; one.text() != "" || one.Payload != nil {
		found = append(found, one)
	}
	for i, m := range found {
		if m.Payload != nil {
			found[i] = *m.Payload
		}
	}
	if !slices.ContainsFunc(found, func(m mem0Memory) bool { return m.text() != "" }) {
		return nil, false
	}
	for _, m := range found {
		switch {
		case m.text() == "":
			s.leaveOut("without text")
			continue
		case m.Event == "DELETE":
			s.leaveOut("deleted there")
			continue
		}
		lines = append(lines, mem0Line{FullText: m.text(), UserID: s.mem0User(m.UserID), Session: m.RunID,
			CreatedAt: m.Created, UpdatedAt: m.Updated, ExpiresAt: m.Expires})
	}
	for _, r := range all.Relations {
		kind, to := cmp.Or(r.Relationship, r.Relation), cmp.Or(r.Target, r.Destination)
		if r.Source != "" && kind != "" && to != "" {
			lines = append(lines, mem0Line{FullText: r.Source + " " + kind + " " + to,
				Relation: &memory.Relation{From: r.Source, Type: kind, To: to}})
		}
	}
	return lines, true
}

func (m *mem0Memory) text() string { return cmp.Or(m.Memory, m.Data) }

// mem0User returns the user of a memory for the import. The first user of the file is the one who
// imports it, whatever the name there; memories of others need --all-users.
func (s *importSource) mem0User(name string) string {
	if s.first == "" {
		s.first = name
	}
	if name == s.first && !s.allUsers {
		return ""
	}
	return name
}

// pass passes documents to use as lines with one number.
func pass[T any](number int, all []T, use func(importLine) error) error {
	for _, one := range all {
		raw, err := jsontree.Marshal(one)
		if err != nil {
			return err
		}
		if err := use(importLine{Number: number, raw: raw}); err != nil {
			return err
		}
	}
	return nil
}
