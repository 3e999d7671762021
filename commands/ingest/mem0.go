package ingest

import (
	"bytes"
	"cmp"
	"encoding/json"
	"slices"
	"time"

	"techo/export"
	"techo/tools/jsontree"
)

// mem0Memory is a memory of mem0: of its API, of its export, of a vector store, or of OpenMemory.
type mem0Memory struct {
	Memory  string   `json:"memory"`
	Data    mem0Data `json:"data"`
	Content string   `json:"content"`
	UserID  string   `json:"user_id"`
	RunID   string   `json:"run_id"`
	Created anyTime  `json:"created_at"`
	Updated anyTime  `json:"updated_at"`
	Expires anyTime  `json:"expiration_date"`
	Event   string   `json:"event"`
	State   string   `json:"state"`

	Payload *mem0Memory `json:"payload"`
}

// mem0Data is a text, or an object with it.
type mem0Data string

// UnmarshalJSON accepts both.
func (d *mem0Data) UnmarshalJSON(b []byte) error {
	var in struct {
		Memory string `json:"memory"`
	}
	if json.Unmarshal(b, &in) == nil {
		*d = mem0Data(in.Memory)
		return nil
	}
	return json.Unmarshal(b, (*string)(d))
}

// anyTime is a time as another program writes it: a text, or seconds or milliseconds since 1970.
type anyTime string

// UnmarshalJSON accepts all of them.
func (t *anyTime) UnmarshalJSON(b []byte) error {
	var seconds float64
	if json.Unmarshal(b, &seconds) != nil {
		return json.Unmarshal(b, (*string)(t))
	}
	if seconds >= 1<<33 {
		seconds /= 1000
	}
	if at := unixTime(seconds); !at.IsZero() {
		*t = anyTime(at.Format(time.RFC3339Nano))
	}
	return nil
}

// in returns the time as techo writes it. Without an offset it is a time of the zone. Another
// text stays as it is and is reported later.
func (t anyTime) in(zone *time.Location) string {
	if at, ok := noteTime(string(t), zone); ok {
		return at.UTC().Format(time.RFC3339Nano)
	}
	return string(t)
}

// mem0Relations are edges of the graph of mem0: a list, or the lists of what was added and deleted.
type mem0Relations []mem0Relation

// mem0Relation is an edge of the graph of mem0.
type mem0Relation struct {
	Source       string `json:"source"`
	Relationship string `json:"relationship"`
	Relation     string `json:"relation"`
	Target       string `json:"target"`
	Destination  string `json:"destination"`
}

// UnmarshalJSON accepts both.
func (r *mem0Relations) UnmarshalJSON(b []byte) error {
	var in struct {
		Added []json.RawMessage `json:"added_entities"`
	}
	if json.Unmarshal(b, &in) != nil {
		return json.Unmarshal(b, (*[]mem0Relation)(r))
	}
	for _, raw := range in.Added {
		several := []mem0Relation{{}}
		if json.Unmarshal(raw, &several) != nil && json.Unmarshal(raw, &several[0]) != nil {
			continue
		}
		*r = append(*r, several...)
	}
	return nil
}

// mem0Lines returns the memories in a document of mem0: {"results":[…],"relations":[…]}, a
// {"memories":[…]} or {"items":[…]} of its, or one memory. ok is false for another document.
func (s *importSource) mem0Lines(raw []byte) (lines []export.MemoryLine, ok bool) {
	if !slices.ContainsFunc([]string{`"memory"`, `"payload"`, `"content"`}, func(field string) bool {
		return bytes.Contains(raw, []byte(field))
	}) {
		return nil, false
	}
	var all struct {
		Results   []mem0Memory  `json:"results"`
		Memories  []mem0Memory  `json:"memories"`
		Items     []mem0Memory  `json:"items"`
		Relations mem0Relations `json:"relations"`
		mem0Memory
	}
	if json.Unmarshal(raw, &all) != nil {
		return nil, false
	}
	found := slices.Concat(all.Results, all.Memories, all.Items)
	if one := all.mem0Memory; one.Memory != "" || one.Data != "" || one.Payload != nil {
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
		case m.Event == "DELETE", m.State == "deleted":
			s.leaveOut("deleted there")
			continue
		}
		zone := s.Env.Zone
		lines = append(lines, export.MemoryLine{FullText: m.text(), UserID: s.mem0User(m.UserID), Session: m.RunID,
			CreatedAt: m.Created.in(zone), UpdatedAt: m.Updated.in(zone), ExpiresAt: m.Expires.in(zone)})
	}
	for _, r := range all.Relations {
		kind, to := cmp.Or(r.Relationship, r.Relation), cmp.Or(r.Target, r.Destination)
		if r.Source == "" || kind == "" || to == "" {
			s.leaveOut("a relation that is not complete")
			continue
		}
		lines = append(lines, related(r.Source, kind, to))
	}
	return lines, true
}

func (m *mem0Memory) text() string { return cmp.Or(m.Memory, string(m.Data), m.Content) }

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

// pass passes memories to use as lines with one number.
func pass(number int, all []export.MemoryLine, use func(importLine) error) error {
	lines, err := marshalled(all)
	for _, raw := range lines {
		if err == nil {
			err = use(importLine{Number: number, raw: raw})
		}
	}
	return err
}

// marshalled returns memories as lines of JSON Lines.
func marshalled(all []export.MemoryLine) (lines [][]byte, err error) {
	for _, one := range all {
		line, err := jsontree.Marshal(one)
		if err != nil {
			return nil, err
		}
		lines = append(lines, line)
	}
	return lines, nil
}
