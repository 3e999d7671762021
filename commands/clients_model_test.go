package commands

import (
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
)

// scripted is a model that answers "OK", in the APIs of four vendors.
type scripted struct {
	url   string
	mu    sync.Mutex
	asked []any // the requests
	used  int   // the tokens that it says it has read
	calls []string
}

// says has the model say that it has read a number of tokens.
func (m *scripted) says(tokens int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.used = tokens
}

// read returns what the model has read in the longest request since the last read.
func (m *scripted) read() (text string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, asked := range m.asked {
		var b strings.Builder
		object, _ := asked.(map[string]any)
		for _, member := range []string{"messages", "input", "contents"} {
			leaves(&b, object[member])
		}
		if b.Len() > len(text) {
			text = b.String()
		}
	}
	m.asked = nil
	return text
}

// leaves writes all texts of a value.
func leaves(b *strings.Builder, value any) {
	switch v := value.(type) {
	case string:
		b.WriteString(v + "\n")
	case []any:
		for _, e := range v {
			leaves(b, e)
		}
	case map[string]any:
		for _, name := range slices.Sorted(maps.Keys(v)) {
			leaves(b, v[name])
		}
	}
}

// newScripted starts a model on this machine.
func newScripted(t *testing.T) *scripted {
	m := &scripted{}
	s := httptest.NewServer(http.HandlerFunc(m.serve))
	t.Cleanup(s.Close)
	m.url = s.URL
	return m
}

func (m *scripted) serve(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	var asked any
	if err := json.Unmarshal(body, &asked); err != nil {
		http.NotFound(w, r) // such as a question for the models
		return
	}
	m.mu.Lock()
	m.asked = append(m.asked, asked)
	used, call := m.used, ""
	if tools, _ := asked.(map[string]any)["tools"].([]any); len(tools) > 0 && len(m.calls) > 0 {
		call, m.calls = m.calls[0], m.calls[1:]
	}
	m.mu.Unlock()
	if strings.HasSuffix(r.URL.Path, ":generateContent") && strings.Contains(string(body), "state_snapshot") {
		fmt.Fprint(w, `{"candidates":[{"content":{"role":"model","parts":[{"text":"<state_snapshot>OK`+
			`</state_snapshot>"}]},`+
			`"finishReason":"STOP","index":0}]}`)
		return
	}
	events := answers(r.URL.Path, used)
	if call != "" {
		events = strings.NewReplacer(`{"type":"text","text":""}`, call, "text_delta", "input_json_delta", `"text":"OK"`,
			`"partial_json":""`, "end_turn", "tool_use").Replace(events)
	}
	if events == "" {
		http.Error(w, `{"error":{"type":"invalid_request_error","message":"no"}}`, http.StatusBadRequest)
		return
	}
	w.Header().Set("Content-Type", "text/event-stream")
	for event := range strings.Lines(events) {
		var kind struct{ Type string }
		_ = json.Unmarshal([]byte(event), &kind)
		if kind.Type != "" {
			fmt.Fprintf(w, "event: %s\n", kind.Type)
		}
		fmt.Fprintf(w, "data: %s\n\n", strings.TrimSpace(event))
	}
	if strings.HasSuffix(r.URL.Path, "/chat/completions") {
		fmt.Fprint(w, "data: [DONE]\n\n")
	}
}

// answers returns the events of an answer in the API at a path, "" at another.
func answers(path string, used int) string {
	for api, answer := range map[string]string{
		"/messages": `{"type":"message_start","message":{"id":"m","type":"message","role":"assistant","model":"m",` +
			`"content":[],"stop_reason":null,"usage":{"input_tokens":1,"output_tokens":1}}}
{"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}
{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"OK"}}
{"type":"content_block_stop","index":0}
{"type":"message_delta","delta":{"stop_reason":"end_turn"},"usage":{"output_tokens":1}}
{"type":"message_stop"}`,
		"/responses": `{"type":"response.created","response":{"id":"r"}}
{"type":"response.output_item.done","output_index":0,"item":{"type":"message","role":"assistant","id":"i",` +
			`"content":[{"type":"output_text","text":"OK"}]}}
{"type":"response.completed","response":{"id":"r","usage":{"input_tokens":1,"output_tokens":1,"total_tokens":2}}}`,
		":streamGenerateContent": `{"candidates":[{"content":{"role":"model","parts":[{"text":"OK"}]},` +
			`"finishReason":"STOP","index":0}],"usageMetadata":{"promptTokenCount":` + fmt.Sprint(used) + `}}`,
		"/chat/completions": `{"id":"x","object":"chat.completion.chunk","created":1,"model":"m","choices":` +
			`[{"index":0,"delta":{"role":"assistant","content":"OK"},"finish_reason":"stop"}]}`,
	} {
		if strings.HasSuffix(path, api) {
			return answer
		}
	}
	return ""
}
