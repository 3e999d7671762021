package memory

import (
	"strings"

	"techo/export"
	"techo/store/memory"
	"techo/tools"
)

// Related is an earlier memory about the same matter as a new text.
type Related struct {
	ID        string `json:"id"`
	Caption   string `json:"caption"`
	CreatedAt string `json:"created_at" compact:"day"`
}

func relatedOf(env *tools.Env, all []memory.Memory) []Related {
	related := []Related{}
	for _, m := range all {
		related = append(related, Related{m.ID, m.Caption, env.Time(m.CreatedAt)})
	}
	return related
}

// relatedMessage says what to do about earlier memories, as the end of a message; "" without any.
func relatedMessage(env *tools.Env, related []Related) string {
	if len(related) == 0 {
		return ""
	}
	var ids []string
	for _, r := range related {
		ids = append(ids, r.ID)
	}
	return env.Localize("; about the same matter: %s. Supersede the one that is no longer true, or remove one that "+
		"says the same", strings.Join(ids, ", "))
}

// withRelated shows earlier memories below a message.
func withRelated(env *tools.Env, message string, related []Related) string {
	lines := []string{message}
	for _, r := range related {
		lines = append(lines, "- ["+r.ID+"] "+export.OneLine(r.Caption)+" ("+env.MinuteOf(r.CreatedAt)+")")
	}
	return strings.Join(lines, "\n")
}
