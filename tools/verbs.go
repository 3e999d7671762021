package tools

import (
	"slices"
	"strings"
)

// verbs are the groups of words for the same action. Every family accepts each
// word of a group: a command "memo add" can be typed as "memo create".
var verbs = [...][]string{
	{"add", "create"},
	{"get", "show"},
	{"edit", "update"},
	{"remove", "delete"},
}

// related are words for similar actions. They lead to a suggestion only, because
// the actions differ in detail.
var related = [...][]string{
	{"add", "create", "write", "hold"},
	{"get", "show", "read", "info"},
	{"list", "glob", "tools"},
	{"edit", "update", "write"},
	{"remove", "delete", "cancel"},
	{"search", "find", "query"},
}

// Spellings returns the other commands that call the tool: its aliases, and its
// command with other words for its verb.
func (t *Tool) Spellings() []string {
	all := slices.Clone(t.Aliases)
	family, verb, ok := strings.Cut(t.Command, " ")
	if !ok {
		return all
	}
	for _, group := range verbs {
		if !slices.Contains(group, verb) {
			continue
		}
		for _, word := range group {
			if place := family + " " + word; word != verb && !slices.Contains(all, place) {
				all = append(all, place)
			}
		}
	}
	return all
}

// RelatedVerbs returns the names that stand for a similar action as verb.
func RelatedVerbs(verb string, names []string) (found []string) {
	for _, group := range related {
		if !slices.Contains(group, verb) {
			continue
		}
		for _, name := range names {
			if slices.Contains(group, name) && !slices.Contains(found, name) {
				found = append(found, name)
			}
		}
	}
	return found
}

// OtherVerbs returns the names of tools that differ from name only in the word for
// the verb: add_memo for create_memo.
func OtherVerbs(name string, names []string) (found []string) {
	verb, rest, ok := strings.Cut(name, "_")
	for _, group := range verbs {
		if !ok || !slices.Contains(group, verb) {
			continue
		}
		for _, word := range group {
			if slices.Contains(names, word+"_"+rest) {
				found = append(found, word+"_"+rest)
			}
		}
	}
	return found
}
