package setup

import "techo/tools"

// notes returns what the person should know about a client.
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
