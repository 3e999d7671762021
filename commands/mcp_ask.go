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

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"techo/tools"
)

// A client that can put a question to its person is asked to (elicitation). The
// question is put into the queue as always, without waiting, so that it can
// also be answered elsewhere; what the client brings back is the answer to it;
// and the result is what the queue then says of the question. In protocol
// 2026-07-28 the two halves are two requests, so what the second must know goes
// to the client and comes back, signed. For older clients the library asks and
// calls again.

// The tools that this takes.
const (
	askName    = "ask_user"
	answerName = "answer_question"
)

// asked is what is known of a question while the client asks it.
type asked struct {
	ID  string `json:"id"`
	Key string `json:"key"` // the same question
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
	var in struct {
		Question string   `json:"question"`
		Options  []string `json:"options"`
		Multiple bool     `json:"multiple"`
		Key      string   `json:"key"`
		Via      string   `json:"via"`
		Secret   bool     `json:"secret"`
	}
	if json.Unmarshal(input, &in) != nil || in.Via != "" && in.Via != "auto" || in.Secret {
		return nil
	}
	q, again := f.opened(r.Params.RequestState)
	if again {
		f.answer(ctx, s, q, r.Params.InputResponses["answer"])
	} else if q.Key = in.Key; q.Key == "" {
		q.Key = "mcp-" + rand.Text()
	}
	call.Input = withFields(input, map[string]string{"key": q.Key, "wait": "0s", "via": "queue"})
	result, e := f.call(ctx, s.env(), t, call)
	if e != nil {
		return failed(e)
	}
	var out struct {
		ID     string `json:"question_id"`
		Status string `json:"status"`
	}
	if json.Unmarshal(result.JSON, &out) != nil || again || out.Status != "pending" {
		return succeeded(result)
	}
	q.ID = out.ID
	return &mcp.CallToolResult{
		InputRequests: mcp.InputRequestMap{"answer": question(s.env(), in.Question, in.Options, in.Multiple)},
		RequestState:  f.sealed(q),
	}
}

// question is what the client shows to its person.
func question(env *tools.Env, text string, options []string, multiple bool) *mcp.ElicitParams {
	var lines []string
	for i, o := range options {
		lines = append(lines, fmt.Sprintf("%d. %s", i+1, o))
	}
	answer := object{{"type", "string"}, {"title", env.Say(tools.Say{EN: "Answer", JA: "回答"})}}
	switch {
	case multiple && len(options) > 0:
		answer = append(answer, entry{"description", env.Say(tools.Say{EN: "Numbers such as 1,3, or your own words", JA: "1,3 のような番号、または自由回答"})})
	case len(options) > 0:
		answer = append(answer, entry{"description", env.Say(tools.Say{EN: "A number, or your own words", JA: "番号、または自由回答"})})
	}
	if len(lines) > 0 {
		text += "\n\n" + strings.Join(lines, "\n")
	}
	schema := appendJSON(nil, object{
		{"type", "object"}, {"properties", object{{"answer", answer}}}, {"required", []string{"answer"}},
	})
	return &mcp.ElicitParams{Mode: "form", Message: text, RequestedSchema: json.RawMessage(schema)}
}

// answer hands on what the client brought back. What becomes of it, the queue
// tells: somebody else may have been first. A dialog that was closed is no
// answer, and the question stays open.
func (f *mcpFace) answer(ctx context.Context, s *session, q asked, back mcp.InputResponse) {
	said, _ := back.(*mcp.ElicitResult)
	i := slices.IndexFunc(f.all, func(t *tools.Tool) bool { return t.Name == answerName })
	if said == nil || i < 0 {
		return
	}
	fields := []tools.Field{{Name: "question_id", Value: tools.AppendValue(nil, tools.String, q.ID)}}
	text, _ := said.Content["answer"].(string)
	switch {
	case said.Action == "decline":
		fields = append(fields, tools.Field{Name: "decline", Value: []byte("true")})
	case said.Action == "accept" && text != "":
		fields = append(fields, tools.Field{Name: "answer", Value: tools.AppendValue(nil, tools.String, text)})
	default:
		return
	}
	_, _ = f.call(ctx, s.env(), f.all[i], tools.Call{Input: tools.AppendObject(nil, fields)}) // asked again, the queue says how it is
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
