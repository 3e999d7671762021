package review

import (
	"strings"

	"techo/store/memory"
	"techo/tools"
	family "techo/tools/memory"
)

// itemOf writes what is to be decided.
func itemOf(env *tools.Env, w waiting) Item {
	item := Item{Kind: w.kind, Memories: []family.Detail{}}
	var ids []string
	for _, m := range w.Memories {
		item.Memories = append(item.Memories, family.DetailOf(env, m))
		ids = append(ids, m.ID)
	}
	s := suggesting{env}
	if w.kind == syncConflict {
		c := w.conflict
		item.Conflict, item.Choices = &c, s.settle(c.Number)
		item.Why = env.Localize("Two machines changed it: %s", c.Title)
		return item
	}
	first := w.Memories[0]
	switch w.kind {
	case near:
		item.Why = env.Localize("They are about the same matter: do all of them hold?")
		item.Choices = []Suggestion{s.confirm("keep_both", ids...), s.supersede(first.ID, ids[1:]), s.merge(ids)}
		if len(ids) == 2 {
			item.Choices = append(item.Choices, s.remove(ids[1]))
		}
	case expired:
		item.Why = env.Localize("It expired on %s", env.Minute(first.ExpiresAt))
		item.Choices = []Suggestion{s.remove(first.ID), s.keep(first.ID)}
		item.Suggestion = &item.Choices[0]
	case sourceChanged, sourceGone:
		item.Why = env.Localize("Its source has changed: %s", first.Source.Text)
		if w.kind == sourceGone {
			item.Why = env.Localize("Its source is gone: %s", first.Source.Text)
		}
		item.Choices = []Suggestion{s.confirm("confirm", first.ID), s.remove(first.ID)}
	default:
		item.Why = env.Localize("It was never confirmed, and is of %s", env.Minute(first.CreatedAt))
		item.Choices = []Suggestion{s.confirm("confirm", first.ID), s.remove(first.ID)}
	}
	return item
}

// suggesting writes the calls that decide an item.
type suggesting struct{ env *tools.Env }

// call returns a call. words are the words and flags behind the command.
func (s suggesting) call(choice string, t *tools.Tool, input map[string]any, words ...string) Suggestion {
	if space := tools.Space(s.env); space != "" {
		input["space"] = space
	}
	return Suggestion{choice, t.Name, input, s.command(t, words...)}
}

// command returns a line for a shell.
func (s suggesting) command(t *tools.Tool, words ...string) string {
	line := "techo " + t.Command
	if space := tools.Space(s.env); space != "" {
		words = append(words, "--space", space)
	}
	for _, w := range words {
		line += " " + quoted(w)
	}
	return line
}

// supersede lets a memory replace others.
func (s suggesting) supersede(by string, old []string) Suggestion {
	words := []string{by}
	for _, id := range old {
		words = append(words, "--supersedes", id)
	}
	return s.call("supersede", family.Edit, map[string]any{"id": by, "supersedes": old}, words...)
}

func (s suggesting) merge(ids []string) Suggestion {
	ids = ids[:min(len(ids), memory.MaxMerged)]
	return s.call("merge", Merge, map[string]any{"ids": ids}, ids...)
}

func (s suggesting) confirm(choice string, ids ...string) Suggestion {
	return s.call(choice, family.Confirm, map[string]any{"ids": ids}, ids...)
}

func (s suggesting) remove(id string) Suggestion {
	return s.call("remove", family.Remove, map[string]any{"ids": []string{id}}, id)
}

// keep lets an expired memory not expire.
func (s suggesting) keep(id string) Suggestion {
	return s.call("keep", family.Edit, map[string]any{"id": id, "expires_at": ""}, id, "--expires-at", "")
}

// quoted returns a word as a shell takes it. An id of a memory needs no quotation marks.
func quoted(word string) string {
	plain := func(r rune) bool {
		return r == '_' || r == '-' || r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z'
	}
	if word != "" && strings.TrimLeftFunc(word, plain) == "" {
		return word
	}
	return `"` + word + `"`
}
