package mcp

import (
	"slices"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"techo/commands/run"
	"techo/commands/run/runtest"
	"techo/tools"
	"techo/tools/ask"
	"techo/tools/calendar"
	"techo/tools/files"
	"techo/tools/memory"
)

// TestViews: for a client that shows views, the list of tools names them, and it can read them, in
// both generations of the protocol; other clients get the same lists as ever.
func TestViews(t *testing.T) {
	all := slices.Concat(ask.Tools(), calendar.Tools(), files.Tools(), memory.Tools())
	for _, version := range []string{"2025-11-25", "2026-07-28"} {
		for _, shows := range []bool{true, false} {
			can := &mcp.ClientCapabilities{}
			if shows {
				can.AddExtension(viewExtension, map[string]any{"mimeTypes": []string{viewType}})
			}
			r := runtest.In(t, t.TempDir(), run.Given{Settings: map[string]string{"user": "u", "lang": "ja"}}, all)
			c := connect(t, hostOf(t, r), version, &mcp.ClientOptions{Capabilities: can})
			list, err := c.ListTools(t.Context(), nil)
			if err != nil {
				t.Fatal(err)
			}
			var uris []string
			for _, tool := range list.Tools {
				ui, _ := tool.Meta["ui"].(map[string]any)
				uri, _ := ui["resourceUri"].(string)
				if (uri != "") != (shows && viewOf(tool.Name) != "") ||
					uri != "" && tool.Meta["ui/resourceUri"] != uri {
					t.Errorf("%s: %s has %v", version, tool.Name, tool.Meta)
				}
				if uri != "" && !slices.Contains(uris, uri) {
					uris = append(uris, uri)
				}
			}
			if shows && len(uris) < 3 {
				t.Errorf("%s: only %v", version, uris)
			}
			for _, uri := range uris {
				read, err := c.ReadResource(t.Context(), &mcp.ReadResourceParams{URI: uri})
				if err != nil || read.Contents[0].MIMEType != viewType || read.Contents[0].Meta["ui"] == nil ||
					!strings.Contains(read.Contents[0].Text, `<html lang="ja">`) {
					t.Fatalf("%s: %v %.300v", uri, err, read)
				}
			}
			for _, uri := range []string{"ui://techo/", "ui://techo/none", "ui://techo/../x", "ui://other/question"} {
				if _, err := c.ReadResource(t.Context(), &mcp.ReadResourceParams{URI: uri}); err == nil {
					t.Errorf("%s is read", uri)
				}
			}
			if listed, _ := listAll(t, c); len(listed) > 0 {
				t.Errorf("%v", listed)
			}
		}
	}
	for _, name := range []string{askName, "suggest_schedule", "edit_file", "insert_text",
		"apply_patch", "undo_edit"} {
		if viewOf(name) == "" || !slices.ContainsFunc(all, func(t *tools.Tool) bool { return t.Name == name }) {
			t.Errorf("there is no tool %s, or it has no view", name)
		}
	}
}
