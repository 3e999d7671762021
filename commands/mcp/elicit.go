package mcp

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"slices"
	"sync"
	"techo/commands/run"
	"techo/tools"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// A client that can put a question to its person is asked to (elicitation). The
// question is put into the queue as always, so that it can also be answered
// elsewhere; what the client brings back is the answer to it; and the result is
// what the queue then says of the question. An answer that the queue refuses,
// such as a number that no option has, makes the client ask again.
//
// In protocol 2026-07-28 each asking is a request of its own, so what the next
// must know goes to the client and comes back, signed. An older client is asked
// while its one request waits: for as long as the question says, or until it is
// answered elsewhere, which takes the client's dialog away.

// The tools that this takes.
const (
	AskName    = "ask_user"
	answerName = "answer_question"
)

// MostAskings is how often a client asks one question before it is left to
// the queue.
const MostAskings = 3

// ManyRequests is the first protocol in which each asking is a request.
const ManyRequests = "2026-07-28"

// Asked is what is known of a question while the client asks it.
type Asked struct {
	ID    string `json:"id"`
	Key   string `json:"key"` // the same question
	Times int    `json:"times"`
}

// dialog is one question that a client puts to its person.
type dialog struct {
	*Face
	session *run.Run
	tool    *tools.Tool // ask_user
	call    tools.Call
	input   []byte // accepted
	in      questionIn

	identity string // of the caller and the user
}

// questionIn is what of the input of ask_user a client is shown, or needs.
type questionIn struct {
	Question string   `json:"question"`
	Options  []string `json:"options"`
	Multiple bool     `json:"multiple"`
	Key      string   `json:"key"`
	Via      string   `json:"via"`
	Wait     string   `json:"wait"`
	Secret   bool     `json:"secret"` // which no form may ask for
}

// elicits reports whether a call is a question that this client can put.
func (f *Face) elicits(t *tools.Tool, r *mcp.CallToolRequest) bool {
	client := r.ClientCapabilities()
	if t.Name != AskName || client == nil || client.Elicitation == nil {
		return false
	}
	return client.Elicitation.Form != nil || client.Elicitation.URL == nil
}

// ask answers ask_user by way of the client. It returns nil when that cannot
// be done, and the queue has to do.
func (f *Face) ask(ctx context.Context, s *run.Run, t *tools.Tool, r *mcp.CallToolRequest,
	call tools.Call) *mcp.CallToolResult {
	input, e := t.Accept(s.Env(), call.Input, call.Problems...)
	if e != nil {
		return f.failed(e)
	}
	d := &dialog{Face: f, session: s, tool: t, call: call, input: input, identity: f.identity(ctx, r, s)}
	if json.Unmarshal(input, &d.in) != nil || d.in.Via != "" && d.in.Via != "auto" || d.in.Secret {
		return nil
	}
	if wait, err := tools.ParseDuration(d.in.Wait); err != nil || wait == 0 {
		return nil // whoever does not wait leaves the question for others
	}
	if r.ProtocolVersion() >= ManyRequests {
		return d.step(ctx, r)
	}
	return d.run(ctx, r)
}

// step is one request of the question: the first one opens it, the others bring
// what the person said.
func (d *dialog) step(ctx context.Context, r *mcp.CallToolRequest) *mcp.CallToolResult {
	q, again := d.Opened(r.Params.RequestState, d.identity)
	fault := ""
	if again {
		said, _ := r.Params.InputResponses["answer"].(*mcp.ElicitResult)
		fault = d.answer(ctx, q.ID, said)
	} else if q.Key = d.in.Key; q.Key == "" {
		q.Key = "mcp-" + rand.Text()
	}
	result, id, e := d.stands(ctx, q.Key, "0s")
	q.Times++
	switch {
	case e != nil:
		return d.failed(e)
	case id == "", again && fault == "", q.Times > MostAskings:
		return succeeded(result)
	}
	q.ID = id
	return &mcp.CallToolResult{
		InputRequests: mcp.InputRequestMap{"answer": d.question(fault)},
		RequestState:  d.Sealed(q, d.identity),
	}
}

// run asks within one request, until somebody has answered, here or elsewhere,
// or the time for it is over.
func (d *dialog) run(ctx context.Context, r *mcp.CallToolRequest) *mcp.CallToolResult {
	defer progress(ctx, r, d.session.Env())()
	key := d.in.Key
	if key == "" {
		key = "mcp-" + rand.Text()
	}
	result, id, e := d.stands(ctx, key, "0s")
	if e != nil {
		return d.failed(e)
	} else if id == "" {
		return succeeded(result)
	}
	asking, closed := context.WithCancel(ctx)
	var waits sync.WaitGroup
	defer waits.Wait()
	defer closed()
	waits.Go(func() { defer closed(); _, _, _ = d.stands(asking, key, d.in.Wait) }) // how it ended is asked below
	for fault, times := "", 0; times == 0 || fault != "" && times < MostAskings; times++ {
		said, err := r.Session.Elicit(asking, d.question(fault))
		if err != nil { // the client cannot after all; the queue still can
			<-asking.Done()
			break
		}
		fault = d.answer(ctx, id, said)
	}
	if result, _, e = d.stands(ctx, key, "0s"); e != nil {
		return d.failed(e)
	}
	return succeeded(result)
}

// stands tells how the question stands after a time of waiting, with its id
// while it is open. The first time it opens the question.
func (d *dialog) stands(ctx context.Context, key, wait string) (result *tools.Result, open string, e *tools.Error) {
	call := d.call
	call.Input = withFields(d.input, map[string]string{"key": key, "wait": wait, "via": "queue"})
	if wait == "0s" { // a look takes no turn, and has its answer at the end of everything
		result, e = d.tool.Invoke(ctx, d.session.Env(), call)
	} else {
		result, e = d.Face.Call(ctx, d.session.Env(), d.tool, call)
	}
	if e != nil {
		return nil, "", e
	}
	var out struct {
		ID     string `json:"question_id"`
		Status string `json:"status"`
	}
	if json.Unmarshal(result.JSON, &out) != nil || out.Status != "pending" {
		return result, "", nil
	}
	return result, out.ID, nil
}

// question is what the client shows to its person, with what was wrong with
// the answer before.
func (d *dialog) question(fault string) *mcp.ElicitParams {
	env, text := d.session.Env(), d.in.Question
	if fault != "" {
		text = fault + "\n\n" + text
	}
	if len(d.in.Options) > 0 {
		text += "\n"
	}
	for i, o := range d.in.Options {
		text += fmt.Sprintf("\n%d. %s", i+1, o)
	}
	answer := answerSchema{Type: "string", Title: env.Localize("Answer")}
	switch {
	case d.in.Multiple && len(d.in.Options) > 0:
		answer.Description = env.Localize("Numbers such as 1,3, or your own words")
	case len(d.in.Options) > 0:
		answer.Description = env.Localize("A number, or your own words")
	}
	form := formSchema{Type: "object", Required: []string{"answer"}}
	form.Properties.Answer = answer
	schema, err := tools.Marshal(form)
	if err != nil {
		panic(err) // it is made of strings
	}
	return &mcp.ElicitParams{Mode: "form", Message: text, RequestedSchema: json.RawMessage(schema)}
}

// formSchema is the JSON Schema of a form with one field.
type formSchema struct {
	Type       string `json:"type"`
	Properties struct {
		Answer answerSchema `json:"answer"`
	} `json:"properties"`
	Required []string `json:"required"`
}

// answerSchema is the schema of the field.
type answerSchema struct {
	Type        string `json:"type"`
	Title       string `json:"title"`
	Description string `json:"description,omitempty"`
}

// answer hands on what the client brought back, and returns what is wrong with
// it if the person can mend that. What else becomes of it, the queue tells:
// somebody else may have been first. A dialog that was closed is no answer, and
// the question stays open.
func (d *dialog) answer(ctx context.Context, id string, said *mcp.ElicitResult) (fault string) {
	i := slices.IndexFunc(d.All, func(t *tools.Tool) bool { return t.Name == answerName })
	if said == nil || i < 0 {
		return ""
	}
	fields := []tools.Field{{Name: "question_id", Value: tools.AppendValue(nil, tools.String, id)}}
	switch said.Action {
	case "decline":
		fields = append(fields, tools.Field{Name: "decline", Value: []byte("true")})
	case "accept":
		text := AnswerText(said.Content["answer"])
		fields = append(fields, tools.Field{Name: "answer", Value: tools.AppendValue(nil, tools.String, text)})
	default:
		return ""
	}
	// Not in turn with other calls: all turns may be taken by those who wait for answers.
	env := d.session.Env()
	env.Caller.Vouched = "elicitation"
	_, e := d.All[i].Invoke(ctx, env, tools.Call{Input: tools.AppendObject(nil, fields)})
	if e == nil || e.Code != tools.InvalidInput || len(e.Details) == 0 {
		return ""
	}
	return d.session.Env().Localize("The answer %s", e.Details[0].Message)
}

// withFields is an input in which some fields are texts of ours.
func withFields(input []byte, texts map[string]string) []byte {
	d := json.NewDecoder(bytes.NewReader(input))
	var fields []tools.Field
	if _, err := d.Token(); err == nil {
		for d.More() {
			name, _ := d.Token()
			var value json.RawMessage
			if d.Decode(&value) != nil {
				break
			}
			if _, ours := texts[name.(string)]; !ours {
				fields = append(fields, tools.Field{Name: name.(string), Value: value})
			}
		}
	}
	for name, text := range texts {
		fields = append(fields, tools.Field{Name: name, Value: tools.AppendValue(nil, tools.String, text)})
	}
	return tools.AppendObject(nil, fields)
}
