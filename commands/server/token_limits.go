package server

import (
	"math"
	"sync"
	"time"

	"golang.org/x/time/rate"

	"techo/store/token"
	"techo/tools"
)

// tokenLimits bounds the calls of each token with limits of its own. Every server
// counts for itself.
type tokenLimits struct {
	mu   sync.Mutex
	used map[string]*tokenUse // by id of the token
}

// tokenUse is what one token uses now.
type tokenUse struct {
	rate    *rate.Limiter // nil: unlimited
	running int
}

func newTokenLimits() *tokenLimits { return &tokenLimits{used: map[string]*tokenUse{}} }

// enter begins a call of a token. The caller calls leave when the call has ended.
func (l *tokenLimits) enter(env *tools.Env, t *token.Token, now time.Time) (leave func(), e *tools.Error) {
	if t == nil || t.PerMinute == 0 && t.AtOnce == 0 {
		return func() {}, nil
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	u := l.used[t.ID]
	if u == nil {
		u = &tokenUse{}
		if t.PerMinute > 0 {
			u.rate = rate.NewLimiter(rate.Every(time.Minute/time.Duration(t.PerMinute)), t.PerMinute)
		}
		l.used[t.ID] = u
	}
	if t.AtOnce > 0 && u.running >= t.AtOnce {
		return nil, RetryLater(env, "Too many calls at once with this token: at most %d", t.AtOnce)
	}
	if u.rate != nil {
		slot := u.rate.ReserveN(now, 1)
		if wait := slot.DelayFrom(now); wait > 0 {
			slot.CancelAt(now)
			return nil, retryIn(env, wait, "Too many calls a minute with this token: at most %d", t.PerMinute)
		}
	}
	u.running++
	return func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		u.running--
	}, nil
}

// retryIn returns the error of a call that may succeed after a time.
func retryIn(env *tools.Env, wait time.Duration, message tools.Text, args ...any) *tools.Error {
	e := env.Fail(tools.RateLimited, message, args...)
	seconds := int(math.Ceil(wait.Seconds()))
	e.RetryAfter = time.Duration(seconds) * time.Second
	in := env.Count(seconds, "%d second", "%d seconds")
	e.Details = []tools.Detail{{Message: env.Localize("Try again in %s", in)}}
	return e.WithHint(env.Hint("Try again in %s", in)) // a text has no details
}
