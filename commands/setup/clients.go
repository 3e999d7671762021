// Package setup registers techo with MCP clients: the server, a skill, and hooks. One
// table has the files and formats of all clients. A file is edited as text, at the offsets of
// a parser, so comments, order and numbers stay; one that does not parse is not touched.
package setup

import (
	"encoding/json"
	"path/filepath"

	"techo/commands/system"
	"techo/internal/splice"
	"techo/tools"
	"techo/tools/jsontree"
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

// withComments is JSON as the clients for developers read it.
func withComments() splice.JSON { return splice.JSON{Comments: true} }

// agentSkills are the places of skills that several clients share. A second skill of the
// same name elsewhere would be a conflict for some of them.
func agentSkills() [2]location {
	return [2]location{skillIn(atHome(".agents")), skillIn(inProject(".agents"))}
}

func claudeCode() client {
	home := func(path ...string) location { return moved("CLAUDE_CONFIG_DIR", []string{".claude"}, path...) }
	return client{
		name: "claude", title: "Claude Code", format: splice.JSON{}, list: "mcpServers", entry: typed,
		servers: [2]location{moved("CLAUDE_CONFIG_DIR", nil, ".claude.json"), inProject(".mcp.json")},
		skill:   [2]location{skillIn(home()), skillIn(inProject(".claude"))},
		hooks:   [2]location{home("settings.json"), inProject(".claude", "settings.json")},
		events: []event{{"SessionStart", sessionStart, spawned, true},
			{"UserPromptSubmit", eachPrompt, spawned, true}, {"PreCompact", preCompact, spawned, true}},
		asks: &asking{"claude", []string{"mcp", "get", system.Name}, "Connected", nil},
	}
}

func codex() client {
	home := func(path ...string) location { return moved("CODEX_HOME", []string{".codex"}, path...) }
	return client{
		name: "codex", title: "Codex", format: splice.TOML{}, list: "mcp_servers", entry: argsFirst,
		servers: [2]location{home("config.toml"), inProject(".codex", "config.toml")},
		skill:   agentSkills(),
		hooks:   [2]location{home("hooks.json"), inProject(".codex", "hooks.json")},
		events: []event{{"SessionStart", sessionStart, inShell(hookSeconds), true},
			{"UserPromptSubmit", eachPrompt, inShell(hookSeconds), true},
			{"PreCompact", preCompact, inShell(hookSeconds), true}},
		asks: &asking{"codex", []string{"mcp", "get", system.Name, "--json"}, `"enabled": true`, nil},
	}
}

func gemini() client {
	home := func(path ...string) location {
		return moved("GEMINI_CLI_HOME", nil, append([]string{".gemini"}, path...)...)
	}
	settings := [2]location{home("settings.json"), inProject(".gemini", "settings.json")}
	const milliseconds = 1000
	return client{
		name: "gemini", title: "Gemini CLI", format: withComments(), list: "mcpServers", entry: commandAndArgs,
		servers: settings,
		skill:   [2]location{skillIn(moved("GEMINI_CLI_HOME", nil, ".agents")), agentSkills()[1]},
		hooks:   settings,
		events: []event{{"SessionStart", sessionStart, inShell(hookSeconds * milliseconds), true},
			{"BeforeAgent", eachPrompt, inShell(hookSeconds * milliseconds), true}},
		// Without trust it starts no servers. The folder is the person's own.
		asks: &asking{"gemini", []string{"mcp", "list"}, system.Name + ": .*Connected",
			[]string{"GEMINI_CLI_TRUST_WORKSPACE=true"}},
	}
}

func cursor() client {
	return client{
		name: "cursor", title: "Cursor", format: splice.JSON{}, list: "mcpServers", entry: commandAndArgs,
		servers: [2]location{atHome(".cursor", "mcp.json"), inProject(".cursor", "mcp.json")},
		skill:   agentSkills(),
		hooks:   [2]location{atHome(".cursor", "hooks.json"), inProject(".cursor", "hooks.json")},
		initial: "{\n  \"version\": 1\n}\n",
		events: []event{{"sessionStart", sessionStart, lineOnly, false},
			{"beforeSubmitPrompt", eachPrompt, lineOnly, false},
			{"preCompact", preCompact, lineOnly, false}},
	}
}

func vsCode() client {
	user := inConfig(atHome("Library", "Application Support", "Code", "User", "mcp.json"),
		inAppData("Code", "User", "mcp.json"), "Code", "User", "mcp.json")
	file := system.Name + ".json" // of techo alone
	return client{
		name: "vscode", title: "VS Code", format: withComments(), list: "servers", entry: typed,
		servers: [2]location{user, inProject(".vscode", "mcp.json")},
		skill:   agentSkills(),
		hooks:   [2]location{atHome(".copilot", "hooks", file), inProject(".github", "hooks", file)},
		events: []event{{"SessionStart", sessionStart, inShell(hookSeconds), false},
			{"PreCompact", preCompact, inShell(hookSeconds), false}},
	}
}

func opencode() client {
	user := func(path ...string) location { return inConfig(nil, nil, append([]string{"opencode"}, path...)...) }
	return client{
		name: "opencode", title: "opencode", format: withComments(), list: "mcp", entry: localList,
		servers: [2]location{firstOf(user("opencode.json"), user("opencode.jsonc")),
			firstOf(inProject("opencode.json"), inProject("opencode.jsonc"))},
		skill:  agentSkills(),
		plugin: [2]location{user("plugins", "techo.js"), inProject(".opencode", "plugins", "techo.js")},
		asks:   &asking{"opencode", []string{"mcp", "list"}, system.Name + " .*connected", nil},
	}
}

func windsurf() client {
	return client{
		name: "windsurf", title: "Windsurf", format: splice.JSON{}, list: "mcpServers", entry: commandAndArgs,
		servers: [2]location{atHome(".codeium", "windsurf", "mcp_config.json"), nil},
		skill:   [2]location{skillIn(atHome(".codeium", "windsurf")), skillIn(inProject(".windsurf"))},
	}
}

func zed() client {
	user := inConfig(atHome(".config", "zed", "settings.json"), inAppData("Zed", "settings.json"),
		"zed", "settings.json")
	return client{
		name: "zed", title: "Zed", format: withComments(), list: "context_servers", entry: commandAndArgs,
		servers: [2]location{user, inProject(".zed", "settings.json")},
		skill:   agentSkills(),
	}
}

// machine is what the places of a client's files depend on.
type machine struct {
	system.System
	os string // as runtime.GOOS
}

type location func(m machine) string

// atHome is a path below the home folder.
func atHome(path ...string) location { return moved("", nil, path...) }

// moved is a path below the folder that a variable of the environment names, or below
// a folder in the home folder.
func moved(variable string, folder []string, path ...string) location {
	return func(m machine) string {
		if variable != "" {
			if dir := m.Getenv(variable); dir != "" {
				return filepath.Join(append([]string{m.Path(dir)}, path...)...)
			}
		}
		if m.Home() == "" {
			return ""
		}
		return filepath.Join(append(append([]string{m.Home()}, folder...), path...)...)
	}
}

func inProject(path ...string) location {
	return func(m machine) string { return filepath.Join(append([]string{m.Dir}, path...)...) }
}

// inConfig is a path below the folder for settings of the system. On macOS and Windows
// most clients use folders of their own.
func inConfig(mac, windows location, path ...string) location {
	return func(m machine) string {
		switch {
		case m.os == "darwin" && mac != nil:
			return mac(m)
		case m.os == "windows" && windows != nil:
			return windows(m)
		case m.Config() == "":
			return ""
		}
		return filepath.Join(append([]string{m.Config()}, path...)...)
	}
}

// inAppData is a path below the folder for the settings of programs on Windows.
func inAppData(path ...string) location {
	return moved("APPDATA", []string{"AppData", "Roaming"}, path...)
}

// firstOf is the first of some files that exists, or else the first.
func firstOf(all ...location) location {
	return func(m machine) string {
		for _, l := range all {
			if path := l(m); path != "" && exists(path) {
				return path
			}
		}
		return all[0](m)
	}
}

// joined is filepath.Join for a folder that may be unknown.
func joined(folder string, path ...string) string {
	if folder == "" {
		return ""
	}
	return filepath.Join(append([]string{folder}, path...)...)
}

func notes(env *tools.Env, c client, o Options) []string {
	all := []string{}
	add := func(text tools.Text, args ...any) { all = append(all, env.Localize(text, args...)) }
	switch c.name {
	case "claude":
		if o.Project {
			add("Claude Code asks each person to approve the server of a project")
		}
	case "codex":
		if o.Hooks {
			add("Codex runs the hooks after you have reviewed them: /hooks")
		}
		if o.Project {
			add("Codex reads these files only in projects that it trusts")
		}
	case "gemini":
		if o.Project {
			add("Gemini CLI reads these files only in folders that it trusts")
		}
	case "vscode":
		if o.Hooks {
			add("Hooks are a preview in VS Code, which also runs those of Claude Code")
		}
	case "windsurf":
		if o.Project {
			add("Windsurf has no servers of a project: run techo setup windsurf without --project")
		}
	}
	if c.hooks[0] == nil && c.plugin[0] == nil && o.Hooks {
		add("%s has no hooks that can add to a prompt", c.title)
	}
	return all
}

type member struct {
	name  string
	value any
}

// object is a JSON object whose members stay in order.
type object []member

// MarshalJSON writes the members in order.
func (o object) MarshalJSON() ([]byte, error) {
	var fields []jsontree.Field
	for _, m := range o {
		value, err := json.Marshal(m.value)
		if err != nil {
			return nil, err
		}
		fields = append(fields, jsontree.Field{Name: m.name, Value: value})
	}
	return jsontree.AppendObject(nil, fields), nil
}
