// Package memory is the family of tools that keep memories: what an agent has
// learned, in full, found again by a question.
package memory

import (
	"errors"
	"strings"
	"time"

	"techo/store"
	"techo/tools"
)

// Tools returns the family, in the order of the help.
func Tools() []*tools.Tool {
	return []*tools.Tool{Add, Edit, Remove, List, Get, Search, Context, Investigate}
}

// Listed is a memory as lists show it: without its full text.
type Listed struct {
	ID        string `json:"id"`
	UserID    string `json:"user_id"`
	Caption   string `json:"caption"`
	Session   string `json:"session"`
	CreatedAt string `json:"created_at"`
	UpdatedAt string `json:"updated_at"`
}

// Whole is a memory with its full text.
type Whole struct {
	ID        string `json:"id"`
	UserID    string `json:"user_id"`
	Caption   string `json:"caption"`
	FullText  string `json:"full_text"`
	Session   string `json:"session"`
	CreatedAt string `json:"created_at"`
	UpdatedAt string `json:"updated_at"`
}

func listed(env *tools.Env, m store.Memory) Listed {
	return Listed{m.ID, m.User, m.Caption, m.Session, env.Time(m.CreatedAt), env.Time(m.UpdatedAt)}
}

func whole(env *tools.Env, m store.Memory) Whole {
	return Whole{m.ID, m.User, m.Caption, m.FullText, m.Session, env.Time(m.CreatedAt), env.Time(m.UpdatedAt)}
}

// explain puts the store's errors into sentences.
func explain(env *tools.Env, err error) error {
	var (
		missing *store.NotFoundError
		same    *store.SameTextError
		limit   *store.LimitError
		user    *store.UserNameError
	)
	switch {
	case errors.As(err, &missing):
		return env.Fail(tools.NotFound, tools.Say{EN: "Memory not found (id: %s)", JA: "記憶が見つかりません（id: %s）"}, missing.Name).
			WithHint(env.Say(tools.Say{EN: "See techo memory list; memories are those of one user (--user)", JA: "techo memory list で確認してください。記憶はユーザーごとです（--user）"}))
	case errors.As(err, &same):
		return env.Fail(tools.AlreadyExists, tools.Say{EN: "Another memory has this text (id: %s)", JA: "同じ内容の記憶が既にあります（id: %s）"}, same.ID).
			WithHint(env.Say(tools.Say{EN: "Remove one of the two", JA: "どちらかを削除してください"}))
	case errors.As(err, &limit):
		return env.Fail(tools.LimitExceeded, tools.Say{EN: "A full text has at most %d bytes, not %d", JA: "本文は%dバイトまでです（%dバイトあります）"}, limit.Most, limit.Got).
			WithHint(env.Say(tools.Say{EN: "Keep it as several memories of one session", JA: "同じセッションの複数の記憶に分けてください"}))
	case errors.As(err, &user):
		return env.Fail(tools.InvalidInput, tools.Say{EN: "A user has a name of at most %d bytes of UTF-8", JA: "ユーザー名は%dバイト以内の UTF-8 にしてください"}, user.Most).
			WithHint(env.Say(tools.Say{EN: "Name another: --user ID", JA: "別の名前を指定してください: --user ID"}))
	}
	return err
}

// faults gathers what is wrong with an input, to be told at once.
type faults struct {
	env  *tools.Env
	all  []tools.Detail
	hint string
}

// forms are how a time may be written beside RFC 3339; without a zone it is in
// the caller's.
func forms() []string {
	return []string{"2006-01-02T15:04:05.999999999", "2006-01-02T15:04", "2006-01-02 15:04:05", "2006-01-02 15:04"}
}

// read reads one; "" is the zero time. With last a day without a time of day
// means its end.
func (f *faults) read(field, text string, last bool) time.Time {
	if text == "" {
		return time.Time{}
	}
	at, err := time.Parse(time.RFC3339Nano, strings.ToUpper(text))
	if err == nil {
		return at
	}
	if day, err := time.ParseInLocation(time.DateOnly, text, f.env.Zone); err == nil {
		if last {
			day = day.AddDate(0, 0, 1)
		}
		return day
	}
	for _, form := range forms() {
		if at, err = time.ParseInLocation(form, text, f.env.Zone); err == nil {
			return at
		}
	}
	f.all = append(f.all, tools.Detail{Path: "/" + field, Message: f.env.Say(
		tools.Say{EN: "must be a time such as 2026-01-02T15:04:05Z or 2026-01-02, not %q", JA: "2026-01-02T15:04:05Z や 2026-01-02 のような時刻にしてください（%q は不可）"}, text)})
	f.hint = f.env.Say(tools.Say{EN: "Times are RFC 3339, or in the zone of --tz without an offset", JA: "時刻は RFC 3339 形式です。オフセットがなければ --tz のタイムゾーンとみなします"})
	return time.Time{}
}

// span reads since and until.
func (f *faults) span(since, until string) (from, to time.Time) {
	return f.read("since", since, false), f.read("until", until, true)
}

// err is the error of all faults, nil when there are none.
func (f *faults) err() error {
	if len(f.all) == 0 {
		return nil
	}
	var texts []string
	for _, d := range f.all {
		texts = append(texts, strings.TrimPrefix(d.Path, "/")+" "+d.Message)
	}
	return &tools.Error{Code: tools.InvalidInput, Message: strings.Join(texts, "; "), Details: f.all, Hint: f.hint}
}

// filled wants a field to have more than blanks.
func (f *faults) filled(field, text string) {
	if strings.TrimSpace(text) == "" {
		f.all = append(f.all, tools.Detail{Path: "/" + field, Message: f.env.Say(tools.Say{EN: "must not be empty", JA: "空にできません"})})
	}
}
