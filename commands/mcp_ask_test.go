package commands

import (
	"context"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// TestMCPAsk puts a question through the client, in both eras, and takes what
// its person did for the answer.
func TestMCPAsk(t *testing.T) {
	for _, version := range []string{"2025-06-18", "2025-11-25", "2026-07-28"} {
		for action, want := range map[string]string{
			"accept": `"status":"answered","answer":"blue"`, "decline": `"status":"declined"`, "cancel": `"status":"pending"`,
		} {
			shown := ""
			c := hostedAs(t, version, &mcp.ClientOptions{ElicitationHandler: func(_ context.Context, r *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
				shown = r.Params.Message
				back := &mcp.ElicitResult{Action: action}
				if action == "accept" {
					back.Content = map[string]any{"answer": "blue"}
				}
				return back, nil
			}})
			text, isError := callMCP(t, c, askName, `{"question":"Which colour?","options":["red","blue"]}`)
			if isError || !strings.Contains(text, want) || shown != "Which colour?\n\n1. red\n2. blue" {
				t.Errorf("%s, %s: %q: %s", version, action, shown, text)
			}
			if text, isError = callMCP(t, c, askName, `{"question":""}`); !isError || !strings.Contains(text, "must not be empty") {
				t.Errorf("%s: an empty question: %s", version, text)
			}
		}
		text, _ := callMCP(t, hostedAs(t, version, nil), askName, `{"question":"Which colour?","wait":"0s"}`)
		if !strings.Contains(text, `"status":"pending"`) {
			t.Errorf("%s: a client that cannot ask: %s", version, text)
		}
	}
}

// TestMCPAskSealed does not take for an answer what was not asked.
func TestMCPAskSealed(t *testing.T) {
	f := &mcpFace{secret: []byte("ours")}
	state := f.sealed(asked{"q1", "k"})
	if q, ok := f.opened(state); !ok || q != (asked{"q1", "k"}) {
		t.Errorf("%s: %v %v", state, q, ok)
	}
	for _, forged := range []string{"", "x", state + " ", strings.Replace(state, "q1", "q2", 1), (&mcpFace{secret: []byte("theirs")}).sealed(asked{"q1", "k"})} {
		if _, ok := f.opened(forged); ok {
			t.Errorf("%q is taken for ours", forged)
		}
	}
}
