package commands

import (
	"bytes"
	"context"

	"techo/internal/nearest"
	"techo/tools"
	"techo/tools/calendar"
)

// callIn is the input of the command call.
type callIn struct {
	Tool  string  `json:"tool,omitempty" en:"Name of the tool, e.g. add_memo" ja:"ツール名（例: add_memo）"`
	Input *string `json:"input" en:"Its input, a JSON object; without it stdin is read when that is no terminal" ja:"入力の JSON オブジェクト。省略時は標準入力（端末でない場合）"`
	Batch bool    `json:"batch,omitempty" en:"Answer calls from stdin, one JSON object a line" ja:"標準入力から1行1件の呼び出しに答える"`
}

// callCommand is the JSON face: a tool is called by the name and the input
// that an agent's model gave.
func callCommand() *command {
	return answering(tools.Tool{
		Command: "call",
		About:   tools.Say{EN: "Call a tool with JSON", JA: "JSON でツールを呼び出す"},
		More: tools.Say{
			EN: "With --batch every line of stdin is {\"tool\":…,\"input\":{…},\"id\":…}, and every answer a line on stdout, in order and with that id. An error is an answer too, and the rest goes on; blank lines are passed over. Calls that arrive together share one sync of the store, and no answer comes before its call is durable.",
			JA: "--batch では標準入力の各行が {\"tool\":…,\"input\":{…},\"id\":…} で、順に1行ずつ id を付けて答える。エラーも一つの答えで、残りは続行する。空行は無視する。",
		},
		Words: []string{"tool", "input"},
		Examples: []tools.Example{
			{Does: tools.Say{EN: "Call a tool", JA: "ツールを呼び出す"}, Line: `call get_memo '{"memo_name":"ramen"}'`},
			{Does: tools.Say{EN: "Read the input from stdin", JA: "入力を標準入力から読む"}, Line: `call list_memo < input.json`},
			{Does: tools.Say{EN: "Answer many calls", JA: "複数の呼び出しに答える"}, Line: `call --batch < calls.ndjson`},
		},
	}, doCall)
}

func doCall(ctx context.Context, s *session, in callIn) int {
	env := s.env()
	switch {
	case in.Batch && (in.Tool != "" || in.Input != nil):
		return s.fail(env.Fail(tools.InvalidInput, tools.Say{EN: "--batch takes its calls from stdin, and no words", JA: "--batch は標準入力から呼び出しを読むため、語を指定できません"}))
	case in.Batch && s.key != "":
		return s.fail(env.Fail(tools.InvalidInput, tools.Say{EN: "--idempotency-key is for one call; a line of a batch has its own idempotency_key", JA: "--idempotency-key は1件の呼び出し用です。バッチでは各行に idempotency_key を指定してください"}))
	case in.Batch:
		return s.batch(ctx)
	case in.Tool == "":
		e := env.Fail(tools.InvalidInput, tools.Say{EN: "tool is required", JA: "tool: 必須です"}).
			WithHint(env.Say(tools.Say{EN: "See techo tools --format names", JA: "techo tools --format names で一覧を確認してください"}))
		e.Details = []tools.Detail{{Path: "/tool", Message: env.Say(tools.Say{EN: "is required", JA: "必須です"})}}
		return s.fail(e)
	}
	if _, e := s.toolFor(in.Tool, nil); e != nil {
		return s.fail(e) // before stdin is waited for
	}
	var raw []byte
	if in.Input != nil {
		raw = []byte(*in.Input)
	} else if !s.StdinTerminal {
		var err error
		if raw, err = s.readStdin(ctx, stdinPatience); err != nil {
			return s.fail(stdinError(env, err))
		}
		raw = bytes.TrimSpace(raw)
	}
	t, e := s.toolFor(in.Tool, raw)
	if e != nil {
		return s.fail(e)
	}
	return s.invoke(ctx, t, s.call(raw))
}

// toolFor finds the tool that a call is for. The calendar's one name stands for
// all of its tools: the input tells which.
func (s *session) toolFor(name string, input []byte) (*tools.Tool, *tools.Error) {
	if name == calendar.Dispatcher {
		name = calendar.Dispatch(input).Name
	}
	return s.tool(name)
}

// tool finds a tool by the name that agents use.
func (s *session) tool(name string) (*tools.Tool, *tools.Error) {
	var names []string
	for _, t := range s.offered {
		if t.Name == name {
			return t, nil
		}
		names = append(names, t.Name)
	}
	env := s.env()
	e := env.Fail(tools.InvalidInput, tools.Say{EN: "There is no tool %q", JA: "「%s」というツールはありません"}, name)
	if e.Hint = env.DidYouMean(nearest.Of(name, names)); e.Hint == "" {
		e.Hint = env.Say(tools.Say{EN: "See techo tools --format names", JA: "techo tools --format names で一覧を確認してください"})
	}
	return nil, e
}
