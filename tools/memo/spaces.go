package memo

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"techo/store"
	"techo/tools"
)

// placed is a memo with the shared space that it is in, "" for the user's own.
type placed struct {
	store.Memo
	space string
}

func place(space string, memos []store.Memo) (all []placed) {
	for _, m := range memos {
		all = append(all, placed{m, space})
	}
	return all
}

// searchMemos returns the memos that match a question in the space of the call or, without
// one, in the user's own records and all spaces of the user. The order within each place
// stays; the places take turns, because their scores cannot be compared.
func searchMemos(ctx context.Context, env *tools.Env, st *store.Store, question string, f store.MemoFilter) (
	memos []placed, total int, err error,
) {
	whole := store.MemoFilter{Tag: f.Tag, Limit: f.Offset + f.Limit}
	var lists [][]placed
	search := func(from tools.Source) (spaces bool, err error) {
		found, err := from.SearchMemos(ctx, question, whole)
		lists = append(lists, place(from.Space, found.Memos))
		total += found.Total
		return found.Spaces, err
	}
	if err := eachSource(ctx, env, st, search); err != nil {
		return nil, 0, err
	}
	if len(lists) == 1 {
		memos = lists[0]
	} else {
		memos = inTurns(lists)
	}
	memos = memos[min(f.Offset, len(memos)):]
	return memos[:min(f.Limit, len(memos))], total, nil
}

// eachSource calls use for each place that a search looks into. Other places than the
// first are looked up only if use reports that the store has spaces.
func eachSource(ctx context.Context, env *tools.Env, st *store.Store, use func(tools.Source) (bool, error)) error {
	spaces := true
	if env.Sharing.Allows(store.OwnSpace) || tools.Space(env) != "" {
		var err error
		if spaces, err = use(tools.SourceOf(env, st)); err != nil {
			return err
		}
	}
	if !spaces {
		return nil
	}
	others, err := tools.SharedSources(ctx, env, st)
	for _, from := range others {
		if err == nil {
			_, err = use(from)
		}
	}
	return err
}

// inTurns merges lists: the first of each, then the second of each, and so on.
func inTurns(lists [][]placed) (all []placed) {
	for i, more := 0, true; more; i++ {
		more = false
		for _, l := range lists {
			if i < len(l) {
				all, more = append(all, l[i]), true
			}
		}
	}
	return all
}

// byRank sorts memos as lists do: by priority, then the latest first, then by name.
func byRank(a, b placed) int {
	return cmp.Or(b.Priority-a.Priority, byLatest(a, b))
}

func byLatest(a, b placed) int {
	return cmp.Or(b.UpdatedAt.Compare(a.UpdatedAt), strings.Compare(a.Name, b.Name), strings.Compare(a.space, b.space))
}

// promptMemos returns the memos for a prompt, and how many important ones are left out.
func promptMemos(ctx context.Context, env *tools.Env, st *store.Store, in ContextIn) (
	important, recent []placed, omitted int, err error,
) {
	err = eachSource(ctx, env, st, func(from tools.Source) (bool, error) {
		c, err := from.ImportantMemos(ctx, in.ImportantLimit, in.RecentLimit)
		important = append(important, place(from.Space, c.Top)...)
		recent = append(recent, place(from.Space, c.Latest)...)
		omitted += c.Omitted
		return c.Spaces, err
	})
	slices.SortFunc(important, byRank)
	slices.SortFunc(recent, byLatest)
	omitted += max(len(important)-in.ImportantLimit, 0)
	return important[:min(in.ImportantLimit, len(important))], recent[:min(in.RecentLimit, len(recent))], omitted, err
}
