package memory

import (
	"context"
	"slices"
	"time"

	"techo/store/ledger"
	"techo/store/space"
	"techo/tools"
)

// Get shows one memory.
var Get = &tools.Tool{
	Name:    "get_memory",
	For:     tools.Agents,
	Command: "memory get",
	About:   "Show one memory with its full text",
	Details: "Its caption, full text, session and times, and what it has superseded. The id of a " +
		"superseded memory shows the one that holds now, with superseded_by and superseded_at.",
	Effect:      tools.Reads,
	Preapproved: true,
	InStore:     true,
	Sharing:     tools.OneSpace,
	Words:       []string{"id"},
	Examples: []tools.Example{
		{Does: "Show a memory", Line: `memory get mem_weuf4qjt`},
	},
	Run: tools.Func[GetIn, GetOut](getMemory),
}

// GetIn is the input of get_memory.
type GetIn struct {
	ID string `json:"id" minLength:"1" doc:"Id of the memory" list:"bare" record:"memory"`
}

// GetOut is the result of get_memory.
type GetOut struct {
	Memory       Detail `json:"memory"`
	SupersededBy string `json:"superseded_by,omitempty"` // of the memory with the id that was asked for
	SupersededAt string `json:"superseded_at,omitempty"`
	Message      string `json:"message"`
}

func getMemory(ctx context.Context, env *tools.Env, in GetIn) (out GetOut, err error) {
	st, err := env.Store(ctx, tools.Reads)
	if err != nil {
		return out, err
	}
	m, err := st.GetMemory(ctx, tools.Owner(env), in.ID)
	if ledger.IsMissing(err) {
		own, _, e := getIn(ctx, env, st, space.Sources{}, []string{in.ID})
		if e != nil {
			return out, Explain(env, e)
		}
		if len(own) == 1 {
			m, err = own[0].Memory, nil
		}
	}
	if err != nil {
		return out, Explain(env, err)
	}
	d := DetailOf(env, m)
	if d.Etag, err = m.Etag(); err != nil {
		return out, err
	}
	out = GetOut{Memory: d, Message: env.Localize("Memory found (id: %s)", m.ID)}
	for _, f := range d.Supersedes {
		if f.ID == in.ID && in.ID != m.ID {
			out.SupersededBy, out.SupersededAt = f.SupersededBy, f.SupersededAt
			out.Message = env.Localize("%s was superseded on %s by %s", f.ID, f.SupersededAt[:len(time.DateOnly)],
				f.SupersededBy)
		}
	}
	return out, nil
}

// Text shows the memory as investigate_memory does.
func (o GetOut) Text(env *tools.Env) string {
	former := slices.Clone(o.Memory.Supersedes)
	for i := range former {
		former[i].CreatedAt = env.MinuteOf(former[i].CreatedAt)
	}
	return section(env, o.Memory.ID, o.Memory.Caption, env.MinuteOf(o.Memory.CreatedAt), o.Memory.FullText) +
		formerSections(env, former)
}
