package memo

import (
	"errors"
	"testing"

	"techo/store"
	"techo/tools"
)

// TestExplainNotFound names the kind of record that is missing.
func TestExplainNotFound(t *testing.T) {
	for _, c := range []struct {
		kind          store.Kind
		lang          tools.Lang
		message, hint string
	}{
		{store.KindMemo, tools.English, "Memo not found (name: x)", "See techo memo list"},
		{store.KindTag, tools.English, "Memo tag not found: x", "See techo memo tags"},
		{store.KindTag, tools.Japanese, "メモのタグが見つかりません: x",
			"techo memo tags で確認してください"},
		{store.KindCalendar, tools.English, "calendar not found: x", ""},
		{store.KindCalendar, tools.Japanese, "カレンダー が見つかりません: x", ""},
	} {
		env := &tools.Env{Lang: c.lang}
		err := explain(env, &store.NotFoundError{Kind: c.kind, Name: "x"})
		e := new(tools.Error)
		if !errors.As(Get.AsError(env, err), &e) || e.Code != tools.NotFound || e.Message != c.message ||
			e.Hint != c.hint {
			t.Errorf("%s in %s: %+v", c.kind, c.lang, e)
		}
	}
	env := &tools.Env{}
	e := new(tools.Error)
	near := &store.NotFoundError{Kind: store.KindTag, Name: "foo", Near: []string{"food"}}
	if !errors.As(explain(env, near), &e) || e.Hint != env.DidYouMean(near.Near) {
		t.Errorf("a near tag: %+v", e)
	}
}
