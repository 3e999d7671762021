package memo

import (
	"context"
	"sort"
	"strings"
	"unicode/utf8"

	"techo/internal/legible"
	"techo/tools"
	"techo/tools/when"
)

// Context returns the memos for a prompt.
var Context = &tools.Tool{
	Name:    "memo_context",
	For:     tools.Hosts,
	Command: "memo context",
	About:   "Write the memos for a prompt",
	More: "The important memos (priority 4 and 5), then the latest of the others; for a response, also how to " +
		"keep memos well.",
	Effect:  tools.Reads,
	InStore: true,
	Sharing: tools.AllSpaces,
	Examples: []tools.Example{
		{Does: "Print the section for a system prompt", Line: `memo context -o text`},
		{Does: "The memos alone, in 2,000 characters", Line: `memo context --for judgment --max-chars 2000`},
	},
	Run: tools.Func[ContextIn, ContextOut](memoContext),
}

// ContextIn is the input of memo_context.
type ContextIn struct {
	For            string `json:"for" default:"response" enum:"response,judgment" doc:"A response adds guidelines"`
	ImportantLimit int    `json:"important_limit" default:"20" minimum:"0" doc:"Maximum number of important memos"`
	RecentLimit    int    `json:"recent_limit" default:"5" minimum:"0" doc:"Maximum number of recent memos"`
	MaxChars       int    `json:"max_chars,omitempty" minimum:"0" doc:"Maximum characters; further memos are omitted"`
	Now            bool   `json:"now,omitempty" doc:"End with the current time, its zone and the weekday"`
}

// ContextOut is the result of memo_context.
type ContextOut struct {
	Important []Summary `json:"important" compact:"keep"`
	Recent    []Summary `json:"recent" compact:"keep"`
	Omitted   int       `json:"omitted"`
	Prompt    string    `json:"prompt"`
	Message   string    `json:"message"`
}

// Text is the prompt itself.
func (o ContextOut) Text(*tools.Env) string { return o.Prompt }

func memoContext(ctx context.Context, env *tools.Env, in ContextIn) (out ContextOut, err error) {
	important, recent, omitted, err := promptMemos(ctx, env, in)
	if err != nil {
		return out, err
	}
	p := prompt{env: env, important: important, recent: recent}
	if in.For == "response" {
		p.guidelines = env.Localize(guidelines)
	}
	if in.Now {
		p.now = when.Now(env)
	}
	if in.MaxChars > 0 {
		omitted += p.fit(in.MaxChars)
	}
	return ContextOut{
		Important: summaries(env, p.important),
		Recent:    summaries(env, p.recent),
		Omitted:   omitted,
		Prompt:    legible.Escape(p.text()),
		Message: env.Localize("Important memos: %d, recent: %d, important left out: %d",
			len(p.important), len(p.recent), omitted),
	}, nil
}

type prompt struct {
	env        *tools.Env
	important  []placed
	recent     []placed
	guidelines string
	now        string
}

// fit drops memos until the text has at most chars characters, recent ones first.
// It returns the number of dropped important memos.
func (p *prompt) fit(chars int) (omitted int) {
	if utf8.RuneCountInString(p.guidelines) > chars {
		p.guidelines = ""
	}
	all := len(p.important)
	keep := func(n int) prompt { // the first n memos
		q := *p
		q.important = p.important[:min(n, all)]
		q.recent = p.recent[:max(n-all, 0)]
		return q
	}
	tooMany := sort.Search(all+len(p.recent), func(i int) bool {
		q := keep(i + 1)
		return utf8.RuneCountInString(q.text()) > chars
	})
	*p = keep(tooMany)
	return all - len(p.important)
}

func (p *prompt) text() string {
	var parts []string
	if len(p.important) > 0 {
		lines := []string{p.env.Localize("## Important memos"), ""}
		for _, m := range p.important {
			lines = append(lines, p.env.Localize("- **name**: %s\n  - priority: %d\n  - tags: %s\n  - updated: %s\n "+
				" - content: %s", inItem(m.Name, "  "), m.Priority, inItem(tagText(p.env, m.Tags), "    "),
				p.env.Minute(m.UpdatedAt), inItem(m.Content, "    "))+p.source(m, "\n  - space: %s"))
		}
		parts = append(parts, strings.Join(lines, "\n"))
	}
	if len(p.recent) > 0 {
		lines := []string{p.env.Localize("## Recent memos"), ""}
		for _, m := range p.recent {
			lines = append(lines, p.env.Localize("- **name**: %s / priority: %d / tags: %s / %s", inItem(m.Name, "  "),
				m.Priority, inItem(tagText(p.env, m.Tags), "  "), inItem(m.Content, "  "))+p.source(m, " / space: %s"))
		}
		parts = append(parts, strings.Join(lines, "\n"))
	}
	if p.guidelines != "" {
		parts = append(parts, p.guidelines)
	}
	if p.now != "" {
		parts = append(parts, p.now)
	}
	return strings.Join(parts, "\n\n")
}

// source names the space of a shared memo.
func (p *prompt) source(m placed, form tools.Text) string {
	if m.space == "" {
		return ""
	}
	return p.env.Localize(form, m.space)
}

// Guidelines explains to a model how to keep memos well.
func Guidelines() tools.Text { return guidelines }

var guidelines = tools.Text(`## Memo guidelines

- **When to keep a memo**: when you hear something important, such as preferences, interests, family, work, ` +
	`requests, promises and plans
- **How to choose a priority**:
  - 5: important and always needed (names, family, important plans)
  - 4: needed often (preferences, interests, regular plans)
  - 3: useful (general topics, passing plans)
  - 2: extra information
  - 1: for the moment only
- **How to choose tags**: look at the tags in use first (list_memo_tags). If one much like it is there, use that
- **Details**: write down more with the detail parameter of edit_memo
- **Keeping memos current**: change what is out of date with edit_memo, remove what is no longer needed with remove_memo
- **No duplicates**: look at the memos there are, and do not add the same one twice
- **Name the person**: several people talk here, so "who" matters. A memo about a person names that person ` +
	`("likes ramen" → "Tanaka likes ramen")`)
