package line

import (
	"slices"

	"techo/tools"
)

// group is a section of techo --help.
type group struct {
	title    tools.Text
	families []string // the first words of its commands
}

// groups are the sections in their order, the most used first.
var groups = []group{
	{"One line:", []string{"add"}},
	{"Memos:", []string{"memo"}},
	{"Memories:", []string{"memory"}},
	{"Calendar and to-dos:", []string{"cal", "todo"}},
	{"Files:", []string{"grep", "fs"}},
	{"Web:", []string{"web"}},
	{"Questions:", []string{"ask"}},
	{"History:", []string{"history", "undo"}},
	{"Shared spaces:", []string{"space"}},
	{"Agents and servers:", []string{"setup", "call", "tools", "mcp", "serve", "page", "token", "login", "logout",
		"skill", "hook", "config"}},
	{"Store and export:", []string{"init", "store", "doctor", "import", "export"}},
	{"Help:", []string{"demo", "help", "man", "completion", "complete", "version"}},
}

// groupOf returns the title of the section of a family, the last one for a
// family without a section.
func groupOf(family string) tools.Text {
	for _, g := range groups {
		if slices.Contains(g.families, family) {
			return g.title
		}
	}
	return groups[len(groups)-1].title
}
