package server

import (
	"slices"

	"techo/commands/catalogue"
	"techo/commands/run"
	"techo/tools"
	"techo/tools/files"
)

// NewRemote returns the host of a server over HTTP. The file tools are switched
// off unless --root names the folders that they may use.
func NewRemote(r *run.Run, choice catalogue.Choice) (*Host, *tools.Error) {
	h, e := New(r, choice)
	if e != nil {
		return nil, e
	}
	h.Run.Remote = true
	h.Metrics = newMetrics(h)
	h.Run.Observe = h.Metrics.transaction
	r.Observe = h.Run.Observe // it may open the store first, to look for tokens
	if len(h.Run.Options.Roots) == 0 {
		h.Run.Offered = catalogue.SwitchOff(h.Run.Offered, func(t *tools.Tool) tools.Text {
			if slices.ContainsFunc(files.Tools(), func(f *tools.Tool) bool { return f.Name == t.Name }) {
				return run.RootHint()
			}
			return ""
		})
	}
	return h, nil
}
