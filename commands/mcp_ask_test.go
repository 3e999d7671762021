package commands

import (
	"context"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"techo/tools"
)

// asking is a queue of one question, with the tools that ask and answer.
type asking struct {
	key, status, answer string
	times               int // that it was asked
}

// outcome is a question as the tools tell of it.
type outcome struct {
	ID      string `json:"question_id"`
	Status  string `json:"status"`
	Answer  string `json:"answer"`
	Message string `json:"message"`
}

func (a *asking) tools() []*tools.Tool {
	said := func() outcome { return outcome{"q1", a.status, a.answer, "so it stands"} }
	return []*tools.Tool{
		tools.Define(tools.Tool{Name: askName, Command: "ask", Effect: tools.Asks}, func(_ context.Context, _ *tools.Env, in struct {
			Question string   `json:"question" min:"1"`
			Options  []string `json:"options,omitempty"`
			Multiple bool     `json:"multiple,omitempty"`
			Wait     string   `json:"wait" default:"100s"`
			Key      string   `json:"key,omitempty"`
			Via      string   `json:"via" default:"auto"`
		}) (outcome, error) {
			if in.Via == "queue" && in.Wait == "0s" && in.Key != "" && in.Key == a.key {
				return said(), nil
			}
			a.key, a.status = in.Key, "pending"
			a.times++
			return said(), nil
		}),
		tools.Define(tools.Tool{Name: answerName, Command: "ask answer", Effect: tools.Changes}, func(_ context.Context, _ *tools.Env, in struct {
			ID      string `json:"question_id"`
			Answer  string `json:"answer,omitempty"`
			Decline bool   `json:"decline,omitempty"`
		}) (outcome, error) {
			if a.status = "answered"; in.Decline {
				a.status = "declined"
			}
			a.answer = in.Answer
			return said(), nil
		}),
	}
}

// TestMCPAsk puts a question through the client, in both eras, and takes what
// its person did for the answer.
func TestMCPAsk(t *testing.T) {
	for _, version := range []string{"2025-06-18", "2025-11-25", "2026-07-28"} {
		for action, want := range map[string]string{
			"accept": `"status":"answered","answer":"blue"`, "decline": `"status":"declined"`, "cancel": `"status":"pending"`,
		} {
			a, shown := &asking{}, ""
			c := hostedAs(t, version, &mcp.ClientOptions{ElicitationHandler: func(_ context.Context, r *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
				shown = r.Params.Message
				back := &mcp.ElicitResult{Action: action}
				if action == "accept" {
					back.Content = map[string]any{"answer": "blue"}
				}
				return back, nil
			}}, a.tools()...)
			text, isError := callMCP(t, c, askName, `{"question":"Which colour?","options":["red","blue"]}`)
			if isError || !strings.Contains(text, want) || shown != "Which colour?\n\n1. red\n2. blue" || a.times != 1 {
				t.Errorf("%s, %s: asked %d times, %q: %s", version, action, a.times, shown, text)
			}
			if text, isError = callMCP(t, c, askName, `{"question":""}`); !isError || !strings.Contains(text, "must not be empty") {
				t.Errorf("%s: an empty question: %s", version, text)
			}
		}
		a := &asking{}
		text, _ := callMCP(t, hostedAs(t, version, nil, a.tools()...), askName, `{"question":"Which colour?"}`)
		if !strings.Contains(text, `"status":"pending"`) || a.key != "" {
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
