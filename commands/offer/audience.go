package offer

import (
	"techo/tools"
)

// outside returns an error when a tool is not meant for an audience, nil when
// it is. The hint is the flag that offers the tool; whoever starts a server
// gives it, and no request can.
func outside(env *tools.Env, t *tools.Tool, audience tools.Audience) *tools.Error {
	if audience.Includes(t.For) {
		return nil
	}
	who := map[tools.Audience]tools.Text{
		tools.Agents:  "It is for agents",
		tools.Hosts:   "It is for hosts",
		tools.Persons: "It is for persons",
	}[t.For]
	return env.Fail(tools.Unavailable, who).
		WithHint("--audience " + string(t.For))
}

// AudienceWords are the words that offer the same tools on another line.
func AudienceWords(audience tools.Audience) []string {
	if audience == tools.Agents {
		return nil
	}
	return []string{"--audience", string(audience)}
}
