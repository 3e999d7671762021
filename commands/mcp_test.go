package commands

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	mcpface "techo/commands/mcp"
	"techo/commands/offer"
	"techo/commands/server"
	"techo/internal/lineage"
	"techo/internal/testenv"
	"techo/tools"
)

// client connects the library's own client to `techo mcp` in this process.
func (w *world) client(t *testing.T, options *mcp.ClientOptions, args ...string) *mcp.ClientSession {
	t.Helper()
	return w.clientOf(t, mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, options), "", args...)
}

// clientOf connects a client in a version of the protocol.
func (w *world) clientOf(t *testing.T, client *mcp.Client, version string, args ...string) *mcp.ClientSession {
	t.Helper()
	fromClient, toServer := io.Pipe()
	fromServer, toClient := io.Pipe()
	stderr := &buffer{}
	ended := make(chan int, 1)
	go func() {
		code := Main(w.World(fromClient, toClient, stderr, append([]string{"mcp"}, args...)...))
		toClient.Close()
		ended <- code
	}()
	c, err := client.Connect(t.Context(), &mcp.IOTransport{Reader: fromServer, Writer: toServer},
		&mcp.ClientSessionOptions{ProtocolVersion: version})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		c.Close()
		if code := <-ended; code != 0 || stderr.String() != "" {
			t.Errorf("exit %d: %s", code, stderr)
		}
	})
	return c
}

func connect(t *testing.T, transport mcp.Transport, options *mcp.ClientOptions) *mcp.ClientSession {
	t.Helper()
	c, err := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, options).Connect(t.Context(), transport,
		nil)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// call calls a tool and returns the text, which has to be the structure too.
func callMCP(t *testing.T, c *mcp.ClientSession, tool, input string) (text string, isError bool) {
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
	var said any
	if err := json.Unmarshal([]byte(text), &said); err != nil {
		t.Fatalf("%s %s: %v\n%s", tool, input, err, text)
	}
	if r.IsError != (r.StructuredContent == nil) || !r.IsError && !reflect.DeepEqual(said, r.StructuredContent) {
		t.Errorf("%s %s: the text is\n%s\nthe structure %v", tool, input, text, r.StructuredContent)
	}
	return text, r.IsError
}

// TestMCPSame wants of MCP, over both its transports, what the command line prints.
func TestMCPSame(t *testing.T) {
	calls := []struct{ tool, input string }{
		{"add_memo", `{"name":"らーめん","content":"<b>&\u2028\"好き","priority":4,"tags":["a"]}`},
		{"get_memo", `{"memo_name":"らーめん"}`},
		{"list_memo", ``},
		{"list_memo", `{"limit":3,"tag":null}`},
		{"memo_context", `{}`},
		{"calendar", `{"check_type":"day","date":"2026-01-05"}`},
		{"calendar", `{"event_id":"nope","title":"x"}`},
		{"get_memo", `{"memo_name":"nope"}`},
		{"add_memo", `{"nam":1,"priority":9007199254740993}`},
		{"add_memo", `{"name":"a","name":"b","content":"x","priority":1}`},
	}
	faces := map[string]func(*testing.T, *world) *mcp.ClientSession{
		"stdio": func(t *testing.T, w *world) *mcp.ClientSession { return w.client(t, nil, "--audience", "host") },
		"http": func(t *testing.T, w *world) *mcp.ClientSession {
			s := w.serve(t, "mcp", "--http", "127.0.0.1:0", "--no-token", "--audience", "host")
			return connect(t, &mcp.StreamableClientTransport{Endpoint: s.Base}, nil)
		},
		"serve": func(t *testing.T, w *world) *mcp.ClientSession {
			s := w.serve(t, "serve", "--audience", "host")
			return connect(t, &mcp.StreamableClientTransport{Endpoint: s.Base + "/mcp"}, nil)
		},
	}
	for name, face := range faces {
		t.Run(name, func(t *testing.T) {
			c, beside := face(t, newWorld(t)), newWorld(t)
			defer c.Close()
			for _, call := range calls {
				text, isError := callMCP(t, c, call.tool, call.input)
				want := beside.feed(call.input, "call", call.tool)
				if text+"\n" != want.out || isError != (want.code != 0) {
					t.Errorf("%s %s: over MCP\n%s\non the command line\n%s", call.tool, call.input, text, want.out)
				}
			}
			_, err := c.CallTool(t.Context(), &mcp.CallToolParams{Name: "add_mem"})
			if err == nil || !strings.Contains(err.Error(), "Did you mean 'add_memo'") {
				t.Errorf("an unknown tool: %v", err)
			}
		})
	}
}

// TestMCPList wants the definitions that `techo tools` prints, in the server's
// language, and narrowed as the flags say.
func TestMCPList(t *testing.T) {
	for _, lang := range []string{"en", "ja"} {
		w := newWorld(t)
		list, err := w.client(t, nil, "--lang", lang).ListTools(t.Context(), nil)
		if err != nil {
			t.Fatal(err)
		}
		got := asJSON(t, list.Tools)
		if want := w.run("tools", "--lang", lang).ok()["tools"]; !reflect.DeepEqual(got, want) {
			t.Errorf("%s: over MCP\n%v\nprinted\n%v", lang, got, want)
		}
	}
	w := newWorld(t)
	c := w.client(t, nil, "--read-only", "--only", "memo")
	list, err := c.ListTools(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, tool := range list.Tools {
		if !tool.Annotations.ReadOnlyHint {
			t.Errorf("--read-only offers %s", tool.Name)
		}
	}
	if !slices.ContainsFunc(list.Tools, func(t *mcp.Tool) bool { return t.Name == "list_memo" }) {
		t.Error("list_memo is not offered")
	}
	text, isError := callMCP(t, c, "add_memo", `{"name":"a","content":"x","priority":1}`)
	if !isError || !strings.Contains(text, `"unavailable"`) || !strings.Contains(text, "--read-only") {
		t.Errorf("a tool that is switched off: %s", text)
	}
	if text, isError = callMCP(t, c, "calendar", `{"title":"x","start":"2026-01-05"}`); !isError ||
		!strings.Contains(text, `"unavailable"`) {
		t.Errorf("by the calendar's one name: %s", text)
	}
	w.run("mcp", "--only", "memos").fails("invalid_input", "/only")

	w.run("memo", "add", "long", strings.Repeat("x", 5000), "--priority", "1").ok()
	text, _ = callMCP(t, w.client(t, nil, "--max-bytes", "1024"), "get_memo", `{"memo_name":"long"}`)
	if len(text) > 1024 || !strings.Contains(text, `"truncated":true`) {
		t.Errorf("--max-bytes: %d bytes: %s", len(text), text)
	}
}

func asJSON(t *testing.T, v any) (said any) {
	t.Helper()
	b, err := json.Marshal(v)
	if err == nil {
		err = json.Unmarshal(b, &said)
	}
	if err != nil {
		t.Fatal(err)
	}
	return said
}

// hello opens a conversation of the older protocols.
const hello = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}
{"jsonrpc":"2.0","method":"notifications/initialized"}
`

// modern is what a request of the newer ones says of itself.
const modern = `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{"name":"t","version":"1"},"io.modelcontextprotocol/clientCapabilities":{}}`

// byID are the answers of `techo mcp` on a text, by their ids.
func byID(t *testing.T, out string) map[string]string {
	t.Helper()
	got := map[string]string{}
	for line := range strings.Lines(out) {
		var m struct{ ID json.RawMessage }
		if err := json.Unmarshal([]byte(line), &m); err != nil {
			t.Fatalf("%v: %s", err, line)
		}
		got[string(m.ID)] += line
	}
	return got
}

// TestMCPPipe answers every request of a pipe before it ends, 60 times of 60 in
// each era, and goes on after lines that are no messages.
func TestMCPPipe(t *testing.T) {
	w, bin := newWorld(t), testenv.Program(t)
	w.run("memo", "add", "a", "x", "--priority", "1").ok()
	var old, new strings.Builder
	old.WriteString(hello)
	for i := 2; i < 40; i++ {
		fmt.Fprintf(&old, `{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"list_memo"}}`+"\n\n", i)
	}
	for i := 1; i < 40; i++ {
		fmt.Fprintf(
			&new, `{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"list_memo","arguments":{},%s}}`+
				"\r\n", i, modern)
	}
	for round := range 60 {
		for era, requests := range map[string]string{"old": old.String(), "new": new.String()} {
			got := byID(t, w.exec(bin, strings.TrimSpace(requests), "mcp").out) // without a newline at the end
			for i := 2; i < 40; i++ {
				if !strings.Contains(got[fmt.Sprint(i)], `"total":1`) {
					t.Fatalf("%s, round %d: request %d: %q", era, round, i, got[fmt.Sprint(i)])
				}
			}
		}
	}
	got := byID(t, w.feed(hello+`nonsense
{"jsonrpc":"1.0","id":5,"method":"ping"}
{"jsonrpc":"2.0","id":{},"method":"ping"}
[]
[{"jsonrpc":"2.0","id":6,"method":"ping"},{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"list_memo"}},3]
"text"
{"jsonrpc":"2.0","id":8,"method":"no/such"}
{"jsonrpc":"2.0","id":9,"method":"tools/call","params":{"name":"list_memo","arguments":[]}}
{"jsonrpc":"2.0","id":10,"method":"tools/call","params":{"name":"list_memo","arguments":null}}
`, "mcp").out)
	for id, part := range map[string]string{
		"null": `-32700`, "5": `-32600`, "{}": `-32600`, "6": `"result":{}`, "7": `"total":1`,
		"8": `-32601`, "9": `must be an object`, "10": `"total":1`,
	} {
		if !strings.Contains(got[id], part) {
			t.Errorf("%s: %q, want %s", id, got[id], part)
		}
	}
	if n := strings.Count(got["null"], "-32600"); n != 3 {
		t.Errorf("lines that are no messages: %d answers\n%s", n, got["null"])
	}
}

// TestMCPLate ends calls that go on when the input has ended long ago, and they
// answer that.
func TestMCPLate(t *testing.T) {
	asks := strings.Replace(hello, `"capabilities":{}`, `"capabilities":{"elicitation":{}}`, 1)
	for requests, want := range map[string][2]string{
		hello: {`"isError":true`, `stays open (id: q1)`},
		asks:  {`"isError":true`, `"status\":\"pending\"`},
	} {
		s := newWorld(t).session()
		s.Offered = append(s.Offered, waiting(func(ctx context.Context) { <-ctx.Done() }))
		h, e := server.New(s, offer.Choice{Audience: tools.Agents})
		if e != nil {
			t.Fatal(e)
		}
		t.Cleanup(s.Close)
		work, end := context.WithCancel(t.Context())
		defer end()
		h.Work = work
		var out buffer
		in := strings.NewReader(requests +
			`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"wait","arguments":{}}}
{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"ask_user","arguments":{"question":"Which colour?"}}}
`)
		if err := mcpface.NewServer(h, nil).Run(t.Context(),
			&mcpface.PipeTransport{In: in, Out: &out, Finish: 300 * time.Millisecond, End: end}); err != nil &&
			err != io.EOF {
			t.Error(err)
		}
		got := byID(t, out.String())
		for i, part := range want {
			if !strings.Contains(got[fmt.Sprint(i+2)], part) {
				t.Errorf("%s\nwant %s in\n%q", requests, part, got)
			}
		}
	}
}

// hosted connects a client to a host with tools of the test's own.
func hosted(t *testing.T, options *mcp.ClientOptions, own ...*tools.Tool) *mcp.ClientSession {
	t.Helper()
	return hostedAs(t, "", options, own...)
}

// hostedAs does so in a version of the protocol.
func hostedAs(t *testing.T, version string, options *mcp.ClientOptions, own ...*tools.Tool) *mcp.ClientSession {
	t.Helper()
	return newWorld(t).hosted(t, version, options, own...)
}

// hosted does so in a world that is there.
func (w *world) hosted(t *testing.T, version string, options *mcp.ClientOptions,
	own ...*tools.Tool) *mcp.ClientSession {
	t.Helper()
	s := w.session()
	s.Offered = append(slices.DeleteFunc(s.Offered, func(t *tools.Tool) bool { // its own stand for those of their names
		return slices.ContainsFunc(own, func(o *tools.Tool) bool { return o.Name == t.Name })
	}), own...)
	h, e := server.New(s, offer.Choice{Audience: tools.Agents})
	if e != nil {
		t.Fatal(e)
	}
	t.Cleanup(s.Close)
	h.System.Lineage = func() lineage.Tree { return treeOf("agent") }
	near, far := mcp.NewInMemoryTransports()
	go mcpface.NewServer(h, nil).Run(t.Context(), far)
	c, err := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, options).
		Connect(t.Context(), near, &mcp.ClientSessionOptions{ProtocolVersion: version})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// waiting is a tool that goes on until it is told to end.
func waiting(do func(context.Context)) *tools.Tool {
	return tools.Define(tools.Tool{For: tools.Agents, Name: "wait", Command: "wait"},
		func(ctx context.Context, _ *tools.Env, _ noIn) (out struct {
			Message string `json:"message"`
		}, err error) {
			do(ctx)
			return out, ctx.Err()
		})
}

// TestMCPCancel ends a call that the client does not want any more.
func TestMCPCancel(t *testing.T) {
	started, ended := make(chan bool), make(chan bool)
	c := hosted(t, nil, waiting(func(ctx context.Context) { close(started); <-ctx.Done(); close(ended) }))
	ctx, cancel := context.WithCancel(t.Context())
	go func() { <-started; cancel() }()
	if _, err := c.CallTool(ctx, &mcp.CallToolParams{Name: "wait"}); err == nil {
		t.Error("a cancelled call has a result")
	}
	<-ended
	callMCP(t, c, "list_memo", "")
}

// TestMCPProgress tells a client that asked for it how far a call has come, and
// that one goes on which does not say.
func TestMCPProgress(t *testing.T) {
	told := make(chan *mcp.ProgressNotificationParams, 10)
	options := &mcp.ClientOptions{ProgressNotificationHandler: func(_ context.Context,
		r *mcp.ProgressNotificationClientRequest) {
		told <- r.Params
	}}
	for _, counts := range []bool{false, true} {
		slow := tools.Define(tools.Tool{For: tools.Agents, Name: "wait", Command: "wait"},
			func(_ context.Context, env *tools.Env, _ noIn) (out noIn, err error) {
				if counts {
					env.Step(30, 70)
				}
				p := <-told
				if p.ProgressToken != "here" || p.Message != "wait" || counts && (p.Progress != 30 || p.Total != 70) ||
					!counts && p.Progress < 1 {
					t.Errorf("told of %+v", p)
				}
				return out, nil
			})
		params := &mcp.CallToolParams{Name: "wait"}
		params.SetProgressToken("here")
		if _, err := hosted(t, options, slow).CallTool(t.Context(), params); err != nil {
			t.Error(err)
		}
	}
}

// TestMCPConditional hides a tool whose condition is not met, and says why when
// it is called all the same.
func TestMCPConditional(t *testing.T) {
	gated := *waiting(func(context.Context) {})
	gated.When = func(env *tools.Env) *tools.Error {
		return env.Fail(tools.Unavailable, "off").WithHint("switch it on")
	}
	c := hosted(t, nil, &gated)
	list, err := c.ListTools(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	if slices.ContainsFunc(list.Tools, func(t *mcp.Tool) bool { return t.Name == "wait" }) {
		t.Error("it is offered")
	}
	if text, isError := callMCP(t, c, "wait", ""); !isError || !strings.Contains(text, "switch it on") {
		t.Errorf("called, it says %s", text)
	}
}

// TestMCPMemoryGate offers investigate_memory when its three conditions are
// met, and says which is not when it is called all the same.
func TestMCPMemoryGate(t *testing.T) {
	all := []string{"--enable-memory", "--memory-context", "--user=tanaka"}
	for missing := range len(all) + 1 {
		w := newWorld(t)
		flags := slices.Clone(all)
		if missing < len(all) {
			flags = slices.Delete(flags, missing, missing+1)
		}
		c := w.client(t, nil, flags...)
		list, err := c.ListTools(t.Context(), nil)
		if err != nil {
			t.Fatal(err)
		}
		if offered := slices.ContainsFunc(list.Tools,
			func(t *mcp.Tool) bool { return t.Name == investigate }); offered != (missing == len(all)) {
			t.Errorf("%q: offered: %v", flags, offered)
		}
		text, isError := callMCP(t, c, investigate, `{"memory_ids":["mem_zzzzzzzz"]}`)
		if isError != (missing < len(all)) || isError &&
			!strings.Contains(text, strings.TrimSuffix(all[missing], "=tanaka")) {
			t.Errorf("%q: %s", flags, text)
		}
	}
}

// TestMCPMany calls 2,000 times, 8 at once, while commands write beside it.
func TestMCPMany(t *testing.T) {
	w := newWorld(t)
	w.run("memo", "add", "a", "x", "--priority", "1").ok()
	c := w.client(t, nil)
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			for range 250 {
				callMCP(t, c, "get_memo", `{"memo_name":"a"}`)
			}
		})
	}
	for i := range 20 {
		w.run("memo", "add", fmt.Sprint("beside", i), "x", "--priority", "1").ok()
	}
	all.Wait()
}
