package memory

import (
	"context"
	"encoding/json"
	"errors"
	"path/filepath"
	"reflect"
	"strings"
	"time"

	"techo/export"
	"techo/internal/confine"
	"techo/store/kv"
	"techo/store/ledger"
	"techo/store/search"
	"techo/tools"
)

// Investigate returns memories in full.
var Investigate = &tools.Tool{
	Name:    "investigate_memory",
	For:     tools.Agents,
	Command: "memory investigate",
	About:   "Retrieve full content of specific memories for deeper investigation",
	More: "Use this when memory captions don't provide enough context and you need to understand the full " +
		"details. Memory ids are shown in square brackets in the memory references section. With to_dir the " +
		"memories are written as files into a folder, to be searched with tools for files.",
	Effect:  tools.Reads,
	Sharing: tools.AllSpaces,
	Words:   []string{"memory_ids…"},
	When:    offered,
	Examples: []tools.Example{
		{Does: "Read two memories, for a prompt",
			Line: `memory investigate mem_weuf4qjt mem_6qq4kd4i --query "dog details" -o text`},
		{Does: "Write them into a folder", Line: `memory investigate mem_weuf4qjt --to-dir research`},
	},
	Run: tools.Func[InvestigateIn, InvestigateOut](investigateMemory),
}

// InvestigateIn is the input of investigate_memory.
type InvestigateIn struct {
	MemoryIDs memoryIDs `json:"memory_ids" doc:"List of memory IDs (e.g., 'mem_abc123')"`
	Query     string    `json:"query,omitempty" doc:"What specific information you're looking for"`
	ToDir     *string   `json:"to_dir" doc:"Write files and INDEX.md to this folder instead; empty means a new one"`
}

type memoryIDs []string

// FieldTags demands at least one id.
func (memoryIDs) FieldTags() reflect.StructTag { return `minItems:"1" minLength:"1" record:"memory"` }

// InvestigateOut is the result of investigate_memory: the memories, or the files
// they were written to.
type InvestigateOut struct {
	Query    string         `json:"query"`
	Memories []Investigated `json:"memories,omitzero" compact:"keep"`
	Dir      string         `json:"dir,omitempty"`
	Index    string         `json:"index,omitempty"`
	Files    []string       `json:"files,omitzero"`
	Count    *int           `json:"count,omitempty"`
	Missing  []string       `json:"missing"`
	Message  string         `json:"message"`
}

// Investigated is a memory in full, with the passages that match the query.
type Investigated struct {
	ID        string    `json:"id"`
	Caption   string    `json:"caption"`
	CreatedAt string    `json:"created_at"`
	FullText  string    `json:"full_text"`
	Passages  []Passage `json:"passages"`
	Space     string    `json:"space,omitempty"` // the shared space that it is in

	Supersedes []export.FormerLine `json:"supersedes,omitempty"` // what it has replaced, the latest first
}

// Passage is a line of a full text.
type Passage struct {
	Line int    `json:"line"`
	Text string `json:"text"`
}

const maxPassages = 5 // per memory

// offered returns an error unless all three conditions of the specification hold.
func offered(env *tools.Env) *tools.Error {
	var missing []string
	for _, c := range []struct {
		ok  bool
		how string
	}{
		{env.Memory.On, "--enable-memory (TECHO_MEMORY=1)"},
		{env.Named, "--user ID (TECHO_USER)"},
		{env.Memory.InPrompt, "--memory-context (TECHO_MEMORY_CONTEXT=1)"},
	} {
		if !c.ok {
			missing = append(missing, c.how)
		}
	}
	if len(missing) == 0 {
		return nil
	}
	return env.Fail(tools.Unavailable,
		"investigate_memory needs a prompt with references to memories").WithHint(env.Hint("Missing condition: %s",
		strings.Join(missing, ", ")))
}

func investigateMemory(ctx context.Context, env *tools.Env, in InvestigateIn) (out InvestigateOut, err error) {
	if err := takeTurn(ctx, env); err != nil {
		return out, err
	}
	found, missing, err := read(ctx, env, in.MemoryIDs)
	if err != nil {
		return out, err
	}
	out = InvestigateOut{Query: in.Query, Missing: append([]string{}, missing...)}
	none := env.Localize("No memories found with the provided IDs.")
	if in.ToDir != nil {
		if err := writeOut(ctx, env, *in.ToDir, found, &out); err != nil {
			return out, err
		}
		out.Message = env.Localize("I've saved the requested memories to %s/.\nYou can use file reading tools to "+
			"search through them.\nEach memory is saved as a separate .md file.\nSee INDEX.md for a list of all "+
			"memories.", out.Dir)
	} else {
		out.Memories = withPassages(found, in.Query)
		out.Message = env.Localize("Memories retrieved: %d", len(found))
	}
	if len(found) == 0 {
		out.Message = none
	}
	return out, nil
}

// recent is the length of a turn if the host names no turns.
const recent = time.Minute

// takeTurn counts the call and returns an error if the turn's limit is reached. The process
// counts the calls for a database that it may only read.
func takeTurn(ctx context.Context, env *tools.Env) error {
	c := env.Caller
	if c.MaxPerTurn == 0 {
		return nil
	}
	st, err := env.Open(ctx, true) // a turn belongs to the user, whatever the place of the memories
	if err != nil {
		return err
	}
	if c.Turn != "" {
		err = st.TakeTurn(ctx, env.User, c.Turn, c.MaxPerTurn)
	} else {
		err = st.TakeRecent(ctx, env.User, c.Client, recent, c.MaxPerTurn)
	}
	if refused := new(kv.RefusedError); errors.As(err, &refused) && env.Memory.Turns != nil &&
		(refused.Reason == kv.RefusedPermission || refused.Reason == kv.RefusedReadOnly) {
		err = env.Memory.Turns.Take(env.User, c, recent, env.Now())
	}
	if limit := new(ledger.LimitError); errors.As(err, &limit) {
		e := env.Fail(tools.RateLimited, "At most %d calls in one turn", limit.Max).
			WithHint(env.Hint("Answer with what you have"))
		e.Retryable = false
		e.Details = []tools.Detail{{Path: "/turn", Message: env.Localize("is used up until the next turn")}}
		return e
	}
	return Explain(env, err)
}

// read returns memories from the store, from the memory service if one is configured, or
// those that a server has returned.
func read(ctx context.Context, env *tools.Env, ids []string) (found []Investigated, missing []string, err error) {
	if received := env.Memory.Received; received != nil {
		var out InvestigateOut
		err := json.Unmarshal(received, &out)
		return out.Memories, out.Missing, err
	}
	if env.Memory.Service != "" {
		return fetch(ctx, env, ids)
	}
	st, sources, err := tools.Searched(ctx, env)
	if err != nil {
		return nil, nil, err
	}
	memories, missing, err := getIn(ctx, env, st, sources, ids)
	for _, m := range memories {
		found = append(found, Investigated{ID: m.ID, Caption: m.Caption, CreatedAt: env.Time(m.CreatedAt),
			FullText: m.FullText, Space: m.Space, Supersedes: formerOf(env, m.Memory)})
	}
	return found, missing, Explain(env, err)
}

func withPassages(found []Investigated, query string) []Investigated {
	e := search.NewExcerpts(query)
	all := append([]Investigated{}, found...)
	for i := range all {
		all[i].Passages = []Passage{}
		for _, p := range e.Passages(all[i].FullText, maxPassages) {
			all[i].Passages = append(all[i].Passages, Passage(p))
		}
	}
	return all
}

// writeOut writes the memories to a folder.
func writeOut(ctx context.Context, env *tools.Env, dir string, found []Investigated, out *InvestigateOut) error {
	if dir != "" && !filepath.IsAbs(dir) {
		dir = filepath.Join(env.Dir, dir)
	}
	var docs []export.Document
	for _, m := range found {
		d := export.Document{ID: m.ID, Caption: m.Caption, Created: m.CreatedAt, Text: m.FullText}
		if m.Space != "" {
			d.Fields = []export.Field{{Name: "Space", Value: m.Space}}
		}
		docs = append(docs, d)
		for _, f := range m.Supersedes {
			on := "on " + f.SupersededAt[:len(time.DateOnly)] + " by " + f.SupersededBy
			docs = append(docs, export.Document{ID: f.ID, Caption: f.Caption, Created: f.CreatedAt, Text: f.FullText,
				Fields: []export.Field{{Name: export.SupersededField, Value: on}}, Note: "superseded " + on})
		}
	}
	roots, err := tools.Roots(env)
	if err != nil {
		return err
	}
	r, err := export.Research(ctx, roots, dir, docs)
	if err != nil {
		return folderError(env, dir, err)
	}
	n := len(r.Files)
	out.Dir, out.Index, out.Files, out.Count = r.Dir, r.Index, append([]string{}, r.Files...), &n
	return nil
}

// folderError explains why a folder could not be written.
func folderError(env *tools.Env, dir string, err error) error {
	if foreign := new(export.ForeignError); errors.As(err, &foreign) {
		return Foreign(env, filepath.Join(dir, foreign.Name), foreign)
	}
	if errors.As(err, new(*confine.OutsideError)) {
		return tools.Outside(env, dir).WithHint(env.Hint("Name a folder in one of %s", tools.Flag("root")))
	}
	if e := export.Refused(err); e != nil {
		return env.Fail(tools.Forbidden, "Cannot write to %s: %v", dir, e).
			WithHint(env.Hint("Name another folder: %s", tools.Field("to_dir", tools.Placeholder("DIR"))))
	}
	return err
}

// Foreign returns the error for an existing file that techo did not write and
// therefore does not overwrite. path is the file's path.
func Foreign(env *tools.Env, path string, foreign *export.ForeignError) error {
	message := tools.Text("%s is not overwritten: techo did not write it")
	if foreign.Changed {
		message = "%s is not overwritten: it was changed since techo wrote it"
	}
	return env.Fail(tools.Conflict, message, path).
		WithHint(env.Hint("Move the file away, or name another folder: %s",
			tools.Field("to_dir", tools.Placeholder("DIR"))))
}

// Text shows the memories in the format of the specification, or the notice about
// the folder.
func (o InvestigateOut) Text(env *tools.Env) string {
	if o.Dir != "" || len(o.Memories) == 0 {
		return o.withMissing(env, o.Message)
	}
	var parts []string
	if o.Query != "" {
		parts = append(parts, env.Localize("*Investigating: %s*\n", export.OneLine(o.Query)))
	}
	parts = append(parts, env.Localize("## Retrieved Memories\n"))
	for _, m := range o.Memories {
		caption := m.Caption
		if m.Space != "" {
			caption += env.Localize(" [space: %s]", m.Space)
		}
		parts = append(parts, section(env, m.ID, caption, m.CreatedAt, m.FullText)+formerSections(env, m.Supersedes))
	}
	return o.withMissing(env, strings.Join(parts, "\n"))
}

// formerSections formats what a memory has replaced, each behind a blank line.
func formerSections(env *tools.Env, all []export.FormerLine) (text string) {
	for _, f := range all {
		text += "\n### [" + export.OneLine(f.ID) + "] " + export.OneLine(f.Caption) + "\n" +
			env.Localize("**Created:** %s", export.OneLine(f.CreatedAt)) + "\n" +
			env.Localize("**Superseded:** on %s by %s", f.SupersededAt[:len(time.DateOnly)], f.SupersededBy) +
			"\n\n" + f.FullText + "\n"
	}
	return text
}

// section formats one memory as Markdown.
func section(env *tools.Env, id, caption, created, text string) string {
	return "### [" + export.OneLine(id) + "] " + export.OneLine(caption) + "\n" +
		env.Localize("**Created:** %s", export.OneLine(created)) + "\n\n" + text + "\n"
}

// withMissing adds the missing ids, unless all are missing.
func (o InvestigateOut) withMissing(env *tools.Env, text string) string {
	if len(o.Missing) == 0 || len(o.Memories) == 0 && len(o.Files) == 0 {
		return text
	}
	ids := make([]string, len(o.Missing))
	for i, id := range o.Missing {
		ids[i] = export.OneLine(id)
	}
	return text + "\n" + env.Localize("Missing: %s", strings.Join(ids, ", "))
}
