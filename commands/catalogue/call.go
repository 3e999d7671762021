package catalogue

import (
	"encoding/json"

	"techo/tools"
)

// CallTool is the name of the tool that calls a tool which a profile does not list: a model can call
// only what its client has listed.
const CallTool = "call_tool"

type callIn struct {
	Name  string         `json:"name" doc:"Name of the tool"`
	Input map[string]any `json:"input,omitempty" doc:"Its input, as its input_schema says"`
}

// Call calls another tool. It stands for that tool: whoever gets a call of it asks Called, and the answer,
// the checks and the history are those of the tool itself.
var Call = &tools.Tool{
	Name:    CallTool,
	For:     tools.Agents,
	Command: "tools call",
	About:   "Call a tool that is not listed; the answer is its own",
	Effect:  tools.Changes,
	World:   true,
	Words:   []string{"name", "input"},
	Examples: []tools.Example{
		{Does: "Call a tool that was found", Line: `tools call add_todo '{"title":"Buy milk"}'`},
	},
	Run: tools.Func[callIn, map[string]any](nil),
}

// Called returns the name and the input of the tool that an input of call_tool means.
func Called(env *tools.Env, input []byte) (name string, rest []byte, e *tools.Error) {
	if input, e = Call.Accept(env, input); e != nil {
		return "", nil, e
	}
	var in struct {
		Name  string          `json:"name"`
		Input json.RawMessage `json:"input"`
	}
	if err := json.Unmarshal(input, &in); err != nil {
		return "", nil, Call.AsError(env, err)
	}
	if in.Name == CallTool {
		return "", nil, Call.AsError(env, env.Fail(tools.InvalidInput, "call_tool calls other tools, not itself").
			WithHint(env.Hint("Name the tool itself")))
	}
	return in.Name, in.Input, nil
}

// Callable returns the error of a tool that call_tool must not reach, or nil: one for persons, and one
// for hosts unless the server was started for them.
func Callable(env *tools.Env, t *tools.Tool, served bool) *tools.Error {
	if t.For == tools.Agents || t.For == tools.Hosts && served {
		return nil
	}
	return t.AsError(env, outside(env, t, tools.Agents, "").
		WithHint(env.Hint("Only tools for agents can be called this way")))
}

// Leads reports whether a tool only leads to others, which have their own conditions.
func Leads(t *tools.Tool) bool { return t.Name == FindTools || t.Name == CallTool }
