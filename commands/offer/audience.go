package offer

import "techo/tools"

// Hints name the flag that offers a tool for another audience. Calls of a server cannot set it:
// its own command line has it.
const (
	flagHint   = tools.Text("Use --audience %s")
	serverHint = tools.Text("The server must be started with --audience %s")
)

// outside returns the error of a tool that is not for an audience, or nil.
func outside(env *tools.Env, t *tools.Tool, audience tools.Audience, hint tools.Text) *tools.Error {
	if audience.Includes(t.For) {
		return nil
	}
	who := map[tools.Audience]tools.Text{
		tools.Agents:  "This tool is for agents",
		tools.Hosts:   "This tool is for hosts",
		tools.Persons: "This tool is for persons",
	}[t.For]
	return env.Fail(tools.Unavailable, who).WithHint(env.Hint(hint, t.For))
}
