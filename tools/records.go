package tools

import (
	"errors"
	"strconv"
	"strings"
	"unicode"

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
		store.KindCalendar: "calendar",
		store.KindQuestion: "question",
		store.KindWebPage:  "web page",
		store.KindEdit:     "edit",
		store.KindToken:    "token",
		store.KindReceipt:  "receipt",
	}
	return env.Localize(texts[kind])
}

// limitName is the word for what a store's limit counts.
func (env *Env) limitName(what string) string {
	texts := map[string]Text{
		"tags":           "tags",
		"different tags": "different tags",
		"tokens":         "tokens",
		"calls":          "calls",
		"bytes":          "bytes",
	}
	return env.Localize(texts[what])
}

// DamageText describes damage of the store in the caller's language.
func (env *Env) DamageText(err error) string {
	var (
		found *store.FindingError
		limit *store.LimitError
		same  *store.SameTextError
	)
	switch {
	case errors.As(err, &found):
		return env.findingText(found)
	case errors.As(err, &limit):
		return env.Localize("Too many %s: %d, at most %d", env.limitName(limit.What), limit.Got, limit.Max)
	case errors.As(err, &same):
		return env.Localize("it has the same text as %s", same.ID)
	}
	return err.Error()
}

func (env *Env) findingText(f *store.FindingError) string {
	texts := map[store.FindingCode]Text{
		store.Unreadable:   "%s cannot be read",
		store.WrongKey:     "%s does not match its key",
		store.UnknownKey:   "%s is no key of this format",
		store.NoRecord:     "%s is in an index, but has no record",
		store.NoIndexEntry: "%s lacks an index entry",
		store.WrongIndex:   "%s: an index does not match the records",
		store.WrongOrder:   "%s: an index is out of order",
		store.WrongCount:   "%s: a count does not match the records",
		store.NoUndoData:   "%s lacks its undo data",
	}
	record := f.ID
	if f.Kind != "" {
		record = strings.TrimSpace(env.KindName(f.Kind) + " " + f.ID)
	}
	text := env.Localize(texts[f.Code], printable(record))
	if f.Cause != nil {
		text += ": " + f.Cause.Error()
	}
	return text
}

// printable quotes a key, which may hold any bytes.
func printable(text string) string {
	if quoted := strconv.Quote(text); quoted != `"`+text+`"` && strings.ContainsFunc(text, unicode.IsControl) {
		return quoted
	}
	return strings.ToValidUTF8(text, "\uFFFD")
}
