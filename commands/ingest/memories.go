package ingest

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"time"
	"unicode/utf8"

	"techo/commands/system"
	"techo/internal/legible"
	"techo/store"
	"techo/tools"
)

// Memories imports the memories of a file or a folder.
func Memories(ctx context.Context, env *tools.Env, w system.System, in Request) (Report, error) {
	return memoryKind.run(ctx, env, w, in)
}

var memoryKind = kind[store.Draft]{
	parser: func(env *tools.Env) parser[store.Draft] {
		d := store.NewDrafter()
		return func(raw []byte) (draft store.Draft, size int, problem string) {
			m, problem := parseMemory(env, raw)
			if problem != "" {
				return draft, 0, problem
			}
			return d.Draft(m), len(m.FullText), ""
		}
	},
	read: func(s *importSource) { s.split, s.note = s.memoryLines, s.memoryNote },
	add: func(ctx context.Context, env *tools.Env, st *store.Store, d []store.Draft) ([]store.ImportResult, error) {
		added, err := st.AddMemories(ctx, env.User, d)
		results := make([]store.ImportResult, len(added))
		for i, a := range added {
			results[i] = store.ImportResult{Created: a.Created, Err: a.Err}
		}
		return results, err
	},
	refusal: memoryRefusal,
	count:   func(env *tools.Env, n int) string { return env.Count(n, "%d memory", "%d memories") },
}

// memoryRefusal explains why the store refused a memory.
func memoryRefusal(env *tools.Env, err error) string {
	var (
		taken *store.TakenIDError
		limit *store.LimitError
	)
	switch {
	case errors.As(err, &taken):
		return env.Localize("the id %s belongs to a memory with another text", taken.ID)
	case errors.As(err, &limit):
		return env.Localize("full_text has %d bytes, at most %d", limit.Got, limit.Max)
	}
	return strings.TrimSpace(err.Error())
}

// memoryLine is a line of JSON lines.
type memoryLine struct {
	ID        string  `json:"id"`
	UserID    string  `json:"user_id"`
	FullText  *string `json:"full_text"`
	Caption   string  `json:"caption"`
	Session   string  `json:"session"`
	CreatedAt string  `json:"created_at"`
	UpdatedAt string  `json:"updated_at"`
}

// parseMemory parses one line. wrong is the reason why the line is invalid, or "".
func parseMemory(env *tools.Env, raw []byte) (m store.Memory, wrong string) {
	var in memoryLine
	if err := json.Unmarshal(raw, &in); err != nil {
		return m, jsonProblem(env, err)
	}
	var problems []string
	problem := func(s tools.Text, args ...any) { problems = append(problems, env.Localize(s, args...)) }
	if in.FullText == nil || legible.Blank(*in.FullText) {
		problem("full_text is required")
		in.FullText = new(string)
	}
	if n := len(*in.FullText); n > store.MaxMemoryText {
		problem("full_text has %d bytes, at most %d", n, store.MaxMemoryText)
	}
	if in.UserID != "" && in.UserID != env.User {
		problem("belongs to user %q; import it with --user", in.UserID)
	}
	if in.ID != "" && !memoryID(in.ID) {
		problem("id %q must be mem_ followed by lowercase letters and digits", in.ID)
	}
	if legible.Control(in.Session) || in.Session != "" && legible.Blank(in.Session) {
		problem("session must not be blank or contain control characters")
	}
	if utf8.RuneCountInString(in.Caption) > 1000 || utf8.RuneCountInString(in.Session) > 200 {
		problem("caption has at most 1000 characters, session 200")
	}
	m = store.Memory{ID: in.ID, User: env.User, Caption: in.Caption, FullText: *in.FullText, Session: in.Session}
	for _, t := range []struct {
		name, text string
		to         *time.Time
	}{{"created_at", in.CreatedAt, &m.CreatedAt}, {"updated_at", in.UpdatedAt, &m.UpdatedAt}} {
		var wrong string
		if *t.to, wrong = tools.OptionalTime(env, t.name, t.text); wrong != "" {
			problems = append(problems, wrong)
		}
	}
	return m, strings.Join(problems, "; ")
}

// memoryID reports whether an imported memory may keep its id.
func memoryID(id string) bool {
	rest, ok := strings.CutPrefix(id, "mem_")
	return ok && rest != "" && len(rest) <= 56 && strings.Trim(rest, "abcdefghijklmnopqrstuvwxyz0123456789_-") == ""
}
