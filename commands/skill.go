package commands

import (
	"context"
	"slices"
	"strings"

	"techo/tools"
	"techo/tools/memo"
)

// skillIn is the input of the command skill.
type skillIn struct {
	For  string   `json:"for" enum:"claude,codex" en:"claude: a SKILL.md; codex: a section of AGENTS.md" ja:"claude: SKILL.md、codex: AGENTS.md の一節"`
	Only []string `json:"only,omitempty" en:"Only these families or tools, e.g. memo,grep" ja:"載せる分類またはツール（例: memo,grep）"`
}

// skillCommand writes what an agent with a shell should know of techo.
func skillCommand() *command {
	return answering(tools.Tool{
		Command: "skill",
		About:   tools.Say{EN: "Print what an agent with a shell should know", JA: "シェルを使うエージェント向けの説明を出力する"},
		More: tools.Say{
			EN: "Made from the tools that are to be had here. claude: techo skill --for claude > .claude/skills/techo/SKILL.md\ncodex, and whatever reads AGENTS.md: techo skill --for codex >> AGENTS.md",
			JA: "ここで使えるツールから作られる。claude: techo skill --for claude > .claude/skills/techo/SKILL.md\ncodex など AGENTS.md を読むもの: techo skill --for codex >> AGENTS.md",
		},
		Examples: []tools.Example{{Does: tools.Say{EN: "For Claude Code", JA: "Claude Code 用"}, Line: "skill --for claude > SKILL.md"}},
	}, func(_ context.Context, s *session, in skillIn) int {
		offered, e := narrow(s.env(), s.offered, narrowIn{Only: in.Only})
		if e != nil {
			return s.fail(e)
		}
		return s.document(s.skill(in.For, offered))
	})
}

// skill writes the page.
func (s *session) skill(client string, offered []*tools.Tool) string {
	env := s.env()
	offered = slices.DeleteFunc(slices.Clone(offered), func(t *tools.Tool) bool { return t.When != nil && t.When(env) != nil })
	var b strings.Builder
	if client == "claude" {
		// A model sees no more than this until it decides to read the page.
		b.WriteString("---\nname: techo\ndescription: " + env.Say(tools.Say{
			EN: "The notebook and toolbox of this agent, with %s. Use it when something of that kind should be kept, looked up or done.",
			JA: "このエージェントの手帳と道具箱（%s）。これらについて、覚えておくこと、調べること、行うことがあるときに使う。",
		}, strings.Join(subjects(env, offered), env.Say(tools.Say{EN: ", ", JA: "、"}))) + "\nallowed-tools: Bash(techo *)\n---\n\n# techo\n\n")
	} else {
		b.WriteString("## techo\n\n")
	}
	b.WriteString(env.Say(tools.Say{
		EN: `techo is your notebook and toolbox, a program in the shell.

- Every answer is one JSON document on stdout. Exit code 0 is a result; otherwise it is {"error":{"code","message","hint","retryable"}}: follow the hint, and call again unchanged only if retryable is true.
- Call a tool by its command, or with JSON: techo call NAME '{"field":"value"}'. Texts with quotes are safest on stdin:

  techo call add_memo <<'JSON'
  {"name":"ramen","content":"Tanaka likes ramen","priority":4}
  JSON

- techo tools NAME prints the schema of one tool, techo COMMAND --help its fields and examples. -o text answers in lines, --fields a,b.c keeps only these fields.
- Many calls at once: techo call --batch, one {"tool","input"} a line.
`,
		JA: `techo はあなたの手帳と道具箱で、シェルで使うプログラムです。

- 答えは常に標準出力への JSON 1件です。終了コード 0 は結果、それ以外は {"error":{"code","message","hint","retryable"}} です。hint に従い、同じ呼び出しを繰り返すのは retryable が true のときだけにしてください。
- コマンドで呼ぶか、JSON で呼びます: techo call 名前 '{"項目":"値"}'。引用符を含む文字列は標準入力が安全です:

  techo call add_memo <<'JSON'
  {"name":"ramen","content":"田中さんはラーメンが好き","priority":4}
  JSON

- techo tools 名前 で一つの定義、techo コマンド --help で項目と例を表示します。-o text は行で答え、--fields a,b.c は項目を絞ります。
- まとめて呼ぶ: techo call --batch（1行に {"tool","input"} を1件）
`,
	}))
	b.WriteString("\n" + heading(client, env.Say(tools.Say{EN: "Tools", JA: "ツール"})))
	memos := false
	for _, t := range offered {
		memos = memos || t.Name == memo.Add.Name
		h := &helpWriter{env: env}
		b.WriteString("- `" + h.usage(&command{Tool: t}) + "` (" + t.Name + "): " + env.Say(t.About) + "\n")
	}
	if memos {
		b.WriteString("\n" + strings.Replace(env.Say(memo.Guidelines()), "## ", strings.Repeat("#", level(client)+1)+" ", 1) + "\n")
	}
	return b.String()
}

// subjects say what tools are about, each family once.
func subjects(env *tools.Env, offered []*tools.Tool) (said []string) {
	about := map[string]tools.Say{
		"memo":   {EN: "memos about people and plans", JA: "人や予定のメモ"},
		"memory": {EN: "memories of conversations", JA: "会話の記憶"},
		"cal":    {EN: "a calendar", JA: "予定表"},
		"grep":   {EN: "search in files", JA: "ファイルの検索"},
		"fs":     {EN: "reading and editing files", JA: "ファイルの読み書き"},
		"ask":    {EN: "questions to the user", JA: "ユーザーへの質問"},
		"web":    {EN: "pages of the web", JA: "ウェブページ"},
	}
	for _, t := range offered {
		family, _, _ := strings.Cut(t.Command, " ")
		if text := env.Say(about[family]); text != "" && !slices.Contains(said, text) {
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
