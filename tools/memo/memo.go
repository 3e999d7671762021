// Package memo is the family of tools that keep memos: short notes of what is
// worth remembering.
package memo

import (
	"errors"
	"strings"
	"time"

	"techo/store"
	"techo/tools"
)

// Tools returns the family, in the order of the help.
func Tools() []*tools.Tool {
	return []*tools.Tool{Add, Edit, Remove, List, Get, Tags, Context}
}

// Listed is a memo as lists show it: without its detail.
type Listed struct {
	ID        string   `json:"id"`
	Name      string   `json:"name"`
	Content   string   `json:"content"`
	Priority  int      `json:"priority"`
	Tags      []string `json:"tags"`
	HasDetail bool     `json:"has_detail"`
	CreatedAt string   `json:"created_at"`
	UpdatedAt string   `json:"updated_at"`
}

// Whole is a memo with its detail.
type Whole struct {
	ID        string   `json:"id"`
	Name      string   `json:"name"`
	Content   string   `json:"content"`
	Priority  int      `json:"priority"`
	Tags      []string `json:"tags"`
	Detail    string   `json:"detail"`
	HasDetail bool     `json:"has_detail"`
	CreatedAt string   `json:"created_at"`
	UpdatedAt string   `json:"updated_at"`
}

func listed(env *tools.Env, m store.Memo) Listed {
	return Listed{m.ID, m.Name, m.Content, m.Priority, m.Tags, m.Detail != "", env.Time(m.CreatedAt), env.Time(m.UpdatedAt)}
}

func whole(env *tools.Env, m store.Memo) Whole {
	return Whole{m.ID, m.Name, m.Content, m.Priority, m.Tags, m.Detail, m.Detail != "", env.Time(m.CreatedAt), env.Time(m.UpdatedAt)}
}

func listAll(env *tools.Env, memos []store.Memo) []Listed {
	all := make([]Listed, 0, len(memos))
	for _, m := range memos {
		all = append(all, listed(env, m))
	}
	return all
}

// explain puts the store's errors into the sentences of the specification.
func explain(env *tools.Env, err error) error {
	var (
		missing *store.NotFoundError
		taken   *store.TakenError
		limit   *store.LimitError
	)
	switch {
	case errors.As(err, &missing):
		e := env.Fail(tools.NotFound, tools.Say{EN: "Memo not found (name: %s)", JA: "メモが見つかりません（name: %s）"}, missing.Name)
		if len(missing.Near) > 0 {
			return e.WithHint(env.DidYouMean(missing.Near))
		}
		return e.WithHint(env.Say(tools.Say{EN: "See techo memo list", JA: "techo memo list で一覧を確認してください"}))
	case errors.As(err, &taken):
		return env.Fail(tools.AlreadyExists, tools.Say{EN: "The memo name %q is already in use", JA: "メモの名前「%s」は既に使用されています"}, taken.Name).
			WithHint(env.Say(tools.Say{EN: "Change that memo with techo memo edit, or choose another name", JA: "techo memo edit で既存のメモを編集するか、別の名前にしてください"}))
	case errors.As(err, &limit) && limit.What == "tags":
		return env.Fail(tools.LimitExceeded, tools.Say{EN: "a memo has at most %d tags, not %d", JA: "タグは1つのメモに%d個までです（%d個指定されました）"}, limit.Most, limit.Got).
			WithHint(env.Say(tools.Say{EN: "Keep the tags that matter most", JA: "重要なタグだけを残してください"}))
	case errors.As(err, &limit):
		return env.Fail(tools.LimitExceeded, tools.Say{EN: "there are at most %d different tags, this would be %d", JA: "タグは全体で%d種類までです（%d種類になります）"}, limit.Most, limit.Got).
			WithHint(env.Say(tools.Say{EN: "Use a tag of techo memo tags", JA: "techo memo tags で既存のタグを確認して使ってください"}))
	}
	return err
}

// tagText writes tags as the texts of the specification show them.
func tagText(env *tools.Env, tags []string) string {
	if len(tags) == 0 {
		return env.Say(tools.Say{EN: "none", JA: "なし"})
	}
	return strings.Join(tags, ", ")
}

// minute writes an instant as texts for a person show it.
func minute(env *tools.Env, t time.Time) string {
	return t.In(env.Zone).Format("2006-01-02 15:04")
}

// inItem keeps a text of several lines within its list item, so that no line
// of a memo passes for a line of the document around it.
func inItem(text, indent string) string {
	if !strings.ContainsAny(text, "\r\n") {
		return text
	}
	return strings.ReplaceAll(strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(text), "\n", "\n"+indent)
}
