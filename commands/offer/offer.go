// Package offer selects the tools that a caller may use.
package offer

import (
	"slices"
	"strings"
	"techo/internal/nearest"
	"techo/tools"
)

// Choice are the fields by which a server offers less than it could.
type Choice struct {
	Only     []string
	ReadOnly bool
	Audience tools.Audience
}

// Narrow returns tools of which those that a server was told to leave out are
// switched off. They are there still: a call of one is told why.
func Narrow(env *tools.Env, all []*tools.Tool, in Choice) ([]*tools.Tool, *tools.Error) {
	only := Split(in.Only)
	if e := UnknownOnly(env, all, only); e != nil {
		return nil, e
	}
	kept := SwitchOff(all, func(t *tools.Tool) tools.Text {
		switch {
		case len(only) > 0 && !InGroups(t, only):
			return "It is not among those of --only"
		case in.ReadOnly && t.Effect != tools.Reads:
			return "It changes something, and this server was started with --read-only"
		}
		return ""
	})
	for i, t := range all {
		if outside(env, t, in.Audience) != nil {
			closed := *t
			closed.When = func(env *tools.Env) *tools.Error { return outside(env, t, in.Audience) }
			kept[i] = &closed
		}
	}
	return kept, nil
}

// SwitchOff returns tools of which those are switched off for which off gives a
// reason.
func SwitchOff(all []*tools.Tool, off func(*tools.Tool) tools.Text) []*tools.Tool {
	var result []*tools.Tool
	for _, t := range all {
		if why := off(t); why != "" {
			closed, open := *t, t
			closed.When = func(env *tools.Env) *tools.Error { return switchedOff(env, open, why) }
			t = &closed
		}
		result = append(result, t)
	}
	return result
}

// InGroups reports whether --only with these names keeps a tool.
func InGroups(t *tools.Tool, only []string) bool {
	return slices.ContainsFunc(only, func(name string) bool { return slices.Contains(groups(t), name) })
}

// Split takes names apart that were given with commas, which none of them has.
func Split(given []string) (names []string) {
	for _, g := range given {
		for name := range strings.SplitSeq(g, ",") {
			names = append(names, strings.TrimSpace(name))
		}
	}
	return names
}

// switchedOff is the answer of a tool that a server leaves out.
func switchedOff(env *tools.Env, t *tools.Tool, why tools.Text) *tools.Error {
	return env.Fail(tools.Unavailable, "%s is switched off here", t.Name).
		WithHint(env.Localize(why))
}

// groups are the names that --only knows a tool by: its own, its command, the
// command's first word.
func groups(t *tools.Tool) []string {
	family, _, _ := strings.Cut(t.Command, " ")
	return append([]string{t.Name, t.Command, family}, t.Spellings()...)
}

// UnknownOnly is the error of a name that no tool goes by.
func UnknownOnly(env *tools.Env, all []*tools.Tool, only []string) *tools.Error {
	var known []string
	for _, t := range all {
		known = append(known, groups(t)...)
	}
	slices.Sort(known)
	known = slices.Compact(known)
	for _, name := range only {
		if slices.Contains(known, name) {
			continue
		}
		e := env.Fail(tools.InvalidInput, "only: there is no tool and no family %q", name)
		e.Details = []tools.Detail{{Path: "/only", Message: e.Message}}
		if e.Hint = env.DidYouMean(nearest.Of(name, known)); e.Hint == "" {
			e.Hint = env.Localize("See techo tools --format names")
		}
		return e
	}
	return nil
}
