package embed

import (
	"context"
	"time"

	"techo/store/ledger"
	"techo/store/memory"
	"techo/tools"
)

// Reindex builds the vectors that are missing.
var Reindex = &tools.Tool{
	Name:    "reindex_memories",
	For:     tools.Hosts,
	Command: "memory reindex",
	About:   "Build the vectors of memories that are missing",
	More: "With a model of your own, memories that were kept while it did not answer, before it " +
		"was set, or under another model have no vector of it: pending counts them. The built-in " +
		"table or the former model finds them until then. The work is done in steps, and what is " +
		"done stays done.",
	Notes: []tools.Note{
		{Text: "%s counts them too.", Names: []string{"store info"}},
	},
	Effect:   tools.Changes,
	World:    true,
	Sharing:  tools.OneSpace,
	Examples: []tools.Example{{Does: "Build what is missing", Line: "memory reindex"}},
	Run:      tools.Func[ReindexIn, ReindexOut](reindex),
}

// ReindexIn is the input of reindex_memories.
type ReindexIn struct{}

// ReindexOut is the result of reindex_memories.
type ReindexOut struct {
	Indexed int    `json:"indexed"` // memories that got their vector now
	Pending int    `json:"pending"` // memories that still have none
	Model   string `json:"model"`
	Message string `json:"message"`
}

const (
	patient = 2 * time.Minute // for a request
	idle    = 3               // steps without progress, because another process works as well
)

func reindex(ctx context.Context, env *tools.Env, _ ReindexIn) (out ReindexOut, err error) {
	st, err := env.Store(ctx, tools.Changes)
	if err != nil {
		return out, err
	}
	if err := st.Ledger.Update(ctx, func(*ledger.Tx) error { return nil }); err != nil { // may the caller write?
		return out, err
	}
	user, c := tools.Owner(env), newClient(env, patient)
	m, err := memory.MeaningOf(ctx, st.Ledger, user, Model(env))
	if err != nil {
		return out, err
	}
	all, waits := m.Pending, 0
	for more := c != nil; more; {
		var n int
		if n, more, err = memory.Fill(ctx, st.Ledger, user, c, c.size, true); err != nil {
			break
		}
		before := m.Pending
		if m, err = memory.MeaningOf(ctx, st.Ledger, user, Model(env)); err != nil {
			break
		}
		env.Step(int64(all-m.Pending), int64(all))
		if waits++; m.Pending < before || n == 0 {
			waits = 0
		}
		more = more && waits < idle
	}
	if ctx.Err() != nil {
		return out, context.Cause(ctx)
	}
	if err != nil && c != nil {
		return out, env.Fail(tools.Upstream, "%s did not answer (%v)", shown(env.Model.URL), err).
			WithHint(env.Hint("Done: %d of %d; run it again when the endpoint answers", all-m.Pending, all))
	}
	out = ReindexOut{Indexed: all - m.Pending, Pending: m.Pending, Model: m.Model}
	out.Message = env.Localize("Vectors built: %d, pending: %d (model %s)", out.Indexed, out.Pending, out.Model)
	return out, err
}
