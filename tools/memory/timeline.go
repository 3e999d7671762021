package memory

import (
	"context"
	"strings"

	"techo/store/memory"
	"techo/tools"
	"techo/tools/when"
)

// Timeline lists memories around one or around a time.
var Timeline = &tools.Tool{
	Name:    "memory_timeline",
	For:     tools.Agents,
	Command: "memory timeline",
	About:   "List what was learned before and after a memory or a time",
	Details: "Use it to see what surrounds a memory that a search found: the memories created before " +
		"and after it, in order of time. Name a memory or a time.",
	Effect:      tools.Reads,
	Preapproved: true,
	InStore:     true,
	Sharing:     tools.OneSpace,
	Words:       []string{"id"},
	Examples: []tools.Example{
		{Does: "What was learned around a memory", Line: `memory timeline mem_weuf4qjt`},
		{Does: "What was learned around a day", Line: `memory timeline --at 2026-01-05 --around 3 -o text`},
	},
	Run: tools.Func[TimelineIn, TimelineOut](memoryTimeline),
}

// TimelineIn is the input of memory_timeline.
type TimelineIn struct {
	ID     string `json:"id,omitempty" doc:"Id of the memory in the middle" record:"memory"`
	At     string `json:"at,omitempty" doc:"Instead of an id: a time or a day, e.g. 2026-01-05T14:00, yesterday"`
	Around int    `json:"around" default:"5" minimum:"0" maximum:"500" doc:"How many to list before it, and after it"`
}

// TimelineOut is the result of memory_timeline.
type TimelineOut struct {
	Memories []Summary `json:"memories" compact:"keep"`
	At       string    `json:"at"`
	Message  string    `json:"message"`
	when.Meaning
}

func memoryTimeline(ctx context.Context, env *tools.Env, in TimelineIn) (out TimelineOut, err error) {
	if (in.ID == "") == (in.At == "") {
		if in.ID != "" {
			return out, tools.InvalidField(env, "/id", "cannot be combined with at")
		}
		return out, tools.InvalidField(env, "/id", "is required, unless at is given")
	}
	t := when.NewTimes(env)
	at := t.Read("at", in.At, false)
	if err := t.Err(); err != nil {
		return out, err
	}
	st, err := env.Store(ctx, tools.Reads)
	if err != nil {
		return out, err
	}
	found, at, err := memory.Around(ctx, st.Ledger, tools.Owner(env), in.ID, at, in.Around)
	if err != nil {
		return out, Explain(env, err)
	}
	out = TimelineOut{Memories: []Summary{}, At: env.Time(at), Meaning: t.Meaning()}
	for _, m := range found {
		out.Memories = append(out.Memories, summary(env, m))
	}
	out.Message = env.Localize("Memories around %s: %d", env.Minute(at), len(found))
	return out, nil
}

// Text shows one line per memory.
func (o TimelineOut) Text(env *tools.Env) string {
	return strings.Join(append([]string{o.Message}, captions(env, o.Memories)...), "\n")
}
