package review

import (
	"strings"
	"unicode"

	"techo/store/memory"
	"techo/tools"
	family "techo/tools/memory"
)

// itemOf writes what is to be decided.
func itemOf(env *tools.Env, w waiting) Item {
	item := Item{Kind: w.kind}
	var ids []string
	for _, m := range w.Memories {
		item.Memories = append(item.Memories, family.DetailOf(env, m))
		ids = append(ids, m.ID)
	}
	first := w.Memories[0]
	s := suggesting{env}
	switch w.kind {
	case contradiction:
		other := w.Memories[1]
		item.Why = env.Localize("They contradict each other: the newer one counts")
		if other.CreatedAt.After(first.CreatedAt) {
			item.Why = env.Localize("They contradict each other: the older one was confirmed since and counts")
		}
		item.Choices = []Suggestion{s.supersede(other, first), s.confirm("keep_both", ids...), s.remove(other.ID)}
	case repetition:
		item.Why = env.Localize("They say the same")
		item.Choices = []Suggestion{s.merge(ids), s.confirm("keep_both", ids...)}
	case expired:
		item.Why = env.Localize("It expired on %s", env.Minute(first.ExpiresAt))
		item.Choices = []Suggestion{s.remove(first.ID), s.keep(first.ID)}
	case sourceChanged:
		item.Why = env.Localize("Its source has changed: %s", first.Source.Text)
		if w.gone {
			item.Why = env.Localize("Its source is gone: %s", first.Source.Text)
		}
		item.Choices = []Suggestion{s.confirm("confirm", first.ID), s.remove(first.ID)}
	default:
		item.Why = env.Localize("It was never confirmed, and is of %s", env.Minute(first.CreatedAt))
		item.Choices = []Suggestion{s.confirm("confirm", first.ID), s.remove(first.ID)}
	}
	item.Suggestion = item.Choices[0]
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

// longest is the length, in bytes, of the longest text that a command has.
const longest = 300

// supersede replaces a memory by another one. The command of a text that some shell may not take as it
// is names the two memories instead: their merger does the same.
func (s suggesting) supersede(old, by memory.Memory) Suggestion {
	text := by.FullText
	all := s.call("supersede", family.Supersede, map[string]any{"memory_id": old.ID, "full_text": text}, old.ID, text)
	if risky(text) || len(text) > longest {
		all.Command = s.command(Merge, by.ID, old.ID)
	}
	return all
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

// risky reports whether a shell changes a text between quotation marks: one of Unix, PowerShell or
// the prompt of Windows.
func risky(text string) bool {
	return strings.ContainsAny(text, "\"$`\\%!“”„") || strings.ContainsFunc(text, unicode.IsControl)
}

// quoted returns a word as a shell takes it.
func quoted(word string) string {
	plain := func(r rune) bool {
		return r == '_' || r == '-' || r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z'
	}
	switch {
	case word != "" && strings.TrimLeftFunc(word, plain) == "":
		return word
	case risky(word):
		return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
	}
	return `"` + word + `"`
}
