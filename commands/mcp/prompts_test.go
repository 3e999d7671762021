package mcp

import (
	"errors"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"techo/internal/mcptest"
)

// TestPrompts lists and gets all prompts in both languages. They name the tools that are offered.
func TestPrompts(t *testing.T) {
	values := map[string]string{"text": "TEXT", "about": "ABOUT", "date": "DATE", "topic": "TOPIC"}
	for _, lang := range []string{"en", "ja"} {
		c, few := notebook(t, t.TempDir(), "tanaka", lang, "", nil), connect(t, newHost(t), "2025-11-25", nil)
		list, err := c.ListPrompts(t.Context(), nil)
		if err != nil || len(list.Prompts) != 4 {
			t.Fatalf("%v %+v", err, list)
		}
		for _, p := range list.Prompts {
			if japanese := strings.ContainsAny(p.Description, "のをにで"); japanese != (lang == "ja") {
				t.Errorf("%s: %+v", lang, p)
			}
			given := map[string]string{}
			for _, a := range p.Arguments {
				given[a.Name] = values[a.Name]
			}
			r, err := c.GetPrompt(t.Context(), &mcp.GetPromptParams{Name: p.Name, Arguments: given})
			if err != nil || len(r.Messages) != 1 || r.Messages[0].Role != "user" {
				t.Fatalf("%s: %v %+v", p.Name, err, r)
			}
			text := r.Messages[0].Content.(*mcp.TextContent).Text
			for _, a := range p.Arguments {
				if !strings.Contains(text, given[a.Name]) {
					t.Errorf("%s leaves out %s: %s", p.Name, a.Name, text)
				}
			}
			required := slices.ContainsFunc(p.Arguments, func(a *mcp.PromptArgument) bool { return a.Required })
			_, err = c.GetPrompt(t.Context(), &mcp.GetPromptParams{Name: p.Name})
			e := new(jsonrpc.Error)
			if required != (err != nil) || required && (!errors.As(err, &e) || e.Code != jsonrpc.CodeInvalidParams) {
				t.Errorf("%s without arguments: %v", p.Name, err)
			}
			more := map[string]string{"day": "DAY"}
			maps.Copy(more, given)
			_, err = c.GetPrompt(t.Context(), &mcp.GetPromptParams{Name: p.Name, Arguments: more})
			if !errors.As(err, &e) || e.Code != jsonrpc.CodeInvalidParams {
				t.Errorf("%s with another argument: %v", p.Name, err)
			}
			r, err = few.GetPrompt(t.Context(), &mcp.GetPromptParams{Name: p.Name, Arguments: given})
			if err != nil || strings.Contains(r.Messages[0].Content.(*mcp.TextContent).Text, "_memory") {
				t.Errorf("%s without memories: %v %+v", p.Name, err, r)
			}
		}
		if _, err := c.GetPrompt(t.Context(), &mcp.GetPromptParams{Name: "nothing"}); err == nil {
			t.Error("there is a prompt of any name")
		}
	}
}

// TestComplete completes arguments of prompts and the variables of URIs.
func TestComplete(t *testing.T) {
	c := notebook(t, t.TempDir(), "tanaka", "en", "", nil)
	mcptest.Call(t, c, "add_memory", `{"full_text":"Tanaka likes ramen","topic":"food"}`)
	mcptest.Call(t, c, "add_memo", `{"name":"a/b","content":"x","priority":3,"tags":["foot"]}`)
	mcptest.Call(t, c, "create_event", `{"title":"M","start":"2026-01-03T09:00","end":"2026-01-03T10:00"}`)
	prompt := func(name string) *mcp.CompleteReference {
		return &mcp.CompleteReference{Type: "ref/prompt", Name: name}
	}
	resource := func(uri string) *mcp.CompleteReference {
		return &mcp.CompleteReference{Type: "ref/resource", URI: uri}
	}
	for _, test := range []struct {
		ref         *mcp.CompleteReference
		name, typed string
		want        string
		n           int
	}{
		{prompt("remember"), "topic", "FO", "food", 1},
		{prompt("remember"), "text", "", "", 0},
		{prompt("recall"), "about", "foo", "food foot", 2},
		{prompt("plan_day"), "date", "to", "today tomorrow", 2},
		{prompt("plan_day"), "date", "2026-01-15", "2026-01-15", 1},
		{prompt("review_memories"), "topic", "zzz", "", 0},
		{resource("techo://memo/{name}"), "name", "a", "a/b", 1},
		{resource("techo://memory/{id}"), "id", "", "mem_", 1},
		{resource("techo://event/{id}"), "id", "", "", 1},
		{resource("techo://other/{id}"), "id", "", "", 0},
	} {
		r, err := c.Complete(t.Context(), &mcp.CompleteParams{Ref: test.ref,
			Argument: mcp.CompleteParamsArgument{Name: test.name, Value: test.typed}})
		if err != nil || r.Completion.Total != test.n || len(r.Completion.Values) != test.n ||
			!strings.HasPrefix(strings.Join(r.Completion.Values, " "), test.want) {
			t.Errorf("%+v %s %s: %v %+v", test.ref, test.name, test.typed, err, r)
		}
	}
	if _, err := c.Complete(t.Context(), &mcp.CompleteParams{Ref: prompt("none"),
		Argument: mcp.CompleteParamsArgument{Name: "x"}}); err == nil {
		t.Error("an unknown prompt is completed")
	}
}
