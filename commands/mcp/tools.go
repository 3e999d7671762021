package mcp

//lint:file-ignore SA1019 Clients announce their folders as roots until protocol 2026-07-28 replaces them.

import (
	"context"
	"encoding/json"
	"os"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"techo/commands/catalogue"
	"techo/commands/run"
	"techo/commands/server"
	"techo/tools"
)

const anyObject = rawSchema(`{"type":"object"}`)

type rawSchema string

// MarshalJSON returns the text.
func (s rawSchema) MarshalJSON() ([]byte, error) { return []byte(s), nil }

// adapter translates between the protocol and the tools of a host.
type adapter struct {
	host   *server.Host
	secret []byte       // signs request states
	roots  *clientRoots // nil if the host's settings confine the file tools
	found  *foundTools  // nil if all tools are listed, or without a session
	server *mcp.Server

	watcher watcher
	begun   atomic.Bool // the client of a session has sent initialize
}

// requestRoots requests the client's roots if they confine the file tools.
func (a *adapter) requestRoots(session *mcp.ServerSession) {
	if a.roots != nil {
		a.roots.request(session)
	}
}

// confine sets the folders that a call may use.
func (a *adapter) confine(ctx context.Context, env *tools.Env, r *mcp.CallToolRequest) {
	if a.roots == nil {
		return
	}
	env.Roots = sync.OnceValues(func() ([]*os.Root, error) {
		return a.host.Run.Resources.Folders.Open(a.roots.allowed(ctx, r))
	})
}

// runFor returns the run of a request. Over HTTP it belongs to the authenticated
// caller and has the settings of the request's headers.
func (a *adapter) runFor(ctx context.Context, r mcp.Request) (*run.Run, []tools.Detail) {
	extra := r.GetExtra()
	if extra == nil || extra.Header == nil {
		return a.host.ForRequest(nil)
	}
	return a.host.Of(ctx).ForRequest(extra.Header)
}

func (a *adapter) identity(ctx context.Context, r mcp.Request, s *run.Run) string {
	if extra := r.GetExtra(); extra == nil || extra.Header == nil {
		return a.host.Identity(s.Options.User)
	}
	return a.host.Of(ctx).Identity(s.Options.User)
}

// receive does what the library would do itself for a list that is the same for all callers: it
// lists tools, resources and prompts for the caller. It answers calls of unknown tools with
// suggestions, and watches what a client waits for.
func (a *adapter) receive(next mcp.MethodHandler) mcp.MethodHandler {
	return func(ctx context.Context, method string, r mcp.Request) (mcp.Result, error) {
		if method == "initialize" && (a.watcher.sessions && a.begun.Swap(true) || hasBegun(r)) {
			return nil, &jsonrpc.Error{Code: jsonrpc.CodeInvalidRequest, Message: "the session is initialized already"}
		}
		switch r := r.(type) {
		case *mcp.CallToolRequest:
			s, _ := a.runFor(ctx, r)
			if e := s.CheckName(r.Params.Name); e != nil {
				return nil, a.unknownTool(s.Env(), e)
			}
		case *mcp.ListResourcesRequest:
			return a.resourceList(ctx, r, next, method)
		case *mcp.ReadResourceRequest:
			if strings.HasPrefix(r.Params.URI, viewScheme) {
				return next(ctx, method, r)
			}
			return readAs(ctx, r, next, method)
		case *mcp.SubscriptionsListenRequest:
			return a.watcher.listen(ctx, r, a.records(ctx, r), next, method)
		case *mcp.SubscribeRequest, *mcp.UnsubscribeRequest:
			return a.watcher.subscribe(ctx, r, a.records(ctx, r), next, method)
		}
		result, err := next(ctx, method, r)
		if err != nil {
			return result, err
		}
		switch list := result.(type) {
		case *mcp.ListToolsResult:
			s, _ := a.runFor(ctx, r)
			listed := a.listTools(s)
			if own, ok := r.(*mcp.ListToolsRequest); ok && showsViews(own, a.watcher.sessions) {
				linkViews(listed)
			}
			return toolList{list, listed}, nil
		case *mcp.ListResourceTemplatesResult:
			s, _ := a.runFor(ctx, r)
			list.ResourceTemplates = listTemplates(s)
		case *mcp.ListPromptsResult:
			s, _ := a.runFor(ctx, r)
			list.Prompts = listPrompts(s)
		case *mcp.InitializeResult:
			if !a.watcher.sessions { // before protocol 2026-07-28, changes need a session
				list.Capabilities.Resources = &mcp.ResourceCapabilities{}
			}
		}
		return result, nil
	}
}

// hasBegun reports whether the client of a session over HTTP has sent initialize before.
func hasBegun(r mcp.Request) bool {
	session, ok := r.GetSession().(*mcp.ServerSession)
	return ok && session.ID() != "" && session.InitializeParams() != nil
}

// unknownTool returns the protocol's error for the name of an unknown tool. It
// contains the error of techo twice, as text and as data, so each of them may take
// half of --max-bytes.
func (a *adapter) unknownTool(env *tools.Env, e *tools.Error) error {
	e = e.Shorten(a.host.Run.Out.MaxBytes / 2)
	return &jsonrpc.Error{
		Code:    jsonrpc.CodeInvalidParams,
		Message: e.Message + env.Localize(". ") + e.Hint,
		Data:    run.Document(e),
	}
}

// listTools describes the tools that the profile lists to a caller, and the ones that
// find_tools found.
func (a *adapter) listTools(s *run.Run) []listedTool {
	env := s.Env()
	chosen := a.host.Listing.Profile.List(env, s.Offered)
	for _, t := range s.Offered {
		if a.found.has(t.Name) && !slices.Contains(chosen, t) && (t.When == nil || t.When(env) == nil) {
			chosen = append(chosen, t)
		}
	}
	list := a.host.Listing
	list.Compact = s.Options.Compact(true)
	short := catalogue.NewWriter(env, list, chosen)
	whole := catalogue.NewWriter(env, catalogue.Listing{ResultSchemas: list.ResultSchemas, Compact: list.Compact}, chosen)
	listed := []listedTool{}
	for _, t := range chosen {
		w := short
		if a.found.has(t.Name) {
			w = whole
		}
		listed = append(listed, definition(w, t))
	}
	return listed
}

// toolList is the answer to tools/list. The library's own form of it lists hints that say what holds without them.
type toolList struct {
	*mcp.ListToolsResult
	Tools []listedTool `json:"tools"`
}

type listedTool struct {
	*mcp.Tool
	Annotations catalogue.Hints `json:"annotations,omitzero"`
}

// definition returns the definition of a tool. It is the same that `techo tools` prints.
func definition(w catalogue.Writer, t *tools.Tool) listedTool {
	d := &mcp.Tool{Name: t.Name, Title: w.Title(t), Description: w.Description(t), InputSchema: w.Input(t)}
	if output := w.Output(t); output != nil && !t.Plain {
		d.OutputSchema = output
	}
	return listedTool{d, w.Hints(t)}
}

// callTool calls a tool. A failed call is a result, so that the model can read it.
// It is text alone, because it does not match the output schema.
func (a *adapter) callTool(ctx context.Context, r *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	if r.Extra != nil {
		bound, stop := a.host.Requests.Bind(ctx, r.Extra.Header)
		defer stop()
		ctx = bound
	}
	s, faults := a.runFor(ctx, r)
	call := s.Call(r.Params.Arguments)
	call.Problems, call.Compact = faults, s.Options.Compact(true)
	if string(call.Input) == "null" { // no arguments were given
		call.Input = nil
	}
	t, rest, e := s.ToolFor(r.Params.Name, call.Input)
	call.Input = rest
	if e != nil {
		return a.errorResult(e), nil
	}
	call.NoText = call.NoText && !t.Plain
	if canElicit(t, r) {
		if result := a.ask(ctx, s, t, r, call); result != nil {
			return result, nil
		}
	}
	structured := a.structured(r)
	switch {
	case call.MaxBytes != 0:
	case structured:
		call.MaxBytes = twiceBytes
	default:
		call.MaxBytes = onceBytes
	}
	env := s.Env()
	a.found.shown(env.Naming)
	a.confine(ctx, env, r)
	stop := reportProgress(ctx, r, env)
	result, e := a.host.Call(ctx, env, t, call)
	stop()
	switch {
	case e == nil:
		if t.Name == findName {
			a.list(result)
		}
		if t.Plain {
			return plainResult(result), nil
		}
		return successResult(result, structured), nil
	case a.roots != nil && a.roots.missing(r, e):
		return &mcp.CallToolResult{InputRequests: mcp.InputRequestMap{rootsRequest: &mcp.ListRootsParams{}}}, nil
	}
	return a.errorResult(e), nil
}

func (a *adapter) errorResult(e *tools.Error) *mcp.CallToolResult {
	return &mcp.CallToolResult{IsError: true, Content: textContent(run.Document(a.host.Bound(e)))}
}

// structuredVersion is the first version of the protocol with structured content.
// Clients of earlier versions get the text alone.
const structuredVersion = "2025-06-18"

// Bounds of a document, in bytes, so that an answer takes at most 64 KiB with the usual
// share of escapes: if it is sent as text alone, and as text and structured content.
const (
	onceBytes  = 52 << 10
	twiceBytes = 28 << 10
)

// structured reports whether a result has structured content, if the client knows it. The
// protocol demands it where the schema of the result is listed, and allows it otherwise. A
// small profile saves it: the same document as text is enough.
func (a *adapter) structured(r *mcp.CallToolRequest) bool {
	version, list := r.ProtocolVersion(), a.host.Listing
	known := version == "" || version >= structuredVersion // "" is unknown
	return known && (list.ResultSchemas || !list.Profile.Small())
}

func successResult(r *tools.Result, structured bool) *mcp.CallToolResult {
	result := &mcp.CallToolResult{Content: textContent(r.JSON)}
	if r.Image != nil {
		result.Content = append(result.Content, &mcp.ImageContent{MIMEType: r.Image.Type, Data: r.Image.Data})
	}
	if structured {
		result.StructuredContent = json.RawMessage(r.JSON)
	}
	return result
}

// plainResult returns the text of a result in place of its document.
func plainResult(r *tools.Result) *mcp.CallToolResult {
	return &mcp.CallToolResult{Content: textContent([]byte(r.Text)), IsError: r.Outcome != ""}
}

func textContent(document []byte) []mcp.Content {
	return []mcp.Content{&mcp.TextContent{Text: string(document)}}
}

// foundTools are the tools that find_tools found in a session. They are listed from
// then on, with their complete schemas.
type foundTools struct {
	mu    sync.Mutex
	names map[string]bool
}

// has reports whether a tool was found. A nil list is empty.
func (f *foundTools) has(name string) bool {
	if f == nil {
		return false
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.names[name]
}

// add adds the tools in a result of find_tools, and reports whether one is new.
func (f *foundTools) add(r *tools.Result) (grown bool) {
	var found struct{ Tools []struct{ Name string } }
	if json.Unmarshal(r.JSON, &found) != nil {
		return false
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, t := range found.Tools {
		grown = grown || !f.names[t.Name]
		f.names[t.Name] = true
	}
	return grown
}

// shown makes the hints of a call name the tools that were found like those that the
// profile lists in full.
func (f *foundTools) shown(n *tools.Naming) {
	listed, fields := n.Listed, n.Fields
	n.Listed = func(t *tools.Tool) bool { return listed(t) || f.has(t.Name) }
	n.Fields = func(t *tools.Tool) []string {
		if f.has(t.Name) {
			return nil
		}
		return fields(t)
	}
}

// list adds the tools of a result to the list of the session, and sends
// tools/list_changed if the list has grown. Over HTTP there are no sessions: there all
// tools can be called, and a list is the same for every request.
func (a *adapter) list(r *tools.Result) {
	if a.found != nil && a.found.add(r) {
		// Adding a tool, also one that is there, makes the library send the notification.
		a.server.AddTool(&mcp.Tool{Name: findName, InputSchema: anyObject}, a.callTool)
	}
}

// progressPeriod is the time between progress notifications, which keep clients
// from giving up on a call.
const progressPeriod = time.Second

// reportProgress sends the progress of a call to a client that asked for it, until
// stop is called. For a tool without progress of its own it counts seconds.
func reportProgress(ctx context.Context, r *mcp.CallToolRequest, env *tools.Env) (stop func()) {
	token := r.Params.GetProgressToken()
	if token == nil {
		return func() {}
	}
	var latest atomic.Pointer[steps]
	env.Progress = func(done, total int64) { latest.Store(&steps{done, total}) }
	ctx, cancel := context.WithCancel(ctx)
	var sender sync.WaitGroup
	sender.Go(func() {
		sent := int64(0)
		for seconds := int64(1); ; seconds++ {
			select {
			case <-ctx.Done():
				return
			case <-time.After(progressPeriod):
			}
			now := steps{done: seconds}
			if s := latest.Load(); s != nil {
				now = *s
			}
			if now.done <= sent {
				continue // the protocol requires increasing values
			}
			sent = now.done
			err := r.Session.NotifyProgress(ctx, &mcp.ProgressNotificationParams{
				ProgressToken: token, Message: r.Params.Name,
				Progress: float64(now.done), Total: float64(now.total),
			})
			if err != nil {
				return // the client has gone
			}
		}
	})
	return func() { cancel(); sender.Wait() }
}

// steps is the progress of a call. total is 0 if it is unknown.
type steps struct{ done, total int64 }
