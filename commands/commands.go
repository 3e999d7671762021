// Package commands listens and answers: it is the only room that speaks to a
// terminal, a pipe or an agent. Whatever comes in becomes one call of a tool;
// whatever comes back becomes one document on stdout.
package commands

import (
	"context"
	"errors"
	"runtime/debug"
	"slices"

	"github.com/urfave/cli/v3"

	"techo/tools"
	"techo/tools/ask"
	"techo/tools/calendar"
	"techo/tools/files"
	"techo/tools/memo"
	"techo/tools/memory"
	"techo/tools/web"
)

const program = "techo"

// version is the released version, released its day.
const (
	version  = "0.1.0"
	released = "2026-11-21"
)

// families are all tools that an agent is offered.
func families() []*tools.Tool {
	return slices.Concat(memo.Tools(), memory.Tools(), calendar.Tools(), files.Tools(), ask.Tools(), web.Tools())
}

// Main runs the program and returns its exit code.
func Main(w World) int {
	// A process that lives for one call is done before collecting pays.
	debug.SetGCPercent(400)
	ctx, stop := w.Interrupted(context.Background())
	context.AfterFunc(ctx, stop) // a second interrupt ends what does not listen
	defer stop()
	s := newSession(w)
	code := s.run(ctx)
	s.close()
	return code
}

func newSession(w World) *session {
	return &session{World: w, offered: families(), held: &held{}}
}

// run reads the command line and answers it.
func (s *session) run(ctx context.Context) int {
	var all []*command
	for _, t := range s.offered {
		all = append(all, &command{Tool: t})
	}
	s.commands = append(all, shellCommands(s)...)
	var code int
	act := func(ctx context.Context, c *cli.Command) error {
		code = s.act(ctx, c)
		return nil
	}
	// A tree of all commands costs a call a tenth of its time: most need a branch.
	s.root = tree(s.commands, s.Args, act)
	if s.line = readLine(s.root, s.Args); s.line.node == s.root {
		s.root = tree(s.commands, nil, act)
		s.line = readLine(s.root, s.Args)
	}
	var faults []tools.Detail
	s.chosen, faults = s.choose(s.line.settings, s.line.roots)
	s.faults = faults
	if err := s.root.Run(ctx, append([]string{program}, s.line.path...)); err != nil {
		return s.fail(&tools.Error{Code: tools.Internal, Message: err.Error()})
	}
	return code
}

// act answers one command.
func (s *session) act(ctx context.Context, node *cli.Command) int {
	env := s.env()
	switch {
	case s.line.unknown != "":
		return s.fail(s.unknownCommand(env, node))
	case s.line.version:
		return s.document(program + " " + version + "\n")
	case s.line.help || s.isBare(node):
		return s.document(s.help(node))
	}
	c := commandOf(node)
	if c == nil {
		return s.fail(s.unknownCommand(env, node))
	}
	input, faults, err := c.input(env, s.line, func() ([]byte, error) { return s.readStdin(ctx, 0) })
	switch {
	case errors.Is(err, errTwoReads):
		return s.fail(twoReads(env, c))
	case err != nil:
		return s.fail(stdinError(env, err))
	}
	faults = append(s.faults, faults...)
	if c.do != nil {
		accepted, e := c.Accept(env, input, faults...)
		if e != nil {
			return s.fail(e)
		}
		return c.do(ctx, s, accepted)
	}
	call := s.call(input)
	call.Faults, call.Typed = faults, true
	return s.invoke(ctx, c.Tool, call)
}

// twoReads is the error of a line with more than one word for stdin.
func twoReads(env *tools.Env, c *command) *tools.Error {
	message := env.Say(tools.Say{EN: "Only one word - can read stdin", JA: "標準入力（-）は一つの項目にしか使えません"})
	return &tools.Error{
		Code: tools.InvalidInput, Tool: c.Name, Message: message,
		Hint:    env.Say(tools.Say{EN: "Put the others after --, or give them as flags", JA: "他の項目は -- の後に書くか、フラグで渡してください"}),
		Details: []tools.Detail{{Message: message}},
	}
}

// isBare reports whether a person typed no more than a group's name, which
// asks what there is.
func (s *session) isBare(node *cli.Command) bool {
	l := s.line
	return s.StdoutTerminal && commandOf(node) == nil && l.unknown == "" && len(l.stray)+len(l.bare) == 0
}

// call is a call with what the command line says of every call.
func (s *session) call(input []byte) tools.Call {
	return tools.Call{Input: input, Key: s.key, Fields: s.fields, Timeout: s.timeout, Most: s.most, NoText: !s.text}
}

// invoke calls a tool and prints what it gave.
func (s *session) invoke(ctx context.Context, t *tools.Tool, call tools.Call) int {
	result, e := t.Invoke(ctx, s.env(), call)
	if e != nil {
		return s.fail(e)
	}
	return s.succeed(result)
}
