package commands

import (
	"context"
	"errors"
	"strings"
	mcpface "techo/commands/mcp"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// TestMCPAsk puts a question through the client, in both eras, and takes what
// its person did for the answer.
func TestMCPAsk(t *testing.T) {
	for _, version := range []string{"2025-06-18", "2025-11-25", "2026-07-28"} {
		for action, want := range map[string]string{
			"accept": `"status":"answered","answer":"blue"`, "decline": `"status":"declined"`,
			"cancel": `"status":"pending"`,
		} {
			shown := ""
			c := hostedAs(t, version,
				&mcp.ClientOptions{ElicitationHandler: func(_ context.Context, r *mcp.ElicitRequest) (*mcp.ElicitResult,
					error) {
					shown = r.Params.Message
					back := &mcp.ElicitResult{Action: action}
					if action == "accept" {
						back.Content = map[string]any{"answer": "blue"}
					}
					return back, nil
				}})
			text, isError := callMCP(t, c, mcpface.AskName, `{"question":"Which colour?","options":["red","blue"]}`)
			if isError || !strings.Contains(text, want) || shown != "Which colour?\n\n1. red\n2. blue" {
				t.Errorf("%s, %s: %q: %s", version, action, shown, text)
			}
			if text, isError = callMCP(t, c, mcpface.AskName, `{"question":""}`); !isError ||
				!strings.Contains(text, "must not be empty") {
				t.Errorf("%s: an empty question: %s", version, text)
			}
		}
		text, _ := callMCP(t, hostedAs(t, version, nil), mcpface.AskName, `{"question":"Which colour?","wait":"0s"}`)
		if !strings.Contains(text, `"status":"pending"`) {
			t.Errorf("%s: a client that cannot ask: %s", version, text)
		}
	}
}

// eras are versions of the protocol in which a client is asked differently.
var eras = []string{"2025-06-18", "2026-07-28"}

// asks makes a client that gives these answers, one after the other, and keeps
// what it was shown.
func asks(shown *[]string, answers ...any) *mcp.ClientOptions {
	return &mcp.ClientOptions{ElicitationHandler: func(_ context.Context, r *mcp.ElicitRequest) (*mcp.ElicitResult,
		error) {
		*shown = append(*shown, r.Params.Message)
		answer := answers[min(len(*shown), len(answers))-1]
		return &mcp.ElicitResult{Action: "accept", Content: map[string]any{"answer": answer}}, nil
	}}
}

// TestMCPAskAgain asks again when the queue refuses an answer, with what is
// wrong with it, and leaves the question to the queue after the third time.
func TestMCPAskAgain(t *testing.T) {
	for _, version := range eras {
		var shown []string
		c := hostedAs(t, version, asks(&shown, "7", "", "2"))
		text, isError := callMCP(t, c, mcpface.AskName, `{"question":"Which colour?","options":["red","blue"]}`)
		if isError || !strings.Contains(text, `"status":"answered","answer":"blue","index":2`) {
			t.Errorf("%s: %s", version, text)
		}
		if len(shown) != 3 || !strings.HasPrefix(shown[1], "The answer ") ||
			!strings.HasSuffix(shown[1], "\n\n"+shown[0]) || !strings.Contains(shown[2], "empty") {
			t.Errorf("%s: the client was shown %q", version, shown)
		}
		shown = nil
		text, isError = callMCP(t, hostedAs(t, version, asks(&shown, "7")), mcpface.AskName,
			`{"question":"Which colour?","options":["red","blue"],"wait":"30s"}`)
		if isError || !strings.Contains(text, `"status":"pending"`) || len(shown) != mcpface.MostAskings {
			t.Errorf("%s: asked %d times: %s", version, len(shown), text)
		}
	}
}

// TestMCPAskElsewhere takes an answer that was given elsewhere while a client
// asks, and takes the client's dialog away.
func TestMCPAskElsewhere(t *testing.T) {
	w := newWorld(t)
	gone := make(chan bool, 1)
	c := w.hosted(t, eras[0],
		&mcp.ClientOptions{ElicitationHandler: func(ctx context.Context, _ *mcp.ElicitRequest) (*mcp.ElicitResult,
			error) {
			w.env["TECHO_ANSWER"] = "command"
			w.run("ask", "answer", "q1", "green").ok()
			<-ctx.Done()
			gone <- true
			return nil, ctx.Err()
		}})
	text, isError := callMCP(t, c, mcpface.AskName, `{"question":"Which colour?"}`)
	if isError || !strings.Contains(text, `"status":"answered","answer":"green"`) {
		t.Error(text)
	}
	<-gone
}

// TestMCPAskWait leaves a question open when the time for it is over, and when
// the client cannot ask though it said so.
func TestMCPAskWait(t *testing.T) {
	for _, asks := range []func(context.Context) error{
		func(ctx context.Context) error { <-ctx.Done(); return ctx.Err() },
		func(context.Context) error { return errors.New("no dialogs today") },
	} {
		c := hostedAs(t, eras[0],
			&mcp.ClientOptions{ElicitationHandler: func(ctx context.Context, _ *mcp.ElicitRequest) (*mcp.ElicitResult,
				error) {
				return nil, asks(ctx)
			}})
		text, isError := callMCP(t, c, mcpface.AskName, `{"question":"Which colour?","wait":"0.3s"}`)
		if isError || !strings.Contains(text, `"status":"pending"`) {
			t.Error(text)
		}
	}
}

// TestMCPAskNoWait shows no dialog for a question that nobody waits for.
func TestMCPAskNoWait(t *testing.T) {
	for _, version := range eras {
		var shown []string
		text, isError := callMCP(t, hostedAs(t, version, asks(&shown, "blue")), mcpface.AskName,
			`{"question":"Which colour?","wait":"0"}`)
		if isError || !strings.Contains(text, `"status":"pending"`) || len(shown) > 0 {
			t.Errorf("%s: %q: %s", version, shown, text)
		}
	}
}

// TestMCPAskVia refuses channels that a server does not have: its stdin carries
// calls, and whoever calls is elsewhere.
func TestMCPAskVia(t *testing.T) {
	w := newWorld(t)
	over := w.serve(t, "serve")
	faces := map[string]*mcp.ClientSession{
		"stdio":   w.client(t, nil),
		"asking":  w.client(t, asks(new([]string), "blue")),
		"http":    connect(t, &mcp.StreamableClientTransport{Endpoint: over.Base + "/mcp"}, nil),
		"another": w.hosted(t, eras[0], asks(new([]string), "blue")),
	}
	for _, via := range []string{"stdin", "tty"} {
		for face, c := range faces {
			text, isError := callMCP(t, c, mcpface.AskName, `{"question":"Which colour?","via":"`+via+`"}`)
			if !isError || !strings.Contains(text, `"unavailable"`) || !strings.Contains(text, "--via queue") {
				t.Errorf("%s, via %s: %s", face, via, text)
			}
		}
		over.Want(403, `"unavailable"`, "POST", "/tools/ask_user", `{"question":"Which colour?","via":"`+via+`"}`)
	}
	if n := w.run("ask", "list").ok()["count"]; n != 0.0 {
		t.Errorf("%v questions were kept", n)
	}
}

// TestMCPAskSealed does not take for an answer what was not asked.
func TestMCPAskSealed(t *testing.T) {
	f := &mcpface.Face{Secret: []byte("ours")}
	state := f.Sealed(mcpface.Asked{ID: "q1", Key: "k", Times: 1}, "alice")
	if q, ok := f.Opened(state, "alice"); !ok || q != (mcpface.Asked{ID: "q1", Key: "k", Times: 1}) {
		t.Errorf("%s: %v %v", state, q, ok)
	}
	if _, ok := f.Opened(state, "bob"); ok {
		t.Error("another user's state is taken for ours")
	}
	for _, forged := range []string{"", "x", state + " ", strings.Replace(state, "q1", "q2", 1),
		(&mcpface.Face{Secret: []byte("theirs")}).Sealed(mcpface.Asked{ID: "q1", Key: "k", Times: 1}, "alice")} {
		if _, ok := f.Opened(forged, "alice"); ok {
			t.Errorf("%q is taken for ours", forged)
		}
	}
}
