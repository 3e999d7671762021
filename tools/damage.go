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
	"techo/store/search"
	"techo/store/search/vectors"
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
	text, ok := reasonTexts()[r.Code]
	if !ok {
		return r.Error()
	}
	args := make([]any, len(r.Args))
	for i, arg := range r.Args {
		if err, ok := arg.(error); ok {
			arg = env.DamageText(err)
		}
		args[i] = arg
	}
	return env.Localize(text, args...)
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

// reasonTexts returns the texts of all kinds of damage but OtherDamage.
func reasonTexts() map[kv.ReasonCode]Text {
	return map[kv.ReasonCode]Text{
		kv.Missing:              "missing",
		kv.NotFile:              "not a file",
		kv.CutOff:               "cut off at byte %d",
		kv.CutOffOf:             "cut off at byte %d of %d",
		kv.TooLong:              "too long by %d B",
		kv.WrongSize:            "its size is %d, not %d",
		kv.WrongChecksum:        "wrong checksum",
		kv.UnreadablePieces:     "unreadable pieces of 4 KiB: %d",
		kv.Incomplete:           "the backup is damaged or incomplete",
		kv.DamagedHeader:        "header %d is damaged",
		kv.DamagedTransaction:   "damaged transaction: number %d of %d, at byte %d",
		kv.MissingBesideTables:  "missing, while there are tables",
		kv.MissingAfterWrites:   "missing, although the store was written to",
		kv.LostSinceMerge:       "the transactions since the last merge are lost; their records are unknown",
		kv.LostTransactions:     "lost transactions: %d",
		kv.DamagedBefore:        "damaged transactions: %d, before number %d",
		kv.DamagedLast:          "damaged transactions at the end: %d",
		kv.UnnamedTransactions:  "damaged transactions: %d, from number %d to %d; only readable records are named",
		kv.OlderThanJournal:     "older than the journal",
		kv.GenerationMismatch:   "of generation %d, while the journal has generation %d",
		kv.NotManifest:          "not a manifest of Badger 4",
		kv.ChangedByOther:       "another program has changed it",
		kv.WrittenByOther:       "another program has written it",
		kv.UndescribedTable:     "no description of table %d",
		kv.CopyUsed:             "%v; its copy was used",
		kv.DeletedMayReturn:     "%v; deleted records may be back",
		kv.SeveralVersions:      "in the manifest: a run with several versions",
		kv.OldRunNewVersion:     "in the manifest: an older run with a newer version",
		kv.RunsOutOfOrder:       "in the manifest: keys out of order",
		kv.RecordsLost:          "%v: its records are lost",
		kv.DamagedIndex:         "the index is damaged",
		kv.DamagedBlock:         "a block is damaged",
		kv.DamagedBetween:       "a block is damaged: records between %q and %q",
		kv.DamagedBetweenRead:   "a block is damaged: records between %q and %q; all of them were read",
		kv.WrongVersion:         "key %q has version %d instead of %d",
		kv.WrittenWrongly:       "the new table differs from what was written",
		search.DamagedIndex:     "search index %d: %v",
		search.DamagedList:      "search index %d, term %q: %v",
		search.MissingBlock:     "a block is missing",
		search.WrongBlocks:      "its blocks do not match its header",
		search.IllFormed:        "a record is not well formed",
		search.MissingPosting:   "an entry is missing",
		search.MissingText:      "missing text: %d",
		search.WrongTraits:      "text with number %d: its time or kind is wrong",
		search.WrongOwner:       "text with number %d: id %q and group %d instead of %q and %d",
		search.WrongVector:      "text with number %d: its vector is wrong",
		search.WrongVectorCount: "wrong count of vectors: %d instead of %d",
		search.WrongTextCount:   "wrong count of texts: %d, length %d, instead of %d, length %d",
		search.WrongWaiting:     "wrong count of new texts: %d instead of %d",
		search.NoListKind:       "a list without a kind",
		search.WrongLists:       "the lists of kind %c do not match the texts",
		search.WrongListCount:   "wrong count of entries: %d instead of %d",
		vectors.IllFormed:       "a record of vectors is not well formed",
		vectors.WrongSketch:     "text with number %d: its vector and its sketch do not match",
		vectors.WrongCount:      "wrong count of sketches: %d instead of %d",
		ledger.UnknownStatus:    "unknown status %q",
	}
}
