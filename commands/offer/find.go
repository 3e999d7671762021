package offer

import (
	"techo/internal/nearest"
	"techo/tools"
)

// maxShown is how many characters of an unknown name an error shows.
const maxShown = 100

// Find finds a tool by the name that agents use.
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
	if e.Hint = env.DidYouMean(similar(name, names)); e.Hint == "" {
		e.Hint = env.Localize("See techo tools --format names")
	}
	return nil, e
}

// similar returns the names with another word for the verb of name, as in
// create_memo for add_memo, or else the nearest names.
func similar(name string, names []string) []string {
	if found := tools.OtherVerbs(name, names); len(found) > 0 {
		return found
	}
	return nearest.Of(name, names)
}
