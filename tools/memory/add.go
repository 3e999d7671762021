package memory

import (
	"context"
	"reflect"
	"strings"
	"time"

	"techo/store/memory"
	"techo/tools"
	"techo/tools/memory/embed"
	"techo/tools/when"
)

// Add saves a memory.
var Add = &tools.Tool{
	Name:    "add_memory",
	For:     tools.Agents,
	Command: "memory add",
	About:   "Keep something learned, in full",
	More: "Write the full text so that it can be understood alone: who, what, when. A topic has " +
		"one memory in each scope: adding another supersedes it (replaced).",
	Details: "A memory is anything said or learned, in full; it belongs to one user and comes up when " +
		"a message matches it. related lists up to three earlier memories about the same matter: " +
		"supersede the one that is no longer true (supersedes in the addition, or the tool for " +
		"it), remove one that says the same, and leave what is true as well. A text said again " +
		"renews its memory (renewed): its date and what else is given; it supersedes what had " +
		"superseded it. Something older than what is known (created_at) changes nothing " +
		"(outdated). Memories of one session are found together. warnings says when the text " +
		"looks as if it has a secret: do not keep those.",
	Notes: []tools.Note{
		{Text: "For a short fact that every prompt must show, use %s.", Names: []string{"memo add"}},
		{Text: "%s replaces a memory that is no longer true.", Names: []string{"memory supersede"}},
	},
	Effect:  tools.Adds,
	InStore: true,
	Models:  true,
	Sharing: tools.OneSpace,
	Words:   []string{"full_text…"},
	Examples: []tools.Example{
		{Does: "Keep a memory", Line: `memory add "Tanaka has a golden retriever named Max. He got him in 2023."`},
		{Does: "Keep what holds now, in place of what held before",
			Line: `memory add "The release is planned for Friday." --topic release --scope project`},
		{Does: "Keep one of a session, under a caption",
			Line: `memory add "Max is afraid of thunder." --caption "Max and thunder" --session 2026-01-05`},
	},
	Run: tools.Func[AddIn, AddOut](addMemory),
}

// AddIn is the input of add_memory.
type AddIn struct {
	FullText string `json:"full_text" format:"nonblank" doc:"What was learned, in full" list:"bare"`
	Caption  string `json:"caption,omitempty" maxLength:"1000" doc:"One line for prompts; else the first sentence"`
	Session  string `json:"session,omitempty" format:"name" minLength:"0" maxLength:"200" doc:"Its source, e.g. a chat"`
	Created  string `json:"created_at,omitempty" doc:"When it was learned, e.g. 2026-01-05T14:00; else now"`

	Topic   string `json:"topic,omitempty" format:"name" minLength:"0" maxLength:"200" doc:"Has one memory in a scope" list:"bare"`
	Scope   string `json:"scope,omitempty" enum:"person,project" doc:"About the user (default), or about their work"`
	Source  string `json:"source,omitempty" maxLength:"1000" doc:"file:PATH, file:PATH#L3-L9, url:…, or text"`
	Expires string `json:"expires_at,omitempty" doc:"From this time or day on it is not found, e.g. 2026-01-31"`

	Supersedes supersededIDs `json:"supersedes,omitempty" doc:"Ids of memories that are not true any more with it"`
}

// supersededIDs are ids of memories that another one replaces.
type supersededIDs []string

// FieldTags limits how many there are.
func (supersededIDs) FieldTags() reflect.StructTag {
	return `maxItems:"20" minLength:"1" record:"memory"`
}

// AddOut is the result of add_memory.
type AddOut struct {
	Memory     Detail    `json:"memory"`
	Created    bool      `json:"created"`
	Replaced   bool      `json:"replaced,omitempty"` // it supersedes the memory that had the topic
	Renewed    bool      `json:"renewed,omitempty"`  // the text was said again
	Outdated   bool      `json:"outdated,omitempty"` // something newer is known: memory has it
	Superseded []string  `json:"superseded"`         // ids of memories that this one replaced
	Related    []Related `json:"related"`            // earlier ones about the same matter, the nearest first
	Warnings   []string  `json:"warnings,omitempty"`
	Message    string    `json:"message"`
	when.Meaning
}

// newMemory returns the memory of an input, and what its times mean.
func newMemory(env *tools.Env, in AddIn) (m memory.Memory, meaning when.Meaning, err error) {
	t := when.NewTimes(env)
	created := t.Read("created_at", in.Created, false)
	expires, err := newExpiry(env, t, &in.Expires)
	if err != nil {
		return m, meaning, err
	}
	return memory.Memory{User: tools.Owner(env), FullText: in.FullText, Caption: in.Caption, Session: in.Session,
		CreatedAt: created, Topic: in.Topic, Scope: in.Scope, ExpiresAt: *expires}, t.Meaning(), nil
}

func addMemory(ctx context.Context, env *tools.Env, in AddIn) (out AddOut, err error) {
	m, meaning, err := newMemory(env, in)
	if err != nil {
		return out, err
	}
	if m.Source, err = readSource(ctx, env, in.Source); err != nil {
		return out, err
	}
	st, err := env.Store(ctx, tools.Adds)
	if err != nil {
		return out, err
	}
	added, err := st.AddMemory(ctx, m, in.Supersedes...)
	if err != nil {
		return out, Explain(env, err)
	}
	embed.After(ctx, env, st, tools.Owner(env))
	out = AddOut{Memory: DetailOf(env, added.Memory), Created: added.Created, Replaced: added.Replaced,
		Renewed: added.Renewed, Outdated: added.Outdated, Superseded: append([]string{}, added.Superseded...),
		Related: relatedOf(env, added.Related), Warnings: tools.SecretWarnings(env, in.FullText, in.Caption),
		Meaning: meaning, Message: addedMessage(env, added)}
	out.Message = tools.WithWarnings(env, out.Message, out.Warnings) + relatedMessage(env, out.Related)
	return out, nil
}

// Text shows what was added, and the earlier memories about the same matter.
func (o AddOut) Text(env *tools.Env) string { return withRelated(env, o.Message, o.Related) }

// addedMessage returns the message of an addition.
func addedMessage(env *tools.Env, added memory.Added) (text string) {
	switch {
	case added.Replaced:
		text = env.Localize("Memory of the topic replaced (id: %s)", added.ID)
	case added.Outdated:
		text = env.Localize("Something newer is known about it (id: %s)", added.ID)
	case added.Renewed:
		text = env.Localize("Memory renewed: this was kept already (id: %s)", added.ID)
	case !added.Created:
		text = env.Localize("This was kept already (id: %s)", added.ID)
	default:
		text = env.Localize("Memory kept (id: %s)", added.ID)
	}
	if len(added.Superseded) > 0 {
		text += env.Localize("; supersedes %s", strings.Join(added.Superseded, ", "))
	}
	return text
}

// newExpiry reads when a memory expires; nil stays nil, and an empty text is the zero time,
// for never. It also returns the error of the times that t read before.
func newExpiry(env *tools.Env, t *when.Times, text *string) (*time.Time, error) {
	if text == nil {
		return nil, t.Err()
	}
	at := t.ReadNext("expires_at", *text)
	if err := t.Err(); err != nil {
		return nil, err
	}
	if !at.IsZero() && !at.After(env.Now()) {
		return nil, tools.InvalidField(env, "/expires_at", "must be in the future")
	}
	return &at, nil
}
