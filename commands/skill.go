package commands

import (
	"context"
	"slices"
	"strings"

	"techo/commands/catalogue"
	"techo/commands/line"
	"techo/commands/run"
	"techo/commands/system"
	"techo/tools"
	"techo/tools/memo"
	"techo/tools/memory"
)

type skillIn struct {
	For  string   `json:"for" enum:"claude,codex" doc:"claude: a SKILL.md; codex: a section of AGENTS.md"`
	Only []string `json:"only,omitempty" doc:"Only these families or tools, e.g. memo,grep"`
}

// skillCommand prints a description of techo for an agent.
func skillCommand() *line.Command {
	return line.Answering(tools.Tool{
		Command: "skill",
		About:   "Print instructions for an agent with a shell",
		More: "Describes the tools that are available here. Claude Code reads a skill from " +
			".claude/skills/techo/SKILL.md; Codex and other agents read AGENTS.md.",
		Examples: []tools.Example{
			{Does: "Write a skill for Claude Code", Line: "skill --for claude > SKILL.md"},
			{Does: "Add a section to AGENTS.md", Line: "skill --for codex >> AGENTS.md"},
		},
	}, func(_ context.Context, s *run.Run, in skillIn) int {
		offered, e := catalogue.Narrow(s.Env(), s.Offered, catalogue.Choice{Only: in.Only, Audience: tools.Agents})
		if e != nil {
			return s.Out.Fail(e)
		}
		return s.Out.Document(skill(s.Env(), in.For, offered))
	})
}

func skill(env *tools.Env, client string, offered []*tools.Tool) string {
	offered = catalogue.Full.List(env, offered)
	var b strings.Builder
	level := "##" // of the page's first heading
	if client == "claude" {
		level = "#"
		// A model reads only this head until it decides to read the page.
		b.WriteString("---\nname: techo\ndescription: " +
			env.Localize("The notebook and toolbox of this agent, with %s. Use it when something of that kind "+
				"should be kept, looked up or done.",
				strings.Join(catalogue.Subjects(env, offered), env.Localize(", "))) + "\n" +
			allowed(offered) + "---\n\n")
	}
	b.WriteString(level + " techo\n\n" + env.Localize(usage()))
	if client == "claude" {
		b.WriteString("\n" + env.Localize(permissions()) + "\n")
	}
	b.WriteString("\n" + level + "# " + env.Localize("Tools") + "\n\n")
	for _, t := range offered {
		b.WriteString("- `" + line.Usage(t) + "` (" + t.Name + "): " + env.Localize(t.About) + "\n")
	}
	offers := func(tool *tools.Tool) bool {
		return slices.ContainsFunc(offered, func(t *tools.Tool) bool { return t.Name == tool.Name })
	}
	if offers(memo.Add) && offers(memory.Add) {
		b.WriteString("\n" + level + "# " + env.Localize("Memo or memory?") + "\n\n" + env.Localize(
			"A memo is a short fact that every prompt must show; all users of the store see it. A memory is anything "+
				"said or learned, in full; it belongs to one user and comes up when a message matches it.") + "\n")
	}
	if offers(memory.Add) {
		b.WriteString("\n" + level + "# " + env.Localize("Memories that stay true") + "\n\n" +
			env.Localize(staysTrue()) + "\n")
	}
	if offers(memo.Add) {
		guidelines := strings.Replace(env.Localize(memo.Guidelines()), "## ", level+"# ", 1)
		b.WriteString("\n" + guidelines + "\n")
	}
	return b.String()
}

// usage explains how to call tools from a shell.
func usage() tools.Text {
	return "techo is your notebook and toolbox, a program in the shell.\n\n" +
		"- Every answer is one JSON document on stdout. Exit code 0 is a result; otherwise it is " +
		`{"error":{"code","message","hint","retryable"}}: follow the hint, and call again unchanged only if ` +
		"retryable is true.\n" +
		"- Call a tool by its command, or with JSON: techo call NAME '{\"field\":\"value\"}'. Texts with quotes are " +
		"safest on stdin:\n\n" +
		"  techo call add_memo <<'JSON'\n" +
		`  {"name":"ramen","content":"Tanaka likes ramen","priority":4}` + "\n" +
		"  JSON\n\n" +
		"- techo tools NAME prints the schema of one tool, techo COMMAND --help its fields and examples. -o text " +
		"answers in lines, --fields a,b.c keeps only these fields.\n" +
		"- Many calls at once: techo call --batch, one {\"tool\",\"input\"} per line.\n"
}

// staysTrue explains where memories come from, and how to read their dates.
func staysTrue() tools.Text {
	return "Keep the source with each memory: --source file:PATH#L3-L9 for lines that you read, url:…, " +
		"commit:… or message:…. When the file changes, the memory is marked stale: read the file again, then " +
		"confirm, edit or remove the memory.\n\n" +
		"created_at is the day on which a memory was said: \"next week\" in it counts from that day. Lines of a " +
		"notice about the same matter end in that day, as in (2026-03-07): judge which of them holds.\n\n" +
		"An addition answers with related, earlier memories about the same matter. Supersede the one that is no " +
		"longer true (--supersedes ID in the addition, or supersede), and remove one that says the same; leave what " +
		"is true as well."
}

// permissions explains the line allowed-tools.
func permissions() tools.Text {
	return "allowed-tools names only commands that read the store, whatever flags are appended. Every other command " +
		"asks the person first, because a flag of it can write elsewhere (--store, --to-dir, --save), read any " +
		"file, or reach a private address (--allow-private). To allow more is the person's decision, in the " +
		"client's settings."
}

// allowed returns the line with the commands that a client runs without asking, or
// "" without such commands. A pattern covers all flags that a model can append.
func allowed(offered []*tools.Tool) string {
	var patterns []string
	for _, t := range offered {
		if t.Preapproved {
			line := system.Name + " " + t.Command
			patterns = append(patterns, "Bash("+line+")", "Bash("+line+" *)")
		}
	}
	if len(patterns) == 0 {
		return ""
	}
	return "allowed-tools: " + strings.Join(patterns, ", ") + "\n"
}
