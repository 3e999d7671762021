package mcp

import (
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"techo/commands/page"
	"techo/commands/run"
)

// # Views
//
// A host that knows the extension MCP Apps shows the results of some tools in a view, a page
// in a sandbox. The extension lets a view call tools, but no host has to prove that a person wanted
// the call. So views only show, and answers come from where they count. Other hosts get the result
// as text, as always.

const (
	// viewExtension is the name of the extension in capabilities.
	viewExtension = "io.modelcontextprotocol/ui"

	viewType   = "text/html;profile=mcp-app"
	viewScheme = "ui://techo/"
)

// viewOf returns the name of the view that shows the results of a tool, or "".
func viewOf(tool string) string {
	switch tool {
	case askName:
		return "question"
	case "suggest_schedule":
		return "times"
	case "review_memories":
		return "review"
	case "show_change", "edit_file", "insert_text", "apply_patch", "undo_edit":
		return "difference"
	}
	return ""
}

// showsViews reports whether a client shows views, or may: without sessions, clients before
// protocol 2026-07-28 name their extensions in another request.
func showsViews(r *mcp.ListToolsRequest, session bool) bool {
	if client := r.ClientCapabilities(); client != nil && client.Extensions[viewExtension] != nil {
		return true
	}
	return !session && r.ProtocolVersion() < inputRequestVersion
}

// linkViews links the tools of a list to the views of their results.
func linkViews(listed []*mcp.Tool) {
	for _, t := range listed {
		if name := viewOf(t.Name); name != "" {
			uri := viewScheme + name
			// Older hosts know the second form.
			t.Meta = mcp.Meta{"ui": map[string]any{"resourceUri": uri}, "ui/resourceUri": uri}
		}
	}
}

// readView reads the document of a view, in the caller's language. It has no data of the store.
func readView(s *run.Run, r *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
	document, ok := page.ChatView(strings.TrimPrefix(r.Params.URI, viewScheme), string(s.Env().Lang))
	if !ok {
		return nil, noResource(r.Params.URI)
	}
	return &mcp.ReadResourceResult{Contents: []*mcp.ResourceContents{{
		URI: r.Params.URI, MIMEType: viewType, Text: document,
		Meta: mcp.Meta{"ui": map[string]any{"csp": map[string]any{}, "prefersBorder": false}}, // no network
	}}}, nil
}
