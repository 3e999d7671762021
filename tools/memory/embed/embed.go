// Package embed compares the meanings of memories by a model of the person's own: an endpoint such
// as Ollama turns texts into vectors. Without one, and where it does not answer, the built-in table
// does so.
package embed

import (
	"cmp"
	"context"
	"slices"
	"time"

	"techo/store"
	"techo/store/ledger"
	"techo/store/memory"
	"techo/store/space"
	"techo/tools"
	"techo/tools/message"
)

// nameOf returns the name of the model; an endpoint with one model may need none.
func nameOf(s tools.ModelSettings) string { return cmp.Or(s.Model, "default") }

// Model returns the name of the model of the endpoint, "" for the built-in table.
func Model(env *tools.Env) string {
	if s := env.Model; s.URL != "" {
		return nameOf(s)
	}
	return ""
}

const (
	// soon is how long a search, and what has written, wait for the endpoint.
	soon = 3 * time.Second
	// afterWrite is how long a write goes on to the next memories that wait for their vectors.
	afterWrite = 200 * time.Millisecond
	// afterImport is how long an import waits for it.
	afterImport = 10 * time.Second
)

// Question returns the vectors of a question by the model that is set and, until it has the
// vectors of all memories, by the ones that it replaces. degraded is a sentence for a result
// that had to do without it.
func Question(ctx context.Context, env *tools.Env, st *store.Store, in space.Sources, text string) (
	vecs map[string][]float32, degraded string, err error,
) {
	c := newClient(env, soon)
	if c == nil || ledger.Joined(ctx) {
		return nil, "", nil
	}
	dimensions, others, err := memory.Answering(ctx, st.Ledger, in, c.model)
	if err != nil {
		return nil, "", err
	}
	vecs = map[string][]float32{}
	own, failed := c.Encode(ctx, []string{text})
	if failed == nil && dimensions != 0 && len(own[0]) != dimensions {
		failed = message.NewError("its vectors have another length than before; techo memory reindex builds all again")
	}
	if failed == nil && !slices.ContainsFunc(own[0], func(x float32) bool { return x != 0 }) {
		failed = message.NewError("its vector has only zeros")
	}
	if ctx.Err() != nil {
		return nil, "", context.Cause(ctx) // the call's own timeout, or an interrupt
	}
	if failed != nil {
		return nil, env.Localize("%s did not answer (%v): the built-in table was used",
			shown(env.Model.URL), failed), nil
	}
	vecs[c.model] = own[0]
	for _, other := range others {
		if old, err := c.as(other).Encode(ctx, []string{text}); err == nil {
			vecs[other] = old[0]
		}
	}
	return vecs, "", nil
}

// After gives memories that were just written their vectors, and others that wait for theirs. It
// waits a short time. The others stay pending.
func After(ctx context.Context, env *tools.Env, st *store.Store, user string) {
	fill(ctx, env, st, user, soon, afterWrite)
}

// AfterImport is After for many memories.
func AfterImport(ctx context.Context, env *tools.Env, st *store.Store, user string) {
	fill(ctx, env, st, user, afterImport, afterImport)
}

// fill gives memories their vectors, one request after another until a time is over, and ends within
// a limit. An error leaves them pending.
func fill(ctx context.Context, env *tools.Env, st *store.Store, user string, limit, until time.Duration) {
	c := newClient(env, soon)
	if c == nil || ledger.Joined(ctx) {
		return
	}
	ctx, stop := context.WithTimeout(ctx, limit)
	defer stop()
	began := time.Now()
	for more, err := true, error(nil); more && err == nil; more = more && time.Since(began) < until {
		_, more, err = memory.Fill(ctx, st.Ledger, user, c, c.size, false)
	}
}
