package memory

import (
	"context"
	"math"
	"strings"

	"techo/export"
	"techo/store"
	"techo/store/search"
	"techo/tools"
)

// Search finds memories.
var Search = tools.Define(tools.Tool{
	Name:    "search_memory",
	Command: "memory search",
	About:   tools.Say{EN: "Find the memories that answer a question", JA: "質問に答える記憶を検索する"},
	More: tools.Say{
		EN: "Ask in plain English or Japanese; there is no syntax. The best come first; matched are the words of the query that a memory has, the snippet shows where. When nothing is found, suggestions are words that the memories have.",
		JA: "自然な日本語や英語で尋ねる。検索構文はない。関連の高い順。matched は一致した語、snippet は該当箇所。見つからない場合、suggestions に記憶にある語を示す。",
	},
	Effect:  tools.Reads,
	InStore: true,
	Words:   []string{"query…"},
	Examples: []tools.Example{
		{Does: tools.Say{EN: "Ask a question", JA: "質問する"}, Line: `memory search "What is the name of Tanaka's dog?"`},
		{Does: tools.Say{EN: "Search what is new", JA: "最近の記憶から探す"}, Line: `memory search dog --since 2026-01-01 --limit 3 -o text`},
	},
}, searchMemory)

// SearchIn is the input of search_memory.
type SearchIn struct {
	Query   string `json:"query" min:"1" en:"What is asked, in plain words" ja:"知りたいこと（自然な文でよい）"`
	Limit   int    `json:"limit" default:"5" min:"1" max:"1000" en:"How many to return" ja:"取得する最大件数"`
	Session string `json:"session,omitempty" en:"Only of this session" ja:"このセッションのみ"`
	Since   string `json:"since,omitempty" en:"Only created at this time or later" ja:"この時刻以降に作成されたもののみ"`
	Until   string `json:"until,omitempty" en:"Only created before this time; a day is taken whole" ja:"この時刻より前に作成されたもののみ（日付ならその日を含む）"`
}

// SearchOut is the result of search_memory.
type SearchOut struct {
	Query       string   `json:"query"`
	Results     []Result `json:"results"`
	Total       int      `json:"total"`
	AtLeast     bool     `json:"at_least"` // there are more than total, which were not counted
	Suggestions []string `json:"suggestions"`
	Message     string   `json:"message"`
}

// Result is one answer.
type Result struct {
	ID        string   `json:"id"`
	Caption   string   `json:"caption"`
	CreatedAt string   `json:"created_at"`
	Session   string   `json:"session"`
	Score     float64  `json:"score"`
	Matched   []string `json:"matched"`
	Snippet   string   `json:"snippet"`
}

func searchMemory(ctx context.Context, env *tools.Env, in SearchIn) (out SearchOut, err error) {
	f := faults{env: env}
	since, until := f.span(in.Since, in.Until)
	if err := f.err(); err != nil {
		return out, err
	}
	st, err := env.Store(ctx, tools.Reads)
	if err != nil {
		return out, err
	}
	found, err := st.SearchMemories(ctx, env.User, in.Query, store.MemoryFilter{
		Session: in.Session, Since: since, Until: until, Limit: in.Limit,
	})
	if err != nil {
		return out, explain(env, err)
	}
	out = SearchOut{Query: in.Query, Results: []Result{}, Total: found.Total, AtLeast: found.AtLeast, Suggestions: append([]string{}, found.Nearby...)}
	e := search.NewExcerpts(in.Query)
	for _, h := range found.Hits {
		out.Results = append(out.Results, Result{
			ID: h.ID, Caption: h.Caption, CreatedAt: env.Time(h.CreatedAt), Session: h.Session,
			Score:   math.Round(h.Score*1e4) / 1e4,
			Matched: e.Matched(h.FullText + "\n" + h.Caption), Snippet: e.Snippet(h.FullText),
		})
	}
	out.Message = searchMessage(env, out)
	return out, nil
}

func searchMessage(env *tools.Env, o SearchOut) string {
	switch {
	case len(o.Results) > 0 && o.AtLeast:
		return env.Say(tools.Say{EN: "Found %d of more than %d", JA: "%d件を表示（%d件以上が該当）"}, len(o.Results), o.Total)
	case len(o.Results) > 0:
		return env.Say(tools.Say{EN: "Found %d of %d", JA: "%d件を表示（該当 %d件）"}, len(o.Results), o.Total)
	case len(o.Suggestions) > 0:
		return env.Say(tools.Say{EN: "Nothing found; the memories have: %s", JA: "見つかりませんでした。記憶にある語: %s"}, strings.Join(o.Suggestions, ", "))
	}
	return env.Say(tools.Say{EN: "Nothing found", JA: "見つかりませんでした"})
}

// Text writes two lines for each answer.
func (o SearchOut) Text(*tools.Env) string {
	lines := []string{o.Message}
	for _, r := range o.Results {
		lines = append(lines, "- ["+r.ID+"] "+export.OneLine(r.Caption)+" ("+r.CreatedAt+")", "  "+export.OneLine(r.Snippet))
	}
	return strings.Join(lines, "\n")
}
