package mcp

//lint:file-ignore SA1019 Clients announce their folders as roots until protocol 2026-07-28 replaces them.

import (
	"context"
	"encoding/json"
	"net/http"
	"os"
	"sync"
	"techo/commands/catalogue"
	"techo/commands/output"
	"techo/commands/run"
	"techo/commands/server"
	"techo/tools"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

const anyObject = rawSchema(`{"type":"object"}`)

// rawSchema is a JSON Schema as it is sent.
type rawSchema string

// MarshalJSON writes the schema.
func (s rawSchema) MarshalJSON() ([]byte, error) { return []byte(s), nil }

// Face puts the tools of a host into the words of the protocol.
type Face struct {
	*server.Host
	Secret []byte       // seals what clients carry from one request to the next
	roots  *clientRoots // nil: the host's settings confine the tools for files
}

// askRoots requests the client's roots if they count.
func (f *Face) askRoots(session *mcp.ServerSession) {
	if f.roots != nil {
		f.roots.ask(session)
	}
}

// confine lets a call use the folders that its client may use.
func (f *Face) confine(ctx context.Context, env *tools.Env, r *mcp.CallToolRequest) {
	if f.roots == nil {
		return
	}
	env.Roots = sync.OnceValues(func() ([]*os.Root, error) {
		return f.Resources.Folders.Open(f.roots.Allowed(ctx, r))
	})
}

// asking is the session of one request. Over HTTP it is that of the caller who
// was identified, and its headers say how they ask.
func (f *Face) asking(ctx context.Context, r mcp.Request) (*run.Run, []tools.Detail) {
	extra := r.GetExtra()
	if extra == nil || extra.Header == nil {
		return f.ForRequest(nil)
	}
	return f.Of(ctx).ForRequest(extra.Header)
}

// identity names the caller and the user of a request.
func (f *Face) identity(ctx context.Context, r mcp.Request, s *run.Run) string {
	if extra := r.GetExtra(); extra == nil || extra.Header == nil {
		return f.Identity(s.Options.User)
	}
	return f.Of(ctx).Identity(s.Options.User)
}

// receive comes before the library's own handling: it lists the tools that the
// caller may have, and says more of a name that there is no tool for.
func (f *Face) receive(next mcp.MethodHandler) mcp.MethodHandler {
	return func(ctx context.Context, method string, r mcp.Request) (mcp.Result, error) {
		if call, ok := r.(*mcp.CallToolRequest); ok {
			s, _ := f.asking(ctx, r)
			if _, e := s.ToolFor(call.Params.Name, nil); e != nil {
				return nil, f.unknownTool(e)
			}
		}
		result, err := next(ctx, method, r)
		if list, ok := result.(*mcp.ListToolsResult); ok && err == nil {
			s, _ := f.asking(ctx, r)
			list.Tools = offeredMCP(s)
		}
		return result, err
	}
}

// unknownTool returns the protocol's error for a name that no tool has. It
// contains the error of techo twice, as text and as data, and so each of them
// may take half of --max-bytes.
func (f *Face) unknownTool(e *tools.Error) error {
	e = e.Shorten(f.Out.MaxBytes / 2)
	return &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: e.Message + ". " + e.Hint, Data: output.Document(e)}
}

// offeredMCP describes the tools that are to be had.
func offeredMCP(s *run.Run) []*mcp.Tool {
	env := s.Env()
	w := catalogue.NewWriter(env)
	listed := []*mcp.Tool{}
	for _, t := range s.Offered {
		if t.When != nil && t.When(env) != nil {
			continue
		}
		hints := catalogue.Annotations(t)
		listed = append(listed, &mcp.Tool{
			Name: t.Name, Title: env.Localize(t.About), Description: w.Description(t),
			InputSchema: w.Schema(t.Input()), OutputSchema: w.Schema(t.Output()),
			Annotations: &mcp.ToolAnnotations{
				ReadOnlyHint: hints.ReadOnly, DestructiveHint: &hints.Destructive,
				IdempotentHint: hints.Idempotent, OpenWorldHint: &hints.OpenWorld,
			},
		})
	}
	return listed
}

// callTool calls a tool. A failure of the tool is a result too, which the model
// reads; its structure is not the one that was promised, so it is text alone.
func (f *Face) callTool(ctx context.Context, r *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	if r.Extra != nil {
		own, stop := f.Requests.Bind(ctx, r.Extra.Header)
		defer stop()
		ctx = own
	}
	s, faults := f.asking(ctx, r)
	call := s.Call(r.Params.Arguments)
	call.Problems = faults
	if string(call.Input) == "null" { // the field was not given
		call.Input = nil
	}
	t, e := s.ToolFor(r.Params.Name, call.Input)
	if e != nil {
		return f.failed(e), nil
	}
	if f.elicits(t, r) {
		if result := f.ask(ctx, s, t, r, call); result != nil {
			return result, nil
		}
	}
	env := s.Env()
	f.confine(ctx, env, r)
	quiet := progress(ctx, r, env)
	result, e := f.Call(ctx, env, t, call)
	quiet()
	switch {
	case e == nil:
	case f.roots != nil && f.roots.wants(r, e):
		return &mcp.CallToolResult{InputRequests: mcp.InputRequestMap{rootsRequest: &mcp.ListRootsParams{}}}, nil
	default:
		return f.failed(e), nil
	}
	return succeeded(result), nil
}

func (f *Face) failed(e *tools.Error) *mcp.CallToolResult {
	return &mcp.CallToolResult{IsError: true, Content: text(output.Document(f.Bound(e)))}
}

func succeeded(r *tools.Result) *mcp.CallToolResult {
	return &mcp.CallToolResult{Content: text(r.JSON), StructuredContent: json.RawMessage(r.JSON)}
}

func text(document []byte) []mcp.Content {
	return []mcp.Content{&mcp.TextContent{Text: string(document)}}
}

// Handler speaks the protocol over HTTP. It keeps no sessions: every request
// says all that there is to know.
func Handler(protocol *mcp.Server) http.Handler {
	return exactIDs(mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return protocol },
		&mcp.StreamableHTTPOptions{
			Stateless:                    true,
			DisableLocalhostProtection:   true, // guard does that, and more
			MaxRequestBodyBytes:          server.MaxBody,
			PropagateRequestCancellation: true,
		}))
}
