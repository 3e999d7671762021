// Package mcptest helps tests to speak the Model Context Protocol.
package mcptest

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// Hello are the first two messages of a client before protocol 2026-07-28.
const Hello = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":` +
	`{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}` + "\n" +
	`{"jsonrpc":"2.0","method":"notifications/initialized"}` + "\n"

// Meta is the member of the parameters of each request from protocol 2026-07-28 on.
const Meta = `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28",` +
	`"io.modelcontextprotocol/clientInfo":{"name":"t","version":"1"},` +
	`"io.modelcontextprotocol/clientCapabilities":{}}`

// NewClient returns a client of the library.
func NewClient(options *mcp.ClientOptions) *mcp.Client {
	return mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, options)
}

// Connect connects a client in a version of the protocol; "" is the newest.
func Connect(t testing.TB, client *mcp.Client, transport mcp.Transport, version string) *mcp.ClientSession {
	t.Helper()
	c, err := client.Connect(t.Context(), transport, &mcp.ClientSessionOptions{ProtocolVersion: version})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// Call calls a tool and returns the text of the result. It checks that structured
// content is the same document, and that an error has none. An empty input leaves the
// arguments out.
func Call(t testing.TB, c *mcp.ClientSession, tool, input string) (text string, isError bool) {
	t.Helper()
	params := &mcp.CallToolParams{Name: tool}
	if input != "" {
		params.Arguments = json.RawMessage(input)
	}
	r, err := c.CallTool(t.Context(), params)
	if err != nil {
		t.Fatalf("%s %s: %v", tool, input, err)
	}
	if len(r.Content) != 1 {
		t.Fatalf("%s %s: %d pieces of content", tool, input, len(r.Content))
	}
	text = r.Content[0].(*mcp.TextContent).Text
	var document any
	if err := json.Unmarshal([]byte(text), &document); err != nil {
		t.Fatalf("%s %s: %v\n%s", tool, input, err, text)
	}
	if s := r.StructuredContent; s != nil && (r.IsError || !reflect.DeepEqual(document, s)) {
		t.Errorf("%s %s: the text is\n%s\nthe structured content %v", tool, input, text, r.StructuredContent)
	}
	return text, r.IsError
}

// Offers reports whether the server lists a tool.
func Offers(t testing.TB, c *mcp.ClientSession, name string) bool {
	t.Helper()
	list, err := c.ListTools(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, tool := range list.Tools {
		if tool.Name == name {
			return true
		}
	}
	return false
}

// Answers returns the lines of an output by the ids of the messages, as JSON.
func Answers(t testing.TB, out string) map[string]string {
	t.Helper()
	all := map[string]string{}
	for line := range strings.Lines(out) {
		var m struct{ ID json.RawMessage }
		if err := json.Unmarshal([]byte(line), &m); err != nil {
			t.Fatalf("%v: %s", err, line)
		}
		all[string(m.ID)] += line
	}
	return all
}
