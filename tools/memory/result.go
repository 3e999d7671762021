package memory

import (
	"context"
	"errors"
	"time"

	"techo/export"
	"techo/store"
	"techo/store/ledger"
	"techo/store/memory"
	"techo/tools"
	"techo/tools/when"
)

// Summary is a memory without its full text, as in lists.
type Summary struct {
	ID        string `json:"id"`
	UserID    string `json:"user_id" compact:"-"`
	Caption   string `json:"caption"`
	Session   string `json:"session"`
	Scope     string `json:"scope" compact:"-"`
	CreatedAt string `json:"created_at" compact:"day"`
	UpdatedAt string `json:"updated_at" compact:"-"`
	Topic     string `json:"topic,omitempty"`
	ExpiresAt string `json:"expires_at,omitempty"`
	Space     string `json:"space,omitempty"` // the shared space that it is in

	Source      string `json:"source,omitempty"`
	ConfirmedAt string `json:"confirmed_at,omitempty" compact:"-"`

	SupersededBy string `json:"superseded_by,omitempty"` // of a list of superseded ones
	SupersededAt string `json:"superseded_at,omitempty"`
}

// Detail is a memory with its full text.
type Detail struct {
	ID        string `json:"id"`
	UserID    string `json:"user_id"`
	Caption   string `json:"caption"`
	FullText  string `json:"full_text"`
	Session   string `json:"session"`
	Scope     string `json:"scope"`
	CreatedAt string `json:"created_at"`
	UpdatedAt string `json:"updated_at"`
	Topic     string `json:"topic,omitempty"`
	ExpiresAt string `json:"expires_at,omitempty"`
	Etag      string `json:"etag,omitempty"`  // of get_memory
	Space     string `json:"space,omitempty"` // the shared space that it is in

	Relation   *memory.Relation    `json:"relation,omitempty"`
	Supersedes []export.FormerLine `json:"supersedes,omitempty"`

	Source      string `json:"source,omitempty"`
	SourceDir   string `json:"source_dir,omitempty"`  // absolute folder of the file, if not the workspace
	SourceHash  string `json:"source_hash,omitempty"` // SHA-256 of the lines or the file
	SourceBlob  string `json:"source_blob,omitempty"` // its id in git
	ConfirmedAt string `json:"confirmed_at,omitempty"`
}

// formerOf returns the memories that a memory superseded, the latest first.
func formerOf(env *tools.Env, m memory.Memory) (all []export.FormerLine) {
	for _, f := range m.Supersedes {
		all = append(all, export.FormerLineOf(f, env.Time))
	}
	return all
}

func summary(env *tools.Env, m memory.Memory) Summary {
	return Summary{ID: m.ID, UserID: m.User, Caption: m.Caption, Session: m.Session, Scope: m.Scope,
		CreatedAt: env.Time(m.CreatedAt), UpdatedAt: env.Time(m.UpdatedAt), Topic: m.Topic,
		ExpiresAt: optionalTime(env, m.ExpiresAt), Space: tools.Space(env), Source: m.Source.Text,
		ConfirmedAt: optionalTime(env, m.ConfirmedAt)}
}

// DetailOf returns a memory as tools show it.
func DetailOf(env *tools.Env, m memory.Memory) Detail {
	d := Detail{m.ID, m.User, m.Caption, m.FullText, m.Session, m.Scope, env.Time(m.CreatedAt), env.Time(m.UpdatedAt),
		m.Topic, optionalTime(env, m.ExpiresAt), "", tools.Space(env), nil, nil,
		m.Source.Text, m.Source.Dir, m.Source.Hash, m.Source.Blob, optionalTime(env, m.ConfirmedAt)}
	if m.Relation != (memory.Relation{}) {
		d.Relation = &m.Relation
	}
	d.Supersedes = formerOf(env, m)
	return d
}

// supersededText says when and by which memory one was superseded.
func supersededText(env *tools.Env, at, by string) string {
	return env.Localize("superseded on %s by %s", at[:min(len(at), len(time.DateOnly))], by)
}

// Exported returns a memory as a line of an export, which import memories reads.
func Exported(env *tools.Env, m memory.Memory) any { return DetailOf(env, m) }

// optionalTime formats a time; the zero time is "".
func optionalTime(env *tools.Env, at time.Time) string {
	if at.IsZero() {
		return ""
	}
	return env.Time(at)
}

// Explain converts the store's errors to sentences about memories.
func Explain(env *tools.Env, err error) error {
	var (
		missing *ledger.NotFoundError
		same    *memory.SameTextError
		taken   *memory.TakenIDError
		limit   *ledger.LimitError
		user    *ledger.UserNameError
		topic   *memory.TakenTopicError
		newer   *memory.SupersededError
		changed *ledger.ChangedError
	)
	switch {
	case errors.As(err, &changed):
		return env.Fail(tools.Conflict, "The memory changed since it was read").
			WithHint(env.Hint("Read it again with %s", tools.Use("memory get", changed.ID)))
	case errors.As(err, &missing):
		return env.Fail(tools.NotFound, "Memory not found (id: %s)", missing.Name).
			WithHint(env.Hint("See %s; each user has separate memories", tools.Use("memory list")))
	case errors.As(err, &same):
		return env.Fail(tools.AlreadyExists, "Another memory has this text (id: %s)", same.ID).
			WithHint(env.Hint("Remove one of the two"))
	case errors.As(err, &taken):
		return env.Fail(tools.AlreadyExists, "The id %s belongs to another memory there", taken.ID).
			WithHint(env.Hint("See both with %s; remove one, or add the text there anew",
				tools.Use("memory get", taken.ID)))
	case errors.As(err, &topic):
		return env.Fail(tools.AlreadyExists, "Another memory has this topic (id: %s)", topic.ID).
			WithHint(env.Hint("Change that one, or name another topic"))
	case errors.As(err, &newer):
		return env.Fail(tools.NotFound, "Memory %s was superseded by %s", newer.ID, newer.By).
			WithHint(env.Hint("Name that one"))
	case errors.As(err, &limit) && (limit.What == "session" || limit.What == "topic"):
		return env.Fail(tools.InvalidInput, "%s has %d characters after normalization, at most %d", limit.What,
			limit.Got, limit.Max)
	case errors.As(err, &limit) && limit.What == "stored bytes":
		return env.Fail(tools.LimitExceeded, "The memory needs %d bytes in the store, at most %d are possible",
			limit.Got, limit.Max).
			WithHint(env.Hint("Keep it as several memories of one session"))
	case errors.As(err, &limit):
		return env.Fail(tools.LimitExceeded, "A full text has at most %d bytes, not %d", limit.Max, limit.Got).
			WithHint(env.Hint("Keep it as several memories of one session"))
	case errors.As(err, &user):
		return env.Fail(tools.InvalidInput, "A user has a name of at most %d bytes of UTF-8", user.MaxBytes).
			WithHint(env.Hint("Name another: %s", tools.Flag("user", tools.Placeholder("ID"))))
	}
	return err
}

// openFor opens the store for reading, after it has parsed the bounds of a time span.
// meanings has what they mean.
func openFor(ctx context.Context, env *tools.Env, from, to string) (
	st *store.Store, span memory.Period, meanings when.Meanings, err error,
) {
	t := when.NewTimes(env)
	span.Since, span.Until = t.Span(from, to)
	if err = t.Err(); err == nil {
		st, err = env.Store(ctx, tools.Reads)
	}
	return st, span, t.Meanings, err
}
