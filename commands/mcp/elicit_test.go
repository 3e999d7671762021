package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"techo/commands/run"
	"techo/commands/run/runtest"
	"techo/internal/mcptest"
	"techo/internal/testenv"
	"techo/store"
	"techo/tools"
)

// versions are protocol versions in which a client is asked in different ways.
var versions = []string{"2025-06-18", inputRequestVersion}

const whichColour = `{"question":"Which colour?","options":["red","blue"]}`

// eliciting returns the options of a client that handles dialogs with a function.
func eliciting(handle func(context.Context, *mcp.ElicitRequest) (*mcp.ElicitResult, error)) *mcp.ClientOptions {
	return &mcp.ClientOptions{ElicitationHandler: handle}
}

// answering returns the options of a client that gives these answers, and the last one
// again and again. It appends the texts that it shows to shown.
func answering(shown *[]string, answers ...string) *mcp.ClientOptions {
	return eliciting(func(_ context.Context, r *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
		*shown = append(*shown, r.Params.Message)
		answer := answers[min(len(*shown), len(answers))-1]
		return &mcp.ElicitResult{Action: "accept", Content: map[string]any{answerField: answer}}, nil
	})
}

// TestAsk checks that a client shows the question, and that the person's action in the
// dialog becomes the result.
func TestAsk(t *testing.T) {
	for _, version := range append(versions, "2025-11-25") {
		for action, want := range map[string]string{
			"accept": `"status":"answered","answer":"blue"`, "decline": `"status":"declined"`,
			"cancel": `"status":"pending"`,
		} {
			shown := ""
			c := connect(t, newHost(t), version,
				eliciting(func(_ context.Context, r *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
					shown = r.Params.Message
					result := &mcp.ElicitResult{Action: action}
					if action == "accept" {
						result.Content = map[string]any{answerField: "blue"}
					}
					return result, nil
				}))
			text, isError := mcptest.Call(t, c, askName, whichColour)
			if isError || !strings.Contains(text, want) || shown != "Which colour?\n\n1. red\n2. blue" {
				t.Errorf("%s, %s: %q: %s", version, action, shown, text)
			}
			if text, isError = mcptest.Call(t, c, askName, `{"question":""}`); !isError ||
				!strings.Contains(text, "must not be empty") {
				t.Errorf("%s: an empty question: %s", version, text)
			}
		}
		text, _ := mcptest.Call(t, connect(t, newHost(t), version, nil), askName,
			`{"question":"Which colour?","wait":"0s"}`)
		if !strings.Contains(text, `"status":"pending"`) {
			t.Errorf("%s: a client without elicitation: %s", version, text)
		}
	}
}

// TestAskConverted checks that options that a client sends as text become options.
func TestAskConverted(t *testing.T) {
	for _, version := range versions {
		var shown []string
		text, isError := mcptest.Call(t, connect(t, newHost(t), version, answering(&shown, "blue")), askName,
			`{"question":"Which colour?","options":"[\"red\",\"blue\"]"}`)
		if isError || len(shown) != 1 || shown[0] != "Which colour?\n\n1. red\n2. blue" ||
			!strings.Contains(text, `[{"path":"/options","from":"[\"red\",\"blue\"]","to":["red","blue"]}]`) {
			t.Errorf("%s: %q: %s", version, shown, text)
		}
	}
}

// TestAskAgain checks that the client is asked again with the reason when the queue
// refuses an answer, and not more than maxAttempts times.
func TestAskAgain(t *testing.T) {
	for _, version := range versions {
		var shown []string
		c := connect(t, newHost(t), version, answering(&shown, "", "\x07", "blue"))
		text, isError := mcptest.Call(t, c, askName, `{"question":"Which colour?"}`)
		if isError || !strings.Contains(text, `"status":"answered","answer":"blue"`) {
			t.Errorf("%s: %s", version, text)
		}
		if len(shown) != 3 || !strings.HasPrefix(shown[1], "The answer ") ||
			!strings.HasSuffix(shown[1], "\n\n"+shown[0]) || !strings.Contains(shown[2], "control") {
			t.Errorf("%s: the client showed %q", version, shown)
		}
		shown = nil
		text, isError = mcptest.Call(t, connect(t, newHost(t), version, answering(&shown, "")), askName,
			`{"question":"Which colour?","wait":"30s"}`)
		if isError || !strings.Contains(text, `"status":"pending"`) || len(shown) != maxAttempts {
			t.Errorf("%s: asked %d times: %s", version, len(shown), text)
		}
	}
}

// TestAskForm checks the fields of forms, and what a filled one answers: a choice is the option itself, also
// if it is a number, and own words are kept as they are.
func TestAskForm(t *testing.T) {
	const numbers = `{"question":"How many?","options":["20","10","1"]%s}`
	for _, test := range []struct{ version, more, schema, content, want string }{
		{"", "", `"answer":{"enum":["20","10","1"],`, `{"answer":"1"}`, `"answer":"1","index":3`},
		{"", "", `"other":{"title":"In your own words","type":"string"}`, `{"other":"5"}`, `"answer":"5","index":0,"answers":["5"],"source":"free"`},
		{"", "", `"enum"`, `{"answer":"20","other":"10"}`, `"answer":"10","index":2`},
		{"", `,"no_other":true`, `"required":["answer"]`, `{"answer":"10"}`, `"answer":"10","index":2`},
		{"2025-11-25", `,"multiple":true`, `"answer":{"items":{"enum":["20","10","1"],"type":"string"},`,
			`{"answer":["20","1"]}`, `"answers":["20","1"],"indexes":[1,3]`},
		{"2025-06-18", `,"multiple":true`, `"answer":{"description":"Numbers such as 1 3`, `{"answer":"1 3"}`,
			`"answers":["20","1"],"indexes":[1,3]`},
	} {
		for _, version := range append(slices.Clone(versions), "2025-11-25") {
			if test.version != "" && version != test.version {
				continue
			}
			var schema []byte
			c := connect(t, newHost(t), version,
				eliciting(func(_ context.Context, r *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
					schema, _ = json.Marshal(r.Params.RequestedSchema)
					result := &mcp.ElicitResult{Action: "accept"}
					return result, json.Unmarshal([]byte(test.content), &result.Content)
				}))
			text, isError := mcptest.Call(t, c, askName, fmt.Sprintf(numbers, test.more))
			if isError || !strings.Contains(text, test.want) || !strings.Contains(string(schema), test.schema) {
				t.Errorf("%s, %s: %s: %s", version, test.content, schema, text)
			}
		}
	}
}

// TestAskClient checks that the dialog of a second client, which an agent can start, answers no
// question of the first, and that no dialog is shown if only the secret counts.
func TestAskClient(t *testing.T) {
	for _, version := range versions {
		dir, shown := t.TempDir(), []string(nil)
		first, second := hostOf(t, runtest.In(t, dir, run.Given{}, families())), hostOf(t,
			runtest.In(t, dir, run.Given{}, families()))
		first.Run.ClientName, second.Run.ClientName = "mcp-1", "mcp-2"
		const question = `{"question":"Delete?","options":["Yes"],"key":"k","wait":"%s"}`
		mcptest.Call(t, connect(t, first, version, nil), askName, fmt.Sprintf(question, "0s"))
		text, _ := mcptest.Call(t, connect(t, second, version, answering(&shown, "Yes")), askName,
			fmt.Sprintf(question, "300ms"))
		if !strings.Contains(text, `"status":"pending"`) {
			t.Errorf("%s: a second client: %s", version, text)
		}
		text, _ = mcptest.Call(t, connect(t, first, version, answering(&shown, "Yes")), askName,
			fmt.Sprintf(question, "1s"))
		if !strings.Contains(text, `"via":"elicitation","assurance":"client"`) ||
			!strings.Contains(text, "The person answered: Yes") {
			t.Errorf("%s: its own client: %s", version, text)
		}
		shown = nil
		text, _ = mcptest.Call(t, connect(t, first, version, answering(&shown, "Yes")), askName,
			`{"question":"Really?","assurance":"secret","wait":"100ms"}`)
		if !strings.Contains(text, `"status":"pending"`) || len(shown) > 0 {
			t.Errorf("%s: a dialog where only the secret counts: %q: %s", version, shown, text)
		}
	}
}

// TestAskPage checks that a client that can open a link sends the person to the page where only the secret counts,
// with a link and never a form; that the answer of its dialog is none, and that of the page is.
func TestAskPage(t *testing.T) {
	const asked = `{"question":"Really?","assurance":"secret","wait":"%s"}`
	for _, version := range append(versions, "2025-11-25") {
		dir := t.TempDir()
		secret := store.SecretIn(filepath.Join(dir, ".local", "state"), time.Now)
		if err := secret.Set("some words", ""); err != nil {
			t.Fatal(err)
		}
		h := hostOf(t, runtest.In(t, dir, run.Given{}, families()))
		h.PageLink = func(context.Context) (string, error) { return "http://127.0.0.1:7430/page/once", nil }
		var shown []*mcp.ElicitParams
		unlocked := false
		options := eliciting(func(ctx context.Context, r *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
			shown = append(shown, r.Params)
			person := runtest.In(t, dir, run.Given{}, families())
			person.Vouched, person.SecretGiven = "page", unlocked
			answer, e := person.Tool(answerName)
			if e == nil {
				_, e = answer.Invoke(ctx, person.Env(), tools.Call{Input: fmt.Appendf(nil, `{"question_id":"q%d","answer":"yes"}`, len(shown))})
			}
			if (e == nil) != unlocked {
				t.Errorf("%s: the page answers, unlocked %v: %v", version, unlocked, e)
			}
			return &mcp.ElicitResult{Action: "accept", Content: map[string]any{answerField: "from a form"}}, nil
		})
		options.Capabilities = &mcp.ClientCapabilities{Elicitation: &mcp.ElicitationCapabilities{
			Form: &mcp.FormElicitationCapabilities{}, URL: &mcp.URLElicitationCapabilities{}}}
		c := connect(t, h, version, options)
		text, _ := mcptest.Call(t, c, askName, fmt.Sprintf(asked, "300ms"))
		if !strings.Contains(text, `"status":"pending"`) {
			t.Errorf("%s: a locked page: %s", version, text)
		}
		unlocked = true
		text, isError := mcptest.Call(t, c, askName, `{"question":"Really?","assurance":"secret","wait":"20s","key":"k"}`)
		if isError || !strings.Contains(text, `"assurance":"secret"`) || !strings.Contains(text, `"answer":"yes"`) {
			t.Errorf("%s: an unlocked page: %s", version, text)
		}
		for _, p := range shown {
			if p.Mode != "url" || p.URL != "http://127.0.0.1:7430/page/once" || p.RequestedSchema != nil {
				t.Errorf("%s: the client showed %+v", version, p)
			}
		}
		if len(shown) != 2 {
			t.Errorf("%s: shown %d times", version, len(shown))
		}
	}
}

// TestAskElsewhere answers a question elsewhere while a client shows it, and checks that
// the client's dialog is closed.
func TestAskElsewhere(t *testing.T) {
	dir := t.TempDir()
	closed := make(chan bool, 1)
	h := hostOf(t, runtest.In(t, dir, run.Given{}, families()))
	options := eliciting(func(ctx context.Context, _ *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
		person := runtest.In(t, dir, run.Given{}, families())
		answer, e := person.Tool(answerName)
		if e == nil {
			_, e = answer.Invoke(ctx, person.Env(), tools.Call{Input: []byte(`{"question_id":"q1","answer":"green"}`)})
		}
		if e != nil {
			t.Error(e, e.Hint)
		}
		<-ctx.Done()
		closed <- true
		return nil, ctx.Err()
	})
	c := connect(t, h, versions[0], options)
	text, isError := mcptest.Call(t, c, askName, `{"question":"Which colour?"}`)
	if isError || !strings.Contains(text, `"status":"answered","answer":"green"`) {
		t.Error(text)
	}
	<-closed
}

// TestAskWait checks that a question stays open when its wait expires, and when the
// client fails to show it.
func TestAskWait(t *testing.T) {
	for _, show := range []func(context.Context) error{
		func(ctx context.Context) error { <-ctx.Done(); return ctx.Err() },
		func(context.Context) error { return errors.New("no dialogs today") },
	} {
		c := connect(t, newHost(t), versions[0],
			eliciting(func(ctx context.Context, _ *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
				return nil, show(ctx)
			}))
		text, isError := mcptest.Call(t, c, askName, `{"question":"Which colour?","wait":"0.3s"}`)
		if isError || !strings.Contains(text, `"status":"pending"`) {
			t.Error(text)
		}
	}
}

// TestAskNoWait checks that a question without a wait opens no dialog.
func TestAskNoWait(t *testing.T) {
	for _, version := range versions {
		var shown []string
		text, isError := mcptest.Call(t, connect(t, newHost(t), version, answering(&shown, "blue")), askName,
			`{"question":"Which colour?","wait":"0"}`)
		if isError || !strings.Contains(text, `"status":"pending"`) || len(shown) > 0 {
			t.Errorf("%s: %q: %s", version, shown, text)
		}
	}
}

// TestAskTypes checks that an answer is kept when the client sends it with another type
// than the schema demands.
func TestAskTypes(t *testing.T) {
	for answer, want := range map[string]string{
		`2`: `\"answer\":\"blue\",\"index\":2`, `[2]`: `\"answer\":\"blue\",\"index\":2`,
		`"1"`: `\"answer\":\"red\"`, `true`: `\"answer\":\"true\"`,
	} {
		p := startPipe(t, newHost(t))
		p.send(t, canElicitHello()+`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"ask_user",`+
			`"arguments":{"question":"Which?","options":["red","blue"],"wait":"20s"}}}`+"\n")
		var request struct{ ID json.RawMessage }
		testenv.Eventually(t, func() bool {
			for line := range strings.Lines(p.out.String()) {
				if strings.Contains(line, `"elicitation/create"`) {
					return json.Unmarshal([]byte(line), &request) == nil
				}
			}
			return false
		})
		p.send(t, fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":{"action":"accept","content":{"answer":%s}}}`+"\n",
			request.ID, answer))
		if got := p.end(t)["2"]; !strings.Contains(got, want) {
			t.Errorf("%s: want %s in %s", answer, want, got)
		}
	}
}

// TestAnswerText converts JSON values to the text that a person would type.
func TestAnswerText(t *testing.T) {
	for value, want := range map[string]string{`2`: "2", `[1,3]`: "1,3", `["a",["b"]]`: "a,b", `true`: "true",
		`null`: "", `1e3`: "1000", `{"a":1}`: `{"a":1}`} {
		var v any
		if err := json.Unmarshal([]byte(value), &v); err != nil {
			t.Fatal(err)
		}
		if got := answerText(v); got != want {
			t.Errorf("%s: %q, want %q", value, got, want)
		}
	}
}
