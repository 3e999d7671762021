package commands

import (
	"context"
	"fmt"
	"strings"

	"techo/commands/hook"
	"techo/commands/line"
	"techo/commands/run"
	"techo/commands/system"
	"techo/tools"
)

type hookIn struct {
	Event   string `json:"event" enum:"session-start,prompt,pre-compact" doc:"What happens in the client"`
	Client  string `json:"client" enum:"claude,codex,gemini,cursor,vscode,opencode" doc:"Form of the answer"`
	Explain bool   `json:"explain,omitempty" doc:"Show what would be added and why; keep and record nothing"`
}

// hookCommand is what the hooks of clients run.
func hookCommand() *line.Command {
	c := line.Answering(tools.Tool{
		Command: "hook",
		About:   "Answer a hook of a client that techo setup has set up",
		More: "Reads the client's JSON on stdin and answers in the form of the client. prompt adds references to the " +
			"memories that match the message, in at most 1,000 bytes, and none twice in a session. session-start " +
			"adds the important memos and the captions of the latest memories, marked as data, in at most 1,500 " +
			"bytes; after a compaction also what the person asked for before. pre-compact keeps the person's latest " +
			"requests of the transcript as a memory of the session for 30 days, without what looks like a password, " +
			"and asks Claude Code to keep open points in its summary. What a session has already is not added again; " +
			"which notes it has is in $XDG_STATE_HOME/techo/sessions for two weeks. A hook never fails: if the " +
			"store cannot be used, the answer is {} and stderr has the reason.",
		Words: []string{"event"},
		Examples: []tools.Example{
			{Does: "See what a session begins with", Line: "hook session-start --client claude < /dev/null"},
			{Does: "See what a message would get, and why",
				Line: `hook prompt --client claude --explain <<< '{"prompt":"What is my dog called?"}'`},
		},
	}, func(ctx context.Context, s *run.Run, in hookIn) int {
		if !in.Explain {
			s.Begins = in.Event == hook.Start
			return s.Out.Document(hook.Answer(ctx, s, in.Event, in.Client, false).Document())
		}
		explain := tools.Define(tools.Tool{Command: "hook"},
			func(context.Context, *tools.Env, struct{}) (explained, error) {
				return explained{hook.Answer(ctx, s, in.Event, in.Client, true)}, nil
			})
		return s.Invoke(ctx, explain, s.Call([]byte("{}")))
	})
	c.Refuse = refuseHook
	return c
}

type explained struct{ hook.Added }

// Text lists what would be added and what would not.
func (e explained) Text(env *tools.Env) string {
	lines := []string{e.Message, env.Localize("Bytes: %d", e.Bytes)}
	list := func(title tools.Text, items []hook.Item) {
		if len(items) > 0 {
			lines = append(lines, env.Localize(title))
		}
		for _, i := range items {
			lines = append(lines, "- "+i.ID+": "+i.Why)
		}
	}
	list("Added:", e.Items)
	list("Left out:", e.LeftOut)
	if e.Added.Text != "" {
		lines = append(lines, "", e.Added.Text)
	}
	return strings.Join(lines, "\n")
}

// refuseHook shows an error of the command line or the environment to the person. With
// the exit code of this error some clients would stop what they are doing.
func refuseHook(s *run.Run, e *tools.Error) int {
	hint := e.Hint
	if hint != "" {
		hint = " (" + hint + ")"
	}
	fmt.Fprintln(s.System.Stderr, "techo hook: "+system.Visible(e.Message+hint))
	s.Out.Document("{}\n")
	return 1
}
