package memo

import (
	"errors"
	"testing"

	"techo/store/ledger"
	"techo/tools"
)

// TestExplainNotFound names the kind of record that is missing.
func TestExplainNotFound(t *testing.T) {
	for _, c := range []struct {
		kind          ledger.Kind
		lang          tools.Lang
		message, hint string
	}{
		{ledger.KindMemo, tools.English, "Memo not found (name: x)", "See techo memo list"},
		{ledger.KindTag, tools.English, "Memo tag not found: x", "See techo memo tags"},
		{ledger.KindTag, tools.Japanese, "メモのタグが見つかりません: x",
			"techo memo tags を参照してください"},
		{ledger.KindCalendar, tools.English, "calendar not found: x", ""},
		{ledger.KindCalendar, tools.Japanese, "カレンダー が見つかりません: x", ""},
	} {
		env := &tools.Env{Lang: c.lang}
		err := explain(env, &ledger.NotFoundError{Kind: c.kind, Name: "x"})
		e := new(tools.Error)
		if !errors.As(Get.AsError(env, err), &e) || e.Code != tools.NotFound || e.Message != c.message ||
			e.Hint != c.hint {
			t.Errorf("%s in %s: %+v", c.kind, c.lang, e)
		}
	}
	env := &tools.Env{}
	e := new(tools.Error)
	near := &ledger.NotFoundError{Kind: ledger.KindTag, Name: "foo", Near: []string{"food"}}
	if !errors.As(explain(env, near), &e) || e.Hint != env.DidYouMean(near.Near) {
		t.Errorf("a near tag: %+v", e)
	}
}
