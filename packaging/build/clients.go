package main

import (
	"cmp"
	"fmt"
	"os"
)

const about = "A notebook and toolbox for AI agents and people: memos, memories, a calendar, files, the web"

// bundles makes the bundle for Claude Desktop, for each system.
func (r release) bundles() error {
	licences, err := r.licences()
	if err != nil {
		return err
	}
	return r.each(func(t target, program file) error {
		platform := cmp.Or(map[string]string{"windows": "win32"}[t.os], t.os)
		manifest := document(map[string]any{
			"manifest_version": "0.3", "name": "techo", "display_name": "techo", "version": r.version,
			"description": about, "author": map[string]string{"name": "The techo authors"}, "license": "MIT",
			"server": map[string]any{"type": "binary", "entry_point": "server/" + program.name,
				"mcp_config": map[string]any{"command": "${__dirname}/server/" + program.name, "args": []string{"mcp"},
					"env": map[string]string{}}},
			"tools_generated": true,
			"compatibility":   map[string]any{"platforms": []string{platform}},
		})
		files := append([]file{{"manifest.json", manifest, false}, {"server/" + program.name, program.content, true}},
			licences...)
		content, err := r.zip(files)
		if err != nil {
			return err
		}
		return r.write(fmt.Sprintf("techo-%s-%s-%s.mcpb", r.version, t.os, t.arch), content)
	})
}

const pluginAbout = `# techo

` + about + `.

The plugin adds the MCP server, a skill that describes its tools, and hooks: notes at the start of a
session, references to the memories that match a message, and the person's requests kept before a
compaction. It runs the program techo on your PATH, so install that first. Everything is stored on
this machine. See what a hook would add with "techo hook prompt --client claude --explain".
`

// plugin makes the plugin for Claude Code as a marketplace of one plugin: the server, the
// skill and the hooks. It runs the techo on the person's PATH.
func (r release) plugin() error {
	skill, err := os.ReadFile(r.skill)
	if err != nil {
		return err
	}
	licences, err := r.licences()
	if err != nil {
		return err
	}
	hooks := map[string]any{}
	for event, hook := range map[string]string{"SessionStart": "session-start", "UserPromptSubmit": "prompt",
		"PreCompact": "pre-compact"} {
		hooks[event] = []any{map[string]any{"hooks": []any{map[string]any{"type": "command", "command": "techo",
			"args": []string{"hook", hook, "--client", "claude"}, "timeout": 10}}}}
	}
	author := map[string]string{"name": "The techo authors"}
	files := []file{
		{".claude-plugin/plugin.json", document(map[string]any{"name": "techo", "version": r.version,
			"description": about, "author": author, "license": "MIT"}), false},
		{".claude-plugin/marketplace.json", document(map[string]any{"name": "techo", "owner": author,
			"description": about,
			"plugins":     []any{map[string]any{"name": "techo", "source": "./", "description": about}}}), false},
		{".mcp.json", document(map[string]any{"mcpServers": map[string]any{
			"techo": map[string]any{"command": "techo", "args": []string{"mcp"}}}}), false},
		{"hooks/hooks.json", document(map[string]any{"hooks": hooks}), false},
		{"skills/techo/SKILL.md", skill, false},
		{"README.md", []byte(pluginAbout), false},
	}
	content, err := r.zip(append(files, licences...))
	if err != nil {
		return err
	}
	return r.write("techo-claude-plugin-"+r.version+".zip", content)
}
