package memory

import (
	"context"
	"strings"
	"unicode/utf8"

	"techo/export"
	"techo/store"
	"techo/tools"
)

// Context puts references to memories before a message.
var Context = tools.Define(tools.Tool{
	Name:    "memory_context",
	For:     tools.Hosts,
	Command: "memory context",
	About:   "Put memory references before a message",
	More: "The prompt is a notice with the captions of matching memories, and then the message. " +
		"has_memory_context reports whether there is a notice; offer investigate_memory only then.",
	Effect:  tools.Reads,
	InStore: true,
	Words:   []string{"message…"},
	Examples: []tools.Example{
		{Does: "Print the prompt", Line: `memory context "What's my dog's name again?" -o text`},
	},
}, memoryContext)

// ContextIn is the input of memory_context.
type ContextIn struct {
	Message  string `json:"message" minLength:"1" doc:"What the person said"`
	Limit    int    `json:"limit" default:"5" minimum:"0" maximum:"100" doc:"Maximum number of memories"`
	MaxChars int    `json:"max_chars,omitempty" minimum:"0" doc:"Maximum characters; captions are omitted first"`
}

// Reference is a memory as it appears in a prompt.
type Reference struct {
	ID        string `json:"id"`
	Caption   string `json:"caption"`
	CreatedAt string `json:"created_at"`
}

// ContextOut is the result of memory_context.
type ContextOut struct {
	References       []Reference `json:"references"`
	HasMemoryContext bool        `json:"has_memory_context"`
	Omitted          int         `json:"omitted"`
	Prompt           string      `json:"prompt"`
	Message          string      `json:"message"`
}

// Text is the prompt itself.
func (o ContextOut) Text(*tools.Env) string { return o.Prompt }

func memoryContext(ctx context.Context, env *tools.Env, in ContextIn) (out ContextOut, err error) {
	st, err := env.Store(ctx, tools.Reads)
	if err != nil {
		return out, err
	}
	found, err := st.SearchMemories(ctx, env.User, in.Message, store.MemoryFilter{Limit: in.Limit})
	if err != nil {
		return out, explain(env, err)
	}
	refs := []Reference{}
	for _, h := range found.Hits {
		refs = append(refs, Reference{h.ID, h.Caption, env.Time(h.CreatedAt)})
	}
	n := len(refs)
	for in.MaxChars > 0 && n > 0 && utf8.RuneCountInString(notice(refs[:n], in.Message)) > in.MaxChars {
		n--
	}
	out = ContextOut{
		References: refs[:n], HasMemoryContext: n > 0, Omitted: len(refs) - n,
		Prompt: notice(refs[:n], in.Message),
	}
	out.Message = env.Localize("Memories in the prompt: %d, left out: %d", n, out.Omitted)
	return out, nil
}

// notice returns the block of references, followed by the message.
func notice(refs []Reference, message string) string {
	if len(refs) == 0 {
		return message
	}
	lines := []string{"______ Notice ______", "<memory-references>"}
	for _, r := range refs {
		lines = append(lines, "- ["+r.ID+"] "+unmarked(export.OneLine(r.Caption)))
	}
	return strings.Join(append(lines, "</memory-references>", "____________________", message), "\n")
}

// unmarked replaces the angle brackets of a caption that could open or close the
// block around it.
func unmarked(caption string) string {
	const mark = "memory-references"
	for i := 0; i+len(mark) <= len(caption); i++ {
		if strings.EqualFold(caption[i:i+len(mark)], mark) {
			return strings.NewReplacer("<", "‹", ">", "›").Replace(caption)
		}
	}
	return caption
}
