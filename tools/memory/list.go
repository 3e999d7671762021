package memory

import (
	"context"
	"strings"

	"techo/export"
	"techo/store"
	"techo/tools"
)

// List lists memories.
var List = tools.Define(tools.Tool{
	Name:    "list_memory",
	Command: "memory list",
	About:   tools.Say{EN: "List memories, the newest first", JA: "記憶の一覧を取得する"},
	More: tools.Say{
		EN: "Captions without the full texts; get_memory shows one, investigate_memory several.",
		JA: "全文は含まない。全文は get_memory または investigate_memory で取得する。",
	},
	Effect:  tools.Reads,
	InStore: true,
	Examples: []tools.Example{
		{Does: tools.Say{EN: "List the newest", JA: "新しい順に表示する"}, Line: `memory list`},
		{Does: tools.Say{EN: "List those of a session, for a person", JA: "セッションで絞り込む"}, Line: `memory list --session 2026-01-05 --since 2026-01-01 -o text`},
	},
}, listMemory)

// ListIn is the input of list_memory.
type ListIn struct {
	Session string `json:"session,omitempty" en:"Only of this session" ja:"このセッションのみ"`
	Since   string `json:"since,omitempty" en:"Only created at this time or later" ja:"この時刻以降に作成されたもののみ"`
	Until   string `json:"until,omitempty" en:"Only created before this time; a day is taken whole" ja:"この時刻より前に作成されたもののみ（日付ならその日を含む）"`
	Offset  int    `json:"offset" default:"0" min:"0" en:"How many to skip" ja:"スキップする件数"`
	Limit   int    `json:"limit" default:"20" min:"1" max:"1000" en:"How many to list" ja:"取得する最大件数"`
}

// ListOut is the result of list_memory.
type ListOut struct {
	Memories []Listed `json:"memories"`
	Total    int      `json:"total"`
	Offset   int      `json:"offset"`
	Limit    int      `json:"limit"`
	Message  string   `json:"message"`
}

func listMemory(ctx context.Context, env *tools.Env, in ListIn) (out ListOut, err error) {
	f := faults{env: env}
	since, until := f.span(in.Since, in.Until)
	if err := f.err(); err != nil {
		return out, err
	}
	st, err := env.Store(ctx, tools.Reads)
	if err != nil {
		return out, err
	}
	found, total, err := st.FindMemories(ctx, env.User, store.MemoryFilter{
		Session: in.Session, Since: since, Until: until, Offset: in.Offset, Limit: in.Limit,
	})
	if err != nil {
		return out, explain(env, err)
	}
	out = ListOut{Memories: []Listed{}, Total: total, Offset: in.Offset, Limit: in.Limit}
	for _, m := range found {
		out.Memories = append(out.Memories, listed(env, m))
	}
	out.Message = env.Say(tools.Say{EN: "There are no memories", JA: "記憶がありません"})
	if len(found) > 0 {
		out.Message = env.Say(tools.Say{EN: "Memories (%d-%d of %d)", JA: "記憶一覧（%d-%d件 / 全%d件）"}, in.Offset+1, in.Offset+len(found), total)
	}
	return out, nil
}

// Text writes a line for each memory.
func (o ListOut) Text(*tools.Env) string {
	lines := []string{o.Message}
	for _, m := range o.Memories {
		lines = append(lines, "- ["+m.ID+"] "+export.OneLine(m.Caption)+" ("+m.CreatedAt+")")
	}
	return strings.Join(lines, "\n")
}
