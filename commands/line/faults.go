package line

import (
	"techo/tools"
)

// repeated returns a fault for each global flag that was given twice.
func (l Line) repeated(env *tools.Env) (faults []tools.Detail) {
	for _, name := range l.twice {
		faults = append(faults, tools.Detail{
			Path: "/" + name, Message: env.Localize("is given twice"),
			Hint: env.Localize("Give --%s once", name),
		})
	}
	return faults
}

// perCall returns the faults of flags that each caller of a server sets for
// itself.
func (c *Command) perCall(env *tools.Env, l Line) (faults []tools.Detail) {
	if c.Tool.Command != "mcp" && c.Tool.Command != "serve" {
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
			faults = append(faults, tools.Detail{
				Path: "/" + one.name, Hint: env.Localize(one.hint),
				Message: env.Localize("is for a single call, not for a server"),
			})
		}
	}
	return faults
}
