package offer

import (
	"slices"
	"strings"

	"techo/tools"
)

// Subjects returns the subject of each family of the offered tools.
func Subjects(env *tools.Env, offered []*tools.Tool) (all []string) {
	about := map[string]tools.Text{
		"memo":   "memos about people and plans",
		"memory": "memories of conversations",
		"cal":    "a calendar",
		"todo":   "to-dos",
		"grep":   "search in files",
		"fs":     "reading and editing files",
		"ask":    "questions to the user",
		"web":    "pages of the web",

		"history": "the history of changes",
		"undo":    "the history of changes",
		"space":   "spaces that users share",
	}
	for _, t := range offered {
		family, _, _ := strings.Cut(t.Command, " ")
		if text := env.Localize(about[family]); text != "" && !slices.Contains(all, text) {
			all = append(all, text)
		}
	}
	return all
}
