package offer

import "techo/tools"

// outside returns the error of a tool that is not for an audience, or nil. The
// hint names the flag that offers the tool. Only the command line of a server has
// this flag; a request cannot set it.
func outside(env *tools.Env, t *tools.Tool, audience tools.Audience) *tools.Error {
	if audience.Includes(t.For) {
		return nil
	}
	who := map[tools.Audience]tools.Text{
		tools.Agents:  "This tool is for agents",
		tools.Hosts:   "This tool is for hosts",
		tools.Persons: "This tool is for persons",
	}[t.For]
	return env.Fail(tools.Unavailable, who).WithHint(env.Hint("Use --audience %s", t.For))
}
