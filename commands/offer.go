package commands

import (
	"slices"
	"strings"

	"techo/internal/nearest"
	"techo/tools"
)

// narrowIn are the fields by which a server offers less than it could.
type narrowIn struct {
	Only     []string
	ReadOnly bool
}

// narrow returns tools of which those that a server was told to leave out are
// switched off. They are there still: a call of one is told why.
func narrow(env *tools.Env, all []*tools.Tool, in narrowIn) ([]*tools.Tool, *tools.Error) {
	only := split(in.Only)
	if e := unknownOnly(env, all, only); e != nil {
		return nil, e
	}
	var narrowed []*tools.Tool
	for _, t := range all {
		off := tools.Say{}
		switch {
		case len(only) > 0 && !slices.ContainsFunc(only, func(name string) bool { return slices.Contains(groups(t), name) }):
			off = tools.Say{EN: "It is not among those of --only", JA: "--only に含まれていません"}
		case in.ReadOnly && t.Effect != tools.Reads:
			off = tools.Say{EN: "It changes something, and this server was started with --read-only", JA: "このサーバーは --read-only で起動されており、変更はできません"}
		}
		if off != (tools.Say{}) {
			closed := *t
			closed.When = func(env *tools.Env) *tools.Error { return switchedOff(env, t, off) }
			t = &closed
		}
		narrowed = append(narrowed, t)
	}
	return narrowed, nil
}

// split takes names apart that were given with commas, which none of them has.
func split(given []string) (names []string) {
	for _, g := range given {
		for name := range strings.SplitSeq(g, ",") {
			names = append(names, strings.TrimSpace(name))
		}
	}
	return names
}

// switchedOff is the answer of a tool that a server leaves out.
func switchedOff(env *tools.Env, t *tools.Tool, why tools.Say) *tools.Error {
	return env.Fail(tools.Unavailable, tools.Say{EN: "%s is switched off here", JA: "%s はここでは使えません"}, t.Name).
		WithHint(env.Say(why))
}

// groups are the names that --only knows a tool by: its own, its command, the
// command's first word.
func groups(t *tools.Tool) []string {
	family, _, _ := strings.Cut(t.Command, " ")
	return append([]string{t.Name, t.Command, family}, t.Aliases...)
}

// unknownOnly is the error of a name that no tool goes by.
func unknownOnly(env *tools.Env, all []*tools.Tool, only []string) *tools.Error {
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
		e := env.Fail(tools.InvalidInput, tools.Say{EN: "only: there is no tool and no family %q", JA: "only: 「%s」というツールも分類もありません"}, name)
		e.Details = []tools.Detail{{Path: "/only", Message: e.Message}}
		if e.Hint = env.DidYouMean(nearest.Of(name, known)); e.Hint == "" {
			e.Hint = env.Say(tools.Say{EN: "See techo tools --format names", JA: "techo tools --format names で一覧を確認してください"})
		}
		return e
	}
	return nil
}
