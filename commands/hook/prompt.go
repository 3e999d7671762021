package hook

import (
	"strings"

	"techo/store/search"
	"techo/tools/memory"
)

// maxReferences is how many memories a message gets.
const maxReferences = 5

// prompt adds the memories that a message needs and that the session does not have yet.
func (c *call) prompt() (added Added) {
	env, message := c.run.Env(), c.given.message()
	added.document, added.Message = form(c.hook, c.client, ""), env.Localize("Nothing is added")
	if message == "" {
		return added
	}
	var found memory.ContextOut
	limit := min(maxReferences+len(c.seen.ids), 100)
	if !c.tool(memory.Context, map[string]any{"message": message, "limit": limit, "notice_bytes": 1 << 20}, &found) ||
		!found.HasMemoryContext {
		return added
	}
	leave := func(r memory.Reference, why string) {
		added.LeftOut = append(added.LeftOut, Item{ID: r.ID, Why: why})
	}
	notice := strings.TrimSuffix(found.Prompt, "\n"+message)
	drop := map[string]bool{}
	var shown []memory.Reference
	for _, r := range found.References {
		if c.seen.has(r.ID) || c.seen.has(versionOf(r.ID, r.UpdatedAt)) {
			leave(r, env.Localize("the session has it already"))
			drop[r.ID] = true
			continue
		}
		shown = append(shown, r)
	}
	for i := len(shown) - 1; i >= 0; i-- {
		text := without(notice, drop)
		if i < maxReferences && len(form(c.hook, c.client, text)) <= MaxPrompt {
			added.document, added.Text = form(c.hook, c.client, text), text
			break
		}
		leave(shown[i], env.Localize("it is over the limit: memories %d, bytes %d", maxReferences, MaxPrompt))
		drop[shown[i].ID] = true
		shown = shown[:i]
	}
	words := search.NewExcerpts(message)
	for _, r := range shown {
		c.seen.add(versionOf(r.ID, r.UpdatedAt))
		why := env.Localize("it belongs to a memory that matches")
		if matched := words.Matched(r.Line, r.Caption); len(matched) > 0 {
			why = env.Localize("it matches: %s", strings.Join(matched, ", "))
		}
		added.Items = append(added.Items, Item{ID: r.ID, Why: why})
	}
	if len(shown) > 0 {
		added.Message = env.Localize("Memories added: %d", len(shown))
	}
	return added
}

// versionOf names a memory as it is: one that has changed since is added again.
func versionOf(id, updated string) string { return id + "@" + updated }

func without(notice string, ids map[string]bool) string {
	var kept []string
	for line := range strings.SplitSeq(notice, "\n") {
		id, _, _ := strings.Cut(strings.TrimPrefix(line, "- ["), "]")
		if !strings.HasPrefix(line, "- [") || !ids[id] {
			kept = append(kept, line)
		}
	}
	return strings.Join(kept, "\n")
}
