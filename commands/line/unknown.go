package line

import (
	"strings"

	"github.com/urfave/cli/v3"

	"techo/commands/system"
	"techo/internal/nearest"
	"techo/tools"
	"techo/tools/schema"
)

// unknownCommand is the error of an unknown command, or of a group without a
// command.
func (s *App) unknownCommand(env *tools.Env, node *cli.Command) *tools.Error {
	typed := s.Run.Name()
	e := &tools.Error{Code: tools.InvalidInput, Details: s.problems}
	names := visible(node)
	if s.line.Unknown == "" {
		e.Message = env.Localize("%s: a command is missing", typed)
		e.Hint = env.Hint("One of: %s", strings.Join(names, ", "))
	} else {
		e.Message = env.Localize("%s: there is no command %q", typed, s.line.Unknown)
		near := tools.RelatedWords(s.line.Unknown, names)
		if len(near) == 0 {
			near = nearest.Of(s.line.Unknown, allNames(node))
		}
		advises := adviser{s, env}
		meant := advises.slip()
		if meant == "" && len(near) == 0 {
			meant = advises.sentence(node)
		}
		switch {
		case meant != "":
			e.Hint = env.Hint("Perhaps: %s", meant)
		case len(near) > 0:
			e.Hint = env.DidYouMean(near)
		case tools.IsVerb(s.line.Unknown) && node.Name != system.Name: // it is a command of other families
			e.Hint = env.Hint("One of: %s", strings.Join(names, ", "))
		default:
			e.Hint = env.Hint("See %s --help", manName(node))
		}
	}
	for _, name := range s.line.withoutValue {
		e.Details = append(e.Details, tools.Detail{Path: "/" + name, Message: env.Localize("needs a value")})
	}
	for _, name := range s.line.unknownFlags {
		if s.line.Unknown != "" {
			break // they may belong to the command that was meant
		}
		e.Details = append(e.Details, schema.UnknownField(env, "/"+name, name, settingNames(nil)))
	}
	return e
}

// visible returns the names of the commands of a node that help shows.
func visible(node *cli.Command) (names []string) {
	for _, c := range node.Commands {
		if !c.Hidden {
			names = append(names, c.Name)
		}
	}
	return names
}

func allNames(node *cli.Command) (names []string) {
	for _, c := range node.Commands {
		names = append(names, c.Name)
	}
	return names
}
