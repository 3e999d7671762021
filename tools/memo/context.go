package memo

import (
	"context"
	"sort"
	"strings"
	"unicode/utf8"

	"techo/store"
	"techo/tools"
)

// Context writes the memos that belong into a prompt.
var Context = tools.Define(tools.Tool{
	Name:    "memo_context",
	Command: "memo context",
	About:   tools.Say{EN: "Write the memos that belong into a prompt", JA: "プロンプトに含めるメモの節を作る"},
	More: tools.Say{
		EN: "The important memos (priority 4 and 5), then the latest of the others; for a response, also how to keep memos well.",
		JA: "優先度4以上の重要なメモと、それ以外の直近のメモ。response ではメモ管理ガイドラインも含む。",
	},
	Effect:  tools.Reads,
	InStore: true,
	Examples: []tools.Example{
		{Does: tools.Say{EN: "Print the section for a system prompt", JA: "システムプロンプト用の節を出力する"}, Line: `memo context -o text`},
		{Does: tools.Say{EN: "The memos alone, in 2,000 characters", JA: "メモのみ、2000文字以内"}, Line: `memo context --for judgment --max-chars 2000`},
	},
}, memoContext)

// ContextIn is the input of memo_context.
type ContextIn struct {
	For            string `json:"for" default:"response" enum:"response,judgment" en:"What the prompt is for; a response comes with the guidelines" ja:"用途。response はガイドラインを含む"`
	ImportantLimit int    `json:"important_limit" default:"20" min:"0" en:"Important memos at most" ja:"重要なメモの上限"`
	RecentLimit    int    `json:"recent_limit" default:"5" min:"0" en:"Recent memos at most" ja:"直近のメモの上限"`
	MaxChars       int    `json:"max_chars,omitempty" min:"0" en:"Characters of the prompt at most; memos that do not fit are left out" ja:"プロンプトの最大文字数。収まらないメモは省く"`
}

// ContextOut is the result of memo_context.
type ContextOut struct {
	Important []Listed `json:"important"`
	Recent    []Listed `json:"recent"`
	Omitted   int      `json:"omitted"`
	Prompt    string   `json:"prompt"`
	Message   string   `json:"message"`
}

// Text is the prompt itself.
func (o ContextOut) Text(*tools.Env) string { return o.Prompt }

func memoContext(ctx context.Context, env *tools.Env, in ContextIn) (out ContextOut, err error) {
	st, err := env.Store(ctx, tools.Reads)
	if err != nil {
		return out, err
	}
	important, recent, omitted, err := st.ImportantMemos(ctx, in.ImportantLimit, in.RecentLimit)
	if err != nil {
		return out, err
	}
	p := prompt{env: env, important: important, recent: recent}
	if in.For == "response" {
		p.guidelines = env.Say(guidelines)
	}
	if in.MaxChars > 0 {
		omitted += p.fit(in.MaxChars)
	}
	return ContextOut{
		Important: listAll(env, p.important),
		Recent:    listAll(env, p.recent),
		Omitted:   omitted,
		Prompt:    p.text(),
		Message: env.Say(tools.Say{EN: "Important memos: %d, recent: %d, important left out: %d", JA: "重要なメモ%d件、直近のメモ%d件（重要なメモの省略%d件）"},
			len(p.important), len(p.recent), omitted),
	}, nil
}

// prompt is the section of a prompt that memos make.
type prompt struct {
	env        *tools.Env
	important  []store.Memo
	recent     []store.Memo
	guidelines string
}

// fit leaves memos out until the text has at most so many characters, and
// returns how many of them were important. The recent ones go first.
func (p *prompt) fit(chars int) (omitted int) {
	if utf8.RuneCountInString(p.guidelines) > chars {
		p.guidelines = ""
	}
	all := len(p.important)
	keep := func(n int) prompt { // the first n memos
		q := *p
		q.important = p.important[:min(n, all)]
		q.recent = p.recent[:max(n-all, 0)]
		return q
	}
	tooMany := sort.Search(all+len(p.recent), func(i int) bool {
		q := keep(i + 1)
		return utf8.RuneCountInString(q.text()) > chars
	})
	*p = keep(tooMany)
	return all - len(p.important)
}

func (p *prompt) text() string {
	var parts []string
	if len(p.important) > 0 {
		lines := []string{p.env.Say(tools.Say{EN: "## Important memos", JA: "## 重要なメモ"}), ""}
		for _, m := range p.important {
			lines = append(lines, p.env.Say(tools.Say{
				EN: "- **name**: %s\n  - priority: %d\n  - tags: %s\n  - updated: %s\n  - content: %s",
				JA: "- **name**: %s\n  - 優先度: %d\n  - タグ: %s\n  - 更新日: %s\n  - 内容: %s",
			}, inItem(m.Name, "  "), m.Priority, inItem(tagText(p.env, m.Tags), "    "), minute(p.env, m.UpdatedAt), inItem(m.Content, "    ")))
		}
		parts = append(parts, strings.Join(lines, "\n"))
	}
	if len(p.recent) > 0 {
		lines := []string{p.env.Say(tools.Say{EN: "## Recent memos", JA: "## 直近のメモ"}), ""}
		for _, m := range p.recent {
			lines = append(lines, p.env.Say(tools.Say{
				EN: "- **name**: %s / priority: %d / tags: %s / %s",
				JA: "- **name**: %s / 優先度: %d / タグ: %s / %s",
			}, inItem(m.Name, "  "), m.Priority, inItem(tagText(p.env, m.Tags), "  "), inItem(m.Content, "  ")))
		}
		parts = append(parts, strings.Join(lines, "\n"))
	}
	if p.guidelines != "" {
		parts = append(parts, p.guidelines)
	}
	return strings.Join(parts, "\n\n")
}

// Guidelines tell a model how to keep memos well.
func Guidelines() tools.Say { return guidelines }

var guidelines = tools.Say{
	JA: `## メモ管理ガイドライン

- **いつメモすべきか**: ユーザーの好み、興味、家族構成、仕事情報、依頼事項、約束、予定など重要な情報を聞いた時
- **優先度の付け方**:
  - 5: 常に覚えておくべき重要情報（名前、家族、重要な予定）
  - 4: 頻繁に参照すべき情報（好み、興味、定期的な予定）
  - 3: 参考になる情報（一般的な話題、一時的な予定）
  - 2: 補足情報
  - 1: 一時的なメモ
- **タグの付け方**: 既存タグを確認してから使用（list_memo_tagsで確認）。類似タグがあればそれを使う
- **詳細情報**: より詳しい情報はedit_memoのdetailパラメータで記録
- **メモの更新**: 情報が古くなったら edit_memo で更新、不要になったら remove_memo で削除
- **重複注意**: 既存メモを確認し、同じ内容のメモを追加しないこと
- **主語を明記**: 複数人のチャットなので「誰が」が重要。人に関連するメモには必ず主語を入れる（例: 「ラーメンが好き」→「○○さんはラーメンが好き」）`,
	EN: `## Memo guidelines

- **When to keep a memo**: when you hear something important, such as preferences, interests, family, work, requests, promises and plans
- **How to choose a priority**:
  - 5: important and always needed (names, family, important plans)
  - 4: needed often (preferences, interests, regular plans)
  - 3: useful (general topics, passing plans)
  - 2: extra information
  - 1: for the moment only
- **How to choose tags**: look at the tags in use first (list_memo_tags). If one much like it is there, use that
- **Details**: write down more with the detail parameter of edit_memo
- **Keeping memos current**: change what is out of date with edit_memo, remove what is no longer needed with remove_memo
- **No duplicates**: look at the memos there are, and do not add the same one twice
- **Name the person**: several people talk here, so "who" matters. A memo about a person names that person ("likes ramen" → "Tanaka likes ramen")`,
}
