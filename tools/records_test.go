package tools

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"techo/store"
	"techo/store/kv"
)

// TestDamageText describes damage in the caller's language.
func TestDamageText(t *testing.T) {
	for _, c := range []struct {
		err    error
		en, ja string
	}{
		{&store.FindingError{Code: store.NoIndexEntry, Kind: store.KindMemo, ID: "m1"},
			"memo m1 lacks an index entry", "メモ m1 の索引の項目がありません"},
		{&store.FindingError{Code: store.WrongCount, Kind: store.KindCalendar, ID: "work",
			Cause: errors.New("2 instead of 1")}, "calendar work: a count does not match the records: 2 instead of 1",
			"カレンダー work: 件数がレコードと一致しません: 2 instead of 1"},
		{&store.FindingError{Code: store.UnknownKey, ID: "x\x00"}, `"x\x00" is no key of this format`,
			`"x\x00" はこの形式のキーではありません`},
		{&store.LimitError{What: "tags", Max: 3, Got: 4}, "Too many tags: 4, at most 3", "タグ が多すぎます: 4（最大 3）"},
		{&store.SameTextError{ID: "mem_1"}, "it has the same text as mem_1", "mem_1 と同じ本文です"},
	} {
		wrapped := fmt.Errorf("verify: %w", c.err)
		for lang, want := range map[Lang]string{English: c.en, Japanese: c.ja} {
			if got := (&Env{Lang: lang}).DamageText(wrapped); got != want {
				t.Errorf("%s: %q, want %q", lang, got, want)
			}
		}
	}
	e := storeError(&Env{Lang: Japanese}, &store.FindingError{Code: store.WrongIndex, Kind: store.KindEvent})
	if e == nil || e.Code != Corrupt || !strings.Contains(e.Message, "予定: 索引がレコードと一致しません") {
		t.Errorf("%+v", e)
	}
	if !errors.As(&store.FindingError{}, new(*kv.CorruptError)) {
		t.Error("a finding is no kv.CorruptError")
	}
}
