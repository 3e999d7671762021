package tools

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"techo/store/kv"
	"techo/store/ledger"
	"techo/store/memory"
)

// TestDamageText describes damage in the caller's language.
func TestDamageText(t *testing.T) {
	for _, c := range []struct {
		err    error
		en, ja string
	}{
		{&ledger.FindingError{Code: ledger.NoIndexEntry, Kind: ledger.KindMemo, ID: "m1"},
			"memo m1 lacks an index entry", "メモ m1 の索引の項目がありません"},
		{&ledger.FindingError{Code: ledger.NoRecord, Kind: ledger.KindMemo, ID: "m1", Space: "team"},
			"memo m1 in the space team is in an index, but has no record",
			"スペース team のメモ m1 は索引にありますが、レコードがありません"},
		{&ledger.FindingError{Code: ledger.WrongCount, Kind: ledger.KindCalendar, ID: "work",
			Cause: &ledger.CountError{Stored: 2, Counted: 1}},
			"calendar work: a count does not match the records: 2 instead of 1",
			"カレンダー work: 件数がレコードと一致しません: 2（正しくは 1）"},
		{&ledger.FindingError{Code: ledger.UnknownKey, ID: "x\x00"}, `"x\x00" is no key of this format`,
			`"x\x00" はこの形式のキーではありません`},
		{&ledger.LimitError{What: "tags", Max: 3, Got: 4}, "Too many tags: 4, at most 3",
			"タグ が多すぎます: 4（最大 3）"},
		{&ledger.FindingError{Code: ledger.Unreadable, Kind: ledger.KindMemo, ID: "m1",
			Cause: json.Unmarshal([]byte("{"), new(int))},
			"memo m1 cannot be read: its JSON is damaged", "メモ m1 を読めません: JSON が壊れています"},
		{&kv.CorruptError{Path: "s/journal", Reason: kv.Reason{Code: kv.CutOff, Args: []any{13}}},
			"s/journal: cut off at byte 13", "s/journal: 13 バイトで途切れています"},
		{kv.Reason{Code: kv.RecordsLost, Args: []any{kv.Reason{Code: kv.Missing}}},
			"missing: its records are lost",
			"ファイルがありません。そのレコードは失われました"},
		{&memory.SameTextError{ID: "mem_1"}, "it has the same text as mem_1", "mem_1 と同じ本文です"},
	} {
		wrapped := fmt.Errorf("verify: %w", c.err)
		for lang, want := range map[Lang]string{English: c.en, Japanese: c.ja} {
			if got := (&Env{Lang: lang}).DamageText(wrapped); got != want {
				t.Errorf("%s: %q, want %q", lang, got, want)
			}
		}
	}
	e := (&Env{Lang: Japanese}).storeError(&ledger.FindingError{Code: ledger.WrongIndex, Kind: ledger.KindEvent})
	if e == nil || e.Code != Corrupt ||
		!strings.Contains(e.Message, "予定: 索引がレコードと一致しません") {
		t.Errorf("%+v", e)
	}
	if !errors.As(&ledger.FindingError{}, new(*kv.CorruptError)) {
		t.Error("a finding is no kv.CorruptError")
	}
}
