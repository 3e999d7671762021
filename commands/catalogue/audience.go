package catalogue

import (
	"slices"

	"techo/tools"
)

// Hints name the flag that offers a tool for another audience. Calls of a server cannot set it:
// its own command line has it.
const (
	flagHint   = tools.Text("Use %s")
	serverHint = tools.Text("The server must be started with %s")
	tokenHint  = tools.Text("It needs a token that the person made with %s")
)

// ForToken returns the tools with those beyond the audience of a token switched off. A tool that
// was switched off before keeps its own reason.
func ForToken(all []*tools.Tool, audience tools.Audience) []*tools.Tool {
	kept := slices.Clone(all)
	for i, t := range all {
		if audience.Includes(t.For) {
			continue
		}
		kept[i] = unavailable(t, func(env *tools.Env) *tools.Error {
			if t.When != nil {
				if e := t.When(env); e != nil {
					return e
				}
			}
			return outside(env, t, audience, tokenHint)
		})
	}
	return kept
}

func outside(env *tools.Env, t *tools.Tool, audience tools.Audience, hint tools.Text) *tools.Error {
	if audience.Includes(t.For) {
		return nil
	}
	who := map[tools.Audience]tools.Text{
		tools.Agents:  "This tool is for agents",
		tools.Hosts:   "This tool is for hosts",
		tools.Persons: "This tool is for persons",
	}[t.For]
	return env.Fail(tools.Unavailable, who).WithHint(env.Hint(hint, tools.Flag("audience", string(t.For))))
}
