package memory

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"

	"techo/export"
	"techo/store"
	"techo/store/search"
	"techo/tools"
)

// Investigate shows memories in full.
var Investigate = tools.Define(tools.Tool{
	Name:    "investigate_memory",
	Command: "memory investigate",
	About:   tools.Say{EN: "Retrieve full content of specific memories for deeper investigation", JA: "特定の記憶の全文を取得して詳しく調べる"},
	More: tools.Say{
		EN: "Use this when memory captions don't provide enough context and you need to understand the full details. Memory ids are shown in square brackets in the memory references section. With to_dir the memories are written as files into a folder, to be searched with tools for files.",
		JA: "見出しだけでは情報が足りず、詳細が必要な場合に使用する。id は memory-references の角括弧内に示される。to_dir を指定すると、記憶をファイルとしてフォルダに書き出し、ファイル用のツールで調べられる。",
	},
	Effect: tools.Reads,
	Words:  []string{"memory_ids…"},
	When:   offered,
	Examples: []tools.Example{
		{Does: tools.Say{EN: "Read two memories, for a prompt", JA: "2件の記憶を読む"}, Line: `memory investigate mem_weuf4qjt mem_6qq4kd4i --query "dog details" -o text`},
		{Does: tools.Say{EN: "Write them into a folder", JA: "フォルダに書き出す"}, Line: `memory investigate mem_weuf4qjt --to-dir research`},
	},
}, investigateMemory)

// InvestigateIn is the input of investigate_memory.
type InvestigateIn struct {
	MemoryIDs  []string `json:"memory_ids" least:"1" min:"1" en:"List of memory IDs (e.g., 'mem_abc123')" ja:"記憶の id のリスト（例: mem_abc123）"`
	Query      string   `json:"query,omitempty" en:"What specific information you're looking for" ja:"知りたいこと"`
	ToDir      *string  `json:"to_dir" en:"Write them into this folder instead, one file a memory and INDEX.md; empty makes a new temporary folder" ja:"このフォルダに1件1ファイルと INDEX.md を書き出す（空なら新しい一時フォルダ）"`
	Turn       string   `json:"turn,omitempty" max:"128" en:"The turn of the conversation, of which calls are counted" ja:"会話のターンの識別子（呼び出し回数を数える）"`
	MaxPerTurn int      `json:"max_per_turn" default:"2" min:"1" en:"Calls of one turn at most" ja:"1ターンの呼び出し回数の上限"`
}

// InvestigateOut is the result of investigate_memory: the memories, or where
// they were written.
type InvestigateOut struct {
	Query    string         `json:"query"`
	Memories []Investigated `json:"memories,omitzero"`
	Dir      string         `json:"dir,omitempty"`
	Index    string         `json:"index,omitempty"`
	Files    []string       `json:"files,omitzero"`
	Count    *int           `json:"count,omitempty"`
	Missing  []string       `json:"missing"`
	Message  string         `json:"message"`
}

// Investigated is a memory in full, with the lines that answer the query.
type Investigated struct {
	ID        string    `json:"id"`
	Caption   string    `json:"caption"`
	CreatedAt string    `json:"created_at"`
	FullText  string    `json:"full_text"`
	Passages  []Passage `json:"passages"`
}

// Passage is a line of a full text.
type Passage struct {
	Line int    `json:"line"`
	Text string `json:"text"`
}

const maxPassages = 5 // of one memory

// offered is the gate: whoever calls by name needs all three conditions.
func offered(env *tools.Env) *tools.Error {
	var missing []string
	for _, c := range []struct {
		ok  bool
		how string
	}{
		{env.Memory.On, "--enable-memory (TECHO_MEMORY=1)"},
		{env.Memory.Named, "--user ID (TECHO_USER)"},
		{env.Memory.InPrompt, "--memory-context (TECHO_MEMORY_CONTEXT=1)"},
	} {
		if !c.ok {
			missing = append(missing, c.how)
		}
	}
	if len(missing) == 0 {
		return nil
	}
	return env.Fail(tools.Unavailable, tools.Say{
		EN: "investigate_memory is for prompts that name memories", JA: "investigate_memory は記憶を参照するプロンプトでのみ使えます",
	}).WithHint(env.Say(tools.Say{EN: "Missing: %s", JA: "足りない条件: %s"}, strings.Join(missing, ", ")))
}

func investigateMemory(ctx context.Context, env *tools.Env, in InvestigateIn) (out InvestigateOut, err error) {
	if err := takeTurn(ctx, env, in); err != nil {
		return out, err
	}
	found, missing, err := read(ctx, env, in.MemoryIDs)
	if err != nil {
		return out, err
	}
	out = InvestigateOut{Query: in.Query, Missing: append([]string{}, missing...)}
	none := env.Say(tools.Say{EN: "No memories found with the provided IDs.", JA: "指定された ID の記憶は見つかりませんでした。"})
	if in.ToDir != nil {
		if err := writeOut(ctx, env, *in.ToDir, found, &out); err != nil {
			return out, err
		}
		out.Message = env.Say(tools.Say{
			EN: "I've saved the requested memories to %s/.\nYou can use file reading tools to search through them.\nEach memory is saved as a separate .md file.\nSee INDEX.md for a list of all memories.",
			JA: "指定された記憶を %s/ に保存しました。\nファイルを読むツールで検索できます。\n記憶は1件ごとに .md ファイルになっています。\n一覧は INDEX.md を参照してください。",
		}, out.Dir)
	} else {
		out.Memories = withPassages(found, in.Query)
		out.Message = env.Say(tools.Say{EN: "Memories retrieved: %d", JA: "記憶を%d件取得しました"}, len(found))
	}
	if len(found) == 0 {
		out.Message = none
	}
	return out, nil
}

// takeTurn counts the call.
func takeTurn(ctx context.Context, env *tools.Env, in InvestigateIn) error {
	if in.Turn == "" {
		return nil
	}
	st, err := env.Store(ctx, tools.Changes)
	if err != nil {
		return err
	}
	err = st.TakeTurn(ctx, env.User, in.Turn, in.MaxPerTurn)
	if limit := new(store.LimitError); errors.As(err, &limit) {
		e := env.Fail(tools.RateLimited, tools.Say{EN: "At most %d calls in one turn", JA: "1ターンの呼び出しは%d回までです"}, limit.Most).
			WithHint(env.Say(tools.Say{EN: "Answer with what you have", JA: "得られた情報で回答してください"}))
		e.Retryable = false
		e.Details = []tools.Detail{{Path: "/turn", Message: env.Say(tools.Say{EN: "is spent; come back in the next turn", JA: "このターンは使い切りました。次のターンで使えます"})}}
		return e
	}
	return explain(env, err)
}

// read gets the memories from the store, or from the service.
func read(ctx context.Context, env *tools.Env, ids []string) (found []Investigated, missing []string, err error) {
	if env.Memory.Service != "" {
		return fetch(ctx, env, ids)
	}
	st, err := env.Store(ctx, tools.Reads)
	if err != nil {
		return nil, nil, err
	}
	memories, missing, err := st.GetMemories(ctx, env.User, ids)
	for _, m := range memories {
		found = append(found, Investigated{ID: m.ID, Caption: m.Caption, CreatedAt: env.Time(m.CreatedAt), FullText: m.FullText})
	}
	return found, missing, explain(env, err)
}

func withPassages(found []Investigated, query string) []Investigated {
	e := search.NewExcerpts(query)
	all := append([]Investigated{}, found...)
	for i := range all {
		all[i].Passages = []Passage{}
		for _, p := range e.Passages(all[i].FullText, maxPassages) {
			all[i].Passages = append(all[i].Passages, Passage(p))
		}
	}
	return all
}

// writeOut writes the memories into a folder.
func writeOut(ctx context.Context, env *tools.Env, dir string, found []Investigated, out *InvestigateOut) error {
	if dir != "" && !filepath.IsAbs(dir) {
		dir = filepath.Join(env.Dir, dir)
	}
	var docs []export.Document
	for _, m := range found {
		docs = append(docs, export.Document{ID: m.ID, Caption: m.Caption, Created: m.CreatedAt, Text: m.FullText})
	}
	var roots []*os.Root
	if env.Roots != nil {
		var err error
		if roots, err = env.Roots(); err != nil {
			return err
		}
	}
	r, err := export.Research(ctx, roots, dir, docs)
	if err != nil {
		return folderError(env, dir, err)
	}
	n := len(r.Files)
	out.Dir, out.Index, out.Files, out.Count = r.Dir, r.Index, append([]string{}, r.Files...), &n
	return nil
}

// folderError says why a folder could not be written.
func folderError(env *tools.Env, dir string, err error) error {
	if errors.As(err, new(*export.OutsideError)) {
		return env.Fail(tools.Forbidden, tools.Say{EN: "%s is outside of the allowed folders", JA: "%s は許可されたフォルダの外です"}, dir).
			WithHint(env.Say(tools.Say{EN: "Name a folder in one of --root", JA: "--root のフォルダ内を指定してください"}))
	}
	if e := export.Refused(err); e != nil {
		return env.Fail(tools.Forbidden, tools.Say{EN: "Cannot write to %s: %v", JA: "%s に書き込めません: %v"}, dir, e).
			WithHint(env.Say(tools.Say{EN: "Name another folder: --to-dir DIR", JA: "別のフォルダを指定してください: --to-dir DIR"}))
	}
	return err
}

// Text writes the memories as the specification does; with a folder, the
// notice about it.
func (o InvestigateOut) Text(env *tools.Env) string {
	if o.Dir != "" || len(o.Memories) == 0 {
		return o.withMissing(env, o.Message)
	}
	var parts []string
	if o.Query != "" {
		parts = append(parts, env.Say(tools.Say{EN: "*Investigating: %s*\n", JA: "*調査中: %s*\n"}, export.OneLine(o.Query)))
	}
	parts = append(parts, env.Say(tools.Say{EN: "## Retrieved Memories\n", JA: "## 取得した記憶\n"}))
	for _, m := range o.Memories {
		parts = append(parts, section(env, m.ID, m.Caption, m.CreatedAt, m.FullText))
	}
	return o.withMissing(env, strings.Join(parts, "\n"))
}

// section is one memory in Markdown.
func section(env *tools.Env, id, caption, created, text string) string {
	return "### [" + export.OneLine(id) + "] " + export.OneLine(caption) + "\n" +
		env.Say(tools.Say{EN: "**Created:** %s", JA: "**作成日時:** %s"}, export.OneLine(created)) + "\n\n" + text + "\n"
}

// withMissing adds the ids that there are no memories for, unless that is all
// of them.
func (o InvestigateOut) withMissing(env *tools.Env, text string) string {
	if len(o.Missing) == 0 || len(o.Memories) == 0 && len(o.Files) == 0 {
		return text
	}
	ids := make([]string, len(o.Missing))
	for i, id := range o.Missing {
		ids[i] = export.OneLine(id)
	}
	return text + "\n" + env.Say(tools.Say{EN: "Missing: %s", JA: "見つからない ID: %s"}, strings.Join(ids, ", "))
}
