package ingest

import (
	"encoding/json"
	"errors"
	"testing"
	"time"
	"unicode/utf8"

	"techo/tools"
)

// FuzzDocument reads documents and notes of other programs: each line that it makes is valid JSON with
// a text, and reading it again makes the same.
func FuzzDocument(f *testing.F) {
	for _, seed := range []string{
		`{"chat_messages":[{"sender":"human","text":"","content":[{"type":"text","text":"a"}],"attachments":[{}]}]}`,
		`{"current_node":"a","mapping":{"a":{"parent":"a","message":{"author":{"role":"user"},"create_time":1e300,` +
			`"content":{"content_type":"multimodal_text","parts":[null,{},1,"x"]}}},"b":{"message":null}}}`,
		`{"mapping":{"a":{"message":{"content":{"content_type":"user_editable_context","user_profile":"` +
			"The user provided ```x" + `"}}}}}`,
		`{"conversations_memory":"**A**\n\nb\n\nC\n--","project_memories":{"p":"- x"}}`,
		`{"prompt_template":"x","docs":[{"filename":"a","content":"b"}]}`,
		`{"results":[{"memory":"a","created_at":-1e99}],"relations":{"added_entities":[[null],{},1]}}`,
		`{"items":[{"content":"a","data":{"memory":1}},{"payload":null}]}`, `{"memory":"a","data":"b","payload":{}}`,
		"---\naliases: x, y\ntags: [a, null]\n---\n# A\n- [b] c\n## relations\n- d [[e]]\n",
		"A\n===\n```\n- x\n", "\xff\xfea\x00",
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		once, again := readAll(t, raw), readAll(t, raw)
		if len(once) != len(again) {
			t.Errorf("%d and %d lines", len(once), len(again))
		}
		for i, line := range once {
			if line != again[i] {
				t.Errorf("%q and %q", line, again[i])
			}
		}
	})
}

// readAll reads a document as JSON, as a note of a vault, and as a file for agents.
func readAll(t *testing.T, raw []byte) (all []string) {
	t.Helper()
	made := func(line []byte) {
		var in struct {
			Text string `json:"full_text"`
		}
		if err := json.Unmarshal(line, &in); err != nil || in.Text == "" || !utf8.Valid(line) {
			t.Errorf("%q: %v", line, err)
		}
		all = append(all, string(line))
	}
	s := &importSource{Env: &tools.Env{Zone: time.UTC}, Format: "auto"}
	if err := s.memoryLines(importLine{Number: 1, raw: raw}, func(l importLine) error {
		if string(l.raw) != string(raw) && l.problem == "" && json.Valid(raw) && memoryList(raw) == nil {
			made(l.raw)
		}
		return nil
	}); err != nil {
		t.Error(err)
	}
	text, ok := decoded(raw)
	for _, name := range []string{"a/b.md", "CLAUDE.md"} {
		if !ok {
			continue
		}
		lines, _, err := s.memoryNote(noteText{name: name, text: text, changed: time.Unix(1, 0)})
		if err != nil && !errors.Is(err, errLeftOut) {
			t.Error(err)
		}
		for _, line := range lines {
			made(line)
		}
	}
	return all
}
