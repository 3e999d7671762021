package memory

import (
	"context"
	"strings"

	"techo/store"
	"techo/tools"
)

// Add saves a memory.
var Add = tools.Define(tools.Tool{
	Name:    "add_memory",
	For:     tools.Agents,
	Command: "memory add",
	About:   "Keep something learned, in full",
	More: "Write the full text so that it can be understood alone: who, what, when. A text that is kept already " +
		"returns its memory (created is false); similar lists memories with nearly the same text. Memories of one " +
		"session are found together.",
	Effect:  tools.Adds,
	InStore: true,
	Words:   []string{"full_text"},
	Examples: []tools.Example{
		{Does: "Keep a memory", Line: `memory add "Tanaka has a golden retriever named Max. He got him in 2023."`},
		{Does: "Keep one of a session, under a caption",
			Line: `memory add "Max is afraid of thunder." --caption "Max and thunder" --session 2026-01-05`},
	},
}, addMemory)

// AddIn is the input of add_memory.
type AddIn struct {
	FullText string `json:"full_text" format:"nonblank" doc:"What was learned, in full"`
	Caption  string `json:"caption,omitempty" maxLength:"1000" doc:"One line for prompts; else the first sentence"`
	Session  string `json:"session,omitempty" format:"name" minLength:"0" maxLength:"200" doc:"Its source, e.g. a chat"`
	Created  string `json:"created_at,omitempty" doc:"When it was learned (RFC 3339); else now"`
}

// AddOut is the result of add_memory.
type AddOut struct {
	Memory  Detail   `json:"memory"`
	Created bool     `json:"created"`
	Similar []string `json:"similar"`
	Message string   `json:"message"`
}

func addMemory(ctx context.Context, env *tools.Env, in AddIn) (out AddOut, err error) {
	t := tools.NewTimes(env)
	created := t.Read("created_at", in.Created, false)
	if err := t.Err(); err != nil {
		return out, err
	}
	st, err := env.Store(ctx, tools.Adds)
	if err != nil {
		return out, err
	}
	added, similar, err := st.AddMemory(ctx, store.Memory{
		User: env.User, FullText: in.FullText, Caption: in.Caption, Session: in.Session, CreatedAt: created,
	})
	if err != nil {
		return out, explain(env, err)
	}
	out = AddOut{Memory: detail(env, added.Memory), Created: added.Created, Similar: append([]string{}, similar...)}
	switch {
	case !added.Created:
		out.Message = env.Localize("This was kept already (id: %s)", added.ID)
	case len(similar) > 0:
		out.Message = env.Localize("Memory kept (id: %s); nearly the same: %s", added.ID, strings.Join(similar, ", "))
	default:
		out.Message = env.Localize("Memory kept (id: %s)", added.ID)
	}
	return out, nil
}
