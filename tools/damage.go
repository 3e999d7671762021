package tools

import (
	"encoding/json"
	"errors"
	"strconv"
	"strings"
	"unicode"

	"techo/store/kv"
	"techo/store/ledger"
	"techo/store/memory"
)

// DamageText describes damage of the store in the caller's language. Errors of
// the system and of libraries are described by Cause.
func (env *Env) DamageText(err error) string {
	var (
		found   *ledger.FindingError
		corrupt *kv.CorruptError
		reason  kv.Reason
		limit   *ledger.LimitError
		same    *memory.SameTextError
		count   *ledger.CountError
		name    *ledger.UserNameError
	)
	switch {
	case errors.As(err, &found):
		return env.findingText(found)
	case errors.As(err, &corrupt):
		return corrupt.Path + ": " + env.ReasonText(corrupt.Reason)
	case errors.As(err, &reason):
		return env.ReasonText(reason)
	case errors.As(err, &limit):
		return env.limitText(limit)
	case errors.As(err, &same):
		return env.Localize("it has the same text as %s", same.ID)
	case errors.As(err, &count):
		return env.Localize("%v instead of %v", count.Stored, count.Counted)
	case errors.As(err, &name):
		return env.Localize("its user needs a name of at most %d bytes without control characters", name.MaxBytes)
	case errors.As(err, new(*json.SyntaxError)), errors.As(err, new(*json.UnmarshalTypeError)):
		return env.Localize("its JSON is damaged")
	}
	return env.Cause(err)
}

// ReasonText describes one damage in the caller's language.
func (env *Env) ReasonText(r kv.Reason) string {
	if r.Code == kv.OtherDamage {
		return r.Error()
	}
	args := make([]any, len(r.Args))
	for i, arg := range r.Args {
		if err, ok := arg.(error); ok {
			arg = env.DamageText(err)
		}
		args[i] = arg
	}
	return env.Localize(Text(r.Code), args...)
}

// findingText describes damage of a record or an index.
func (env *Env) findingText(f *ledger.FindingError) string {
	texts := map[ledger.FindingCode]Text{
		ledger.Unreadable:   "%s cannot be read",
		ledger.WrongKey:     "%s does not match its key",
		ledger.UnknownKey:   "%s is no key of this format",
		ledger.NoRecord:     "%s is in an index, but has no record",
		ledger.NoIndexEntry: "%s lacks an index entry",
		ledger.WrongIndex:   "%s: an index does not match the records",
		ledger.WrongOrder:   "%s: an index is out of order",
		ledger.WrongCount:   "%s: a count does not match the records",
		ledger.NoUndoData:   "%s lacks its undo data",
	}
	record := f.ID
	if f.Kind != "" {
		record = strings.TrimSpace(env.KindName(f.Kind) + " " + f.ID)
	}
	if record = printable(record); f.Space != "" {
		record = env.Localize("%s in the space %s", record, f.Space)
	}
	text := env.Localize(texts[f.Code], record)
	if f.Cause != nil {
		text += ": " + env.DamageText(f.Cause)
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
