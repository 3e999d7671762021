package commands

import (
	"slices"
	"strings"
	"testing"

	"techo/internal/mcptest"
	"techo/tools"
)

// TestAudiences checks that every tool names its audience, and that no agent is
// offered a tool that answers questions or writes prompts.
func TestAudiences(t *testing.T) {
	beyond := map[string]tools.Audience{
		"memo_context": tools.Hosts, "memory_context": tools.Hosts, "answer_question": tools.Persons,
	}
	for _, tool := range families() {
		if want, ok := beyond[tool.Name]; ok && tool.For != want {
			t.Errorf("%s is for %q, want %q", tool.Name, tool.For, want)
		}
		if !slices.Contains([]tools.Audience{tools.Agents, tools.Hosts, tools.Persons}, tool.For) {
			t.Errorf("%s is for %q", tool.Name, tool.For)
		}
	}
}

// TestAudienceServe checks that a server offers tools up to the audience of
// --audience, and that no header or query of a request widens it.
func TestAudienceServe(t *testing.T) {
	w := newWorld(t)
	for _, c := range []struct {
		flags           []string
		context, answer int // statuses
	}{
		{nil, 403, 403},
		{[]string{"--audience", "agent"}, 403, 403},
		{[]string{"--audience", "host"}, 200, 403},
	} {
		s := w.serve(t, append([]string{"serve"}, c.flags...)...)
		headers := []string{"Techo-Audience: person", "Audience: person"}
		s.Want(c.context, "", "POST", "/tools/memo_context", "{}", headers...)
		s.Want(c.answer, `"unavailable"`, "POST", "/tools/answer_question", `{"question_id":"q1","answer":"1"}`,
			headers...)
		s.Want(200, "", "GET", "/tools", "", headers...)
		for _, path := range []string{"/tools?format=names", "/tools?format=names&audience=person",
			"/tools/memo_context?audience=person&format=names"} {
			_, list := s.Ask("GET", path, "", headers...)
			if strings.Contains(list, `"memo_context"`) != (c.context == 200) ||
				strings.Contains(list, `"answer_question"`) {
				t.Errorf("%q, %s: offered: %s", c.flags, path, list)
			}
		}
		_, list := s.Ask("GET", "/tools?format=names&audience=agent", "")
		if strings.Contains(list, "memo_context") {
			t.Errorf("%q: memo_context is offered to agents: %s", c.flags, list)
		}
	}
	s := w.serve(t, "serve", "--audience", "person")
	s.Want(404, `"not_found"`, "POST", "/tools/answer_question", `{"question_id":"q1","answer":"1"}`)
}

// TestAudienceMCP checks the audiences over MCP. A call of a tool that is not offered
// returns the flag that offers it.
func TestAudienceMCP(t *testing.T) {
	w := newWorld(t)
	c := w.client(t, nil)
	for _, name := range []string{"memo_context", "memory_context", "answer_question"} {
		if mcptest.Offers(t, c, name) {
			t.Errorf("%s is offered to agents", name)
		}
	}
	text, isError := mcptest.Call(t, c, "memo_context", "{}")
	if !isError || !strings.Contains(text, `"unavailable"`) ||
		!strings.Contains(text, "--audience host") {
		t.Errorf("by name: %s", text)
	}
	if text, isError := mcptest.Call(t, w.client(t, nil, "--audience", "host"), "memo_context", "{}"); isError {
		t.Errorf("to a host: %s", text)
	}
}
