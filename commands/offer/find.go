package offer

import (
	"techo/internal/nearest"
	"techo/tools"
)

// maxShown is the number of characters of an unknown name that an error shows.
const maxShown = 100

// Find returns the tool with a name. The error for an unknown name suggests others.
func Find(env *tools.Env, offered []*tools.Tool, name string) (*tools.Tool, *tools.Error) {
	var names []string
	for _, t := range offered {
		if t.Name == name {
			return t, nil
		}
		names = append(names, t.Name)
	}
	if long := []rune(name); len(long) > maxShown {
		name = string(long[:maxShown]) + "…"
	}
	e := env.Fail(tools.InvalidInput, "There is no tool %q", name)
	e.Tool = name
	return nil, e.WithHint(suggest(env, similar(name, names)))
}

// suggest returns the hint for an unknown name.
func suggest(env *tools.Env, similar []string) string {
	if len(similar) == 0 {
		return env.Hint("See techo tools --format names")
	}
	return env.DidYouMean(similar)
}

// similar returns the names that differ from name by a synonym of the verb, as
// create_memo does from add_memo, or else the names with the most similar spelling.
func similar(name string, names []string) []string {
	if found := tools.OtherVerbs(name, names); len(found) > 0 {
		return found
	}
	return nearest.Of(name, names)
}
