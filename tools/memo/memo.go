// Package memo is the family of tools for memos: short notes worth remembering.
package memo

import (
	"errors"
	"strings"

	"techo/store/ledger"
	"techo/store/memo"
	"techo/tools"
)

// Tools returns the family in the order of the help.
func Tools() []*tools.Tool {
	return []*tools.Tool{Add, Edit, Remove, List, Get, Tags, RenameTag, Move, Context}
}

// Summary is a memo without its detail, as in lists.
type Summary struct {
	ID        string   `json:"id"`
	Name      string   `json:"name"`
	Content   string   `json:"content"`
	Priority  int      `json:"priority"`
	Tags      []string `json:"tags"`
	HasDetail bool     `json:"has_detail"`
	CreatedAt string   `json:"created_at" compact:"-"`
	UpdatedAt string   `json:"updated_at" compact:"-"`
	Space     string   `json:"space,omitempty"` // the shared space that it is in
}

// Detail is a memo with its detail.
type Detail struct {
	ID        string   `json:"id"`
	Name      string   `json:"name"`
	Content   string   `json:"content"`
	Priority  int      `json:"priority"`
	Tags      []string `json:"tags"`
	Detail    string   `json:"detail"`
	HasDetail bool     `json:"has_detail"`
	CreatedAt string   `json:"created_at"`
	UpdatedAt string   `json:"updated_at"`
	Etag      string   `json:"etag,omitempty"`  // of get_memo
	Space     string   `json:"space,omitempty"` // the shared space that it is in
}

func summary(env *tools.Env, m placed) Summary {
	return Summary{m.ID, m.Name, m.Content, m.Priority, m.Tags, m.Detail != "", env.Time(m.CreatedAt),
		env.Time(m.UpdatedAt), m.space}
}

func detail(env *tools.Env, m memo.Memo) Detail {
	return Detail{m.ID, m.Name, m.Content, m.Priority, m.Tags, m.Detail, m.Detail != "", env.Time(m.CreatedAt),
		env.Time(m.UpdatedAt), "", tools.Space(env)}
}

// Exported returns a memo as a line of an export, which import memos reads.
func Exported(env *tools.Env, m memo.Memo) any { return detail(env, m) }

func summaries(env *tools.Env, memos []placed) []Summary {
	all := make([]Summary, 0, len(memos))
	for _, m := range memos {
		all = append(all, summary(env, m))
	}
	return all
}

// explain converts the store's errors to the sentences of the specification.
func explain(env *tools.Env, err error) error {
	var (
		missing *ledger.NotFoundError
		taken   *ledger.TakenError
		limit   *ledger.LimitError
		changed *ledger.ChangedError
	)
	switch {
	case errors.As(err, &changed):
		return env.Fail(tools.Conflict, "The memo changed since it was read").
			WithHint(env.Hint("Read it again with %s", tools.Use("memo get", changed.ID)))
	case errors.As(err, &missing) && missing.Kind == ledger.KindTag:
		e := env.Fail(tools.NotFound, "Memo tag not found: %s", missing.Name)
		if len(missing.Near) > 0 {
			return e.WithHint(env.DidYouMean(missing.Near))
		}
		return e.WithHint(env.Hint("See %s", tools.Use("memo tags")))
	case errors.As(err, &missing) && missing.Kind == ledger.KindMemo:
		e := env.Fail(tools.NotFound, "Memo not found (name: %s)", missing.Name)
		if len(missing.Near) > 0 {
			return e.WithHint(env.DidYouMean(missing.Near))
		}
		return e.WithHint(env.Hint("See %s", tools.Use("memo list")))
	case errors.As(err, &taken):
		return env.Fail(tools.AlreadyExists, "The memo name %q is already in use", taken.Name).
			WithHint(env.Hint("Change that memo with %s, or choose another name", tools.Use("memo edit")))
	case errors.As(err, &limit):
		return env.Fail(tools.LimitExceeded, "there are at most %d different tags, this would be %d", limit.Max,
			limit.Got).
			WithHint(env.Hint("Use a tag of %s", tools.Use("memo tags")))
	}
	return err
}

// tagText joins tags in the format of the specification.
func tagText(env *tools.Env, tags []string) string {
	if len(tags) == 0 {
		return env.Localize("none")
	}
	return strings.Join(tags, ", ")
}

// inItem indents the further lines of a text, so that no line of a memo can pass
// for a line of the surrounding document.
func inItem(text, indent string) string {
	if !strings.ContainsAny(text, "\r\n") {
		return text
	}
	return strings.ReplaceAll(strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(text), "\n", "\n"+indent)
}

// Keeps lists the texts that are kept.
func (AddIn) Keeps() []string {
	return []string{"name", "content", "tags", "detail", "memos"}
}

// Keeps lists the texts that are kept.
func (EditIn) Keeps() []string {
	return []string{"content", "tags", "detail", "new_name"}
}

// Keeps lists the texts that are kept.
func (RenameTagIn) Keeps() []string {
	return []string{"new_tag"}
}
