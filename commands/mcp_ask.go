package commands

import (
	"bytes"
	"context"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"techo/tools"
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
	askName    = "ask_user"
	answerName = "answer_question"
)

// mostAskings is how often a client asks one question before it is left to
// the queue.
const mostAskings = 3

// manyRequests is the first protocol in which each asking is a request.
const manyRequests = "2026-07-28"

// asked is what is known of a question while the client asks it.
type asked struct {
	ID    string `json:"id"`
	Key   string `json:"key"` // the same question
	Times int    `json:"times"`
}

// dialog is one question that a client puts to its person.
type dialog struct {
	*mcpFace
	session *session
	tool    *tools.Tool // ask_user
	call    tools.Call
	input   []byte // accepted
	in      questionIn
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
func (f *mcpFace) elicits(t *tools.Tool, r *mcp.CallToolRequest) bool {
	client := r.ClientCapabilities()
	if t.Name != askName || client == nil || client.Elicitation == nil {
		return false
	}
	return client.Elicitation.Form != nil || client.Elicitation.URL == nil
}

// ask answers ask_user by way of the client. It returns nil when that cannot
// be done, and the queue has to do.
func (f *mcpFace) ask(ctx context.Context, s *session, t *tools.Tool, r *mcp.CallToolRequest, call tools.Call) *mcp.CallToolResult {
	input, e := t.Accept(s.env(), call.Input, call.Faults...)
	if e != nil {
		return failed(e)
	}
	d := &dialog{mcpFace: f, session: s, tool: t, call: call, input: input}
	if json.Unmarshal(input, &d.in) != nil || d.in.Via != "" && d.in.Via != "auto" || d.in.Secret {
		return nil
	}
	if wait, err := tools.ParseDuration(d.in.Wait); err != nil || wait == 0 {
		return nil // whoever does not wait leaves the question for others
	}
	if r.ProtocolVersion() >= manyRequests {
		return d.step(ctx, r)
	}
	return d.run(ctx, r)
}

// step is one request of the question: the first one opens it, the others bring
// what the person said.
func (d *dialog) step(ctx context.Context, r *mcp.CallToolRequest) *mcp.CallToolResult {
	q, again := d.opened(r.Params.RequestState)
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
		return failed(e)
	case id == "", again && fault == "", q.Times > mostAskings:
		return succeeded(result)
	}
	q.ID = id
	return &mcp.CallToolResult{
		InputRequests: mcp.InputRequestMap{"answer": d.question(fault)},
		RequestState:  d.sealed(q),
	}
}

// run asks within one request, until somebody has answered, here or elsewhere,
// or the time for it is over.
func (d *dialog) run(ctx context.Context, r *mcp.CallToolRequest) *mcp.CallToolResult {
	defer progress(ctx, r, d.session.env())()
	key := d.in.Key
	if key == "" {
		key = "mcp-" + rand.Text()
	}
	result, id, e := d.stands(ctx, key, "0s")
	if e != nil {
		return failed(e)
	} else if id == "" {
		return succeeded(result)
	}
	asking, closed := context.WithCancel(ctx)
	var waits sync.WaitGroup
	defer waits.Wait()
	defer closed()
	waits.Go(func() { defer closed(); _, _, _ = d.stands(asking, key, d.in.Wait) }) // how it ended is asked below
	for fault, times := "", 0; times == 0 || fault != "" && times < mostAskings; times++ {
		said, err := r.Session.Elicit(asking, d.question(fault))
		if err != nil { // the client cannot after all; the queue still can
			<-asking.Done()
			break
		}
		fault = d.answer(ctx, id, said)
	}
	if result, _, e = d.stands(ctx, key, "0s"); e != nil {
		return failed(e)
	}
	return succeeded(result)
}

// stands tells how the question stands after a time of waiting, with its id
// while it is open. The first time it opens the question.
func (d *dialog) stands(ctx context.Context, key, wait string) (result *tools.Result, open string, e *tools.Error) {
	call := d.call
	call.Input = withFields(d.input, map[string]string{"key": key, "wait": wait, "via": "queue"})
	if wait == "0s" { // a look takes no turn, and has its answer at the end of everything
		result, e = d.tool.Invoke(ctx, d.session.env(), call)
	} else {
		result, e = d.mcpFace.call(ctx, d.session.env(), d.tool, call)
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
	env, text := d.session.env(), d.in.Question
	if fault != "" {
		text = fault + "\n\n" + text
	}
	if len(d.in.Options) > 0 {
		text += "\n"
	}
	for i, o := range d.in.Options {
		text += fmt.Sprintf("\n%d. %s", i+1, o)
	}
	answer := object{{"type", "string"}, {"title", env.Say(tools.Say{EN: "Answer", JA: "回答"})}}
	switch {
	case d.in.Multiple && len(d.in.Options) > 0:
		answer = append(answer, entry{"description", env.Say(tools.Say{EN: "Numbers such as 1,3, or your own words", JA: "1,3 のような番号、または自由回答"})})
	case len(d.in.Options) > 0:
		answer = append(answer, entry{"description", env.Say(tools.Say{EN: "A number, or your own words", JA: "番号、または自由回答"})})
	}
	schema := appendJSON(nil, object{
		{"type", "object"}, {"properties", object{{"answer", answer}}}, {"required", []string{"answer"}},
	})
	return &mcp.ElicitParams{Mode: "form", Message: text, RequestedSchema: json.RawMessage(schema)}
}

// answer hands on what the client brought back, and returns what is wrong with
// it if the person can mend that. What else becomes of it, the queue tells:
// somebody else may have been first. A dialog that was closed is no answer, and
// the question stays open.
func (d *dialog) answer(ctx context.Context, id string, said *mcp.ElicitResult) (fault string) {
	i := slices.IndexFunc(d.all, func(t *tools.Tool) bool { return t.Name == answerName })
	if said == nil || i < 0 {
		return ""
	}
	fields := []tools.Field{{Name: "question_id", Value: tools.AppendValue(nil, tools.String, id)}}
	switch said.Action {
	case "decline":
		fields = append(fields, tools.Field{Name: "decline", Value: []byte("true")})
	case "accept":
		text, isText := said.Content["answer"].(string)
		if !isText && said.Content["answer"] != nil { // a number, from who takes no notice of the schema
			text = fmt.Sprint(said.Content["answer"])
		}
		fields = append(fields, tools.Field{Name: "answer", Value: tools.AppendValue(nil, tools.String, text)})
	default:
		return ""
	}
	// Not in turn with other calls: all turns may be taken by those who wait for answers.
	_, e := d.all[i].Invoke(ctx, d.session.env(), tools.Call{Input: tools.AppendObject(nil, fields)})
	if e == nil || e.Code != tools.InvalidInput || len(e.Details) == 0 {
		return ""
	}
	return d.session.env().Say(tools.Say{EN: "The answer %s", JA: "回答: %s"}, e.Details[0].Message)
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

// sealed is what a client carries from one half to the other, and opened reads
// it back. One that is not ours is as if there were none.
func (f *mcpFace) sealed(q asked) string {
	b, err := json.Marshal(q)
	if err != nil {
		panic(err) // it is made of strings
	}
	return hex.EncodeToString(f.seal(b)) + "." + string(b)
}

func (f *mcpFace) opened(state string) (q asked, ok bool) {
	seal, b, _ := strings.Cut(state, ".")
	given, err := hex.DecodeString(seal)
	ok = err == nil && state != "" && hmac.Equal(given, f.seal([]byte(b))) && json.Unmarshal([]byte(b), &q) == nil
	return q, ok
}

func (f *mcpFace) seal(b []byte) []byte {
	h := hmac.New(sha256.New, f.secret)
	h.Write(b)
	return h.Sum(nil)
}
