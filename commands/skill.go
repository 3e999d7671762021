package commands

import (
	"context"
	"slices"
	"strings"
	"techo/commands/line"
	"techo/commands/offer"
	"techo/commands/run"
	"techo/commands/system"
	"techo/tools"
	"techo/tools/memo"
)

// skillIn is the input of the command skill.
type skillIn struct {
	For  string   `json:"for" enum:"claude,codex" doc:"claude: a SKILL.md; codex: a section of AGENTS.md"`
	Only []string `json:"only,omitempty" doc:"Only these families or tools, e.g. memo,grep"`
}

// skillCommand writes what an agent with a shell should know of techo.
func skillCommand() *line.Command {
	return line.Answering(tools.Tool{
		Command: "skill",
		About:   "Print what an agent with a shell should know",
		More: "Made from the tools that are to be had here. claude: techo skill --for claude > " +
			".claude/skills/techo/SKILL.md\ncodex, and whatever reads AGENTS.md: techo skill --for codex >> AGENTS.md",
		Examples: []tools.Example{{Does: "For Claude Code", Line: "skill --for claude > SKILL.md"}},
	}, func(_ context.Context, s *run.Run, in skillIn) int {
		offered, e := offer.Narrow(s.Env(), s.Offered, offer.Choice{Only: in.Only, Audience: tools.Agents})
		if e != nil {
			return s.Out.Fail(e)
		}
		return s.Out.Document(skill(s, in.For, offered))
	})
}

// skill writes the page.
func skill(s *run.Run, client string, offered []*tools.Tool) string {
	env := s.Env()
	offered = slices.DeleteFunc(slices.Clone(offered),
		func(t *tools.Tool) bool { return t.When != nil && t.When(env) != nil })
	var b strings.Builder
	if client == "claude" {
		// A model sees no more than this until it decides to read the page.
		b.WriteString("---\nname: techo\ndescription: " +
			env.Localize("The notebook and toolbox of this agent, with %s. Use it when something of that kind "+
				"should be kept, looked up or done.", strings.Join(subjects(env, offered), env.Localize(", "))) + "\n" +
			allowed(offered) + "---\n\n# techo\n\n")
	} else {
		b.WriteString("## techo\n\n")
	}
	b.WriteString(env.Localize(`techo is your notebook and toolbox, a program in the shell.

- Every answer is one JSON document on stdout. Exit code 0 is a result; otherwise it is {"error":{"code","message","hint","retryable"}}: follow the hint, and call again unchanged only if retryable is true.
- Call a tool by its command, or with JSON: techo call NAME '{"field":"value"}'. Texts with quotes are safest on stdin:

  techo call add_memo <<'JSON'
  {"name":"ramen","content":"Tanaka likes ramen","priority":4}
  JSON

- techo tools NAME prints the schema of one tool, techo COMMAND --help its fields and examples. -o text answers in lines, --fields a,b.c keeps only these fields.
- Many calls at once: techo call --batch, one {"tool","input"} a line.
`))
	if client == "claude" {
		b.WriteString("\n" + env.Localize(permissions()) + "\n")
	}
	b.WriteString("\n" + heading(client, env.Localize("Tools")))
	memos := false
	for _, t := range offered {
		memos = memos || t.Name == memo.Add.Name
		b.WriteString("- `" + line.Usage(t) + "` (" + t.Name + "): " + env.Localize(t.About) + "\n")
	}
	if memos {
		b.WriteString("\n" + strings.Replace(env.Localize(memo.Guidelines()), "## ",
			strings.Repeat("#", level(client)+1)+" ", 1) + "\n")
	}
	return b.String()
}

// permissions explains the choice of allowed.
func permissions() tools.Text {
	return "allowed-tools names only commands that read the store, whatever flags are appended. Every other command " +
		"asks the person first, because a flag of it can write elsewhere (--store, --to-dir, --save), read any " +
		"file, or reach a private address (--allow-private). To allow more is the person's decision, in the " +
		"client's settings."
}

// allowed is the line of the commands that a client runs without a question,
// "" when there are none. A pattern covers every flag that a model may append.
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

// subjects say what tools are about, each family once.
func subjects(env *tools.Env, offered []*tools.Tool) (said []string) {
	about := map[string]tools.Text{
		"memo":   "memos about people and plans",
		"memory": "memories of conversations",
		"cal":    "a calendar",
		"grep":   "search in files",
		"fs":     "reading and editing files",
		"ask":    "questions to the user",
		"web":    "pages of the web",
	}
	for _, t := range offered {
		family, _, _ := strings.Cut(t.Command, " ")
		if text := env.Localize(about[family]); text != "" && !slices.Contains(said, text) {
			said = append(said, text)
		}
	}
	return said
}

// level is that of the page's first heading.
func level(client string) int {
	if client == "claude" {
		return 1
	}
	return 2
}

func heading(client, text string) string {
	return strings.Repeat("#", level(client)+1) + " " + text + "\n\n"
}
