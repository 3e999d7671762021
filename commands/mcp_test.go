package commands

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"reflect"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"techo/internal/mcptest"
	"techo/internal/testenv"
)

// client connects a client to `techo mcp` in this process.
func (w *world) client(t *testing.T, options *mcp.ClientOptions, args ...string) *mcp.ClientSession {
	t.Helper()
	fromClient, toServer := io.Pipe()
	fromServer, toClient := io.Pipe()
	var stderr testenv.Buffer
	ended := make(chan int, 1)
	go func() {
		code := Main(w.World(fromClient, toClient, &stderr, append([]string{"mcp"}, args...)...))
		toClient.Close()
		ended <- code
	}()
	c := mcptest.Connect(t, mcptest.NewClient(options), &mcp.IOTransport{Reader: fromServer, Writer: toServer}, "")
	t.Cleanup(func() {
		c.Close()
		if code := <-ended; code != 0 || stderr.String() != "" {
			t.Errorf("exit code %d: %s", code, &stderr)
		}
	})
	return c
}

// connectHTTP connects a client to a server over HTTP, in a version of the protocol; ""
// is the newest. Its requests carry the token unless that is "".
func connectHTTP(t *testing.T, url, version, token string) *mcp.ClientSession {
	t.Helper()
	transport := &mcp.StreamableClientTransport{Endpoint: url}
	if token != "" {
		transport.HTTPClient = &http.Client{Transport: authorized{token}}
	}
	return mcptest.Connect(t, mcptest.NewClient(nil), transport, version)
}

// TestMCPList checks that MCP lists the definitions that `techo tools` prints, in the
// language of the server, with the schemas of results only where they are asked for.
func TestMCPList(t *testing.T) {
	for _, lang := range []string{"en", "ja"} {
		for _, flags := range [][]string{{}, {"--result-schemas"}} {
			w := newWorld(t)
			flags = append(flags, "--lang", lang)
			over := map[string]*mcp.ClientSession{
				"full": w.client(t, nil, append(flags, "--profile", "full")...),
				"core": w.client(t, nil, flags...), // the default
			}
			for profile, c := range over {
				list, err := c.ListTools(t.Context(), nil)
				if err != nil {
					t.Fatal(err)
				}
				got := asJSON(t, list.Tools)
				for _, tool := range got.([]any) { // the library writes hints that say what their absence says
					hints, _ := tool.(map[string]any)["annotations"].(map[string]any)
					maps.DeleteFunc(hints, func(name string, on any) bool {
						return on == false && (name == "idempotentHint" || name == "readOnlyHint")
					})
				}
				want := w.run(append([]string{"tools", "--compact", "--profile", profile}, flags...)...).ok()["tools"]
				if !reflect.DeepEqual(got, want) {
					t.Errorf("%q: over MCP\n%v\nprinted\n%v", flags, got, want)
				}
				for _, tool := range list.Tools {
					if (tool.OutputSchema != nil) != (len(flags) == 3) {
						t.Errorf("%q: %s has the schema of its result: %v", flags, tool.Name, tool.OutputSchema != nil)
					}
				}
			}
		}
	}
}

// asJSON encodes a value as JSON and decodes it again.
func asJSON(t *testing.T, v any) (decoded any) {
	t.Helper()
	b, err := json.Marshal(v)
	if err == nil {
		err = json.Unmarshal(b, &decoded)
	}
	if err != nil {
		t.Fatal(err)
	}
	return decoded
}

// TestMCPPipe runs `techo mcp < requests` repeatedly with each form of the protocol, and
// checks that every request is answered.
func TestMCPPipe(t *testing.T) {
	w, bin := newWorld(t), testenv.Program(t)
	w.run("memo", "add", "a", "x", "--priority", "1").ok()
	var old, new strings.Builder
	old.WriteString(mcptest.Hello)
	for i := 2; i < 40; i++ {
		fmt.Fprintf(&old, `{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"list_memo"}}`+"\n\n", i)
		fmt.Fprintf(&new, `{"jsonrpc":"2.0","id":%d,"method":"tools/call",`+
			`"params":{"name":"list_memo","arguments":{},%s}}`+"\r\n", i, mcptest.Meta)
	}
	for round := range testenv.Pick(3, 10) {
		for form, requests := range map[string]string{"old": old.String(), "new": new.String()} {
			out := w.exec(bin, strings.TrimSpace(requests), "mcp").out // without a newline at the end
			got := mcptest.Answers(t, out)
			for i := 2; i < 40; i++ {
				if !strings.Contains(got[fmt.Sprint(i)], `\"total\":1`) {
					t.Fatalf("%s, round %d: request %d: %q", form, round, i, got[fmt.Sprint(i)])
				}
			}
		}
	}
}

// TestMCPAskVia refuses channels that a server does not have: its stdin carries calls,
// and the caller may be on another machine.
func TestMCPAskVia(t *testing.T) {
	w := newWorld(t)
	web := w.serve(t, "serve")
	accept := &mcp.ClientOptions{ElicitationHandler: func(context.Context, *mcp.ElicitRequest) (*mcp.ElicitResult,
		error) {
		return &mcp.ElicitResult{Action: "accept", Content: map[string]any{"answer": "blue"}}, nil
	}}
	for _, via := range []string{"stdin", "tty"} {
		input := `{"question":"Which colour?","via":"` + via + `"}`
		for name, c := range map[string]*mcp.ClientSession{
			"stdio":            w.client(t, nil),
			"with elicitation": w.client(t, accept),
			"HTTP":             connectHTTP(t, web.Base+"/mcp", "", ""),
		} {
			text, isError := mcptest.Call(t, c, "ask_user", input)
			if !isError || !strings.Contains(text, `"unavailable"`) || !strings.Contains(text, `via \"queue\"`) {
				t.Errorf("%s, via %s: %s", name, via, text)
			}
		}
		web.Want(403, `"unavailable"`, "POST", "/tools/ask_user", input)
	}
	if n := w.run("ask", "list").ok()["count"]; n != 0.0 {
		t.Errorf("%v questions were kept", n)
	}
}
