package tools

import (
	"context"
	"testing"
	"time"
)

// TestWhen checks that an unavailable tool is rejected with the missing condition
// as hint, except on the command line.
func TestWhen(t *testing.T) {
	type nothing struct{}
	type done struct {
		Message string `json:"message"`
	}
	tool := Define(Tool{
		Name: "secret_tool", Command: "secret",
		When: func(env *Env) *Error {
			if env.User == "tanaka" {
				return nil
			}
			return env.Fail(Unavailable, "Interrupted").WithHint("--user tanaka")
		},
	}, func(context.Context, *Env, nothing) (done, error) { return done{"done"}, nil })
	env := &Env{Lang: Japanese, Zone: time.UTC}
	// Availability is checked before the input.
	_, e := tool.Invoke(t.Context(), env, Call{Input: []byte(`{"unknown":1}`)})
	if e == nil || e.Code != Unavailable || e.Message != "中断されました" || e.Hint != "--user tanaka" ||
		e.Tool != "secret_tool" || e.Retryable {
		t.Errorf("off: %+v", e)
	}
	if r, e := tool.Invoke(t.Context(), env, Call{SkipWhen: true}); e != nil || r.Text != "done" {
		t.Errorf("typed: %+v", e)
	}
	env.User = "tanaka"
	if r, e := tool.Invoke(t.Context(), env, Call{}); e != nil || string(r.JSON) != `{"message":"done"}` {
		t.Errorf("on: %+v", e)
	}
}
