package memory

import (
	"context"
	"strings"
	"testing"
	"time"

	"techo/internal/testenv"
	"techo/store"
	"techo/tools"
)

// TestAddKeyed: an addition with an idempotency key to a database has the errors of one without,
// and shows what is related.
func TestAddKeyed(t *testing.T) {
	options := store.Options{Write: true, Now: time.Now}
	st, err := store.Open(testenv.NewDatabase(t, store.Migrate, options), options)
	if err != nil {
		t.Fatal(err)
	}
	defer st.Close()
	env := func(user string) *tools.Env {
		return &tools.Env{User: user, Zone: time.UTC, Now: time.Now,
			Open: func(context.Context, bool) (*store.Store, error) { return st, nil }}
	}
	for _, refused := range []struct{ user, input string }{
		{strings.Repeat("u", 300), `{"full_text":"tea"}`},
		{"alice", `{"full_text":"tea","created_at":"never"}`},
		{"alice", `{"full_text":"` + strings.Repeat("tea ", 3_000_000) + `"}`},
	} {
		_, want := Add.Invoke(t.Context(), env(refused.user), tools.Call{Input: []byte(refused.input)})
		_, got := Add.Invoke(t.Context(), env(refused.user), tools.Call{Input: []byte(refused.input), Key: "refused"})
		if want == nil || got == nil || got.Code != want.Code || got.Message != want.Message || got.Hint != want.Hint {
			t.Errorf("%.80s: %v, without a key %v", refused.input, got, want)
		}
	}
	for i, input := range []string{`{"full_text":"The content is tea."}`, `{"full_text":"The content is green tea."}`} {
		r, e := Add.Invoke(t.Context(), env("alice"), tools.Call{Input: []byte(input), Key: input})
		if e != nil || strings.Contains(string(r.JSON), `"related":[]`) != (i == 0) {
			t.Errorf("%s: %v, %v", input, r, e)
		}
	}
}
