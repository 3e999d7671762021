package commands

import (
	"context"
	"encoding/json"
	"net/http"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"techo/tools"
)

const anyObject = rawSchema(`{"type":"object"}`)

// rawSchema is a JSON Schema as it is sent.
type rawSchema string

// MarshalJSON writes the schema.
func (s rawSchema) MarshalJSON() ([]byte, error) { return []byte(s), nil }

// mcpFace puts the tools of a host into the words of the protocol.
type mcpFace struct {
	*host
	secret []byte // seals what clients carry from one request to the next
}

// asking is the session of one request. Over HTTP its headers say who asks.
func (f *mcpFace) asking(r mcp.Request) (*session, []tools.Detail) {
	var header http.Header
	if extra := r.GetExtra(); extra != nil {
		header = extra.Header
	}
	return f.asks(header)
}

// receive comes before the library's own handling: it lists the tools that the
// caller may have, and says more of a name that there is no tool for.
func (f *mcpFace) receive(next mcp.MethodHandler) mcp.MethodHandler {
	return func(ctx context.Context, method string, r mcp.Request) (mcp.Result, error) {
		if call, ok := r.(*mcp.CallToolRequest); ok {
			s, _ := f.asking(r)
			if _, e := s.toolFor(call.Params.Name, nil); e != nil {
				return nil, &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: e.Message + ". " + e.Hint, Data: errorDocument(e)}
			}
		}
		result, err := next(ctx, method, r)
		if list, ok := result.(*mcp.ListToolsResult); ok && err == nil {
			s, _ := f.asking(r)
			list.Tools = offeredMCP(s)
		}
		return result, err
	}
}

// offeredMCP describes the tools that are to be had.
func offeredMCP(s *session) []*mcp.Tool {
	env := s.env()
	w := catalogueWriter{env}
	schema := func(x *tools.Schema) json.RawMessage { return appendJSON(nil, w.schema(x, plainSchema)) }
	listed := []*mcp.Tool{}
	for _, t := range s.offered {
		if t.When != nil && t.When(env) != nil {
			continue
		}
		hints := annotations(t)
		listed = append(listed, &mcp.Tool{
			Name: t.Name, Title: env.Say(t.About), Description: w.description(listing{Tool: t}),
			InputSchema: schema(t.Input()), OutputSchema: schema(t.Output()),
			Annotations: &mcp.ToolAnnotations{
				ReadOnlyHint: hints.readOnly, DestructiveHint: &hints.destructive,
				IdempotentHint: hints.idempotent, OpenWorldHint: &hints.openWorld,
			},
		})
	}
	return listed
}

// callTool calls a tool. A failure of the tool is a result too, which the model
// reads; its structure is not the one that was promised, so it is text alone.
func (f *mcpFace) callTool(ctx context.Context, r *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	s, faults := f.asking(r)
	call := s.call(r.Params.Arguments)
	call.Faults = faults
	if string(call.Input) == "null" { // the field was not given
		call.Input = nil
	}
	t, e := s.toolFor(r.Params.Name, call.Input)
	if e != nil {
		return failed(e), nil
	}
	if f.elicits(t, r) {
		if result := f.ask(ctx, s, t, r, call); result != nil {
			return result, nil
		}
	}
	env := s.env()
	quiet := progress(ctx, r, env)
	result, e := f.call(ctx, env, t, call)
	quiet()
	if e != nil {
		return failed(e), nil
	}
	return succeeded(result), nil
}

func failed(e *tools.Error) *mcp.CallToolResult {
	return &mcp.CallToolResult{IsError: true, Content: text(errorDocument(e))}
}

func succeeded(r *tools.Result) *mcp.CallToolResult {
	return &mcp.CallToolResult{Content: text(r.JSON), StructuredContent: json.RawMessage(r.JSON)}
}

func text(document []byte) []mcp.Content {
	return []mcp.Content{&mcp.TextContent{Text: string(document)}}
}

// mcpHandler speaks the protocol over HTTP. It keeps no sessions: every request
// says all that there is to know.
func mcpHandler(server *mcp.Server) http.Handler {
	return mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return server }, &mcp.StreamableHTTPOptions{
		Stateless:                    true,
		DisableLocalhostProtection:   true, // guard does that, and more
		MaxRequestBodyBytes:          maxBody,
		PropagateRequestCancellation: true,
	})
}
