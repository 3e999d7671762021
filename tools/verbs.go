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

// IsVerb reports whether families have a command with this name.
func IsVerb(word string) bool {
	has := func(group []string) bool { return slices.Contains(group, word) }
	return word == "list" || slices.ContainsFunc(verbs[:], has)
}

// related are words with a similar meaning, verbs and families. They lead to a
// suggestion only, because the commands differ in detail.
var related = [...][]string{
	{"add", "create", "write", "hold"},
	{"get", "show", "read", "info", "fetch"},
	{"list", "ls", "glob", "tools"},
	{"edit", "update", "write"},
	{"remove", "rm", "delete", "cancel"},
	{"search", "find", "query", "glob"},
	{"memo", "memos"},
	{"memory", "memories"},
	{"cal", "calendar", "event", "events"},
	{"todo", "todos", "task", "tasks"},
	{"done", "complete", "finish", "close"},
	{"fs", "file", "files"},
	{"ask", "question", "questions"},
	{"token", "tokens"},
	{"space", "spaces", "team"},
	{"grant", "share", "invite"},
	{"revoke", "leave"},
}

// Spellings returns the other commands that call the tool: its aliases, and its
// command with other words for its verb, unless ExactVerb is set.
func (t *Tool) Spellings() []string {
	all := slices.Clone(t.Aliases)
	family, verb, ok := strings.Cut(t.Command, " ")
	if !ok || t.ExactVerb {
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

// RelatedWords returns the names that have a similar meaning as word. Where nothing
// can be searched or read on its own, listing is the nearest action.
func RelatedWords(word string, names []string) (found []string) {
	for _, group := range related {
		if !slices.Contains(group, word) {
			continue
		}
		for _, name := range names {
			if slices.Contains(group, name) && !slices.Contains(found, name) {
				found = append(found, name)
			}
		}
	}
	listed := []string{"search", "find", "get", "show"}
	if len(found) == 0 && slices.Contains(listed, word) && slices.Contains(names, "list") {
		return []string{"list"}
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
