package tools

import (
	"context"

	"techo/store/ledger"
)

// KindName is the word for a kind of record.
func (env *Env) KindName(kind ledger.Kind) string {
	texts := map[ledger.Kind]Text{
		ledger.KindMemo:     "memo",
		ledger.KindTag:      "tag",
		ledger.KindMemory:   "memory",
		ledger.KindUser:     "user",
		ledger.KindSession:  "session",
		ledger.KindEvent:    "event",
		ledger.KindTodo:     "to-do",
		ledger.KindCalendar: "calendar",
		ledger.KindQuestion: "question",
		ledger.KindWebPage:  "web page",
		ledger.KindEdit:     "edit",
		ledger.KindFile:     "file",
		ledger.KindChange:   "change",
		ledger.KindToken:    "token",
		ledger.KindReceipt:  "receipt",
		ledger.KindSpace:    "space",

		ledger.KindMemoryFile: "memory file",
		ledger.KindGuarded:    "guarded act",
	}
	return env.Localize(texts[kind])
}

// AfterPurge returns the message of a call that may have erased changes. It adds a sentence if
// earlier values are left.
func AfterPurge(ctx context.Context, env *Env, message string) string {
	if !ledger.PurgeLeft(ctx) {
		return message
	}
	return message + env.Localize("; earlier values remain in the history of another place where it was: a user "+
		"who may change records there can purge them")
}

// limitText describes a limit of the store that was exceeded.
func (env *Env) limitText(e *ledger.LimitError) string {
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
