package mcp

import (
	"bytes"
	"context"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"techo/commands/catalogue"
	"techo/commands/run"
	"techo/internal/legible"
	"techo/store/question"
	"techo/tools"
	"techo/tools/jsontree"
	"techo/tools/person"
	"techo/tools/when"
)

// A call of ask_user by a client with form elicitation opens a dialog in the
// client. The question also waits in the queue, so that it can be answered
// elsewhere; the first answer wins. The result of the call is the state of the
// question in the queue. If the queue refuses the client's answer, for example
// the number of an option that does not exist, the client is asked again.
//
// From protocol 2026-07-28 on, each attempt is a request of its own: the call
// returns an input request and a signed request state, and the client repeats the
// call with both. Before that, the one call lasts until the question is answered,
// here or elsewhere, or its wait expires; then the client's dialog is closed.

const (
	askName    = "ask_user"
	answerName = "answer_question"
	findName   = catalogue.FindTools

	// maxAttempts is how often a client is asked before the question is left to
	// the queue.
	maxAttempts = 3

	// inputRequestVersion is the first protocol version in which a server cannot send
	// requests: it answers a call with input requests instead.
	inputRequestVersion = "2026-07-28"

	// answerField is the field of the form, and the key of its input request.
	answerField = "answer"

	// otherField is the field of the form for own words in place of an option.
	otherField = "other"

	// severalVersion is the first protocol version whose forms can have a list of choices.
	severalVersion = "2025-11-25"
)

// askState is the state of a question between two attempts.
type askState struct {
	ID       string `json:"id"`
	Key      string `json:"key"` // idempotency: the same key is the same question
	Attempts int    `json:"attempts"`
}

// dialog is one call of ask_user that the client puts to the person.
type dialog struct {
	adapter  *adapter
	run      *run.Run
	tool     *tools.Tool // ask_user
	call     tools.Call
	input    []byte // validated
	in       askInput
	identity string // of the caller and the user
	version  string // of the protocol
}

// askInput is the part of the input of ask_user that a dialog needs.
type askInput struct {
	Question string   `json:"question"`
	Options  []string `json:"options"`
	Multiple bool     `json:"multiple"`
	Key      string   `json:"key"`
	Via      string   `json:"via"`
	Wait     string   `json:"wait"`
	NoOther  bool     `json:"no_other"`
	Default  string   `json:"default"`
	Secret   bool     `json:"secret"` // the protocol forbids forms for secrets

	Assurance question.Assurance `json:"assurance"`
}

// canElicit reports whether the client can show the question of a call, or a link to the page.
func canElicit(t *tools.Tool, r *mcp.CallToolRequest) bool {
	client := r.ClientCapabilities()
	return t.Name == askName && client != nil && client.Elicitation != nil
}

// ask runs ask_user by way of the client. It returns nil if the question is only
// for the queue.
func (a *adapter) ask(ctx context.Context, s *run.Run, t *tools.Tool, r *mcp.CallToolRequest,
	call tools.Call) *mcp.CallToolResult {
	input, e := t.Accept(s.Env(), call.Input, call.Problems...)
	if e != nil {
		return a.errorResult(e)
	}
	d := &dialog{adapter: a, run: s, tool: t, call: call, input: input, identity: a.identity(ctx, r, s),
		version: r.ProtocolVersion()}
	if json.Unmarshal(input, &d.in) != nil || d.in.Via != "" && d.in.Via != "auto" || d.in.Secret {
		return nil
	}
	if wait, err := when.ParseDuration(d.in.Wait); err != nil || wait == 0 {
		return nil // the caller does not wait for an answer
	}
	if d.in.Key == "" {
		d.in.Key = "mcp-" + rand.Text()
	}
	can := r.ClientCapabilities().Elicitation
	switch isNew := r.ProtocolVersion() >= inputRequestVersion; {
	case d.in.Assurance == question.Secret && can.URL == nil, d.in.Assurance != question.Secret &&
		can.Form == nil && can.URL != nil:
		return nil
	case d.in.Assurance == question.Secret:
		return d.toPage(ctx, r, isNew)
	case isNew:
		return d.attempt(ctx, r)
	}
	return d.elicit(ctx, r)
}

// attempt handles one request of a dialog with input requests. The first request
// opens the question, the others bring the person's answer.
func (d *dialog) attempt(ctx context.Context, r *mcp.CallToolRequest) *mcp.CallToolResult {
	q, repeated := d.adapter.openState(r.Params.RequestState, d.identity)
	problem := ""
	if repeated {
		response, _ := r.Params.InputResponses[answerField].(*mcp.ElicitResult)
		problem = d.submit(ctx, q.ID, response)
	} else {
		q.Key = d.in.Key
	}
	result, id, e := d.poll(ctx, q.Key)
	q.Attempts++
	switch {
	case e != nil:
		return d.adapter.errorResult(e)
	case id == "", repeated && problem == "", q.Attempts > maxAttempts:
		return successResult(result, d.adapter.structured(r))
	}
	q.ID = id
	return &mcp.CallToolResult{
		InputRequests: mcp.InputRequestMap{answerField: d.form(problem)},
		RequestState:  d.adapter.sealState(q, d.identity),
	}
}

// elicit asks within one call, until the question is answered, here or elsewhere,
// or its wait expires.
func (d *dialog) elicit(ctx context.Context, r *mcp.CallToolRequest) *mcp.CallToolResult {
	defer reportProgress(ctx, r, d.run.Env())()
	result, id, e := d.poll(ctx, d.in.Key)
	if e != nil {
		return d.adapter.errorResult(e)
	} else if id == "" {
		return successResult(result, d.adapter.structured(r))
	}
	asking, stop := context.WithCancel(ctx)
	var wait sync.WaitGroup
	defer wait.Wait()
	defer stop()
	wait.Go(func() {
		defer stop()
		_, _ = d.adapter.host.Call(asking, d.run.Env(), d.tool, d.queued(d.in.Key, d.in.Wait)) // poll gets the result
	})
	for problem, n := "", 0; n == 0 || problem != "" && n < maxAttempts; n++ {
		response, err := r.Session.Elicit(asking, d.form(problem))
		if err != nil { // the client cannot show it, but it can still be answered elsewhere
			<-asking.Done()
			break
		}
		problem = d.submit(ctx, id, response)
	}
	if result, _, e = d.poll(ctx, d.in.Key); e != nil {
		return d.adapter.errorResult(e)
	}
	return successResult(result, d.adapter.structured(r))
}

// toPage sends the person to the page, where they answer with their secret: no form may ask for it. It
// returns nil if they cannot, and the call then says why.
func (d *dialog) toPage(ctx context.Context, r *mcp.CallToolRequest, isNew bool) *mcp.CallToolResult {
	env := d.run.Env()
	set, err := person.HasSecret(env)
	q, repeated := d.adapter.openState(r.Params.RequestState, d.identity)
	if err != nil || !set || d.adapter.host.PageLink == nil {
		return nil
	}
	if repeated {
		d.in.Key = q.Key
	}
	result, id, e := d.poll(ctx, d.in.Key)
	response, _ := r.Params.InputResponses[answerField].(*mcp.ElicitResult)
	switch {
	case e != nil:
		return d.adapter.errorResult(e)
	case id == "", repeated && (response == nil || response.Action != "accept"):
		return successResult(result, d.adapter.structured(r))
	}
	asking, stop := context.WithCancel(ctx)
	defer stop()
	if !repeated {
		link, err := d.adapter.host.PageLink(ctx)
		if err != nil {
			return nil
		}
		page := &mcp.ElicitParams{Mode: "url", URL: link, ElicitationID: rand.Text(),
			Message: env.Localize("Answer with your secret on the page: %s", d.in.Question)}
		if isNew {
			return &mcp.CallToolResult{InputRequests: mcp.InputRequestMap{answerField: page},
				RequestState: d.adapter.sealState(askState{ID: id, Key: d.in.Key}, d.identity)}
		}
		go func() {
			// A client that fails to show it leaves the question to other ways.
			if response, err := r.Session.Elicit(asking, page); err == nil && response.Action != "accept" {
				stop()
			}
		}()
		defer func() {
			_ = r.Session.NotifyElicitationComplete(ctx, &mcp.ElicitationCompleteParams{ElicitationID: page.ElicitationID})
		}()
	}
	defer reportProgress(ctx, r, env)()
	_, _ = d.adapter.host.Call(asking, env, d.tool, d.queued(d.in.Key, d.in.Wait)) // poll gets the result
	if result, _, e = d.poll(ctx, d.in.Key); e != nil {
		return d.adapter.errorResult(e)
	}
	return successResult(result, d.adapter.structured(r))
}

// queued returns the call that opens the question in the queue, or finds it there
// by its key, and waits for an answer.
func (d *dialog) queued(key, wait string) tools.Call {
	call, input := d.call, d.input
	if bytes.HasPrefix(bytes.TrimSpace(call.Input), []byte("{")) {
		input = call.Input // the result reports its conversions
	}
	call.Input = withFields(input, map[string]string{"key": key, "wait": wait, "via": "queue"})
	return call
}

// poll returns the current result of the question, and its id while it is open.
// The first poll opens the question. It takes no slot of the server, so that the
// answer can be read while all slots are taken or the server ends.
func (d *dialog) poll(ctx context.Context, key string) (result *tools.Result, open string, e *tools.Error) {
	if result, e = d.tool.Invoke(ctx, d.run.Env(), d.queued(key, "0s")); e != nil {
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

// form returns the form for the person: the problem with the previous answer, if
// any, the question and its options.
func (d *dialog) form(problem string) *mcp.ElicitParams {
	env, text := d.run.Env(), d.in.Question
	if problem != "" {
		text = problem + "\n\n" + text
	}
	if len(d.in.Options) > 0 {
		text += "\n"
	}
	for i, o := range d.in.Options {
		text += fmt.Sprintf("\n%d. %s", i+1, o)
	}
	form := formSchema{Type: "object"}
	answer := &form.Properties.Answer
	*answer = answerSchema{Type: "string", Title: env.Localize("Answer"), Description: d.howToAnswer(env)}
	switch {
	case !d.choosable(): // a text
	case d.in.Multiple:
		answer.Type, answer.Items = "array", &choices{"string", d.in.Options}
	default:
		answer.Enum = d.in.Options
	}
	if d.choosable() && !d.in.NoOther {
		form.Properties.Other = &answerSchema{Type: "string", Title: env.Localize("In your own words")}
	} else {
		form.Required = []string{answerField}
	}
	schema, err := jsontree.Marshal(form)
	if err != nil {
		panic(err) // it contains strings only
	}
	return &mcp.ElicitParams{Mode: "form", Message: text, RequestedSchema: json.RawMessage(schema)}
}

// choosable reports whether the form can list the options.
func (d *dialog) choosable() bool {
	return len(d.in.Options) > 0 && (!d.in.Multiple || d.version >= severalVersion)
}

// howToAnswer describes the field of the answer.
func (d *dialog) howToAnswer(env *tools.Env) string {
	about := ""
	switch typed := len(d.in.Options) > 0 && !d.choosable(); {
	case typed && d.in.NoOther:
		about = env.Localize("Numbers such as 1 3, or texts of options")
	case typed:
		about = env.Localize("Numbers such as 1 3, or your own words")
	}
	if d.in.Default == "" {
		return about
	}
	byDefault := env.Localize("Default at expiry: %s", d.in.Default)
	if about == "" {
		return byDefault
	}
	return env.Localize("%s. %s", about, byDefault)
}

// formSchema is the JSON Schema of a form: a choice, and own words in its place, or a text.
type formSchema struct {
	Type       string `json:"type"`
	Properties struct {
		Answer answerSchema  `json:"answer"`
		Other  *answerSchema `json:"other,omitempty"`
	} `json:"properties"`
	Required []string `json:"required,omitempty"`
}

type answerSchema struct {
	Type        string   `json:"type"`
	Title       string   `json:"title"`
	Description string   `json:"description,omitempty"`
	Enum        []string `json:"enum,omitempty"`
	Items       *choices `json:"items,omitempty"`
}

// choices are the elements of a list of choices.
type choices struct {
	Type string   `json:"type"`
	Enum []string `json:"enum"`
}

// answerIn returns what a filled form says, for answer_question: the numbers of options, a text, or own words.
func (d *dialog) answerIn(content map[string]any) (text string, ownWords bool) {
	other, _ := content[otherField].(string)
	if legible.Trim(other) != "" {
		return d.pick(other)
	}
	all, several := content[answerField].([]any)
	if !several {
		text, _ = d.pick(content[answerField])
		return text, false
	}
	parts := make([]string, len(all))
	for i, one := range all {
		parts[i], _ = d.pick(one)
	}
	return strings.Join(parts, ","), false
}

// pick returns the number of the option that a value is, or the value as a text.
func (d *dialog) pick(value any) (text string, isOther bool) {
	text = answerText(value)
	if i := slices.Index(d.in.Options, text); i >= 0 {
		return strconv.Itoa(i + 1), false
	}
	return text, true
}

// submit gives the client's response to the queue. It returns a text for the
// person if the answer is invalid and can be corrected, else "": poll then reads
// the outcome, since the question may have been answered elsewhere first. A
// cancelled dialog leaves the question open.
func (d *dialog) submit(ctx context.Context, id string, response *mcp.ElicitResult) (problem string) {
	i := slices.IndexFunc(d.adapter.host.All, func(t *tools.Tool) bool { return t.Name == answerName })
	if response == nil || i < 0 {
		return ""
	}
	fields := []jsontree.Field{{Name: "question_id", Value: jsontree.AppendText(nil, id)}}
	switch response.Action {
	case "decline":
		fields = append(fields, jsontree.Field{Name: "decline", Value: []byte("true")})
	case "accept":
		text, ownWords := d.answerIn(contentOf(response))
		fields = append(fields, jsontree.Field{Name: "answer", Value: jsontree.AppendText(nil, text)})
		if ownWords {
			fields = append(fields, jsontree.Field{Name: "own_words", Value: []byte("true")})
		}
	default:
		return ""
	}
	// The call takes no slot of the server: all slots may be held by calls that
	// wait for answers.
	env := d.run.Env()
	env.Caller.Vouched = "elicitation"
	_, e := d.adapter.host.All[i].Invoke(ctx, env, tools.Call{Input: jsontree.AppendObject(nil, fields)})
	if e == nil || e.Code != tools.InvalidInput || len(e.Details) == 0 {
		return ""
	}
	return env.Localize("The answer %s", e.Details[0].Message)
}

// withFields returns an input object in which some fields are replaced by strings.
func withFields(input []byte, texts map[string]string) []byte {
	d := json.NewDecoder(bytes.NewReader(input))
	var fields []jsontree.Field
	if _, err := d.Token(); err == nil {
		for d.More() {
			name, _ := d.Token()
			var value json.RawMessage
			if d.Decode(&value) != nil {
				break
			}
			if _, replaced := texts[name.(string)]; !replaced {
				fields = append(fields, jsontree.Field{Name: name.(string), Value: value})
			}
		}
	}
	for name, text := range texts {
		fields = append(fields, jsontree.Field{Name: name, Value: jsontree.AppendText(nil, text)})
	}
	return jsontree.AppendObject(nil, fields)
}

// answerText converts an answer to text. Clients that ignore the schema of the
// form send numbers, booleans, or lists.
func answerText(value any) string {
	switch v := value.(type) {
	case nil:
		return ""
	case string:
		return v
	case []any:
		parts := make([]string, len(v))
		for i, part := range v {
			parts[i] = answerText(part)
		}
		return strings.Join(parts, ",")
	}
	b, err := json.Marshal(value)
	if err != nil {
		panic(err) // it was decoded from JSON
	}
	return string(b)
}

// contentKey is where a response keeps its content from the library.
const contentKey = "techo/content"

// keepContents keeps the contents of responses from the library, which would refuse those of clients that do not
// follow the schema of the form. The queue knows which answers are valid.
func keepContents(next mcp.MethodHandler) mcp.MethodHandler {
	return func(ctx context.Context, method string, r mcp.Request) (mcp.Result, error) {
		result, err := next(ctx, method, r)
		if response, ok := result.(*mcp.ElicitResult); ok && err == nil && response != nil {
			response.Meta, response.Content = mcp.Meta{contentKey: response.Content}, nil
		}
		return result, err
	}
}

// contentOf returns the filled form of a response.
func contentOf(response *mcp.ElicitResult) map[string]any {
	if kept, ok := response.Meta[contentKey].(map[string]any); ok && response.Content == nil {
		return kept
	}
	return response.Content
}

// sealState returns the request state of a question. The client sends it back with
// the person's answer. It is signed for one caller and one user, so that no other
// client can use it.
func (a *adapter) sealState(q askState, identity string) string {
	b, err := json.Marshal(q)
	if err != nil {
		panic(err) // strings and a number
	}
	return hex.EncodeToString(a.sign(b, identity)) + "." + string(b)
}

// openState reads a request state. ok is false if this server did not sign it for
// the identity.
func (a *adapter) openState(state, identity string) (q askState, ok bool) {
	signature, b, _ := strings.Cut(state, ".")
	given, err := hex.DecodeString(signature)
	if err != nil || state == "" || !hmac.Equal(given, a.sign([]byte(b), identity)) {
		return q, false
	}
	return q, json.Unmarshal([]byte(b), &q) == nil
}

// sign returns the HMAC of a state and an identity. The length of the identity
// comes first, so that no other pair has the same bytes.
func (a *adapter) sign(state []byte, identity string) []byte {
	h := hmac.New(sha256.New, a.secret)
	h.Write(binary.BigEndian.AppendUint32(nil, uint32(len(identity))))
	h.Write([]byte(identity))
	h.Write(state)
	return h.Sum(nil)
}
