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
	"techo/internal/nearest"
	"techo/tools"
	"techo/tools/schema"
)

// App parses one command line and runs its command.
type App struct {
	Run   *run.Run
	build Builder

	// Start returns what a person sees who types only the name of the program.
	Start func(context.Context, *run.Run) (string, *tools.Error)

	all  []*Command   // nil until they are needed
	root *cli.Command // the tree of all commands; nil until it is needed
}

// Builder returns the commands of an app. It calls has before it builds some of them,
// with words such that each of their names and aliases has one, and leaves these
// commands out if has returns false.
type Builder func(a *App, has func(words ...string) bool) []*Command

// New returns an app with the commands that build returns.
func New(s *run.Run, build Builder) *App { return &App{Run: s, build: build} }

// Commands returns all commands.
func (a *App) Commands() []*Command {
	if a.all == nil {
		a.all = a.build(a, func(...string) bool { return true })
	}
	return a.all
}

func (a *App) whole() *cli.Command {
	if a.root == nil {
		a.root = tree(a.Commands(), nil, nil)
	}
	return a.root
}

// Parse parses a command line against the tree of all commands.
func (a *App) Parse(args []string) Line {
	l, _ := parse(a.whole(), args)
	return *l
}

// Execute parses the command line, runs the command and returns the exit code. The library walks
// down the tree. Where it stops, at a flag or at the end, the reader takes the words that are left.
func (a *App) Execute(ctx context.Context) (code int) {
	var r reader
	act := func(ctx context.Context, node *cli.Command) error {
		if below := r.read(node, node.Args().Slice()); below != nil { // settings precede the command
			return below.Run(ctx, append([]string{below.Name}, r.rest...))
		}
		for _, n := range node.Lineage() {
			r.Path = append([]string{n.Name}, r.Path...)
		}
		r.Path = r.Path[1:] // without the program
		code = a.run(ctx, &r.Line)
		return nil
	}
	// Building all commands and their tree takes a tenth of the time of a call, so build only what
	// can be the command. Help and suggestions use the whole tree.
	typed := a.Run.System.Args
	mentions := func(words ...string) bool {
		return slices.ContainsFunc(words, func(w string) bool { return slices.Contains(typed, w) })
	}
	root := tree(a.build(a, mentions), typed, act)
	if err := root.Run(ctx, append([]string{system.Name}, typed...)); err != nil {
		return a.Run.Out.FailInternal(a.Run.Env(), err)
	}
	return code
}

func (a *App) run(ctx context.Context, l *Line) int {
	problems := a.Run.Configure(run.Given{Path: l.Path, Settings: l.Settings, Roots: l.roots})
	a.Run.Out.Tool = l.typed()
	if l.command != nil && !l.Version && !l.Help {
		a.Run.Out.Protocol = l.command.Speaks != nil && l.command.Speaks(*l)
		return a.call(ctx, l, problems)
	}
	out := a.Run.Out
	node := a.whole()
	for _, word := range l.Path {
		node = node.Command(word)
	}
	// A person who types only the name of a group wants to see its commands.
	alone := a.Run.System.StdoutTerminal && !a.Run.System.AgentShell() && l.command == nil && len(l.unknownFlags)+len(l.withoutValue) == 0
	switch {
	case l.Unknown != "":
		return out.Fail(a.unknownCommand(l, node, problems))
	case l.Version:
		return out.Document(system.VersionLine(buildstamp.Read()) + "\n")
	case !l.Help && node == a.root && alone && len(problems) == 0:
		text, e := a.Start(ctx, a.Run)
		if e != nil {
			return out.Fail(e)
		}
		return out.Stored(text)
	case l.Help || alone:
		return out.Manual(a.help(node))
	}
	return out.Fail(a.unknownCommand(l, node, problems))
}

// typed returns the words of the command on a line, also of an unknown one.
func (l *Line) typed() string {
	words := l.Path
	if l.Unknown != "" {
		words = append(slices.Clone(words), l.Unknown)
	}
	if len(words) == 0 {
		return system.Name
	}
	return strings.Join(words, " ")
}

func (a *App) call(ctx context.Context, l *Line, problems []tools.Detail) int {
	s, c, env := a.Run, l.command, a.Run.Env()
	s.Out.Help = tools.HelpHint(env, c.Tool)
	l.joinAliases()
	var err error
	s.Piped, err = l.readStdin(func() ([]byte, error) { return s.ReadStdin(ctx, 0) })
	switch {
	case errors.Is(err, errTwoReads):
		return s.Out.Fail(twoReads(env, c))
	case err != nil:
		return s.Out.Fail(run.StdinError(env, err))
	}
	in := run.NewInput(env, c.Tool)
	extra := l.fill(in)
	document := in.JSON()
	problems = slices.Concat(problems, l.settingProblems(env), in.Problems, l.problems(env, extra))
	if c.Do != nil {
		accepted, e := c.Tool.Accept(env, document, problems...)
		if e != nil && c.Refuse != nil {
			return c.Refuse(s, e)
		}
		if e != nil {
			return s.Out.Fail(e)
		}
		return c.Do(ctx, s, accepted)
	}
	if field := tools.StdinOf(c.Tool); field != "" && !in.Has(field) {
		s.Unread = s.System.StdinWaits
	}
	call := s.Call(document)
	call.Problems, call.SkipWhen = problems, true
	return s.Invoke(ctx, c.Tool, call)
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

// problems returns the problems of a line that its input does not show. extra are the words that
// belong to no field.
func (l *Line) problems(env *tools.Env, extra []string) (problems []tools.Detail) {
	c := l.command
	if len(l.unknownFlags) == 0 { // otherwise they may be the values of unknown flags
		for _, w := range extra {
			problems = append(problems, tools.Detail{Message: env.Localize("unexpected word %q", w)})
		}
		if len(extra) > 0 {
			problems[len(problems)-1].Hint = l.quoted(env)
		}
	}
	notFlag := func(name, hint string) tools.Detail {
		return tools.Detail{Message: env.Localize("%s is not a flag of techo %s", name, c.Tool.Command), Hint: hint}
	}
	for _, name := range l.unknownFlags {
		switch p, _ := c.field(name); {
		case p != nil: // it stood before the command
			problems = append(problems, tools.Detail{Path: "/" + p.Name, Message: env.Localize("must follow the command")})
		case len(name) == 1:
			problems = append(problems, notFlag("-"+name, c.flagsHint(env)))
		default:
			problems = append(problems, schema.UnknownField(env, "/"+strings.ReplaceAll(name, "-", "_"), name,
				c.flagNames(), settingNames(c)...))
		}
	}
	for _, a := range l.refused {
		dashes := "--"
		if len(a.Name) == 1 {
			dashes = "-"
		}
		problems = append(problems, notFlag(dashes+a.Name, env.Hint(a.Refused)))
	}
	for _, name := range l.withoutValue {
		problems = append(problems, withoutValue(env, strings.ReplaceAll(name, "-", "_")))
	}
	return problems
}

func withoutValue(env *tools.Env, name string) tools.Detail {
	return tools.Detail{Path: "/" + name, Message: env.Localize("needs a value")}
}

// quoted returns the hint for a line with too many words, "" if its command takes none.
func (l *Line) quoted(env *tools.Env) string {
	fields := l.fields()
	if len(fields) == 0 {
		return ""
	}
	parts := []string{system.Name, l.command.Tool.Command}
	for _, f := range fields {
		parts = append(parts, `"`+strings.ToUpper(f)+`"`)
	}
	const longest = 200 // bytes of a text that is repeated
	var words []string
	for _, w := range l.words {
		words = append(words, w.text)
	}
	if text := strings.Join(words, " "); len(fields) == 1 && len(text) <= longest {
		parts[2] = tools.ShellWord(text)
	}
	return env.Hint("Put quotes around each text: %s", strings.Join(parts, " "))
}

func (c *Command) flagsHint(env *tools.Env) string {
	var names []string
	for _, flag := range c.flagNames() {
		names = append(names, "--"+flag)
	}
	if len(names) == 0 {
		return env.Hint("It takes no flags")
	}
	return env.Hint("It takes: %s", strings.Join(names, ", "))
}

// settingProblems returns the problems of global flags: those that were given twice, and those that
// each caller of a server sets for itself.
func (l *Line) settingProblems(env *tools.Env) (problems []tools.Detail) {
	for _, name := range l.repeated {
		problems = append(problems, tools.Detail{
			Path: "/" + name, Message: env.Localize("is given twice"),
			Hint: env.Hint("Give --%s once", name),
		})
	}
	if !slices.Contains([]string{"mcp", "serve", "page"}, l.command.Tool.Command) {
		return problems
	}
	for _, one := range []struct {
		name string
		hint tools.Text
	}{
		{"fields", "Leave it out: a server's results have all fields of their schema"},
		{"idempotency-key", "Leave it out: each request to techo serve has its own header Idempotency-Key"},
	} {
		if _, given := l.Settings[one.name]; given {
			problems = append(problems, tools.Detail{
				Path: "/" + one.name, Hint: env.Hint(one.hint),
				Message: env.Localize("is for a single call, not for a server"),
			})
		}
	}
	return problems
}

func (a *App) unknownCommand(l *Line, node *cli.Command, problems []tools.Detail) *tools.Error {
	env, typed := a.Run.Env(), a.Run.Name()
	e := &tools.Error{Code: tools.InvalidInput, Details: problems}
	var names, all []string // those that help shows, and all
	for _, c := range node.Commands {
		all = append(all, c.Name)
		if !c.Hidden && c.Name != completeName {
			names = append(names, c.Name)
		}
	}
	for _, name := range l.withoutValue {
		e.Details = append(e.Details, withoutValue(env, name))
	}
	if l.Unknown == "" {
		e.Message = env.Localize("%s: a command is missing", typed)
		e.Hint = env.Hint("One of: %s", strings.Join(names, ", "))
		for _, name := range l.unknownFlags {
			e.Details = append(e.Details, schema.UnknownField(env, "/"+name, name, settingNames(nil)))
		}
		return e
	}
	e.Message = env.Localize("%s: there is no command %q", typed, l.Unknown)
	near := tools.RelatedWords(l.Unknown, names)
	if len(near) == 0 {
		near = a.elsewhere(node, func(name string) bool { return name == l.Unknown })
	}
	if len(near) == 0 {
		near = a.elsewhere(node, func(name string) bool {
			return len(tools.RelatedWords(l.Unknown, []string{name})) > 0
		})
	}
	if len(near) == 0 {
		near = nearest.Of(l.Unknown, all)
	}
	switch {
	case len(near) > 0:
		e.Hint = env.DidYouMean(near)
	case tools.IsVerb(l.Unknown) && node != a.root: // it is a command of other families
		e.Hint = env.Hint("One of: %s", strings.Join(names, ", "))
	default:
		e.Hint = env.Hint("See %s --help", manName(node))
	}
	return e
}

// elsewhere returns the commands of other families whose name is one of those, if they are few.
func (a *App) elsewhere(node *cli.Command, isOne func(name string) bool) (found []string) {
	const most = 5
	for _, family := range a.root.Commands {
		switch {
		case family.Hidden:
		case family.Name != completeName && isOne(family.Name) && node != a.root:
			found = append(found, manName(family))
		case family != node:
			for _, c := range family.Commands {
				if isOne(c.Name) && !c.Hidden {
					found = append(found, manName(c))
				}
			}
		}
	}
	if len(found) > most {
		return nil
	}
	slices.SortStableFunc(found, func(a, b string) int { return len(strings.Fields(a)) - len(strings.Fields(b)) })
	return found
}
