package setup

import (
	"techo/commands/system"
	"techo/internal/splice"
)

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
