package run

import (
	"context"

	"techo/commands/catalogue"
	"techo/commands/screen"
	"techo/tools"
	"techo/tools/calendar"
)

// CheckName returns an error if there is no tool with a name, else nil.
func (s *Run) CheckName(name string) *tools.Error {
	if name == calendar.Dispatcher {
		return nil
	}
	_, e := s.Tool(name)
	return e
}

// ToolFor returns the tool with a name, and its input. Two names stand for other tools, which the input
// selects: call_tool for any, the calendar dispatcher's for those of calendars.
func (s *Run) ToolFor(name string, input []byte) (*tools.Tool, []byte, *tools.Error) {
	if name != catalogue.CallTool {
		return s.toolFor(name, input)
	}
	env := s.Env()
	name, input, e := catalogue.Called(env, input)
	if e != nil {
		return nil, nil, e
	}
	t, input, e := s.toolFor(name, input)
	if e == nil {
		e = catalogue.Callable(env, t, s.Served)
	}
	return t, input, e
}

func (s *Run) toolFor(name string, input []byte) (*tools.Tool, []byte, *tools.Error) {
	if name == calendar.Dispatcher {
		var t *tools.Tool
		t, input = calendar.Dispatch(input)
		name = t.Name
	}
	t, e := s.Tool(name)
	return t, input, e
}

// Tool returns the offered tool with a name.
func (s *Run) Tool(name string) (*tools.Tool, *tools.Error) {
	if t := catalogue.ToolNamed(s.Offered, name); t != nil {
		return t, nil
	}
	return nil, catalogue.NoTool(s.Env(), s.Offered, name)
}

// Call returns a call with the options of the command line.
func (s *Run) Call(input []byte) tools.Call {
	o := s.Options
	return tools.Call{Input: input, Key: o.Key, Fields: o.fields, Timeout: o.Timeout, MaxBytes: o.maxBytes,
		NoText: !o.text, Compact: o.Compact(false)}
}

// Invoke runs a call, prints its result or error, and returns the exit code.
func (s *Run) Invoke(ctx context.Context, t *tools.Tool, call tools.Call) int {
	if t.Effect == tools.Asks {
		s.System.CatchSignals() // the answer says that the question stays open
	}
	result, e := s.CallTool(ctx, t, call)
	if e != nil {
		return s.Out.Fail(e)
	}
	s.Out.Verbatim = tools.IsVerbatim(t, t.Reader().Converted(call.Input))
	s.Out.Text = !call.NoText // a call that changes the setting is still answered in the old form
	if call.MaxBytes <= 0 {
		s.Out.List = func(r *tools.Result, width int, color bool) (string, bool) {
			return screen.List(s.Env(), t, r, width, color)
		}
	}
	return s.Out.Succeed(result)
}

// RootHint is the hint for a server without --root.
func RootHint() tools.Advice {
	return tools.Advise("Start the server with %s to offer the files there",
		tools.Flag("root", tools.Placeholder("DIR")))
}

// noFiles is the error of a call that needs files of a server without --root.
func noFiles(env *tools.Env) *tools.Error {
	return env.Fail(tools.Unavailable, "This server offers no files").
		WithHint(RootHint().In(env))
}
