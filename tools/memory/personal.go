package memory

import (
	"cmp"
	"context"
	"slices"

	"techo/internal/sorting"
	"techo/store"
	"techo/store/memory"
	"techo/store/space"
	"techo/tools"
)

// # The person in a workspace
//
// A workspace has the memories of a project. What a person has told techo about themselves, in their own store, is
// of use there as well: searches and prompts also read the memories of the scope person from it, and say where each
// line is from. Nothing is written there, and no other workspace is read.

// The stores of a workspace's search.
const (
	workspaceStore = "workspace"
	personStore    = "person"
)

// personal returns the person's own store beside the workspace of a call, nil if there is none or the call names a
// place or another scope.
func personal(ctx context.Context, env *tools.Env, scope string) (*store.Store, error) {
	if env.Personal == nil || tools.InOnePlace(env) || scope == memory.ProjectScope {
		return nil, nil
	}
	return env.Personal(ctx)
}

// searchIn searches the sources of a store, and the person's own store beside a workspace.
func searchIn(ctx context.Context, env *tools.Env, st *store.Store, in space.Sources, question string, f memory.Filter) (
	found memory.Found, err error) {
	if found, err = memory.SearchIn(ctx, st.Ledger, in, question, f); err != nil {
		return found, err
	}
	own, err := personal(ctx, env, f.Scope)
	if own == nil || err != nil {
		return found, err
	}
	f.Scope = memory.PersonScope
	more, err := memory.SearchIn(ctx, own.Ledger, space.Sources{User: env.User, Own: true}, question, f)
	if err != nil {
		return found, err
	}
	for _, h := range more.Hits {
		same := func(o memory.Hit) bool { return o.ID == h.ID && o.Space == "" }
		if h.Personal = true; !slices.ContainsFunc(found.Hits, same) {
			found.Hits = append(found.Hits, h)
		} else {
			more.Total--
		}
	}
	sorting.By(found.Hits, func(a, b memory.Hit) int { return cmp.Compare(b.Score, a.Score) })
	found.Hits = found.Hits[:min(f.Limit, len(found.Hits))]
	found.Total, found.AtLeast = found.Total+max(more.Total, 0), found.AtLeast || more.AtLeast
	for _, r := range more.Respelt {
		if !slices.Contains(found.Respelt, r) {
			found.Respelt = append(found.Respelt, r)
		}
	}
	if found.Nearby = append(found.Nearby, more.Nearby...); len(found.Hits) > 0 {
		found.Nearby = nil
	}
	return found, nil
}

// getIn returns the memories with some ids from the sources of a store, and from the person's own store beside a
// workspace.
func getIn(ctx context.Context, env *tools.Env, st *store.Store, in space.Sources, ids []string) (
	found []memory.SourcedMemory, missing []string, err error) {
	found, missing, err = memory.GetIn(ctx, st.Ledger, in, ids)
	if err != nil || len(missing) == 0 {
		return found, missing, err
	}
	own, err := personal(ctx, env, "")
	if own == nil || err != nil {
		return found, missing, err
	}
	has := func(m memory.SourcedMemory, id string) bool {
		return id == m.ID || slices.ContainsFunc(m.Supersedes, func(f memory.Former) bool { return f.ID == id })
	}
	more, _, err := memory.GetIn(ctx, own.Ledger, space.Sources{User: env.User, Own: true}, missing)
	for _, m := range more {
		if m.Scope != memory.ProjectScope {
			m.Personal = true
			found = append(found, m)
			missing = slices.DeleteFunc(missing, func(id string) bool { return has(m, id) })
		}
	}
	at := func(m memory.SourcedMemory) int {
		return slices.IndexFunc(ids, func(id string) bool { return has(m, id) })
	}
	sorting.By(found, func(a, b memory.SourcedMemory) int { return at(a) - at(b) })
	return found, missing, err
}

// Personal returns the latest memories about the person from their own store, beside a workspace.
func Personal(ctx context.Context, env *tools.Env, limit int) (all []Summary, err error) {
	own, err := personal(ctx, env, "")
	if own == nil || err != nil {
		return nil, err
	}
	found, _, err := own.FindMemories(ctx, env.User, memory.Filter{Scope: memory.PersonScope, Limit: limit})
	for _, m := range found {
		all = append(all, summary(env, m))
	}
	return all, err
}

// storeOf returns the store that a memory is in, "" outside of a workspace.
func storeOf(env *tools.Env, space string, own bool) string {
	switch {
	case own:
		return personStore
	case env.Personal == nil || space != "":
		return ""
	}
	return workspaceStore
}
