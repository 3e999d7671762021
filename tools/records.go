package tools

import (
	"context"

	"techo/store"
)

// KindName is the word for a kind of record.
func (env *Env) KindName(kind store.Kind) string {
	texts := map[store.Kind]Text{
		store.KindMemo:     "memo",
		store.KindTag:      "tag",
		store.KindMemory:   "memory",
		store.KindUser:     "user",
		store.KindSession:  "session",
		store.KindEvent:    "event",
		store.KindTodo:     "to-do",
		store.KindCalendar: "calendar",
		store.KindQuestion: "question",
		store.KindWebPage:  "web page",
		store.KindEdit:     "edit",
		store.KindFile:     "file",
		store.KindChange:   "change",
		store.KindToken:    "token",
		store.KindReceipt:  "receipt",
		store.KindSpace:    "space",
	}
	return env.Localize(texts[kind])
}

// AfterPurge returns the message of a call that may have erased changes. It adds a sentence if
// earlier values are left.
func AfterPurge(ctx context.Context, env *Env, message string) string {
	if !store.PurgeLeft(ctx) {
		return message
	}
	return message + env.Localize("; earlier values remain in the history of another place where it was: a user "+
		"who may change records there can purge them")
}

// limitText describes a limit of the store that was exceeded.
func (env *Env) limitText(e *store.LimitError) string {
	return env.Localize("Too many %s: %d, at most %d", env.limitName(e.What), e.Got, e.Max)
}

// limitName is the word for what a store's limit counts.
func (env *Env) limitName(what string) string {
	texts := map[string]Text{
		"tags":           "tags",
		"different tags": "different tags",
		"tokens":         "tokens",
		"calls":          "calls",
		"bytes":          "bytes",
		"spaces":         "spaces",
		"members":        "members",
	}
	return env.Localize(texts[what])
}
