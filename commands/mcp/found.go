package mcp

import (
	"encoding/json"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"techo/tools"
)

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
