package server

import (
	"testing"
	"time"

	"techo/store/token"
	"techo/tools"
)

// TestTokenLimits: a token has its calls in a minute and at once, and no other
// token's.
func TestTokenLimits(t *testing.T) {
	env, l, now := &tools.Env{}, newTokenLimits(), time.Unix(1_700_000_000, 0)
	a, b := &token.Token{ID: "a", PerMinute: 6}, &token.Token{ID: "b", AtOnce: 2}
	for range 6 {
		if _, e := l.enter(env, a, now); e != nil {
			t.Fatal(e)
		}
	}
	_, e := l.enter(env, a, now)
	if e == nil || e.Code != tools.RateLimited || e.RetryAfter != 10*time.Second {
		t.Fatalf("the seventh call: %+v", e)
	}
	if _, e = l.enter(env, a, now.Add(9*time.Second)); e == nil {
		t.Error("a refused call counted")
	}
	if _, e = l.enter(env, a, now.Add(10*time.Second)); e != nil {
		t.Error("after 10 seconds:", e)
	}
	leave, e := l.enter(env, b, now)
	if e != nil {
		t.Fatal(e)
	}
	if _, e = l.enter(env, b, now); e != nil {
		t.Fatal(e)
	}
	if _, e = l.enter(env, b, now); e == nil {
		t.Error("three calls at once")
	}
	leave()
	if _, e = l.enter(env, b, now); e != nil {
		t.Error("after one has ended:", e)
	}
	for range 100 {
		if _, e := l.enter(env, nil, now); e != nil {
			t.Fatal("the owner is limited:", e)
		}
	}
}
