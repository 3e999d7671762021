package memo

import (
	"errors"
	"strings"
	"time"

	"golang.org/x/text/unicode/norm"

	"techo/store/memo"
	"techo/tools"
	"techo/tools/when"
)

// importIn is a memo in an import: the input of add_memo, and what the results of
// the tools have besides.
type importIn struct {
	Draft

	ID        string `json:"id,omitempty"`
	HasDetail bool   `json:"has_detail,omitempty"`
	CreatedAt string `json:"created_at,omitempty"`
	UpdatedAt string `json:"updated_at,omitempty"`
	Space     string `json:"space,omitempty"` // where it was exported; it does not matter
}

// maxAhead is how far the clock of another computer may be ahead.
const maxAhead = 24 * time.Hour

// Parse parses a memo to import, as a JSON object. It validates as add_memo does.
// problem lists all reasons why the memo is invalid; it is "" for a valid one.
func Parse(env *tools.Env, object []byte) (m memo.Memo, problem string) {
	in, invalid := tools.Decode[importIn](env, object)
	if invalid != nil {
		return m, invalid.Message
	}
	var problems []string
	report := func(s tools.Text, args ...any) { problems = append(problems, env.Localize(s, args...)) }
	if in.ID != "" && !memo.IsID(in.ID) {
		report("id %q must be 8 lowercase letters and digits", in.ID)
	}
	if in.HasDetail && in.Detail == "" {
		report("has a detail that this list does not contain (export memos writes details)")
	}
	m = in.memo()
	m.ID, m.Name = in.ID, norm.NFC.String(m.Name)
	for _, t := range []struct {
		name, text string
		to         *time.Time
	}{{"created_at", in.CreatedAt, &m.CreatedAt}, {"updated_at", in.UpdatedAt, &m.UpdatedAt}} {
		var problem string
		if *t.to, problem = when.OptionalTime(env, t.name, t.text); problem != "" {
			problems = append(problems, problem)
		} else if t.to.After(env.Now().Add(maxAhead)) {
			report("%s must not be in the future: %s", t.name, t.text) // later changes would have later times still
		}
	}
	if len(problems) == 0 && !m.UpdatedAt.IsZero() && m.UpdatedAt.Before(m.CreatedAt) {
		report("updated_at must not be before created_at")
	}
	return m, strings.Join(problems, "; ")
}

// RefusedImport explains why the store refused an imported memo.
func RefusedImport(env *tools.Env, err error) string {
	var (
		other *memo.OtherError
		id    *memo.TakenIDError
	)
	switch {
	case errors.As(err, &other):
		return env.Localize("a different memo named %q already exists", other.Name)
	case errors.As(err, &id):
		return env.Localize("the id %s belongs to another memo", id.ID)
	}
	return tools.AsError(env, explain(env, err)).Message
}
