package catalogue

import (
	"encoding/json"
	"slices"
	"strings"

	"techo/internal/nearest"
	"techo/tools"
)

// Choice selects the tools that can be called. It is a part of the input of the commands
// that offer them. An empty Only offers all tools.
type Choice struct {
	Only     []string       `json:"only,omitempty" doc:"Offer only these families or tools, e.g. memo,grep"`
	ReadOnly bool           `json:"read_only,omitempty" doc:"Offer only what changes nothing"`
	Audience tools.Audience `json:"audience" default:"agent" doc:"Include tools of this audience and those before it"`
}

// Flags returns the flags of a command line that makes the same choice.
func (c Choice) Flags() (flags []string) {
	for _, name := range c.Only {
		flags = append(flags, "--only", name)
	}
	if c.ReadOnly {
		flags = append(flags, "--read-only")
	}
	if c.Audience != tools.Agents {
		flags = append(flags, "--audience", string(c.Audience))
	}
	return flags
}

// NarrowServed is Narrow for the calls of a server.
func NarrowServed(env *tools.Env, all []*tools.Tool, in Choice) ([]*tools.Tool, *tools.Error) {
	return narrow(env, all, in, serverHint)
}

// Narrow returns the tools with those outside of a choice switched off. They stay
// in the list, so that a call of one gets the reason.
func Narrow(env *tools.Env, all []*tools.Tool, in Choice) ([]*tools.Tool, *tools.Error) {
	return narrow(env, all, in, flagHint)
}

func narrow(env *tools.Env, all []*tools.Tool, in Choice, hint tools.Text) ([]*tools.Tool, *tools.Error) {
	if e := UnknownOnly(env, all, Split(in.Only)); e != nil {
		return nil, e
	}
	return limit(all, in, hint), nil
}

// Limit is NarrowServed for tools that Only need not name.
func Limit(all []*tools.Tool, in Choice) []*tools.Tool { return limit(all, in, serverHint) }

func limit(all []*tools.Tool, in Choice, hint tools.Text) []*tools.Tool {
	only := Split(in.Only)
	kept := SwitchOff(all, func(t *tools.Tool) tools.Advice {
		switch {
		case len(only) > 0 && !InGroups(t, only):
			return tools.Advise("%s does not include it", tools.Flag("only"))
		case in.ReadOnly && t.Effect != tools.Reads && !Leads(t):
			return tools.Advise("It changes something, and this server was started with %s", tools.Flag("read-only"))
		}
		return tools.Advice{}
	})
	for i, t := range all {
		if !in.Audience.Includes(t.For) {
			kept[i] = unavailable(t, func(env *tools.Env) *tools.Error { return outside(env, t, in.Audience, hint) })
		}
	}
	return kept
}

// unavailable returns a copy of a tool whose calls fail with an error.
func unavailable(t *tools.Tool, reason func(*tools.Env) *tools.Error) *tools.Tool {
	off := *t
	off.When = reason
	return &off
}

// SwitchOff returns the tools with those switched off for which off returns a
// reason.
func SwitchOff(all []*tools.Tool, off func(*tools.Tool) tools.Advice) []*tools.Tool {
	var result []*tools.Tool
	for _, t := range all {
		if reason := off(t); reason.Text != "" {
			t = unavailable(t, func(env *tools.Env) *tools.Error {
				return env.Fail(tools.Unavailable, "%s is switched off here", t.Name).WithHint(reason.In(env))
			})
		}
		result = append(result, t)
	}
	return result
}

// InGroups reports whether --only with these names includes a tool.
func InGroups(t *tools.Tool, only []string) bool {
	return Leads(t) ||
		slices.ContainsFunc(only, func(name string) bool { return slices.Contains(groups(t), name) })
}

// Split splits the values of --only at commas. No name contains one.
func Split(given []string) (names []string) {
	for _, g := range given {
		for name := range strings.SplitSeq(g, ",") {
			names = append(names, strings.TrimSpace(name))
		}
	}
	return names
}

// groups returns the names by which --only includes a tool: its name, its command
// and other spellings of it, and its family.
func groups(t *tools.Tool) []string {
	family, _, _ := strings.Cut(t.Command, " ")
	return append([]string{t.Name, t.Command, family}, t.Spellings()...)
}

// UnknownOnly returns an error if a name of --only includes no tool, else nil.
func UnknownOnly(env *tools.Env, all []*tools.Tool, only []string) *tools.Error {
	var known []string
	for _, t := range all {
		known = append(known, groups(t)...)
	}
	slices.Sort(known)
	known = slices.Compact(known)
	for _, name := range only {
		if slices.Contains(known, name) {
			continue
		}
		why := env.Localize("there is no tool and no family %q", name)
		e := env.Fail(tools.InvalidInput, "%s", "only: "+why)
		e.Details = []tools.Detail{{Path: "/only", Message: why}}
		return e.WithHint(suggest(env, nearest.Of(name, known)))
	}
	return nil
}

// maxShown is the number of characters of an unknown name that an error shows.
const maxShown = 100

// ToolNamed returns the tool with a name, nil if none is offered.
func ToolNamed(offered []*tools.Tool, name string) *tools.Tool {
	if i := slices.IndexFunc(offered, func(t *tools.Tool) bool { return t.Name == name }); i >= 0 {
		return offered[i]
	}
	return nil
}

// NoTool returns the error for a name of no tool, which suggests others.
func NoTool(env *tools.Env, offered []*tools.Tool, name string) *tools.Error {
	var names []string
	for _, t := range offered {
		names = append(names, t.Name)
	}
	if long := []rune(name); len(long) > maxShown {
		name = string(long[:maxShown]) + "…"
	}
	e := env.Fail(tools.InvalidInput, "There is no tool %q", name)
	e.Tool = name
	return e.WithHint(suggest(env, similar(name, names)))
}

func suggest(env *tools.Env, similar []string) string {
	if len(similar) == 0 {
		return env.Hint("See %s", tools.Use("tools", tools.Flag("format", "names")))
	}
	return env.DidYouMean(similar)
}

// similar returns the names that differ from name by a synonym of the verb, as
// create_memo does from add_memo, or else the names with the most similar spelling.
func similar(name string, names []string) []string {
	if found := tools.OtherVerbs(name, names); len(found) > 0 {
		return found
	}
	return nearest.Of(name, names)
}

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

// CallTool is the name of the tool that calls a tool which a profile does not list: a model can call
// only what its client has listed.
const CallTool = "call_tool"

type callIn struct {
	Name  string         `json:"name" doc:"Name of the tool" list:"bare"`
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
