// Package setup registers techo with MCP clients: the server, a skill, and hooks. One
// table has the files and formats of all clients. A file is edited as text, at the offsets of
// a parser, so comments, order and numbers stay; one that does not parse is not touched.
package setup

import (
	"techo/commands/system"
	"techo/internal/splice"
)

// client is a program that starts MCP servers. The first of two places is the person's,
// the second a project's.
type client struct {
	name    string
	title   string
	servers [2]location // the file with the servers; nil for none
	format  splice.Format
	list    string // the object or table of the servers
	entry   func(command string, args []string) []member
	skill   [2]location
	hooks   [2]location // the file with the hooks; nil without hooks
	plugin  [2]location // a plugin instead of hooks; nil without one
	initial string      // the content of a new file with hooks
	events  []event
	asks    *asking // how to ask the client itself; nil if it has no command
}

// event is a hook of a client that techo uses.
type event struct {
	name  string // as the client calls it
	hook  string // the argument of techo hook
	value func(program string, args []string) object
	group bool // the hook is in a group with a matcher
}

// Client is the name of a client.
type Client string

// Enum returns the names of the clients.
func (Client) Enum() (names []string) {
	for _, c := range clients() {
		names = append(names, c.name)
	}
	return names
}

// find returns the client with a name.
func find(name string) client {
	for _, c := range clients() {
		if c.name == name {
			return c
		}
	}
	return client{}
}

// commandAndArgs is the usual entry of a server.
func commandAndArgs(command string, args []string) []member {
	return []member{{"command", command}, {"args", args}}
}

// typed adds the type of the server to the usual entry.
func typed(command string, args []string) []member {
	return append([]member{{"type", "stdio"}}, commandAndArgs(command, args)...)
}

// argsFirst is for TOML, where a new key is inserted above the others.
func argsFirst(command string, args []string) []member {
	return []member{{"args", args}, {"command", command}}
}

// localList is the entry of opencode.
func localList(command string, args []string) []member {
	return []member{{"type", "local"}, {"command", append([]string{command}, args...)}, {"enabled", true}}
}

// skillIn is the place of the skill below a client's folder.
func skillIn(folder location) location {
	return func(m machine) string { return joined(folder(m), "skills", system.Name, "SKILL.md") }
}

// clients returns all clients. The sources of the facts about them are their
// documentations and programs; docs/setup.md has what each of them lacks.
func clients() []client {
	return []client{claudeCode(), codex(), gemini(), cursor(), vsCode(), opencode(), windsurf(), zed()}
}
