package line

import (
	"techo/tools"
)

// repeatedFlags returns a problem for each global flag that was given twice.
func (l Line) repeatedFlags(env *tools.Env) (problems []tools.Detail) {
	for _, name := range l.repeated {
		problems = append(problems, tools.Detail{
			Path: "/" + name, Message: env.Localize("is given twice"),
			Hint: env.Hint("Give --%s once", name),
		})
	}
	return problems
}

// perCallFlags returns the problems of flags that each caller of a server sets for
// itself.
func (c *Command) perCallFlags(env *tools.Env, l Line) (problems []tools.Detail) {
	if c.Tool.Command != "mcp" && c.Tool.Command != "serve" && c.Tool.Command != "page" {
		return nil
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
