// Package memory is the family of tools for memories: full texts of what an agent
// has learned, with search.
package memory

import (
	"context"
	"errors"
	"time"

	"techo/store"
	"techo/tools"
)

// Tools returns the family in the order of the help.
func Tools() []*tools.Tool {
	return []*tools.Tool{Add, Edit, Remove, List, Get, Search, Context, Investigate}
}

// Summary is a memory without its full text, as in lists.
type Summary struct {
	ID        string `json:"id"`
	UserID    string `json:"user_id"`
	Caption   string `json:"caption"`
	Session   string `json:"session"`
	CreatedAt string `json:"created_at"`
	UpdatedAt string `json:"updated_at"`
}

// Detail is a memory with its full text.
type Detail struct {
	ID        string `json:"id"`
	UserID    string `json:"user_id"`
	Caption   string `json:"caption"`
	FullText  string `json:"full_text"`
	Session   string `json:"session"`
	CreatedAt string `json:"created_at"`
	UpdatedAt string `json:"updated_at"`
}

func summary(env *tools.Env, m store.Memory) Summary {
	return Summary{m.ID, m.User, m.Caption, m.Session, env.Time(m.CreatedAt), env.Time(m.UpdatedAt)}
}

func detail(env *tools.Env, m store.Memory) Detail {
	return Detail{m.ID, m.User, m.Caption, m.FullText, m.Session, env.Time(m.CreatedAt), env.Time(m.UpdatedAt)}
}

// explain converts the store's errors to sentences about memories.
func explain(env *tools.Env, err error) error {
	var (
		missing *store.NotFoundError
		same    *store.SameTextError
		limit   *store.LimitError
		user    *store.UserNameError
	)
	switch {
	case errors.As(err, &missing):
		return env.Fail(tools.NotFound, "Memory not found (id: %s)", missing.Name).
			WithHint(env.Localize("See techo memory list; each user has separate memories (--user)"))
	case errors.As(err, &same):
		return env.Fail(tools.AlreadyExists, "Another memory has this text (id: %s)", same.ID).
			WithHint(env.Localize("Remove one of the two"))
	case errors.As(err, &limit):
		return env.Fail(tools.LimitExceeded, "A full text has at most %d bytes, not %d", limit.Max, limit.Got).
			WithHint(env.Localize("Keep it as several memories of one session"))
	case errors.As(err, &user):
		return env.Fail(tools.InvalidInput, "A user has a name of at most %d bytes of UTF-8", user.MaxBytes).
			WithHint(env.Localize("Name another: --user ID"))
	}
	return err
}

// openFor opens the store for reading, after it has parsed the bounds of a time span.
func openFor(ctx context.Context, env *tools.Env, from, to string) (
	st *store.Store, since, until time.Time, err error,
) {
	t := tools.NewTimes(env)
	since, until = t.Span(from, to)
	if err = t.Err(); err == nil {
		st, err = env.Store(ctx, tools.Reads)
	}
	return st, since, until, err
}
