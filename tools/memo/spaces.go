package memo

import (
	"cmp"
	"context"
	"strings"

	"techo/internal/sorting"
	"techo/store/memo"
	"techo/tools"
)

// placed is a memo with the shared space that it is in, "" for the user's own.
type placed struct {
	memo.Memo
	space string
}

func place(space string, memos []memo.Memo) (all []placed) {
	for _, m := range memos {
		all = append(all, placed{m, space})
	}
	return all
}

// searchMemos returns the memos that match a question in the space of the call or, without
// one, in the user's own records and all spaces of the user.
func searchMemos(ctx context.Context, env *tools.Env, question string, f memo.Filter) (memos []placed, total int,
	err error) {
	st, sources, err := tools.Searched(ctx, env)
	if err != nil {
		return nil, 0, err
	}
	found, total, err := memo.Search(ctx, st.Ledger, sources, question, f)
	for _, m := range found {
		memos = append(memos, placed{m.Memo, m.Space})
	}
	return memos, total, err
}

// byRank sorts memos as lists do: by priority, then the latest first, then by name.
func byRank(a, b placed) int {
	return cmp.Or(b.Priority-a.Priority, byLatest(a, b))
}

func byLatest(a, b placed) int {
	return cmp.Or(b.UpdatedAt.Compare(a.UpdatedAt), strings.Compare(a.Name, b.Name), strings.Compare(a.space, b.space))
}

// promptMemos returns the memos for a prompt, and how many important ones are left out.
func promptMemos(ctx context.Context, env *tools.Env, in ContextIn) (important, recent []placed, omitted int,
	err error) {
	st, sources, err := tools.Searched(ctx, env)
	if err != nil {
		return nil, nil, 0, err
	}
	all, err := memo.Important(ctx, st.Ledger, sources, in.ImportantLimit, in.RecentLimit)
	for _, c := range all {
		important = append(important, place(c.Space, c.Top)...)
		recent = append(recent, place(c.Space, c.Latest)...)
		omitted += c.Omitted
	}
	sorting.By(important, byRank)
	sorting.By(recent, byLatest)
	omitted += max(len(important)-in.ImportantLimit, 0)
	return important[:min(in.ImportantLimit, len(important))], recent[:min(in.RecentLimit, len(recent))], omitted, err
}
