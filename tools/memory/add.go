package memory

import (
	"context"
	"fmt"
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
		"looks as if it has a secret: do not keep those. memories adds several, all or none.",
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
		{Does: "Keep two, both or neither",
			Line: `memory add --memories '[{"full_text":"Max sleeps in the kitchen."},{"full_text":"Mori has a cat."}]'`},
	},
	Run: tools.Func[AddIn, AddedOut](addMemory),
}

// AddIn is the input of add_memory.
type AddIn struct {
	Draft    `requiredUnless:"memories"`
	Memories []Draft `json:"memories,omitempty" maxItems:"50" doc:"Instead of the other fields: several memories, all or none" list:"-"`
}

// Draft is a memory to add.
type Draft struct {
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

// AddedOut is the result of add_memory: a memory, or with memories what became of each, in their order.
type AddedOut struct {
	*Kept
	Memories []AddOut `json:"memories,omitempty" compact:"keep"`
	Warnings []string `json:"warnings,omitempty"`
	Message  string   `json:"message"`
	when.Meaning
}

// Text shows what was added, and the earlier memories about the same matter.
func (o AddedOut) Text(env *tools.Env) string {
	if o.Kept != nil {
		return withRelated(env, o.Message, o.Related)
	}
	lines := []string{o.Message}
	for _, m := range o.Memories {
		lines = append(lines, "- "+withRelated(env, m.Message, m.Related))
	}
	return strings.Join(lines, "\n")
}

// AddOut is the result of an addition.
type AddOut struct {
	Kept
	Message string `json:"message"`
	when.Meaning
}

// Kept is what became of a memory that was to be added.
type Kept struct {
	Memory     Detail    `json:"memory"`
	Created    bool      `json:"created"`
	Replaced   bool      `json:"replaced,omitempty"` // it supersedes the memory that had the topic
	Renewed    bool      `json:"renewed,omitempty"`  // the text was said again
	Outdated   bool      `json:"outdated,omitempty"` // something newer is known: memory has it
	Superseded []string  `json:"superseded"`         // ids of memories that this one replaced
	Related    []Related `json:"related"`            // earlier ones about the same matter, the nearest first
}

// said returns the memory of a draft at a place in the input, and what its times mean.
func (d Draft) said(ctx context.Context, env *tools.Env, at string) (said memory.Said, meaning when.Meaning, err error) {
	t := when.NewTimes(env)
	created := t.Read(at+"created_at", d.Created, false)
	expires, err := newExpiry(env, t, at+"expires_at", &d.Expires)
	if err != nil {
		return said, meaning, err
	}
	said = memory.Said{Memory: memory.Memory{User: tools.Owner(env), FullText: d.FullText, Caption: d.Caption,
		Session: d.Session, CreatedAt: created, Topic: d.Topic, Scope: d.Scope, ExpiresAt: *expires}, Instead: d.Supersedes}
	said.Source, err = readSource(ctx, env, d.Source)
	return said, t.Meaning(), err
}

func addMemory(ctx context.Context, env *tools.Env, in AddIn) (out AddedOut, err error) {
	if len(in.Memories) == 0 {
		added, err := addTogether(ctx, env, []Draft{in.Draft}, "")
		if err != nil {
			return out, err
		}
		one := added[0]
		out = AddedOut{Kept: &one.Kept, Warnings: tools.SecretWarnings(env), Meaning: one.Meaning}
		out.Message = tools.WithWarnings(env, one.Message, out.Warnings) + relatedMessage(env, one.Related)
		return out, nil
	}
	if !reflect.ValueOf(in.Draft).IsZero() {
		return out, tools.InvalidField(env, "/memories", "excludes the fields of one memory")
	}
	if out.Memories, err = addTogether(ctx, env, in.Memories, "memories"); err != nil {
		return out, err
	}
	for i := range out.Memories {
		m := &out.Memories[i]
		m.Message += relatedMessage(env, m.Related)
	}
	out.Warnings = tools.SecretWarnings(env)
	out.Message = tools.WithWarnings(env, env.Localize("Kept %s",
		env.Count(len(out.Memories), "%d memory", "%d memories")), out.Warnings)
	return out, nil
}

// addTogether adds the memories of drafts, all or none. list is the field of the input that has them, or "".
func addTogether(ctx context.Context, env *tools.Env, drafts []Draft, list string) (out []AddOut, err error) {
	said := make([]memory.Said, len(drafts))
	meanings := make([]when.Meaning, len(drafts))
	for i, d := range drafts {
		at := ""
		if list != "" {
			at = fmt.Sprintf("%s/%d/", list, i)
		}
		if said[i], meanings[i], err = d.said(ctx, env, at); err != nil {
			return nil, err
		}
	}
	st, err := env.Store(ctx, tools.Adds)
	if err != nil {
		return nil, err
	}
	var all []memory.Added
	if list == "" {
		all = make([]memory.Added, 1)
		all[0], err = st.AddMemory(ctx, said[0].Memory, said[0].Instead...)
	} else {
		all, err = st.AddTogether(ctx, said)
	}
	if err != nil {
		return nil, tools.DraftIn(env, list, Explain(env, err), err)
	}
	embed.After(ctx, env, st, tools.Owner(env))
	for i, added := range all {
		out = append(out, AddOut{Kept{Memory: DetailOf(env, added.Memory), Created: added.Created, Replaced: added.Replaced,
			Renewed: added.Renewed, Outdated: added.Outdated, Superseded: append([]string{}, added.Superseded...),
			Related: relatedOf(env, added.Related)}, addedMessage(env, added), meanings[i]})
	}
	return out, nil
}

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
func newExpiry(env *tools.Env, t *when.Times, field string, text *string) (*time.Time, error) {
	if text == nil {
		return nil, t.Err()
	}
	at := t.ReadNext(field, *text)
	if err := t.Err(); err != nil {
		return nil, err
	}
	if !at.IsZero() && !at.After(env.Now()) {
		return nil, tools.InvalidField(env, "/"+field, "must be in the future")
	}
	return &at, nil
}
