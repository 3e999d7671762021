package commands

import (
	"bytes"
	"context"

	"techo/commands/catalogue"
	"techo/commands/line"
	"techo/commands/run"
	"techo/tools"
	"techo/tools/jsontree"
)

type callIn struct {
	Tool  string  `json:"tool,omitempty" doc:"Name of the tool, e.g. add_memo"`
	Input *string `json:"input" doc:"Its input, a JSON object (default: read from stdin, unless that is a terminal)"`
	Batch bool    `json:"batch,omitempty" doc:"Answer calls from stdin, one JSON object per line"`
}

// callCommand calls a tool by its name with JSON input, as a model gives them.
func callCommand() *line.Command {
	return line.Answering(tools.Tool{
		Command: "call",
		About:   "Call a tool with JSON",
		More: "With --batch, each line of stdin is {\"tool\":…,\"input\":{…},\"id\":…}. The answers follow on " +
			"stdout in the same order, one per line, with the id. An error does not end the batch or change its " +
			"exit code: it is 0 when all calls are answered. Blank lines are skipped. Calls that arrive together " +
			"share one sync of the store; each answer is printed after its call is durable.",
		Words: []string{"tool", "input"},
		Examples: []tools.Example{
			{Does: "Call a tool", Line: `call get_memo '{"memo_name":"ramen"}'`},
			{Does: "Read the input from stdin", Line: `call list_memo < input.json`},
			{Does: "Answer many calls", Line: `call --batch < calls.ndjson`},
		},
	}, doCall)
}

// callNamed does the command tools call: it answers as the tool that the input names.
func callNamed(ctx context.Context, s *run.Run, input []byte) int {
	t, rest, e := s.ToolFor(catalogue.CallTool, input)
	if e != nil {
		return s.Out.Fail(e)
	}
	return s.Invoke(ctx, t, s.Call(rest))
}

func doCall(ctx context.Context, s *run.Run, in callIn) int {
	env := s.Env()
	switch {
	case in.Batch && (in.Tool != "" || in.Input != nil):
		return s.Out.Fail(env.Fail(tools.InvalidInput, "--batch reads its calls from stdin; leave out the words"))
	case in.Batch && s.Options.Key != "":
		return s.Out.Fail(env.Fail(tools.InvalidInput,
			"--idempotency-key is for one call; a line of a batch has its own idempotency_key"))
	case in.Batch:
		return batch(ctx, s)
	case in.Tool == "":
		return s.Out.Fail(tools.InvalidField(env, "/tool", "is required").
			WithHint(env.Hint("See %s", tools.Use("tools", tools.Flag("format", "names")))))
	}
	if e := s.CheckName(in.Tool); e != nil {
		return s.Out.Fail(e) // before waiting for stdin
	}
	var raw []byte
	if in.Input != nil {
		raw = []byte(*in.Input)
	} else if !s.System.StdinTerminal {
		var err error
		if raw, err = s.ReadStdin(ctx, run.StdinPatience); err != nil {
			return s.Out.Fail(run.StdinError(env, err))
		}
		raw = bytes.TrimSpace(raw)
	}
	t, raw, e := s.ToolFor(in.Tool, jsontree.WithoutBOM(raw))
	if e != nil {
		return s.Out.Fail(e)
	}
	return s.Invoke(ctx, t, s.Call(raw))
}
