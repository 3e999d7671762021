package line

import (
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/urfave/cli/v3"

	"techo/commands/run"
	"techo/commands/system"
	"techo/internal/buildstamp"
	"techo/tools"
)

// Execute parses the command line, runs the command and returns the exit code.
func (s *App) Execute(ctx context.Context) int {
	var code int
	act := func(ctx context.Context, c *cli.Command) error {
		code = s.act(ctx, c)
		return nil
	}
	// Building all commands and their tree takes a tenth of the time of a call, so
	// build only what can be the command. Help and suggestions need the others.
	typed := s.Run.System.Args
	s.root = tree(s.build(s, anyOf(typed)), typed, act)
	if s.line = readLine(s.root, typed); s.called() == nil {
		s.root = tree(s.Commands(), nil, act)
		s.line = readLine(s.root, typed)
	}
	s.problems = s.Run.Configure(run.Given{Path: s.line.Path, Settings: s.line.Settings, Roots: s.line.roots})
	s.Run.Out.Tool = typedCommand(&s.line)
	args := slices.Concat([]string{system.Name}, s.line.Path)
	if c := s.called(); c != nil {
		s.line.joinAliases(c.Tool)
		words, piped, err := c.texts(&s.line, func() ([]byte, error) { return s.Run.ReadStdin(ctx, 0) })
		switch {
		case errors.Is(err, errTwoReads):
			return s.Run.Out.Fail(twoReads(s.Run.Env(), c))
		case err != nil:
			return s.Run.Out.Fail(run.StdinError(s.Run.Env(), err))
		}
		s.Run.Piped = piped
		s.input = run.NewInput(s.Run.Env(), c.Tool)
		declare(s.line.node, c, s.input, &s.line)
		args = append(args, s.line.arguments(c, words)...)
	}
	if err := s.root.Run(ctx, args); err != nil {
		return s.Run.Out.FailInternal(s.Run.Env(), err)
	}
	return code
}

// typedCommand returns the words of the command on a line, also of an unknown one.
func typedCommand(l *Line) string {
	words := l.Path
	if l.Unknown != "" {
		words = append(slices.Clone(words), l.Unknown)
	}
	if len(words) == 0 {
		return system.Name
	}
	return strings.Join(words, " ")
}

// called returns the command to run, or nil if the line asks for help or names no
// command.
func (s *App) called() *Command {
	if s.line.Unknown != "" || s.line.Version || s.line.Help {
		return nil
	}
	return commandOf(s.line.node)
}

// act runs a command, or shows help.
func (s *App) act(ctx context.Context, node *cli.Command) int {
	env := s.Run.Env()
	switch {
	case s.line.Unknown != "":
		return s.Run.Out.Fail(s.unknownCommand(env, node))
	case s.line.Version:
		return s.Run.Out.Document(system.VersionLine(buildstamp.Read()) + "\n")
	case !s.line.Help && node == s.root && s.isGroupAlone(node):
		return s.Run.Out.Document(start(s.Run))
	case s.line.Help || s.isGroupAlone(node):
		return s.Run.Out.Document(s.help(node))
	}
	c := commandOf(node)
	if c == nil {
		return s.Run.Out.Fail(s.unknownCommand(env, node))
	}
	s.Run.Out.Meant = adviser{s, env}.meant
	document := s.input.JSON()
	c.addProblems(env, s.input, &s.line, s.Run.System.Args, node.Args().Slice())
	problems := slices.Concat(s.problems, s.line.repeatedFlags(env), c.perCallFlags(env, s.line), s.input.Problems)
	if c.Do != nil {
		accepted, e := c.Tool.Accept(env, document, problems...)
		if e != nil && c.Refuse != nil {
			return c.Refuse(s.Run, e)
		}
		if e != nil {
			return s.Run.Out.Fail(e)
		}
		return c.Do(ctx, s.Run, accepted)
	}
	if field := tools.StdinOf(c.Tool); field != "" && !s.input.Has(field) {
		s.Run.Unread = s.Run.System.StdinWaits
	}
	call := s.Run.Call(document)
	call.Problems, call.SkipWhen = problems, true
	return s.Run.Invoke(ctx, c.Tool, call)
}

// twoReads is the error of a line with more than one "-" for stdin.
func twoReads(env *tools.Env, c *Command) *tools.Error {
	message := env.Localize("Only one word - can read stdin")
	return &tools.Error{
		Code: tools.InvalidInput, Tool: c.Tool.Name, Message: message,
		Hint:    env.Hint("Put the others after --, or give them as flags"),
		Details: []tools.Detail{{Message: message}},
	}
}

// isGroupAlone reports whether a person typed only the name of a group, to see its
// commands.
func (s *App) isGroupAlone(node *cli.Command) bool {
	l := s.line
	return s.Run.System.StdoutTerminal && commandOf(node) == nil && l.Unknown == "" &&
		len(l.unknownFlags)+len(l.withoutValue) == 0
}
