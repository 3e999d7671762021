package serve

import (
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"errors"
	"net/http"
	"strings"
	"sync"
	"time"

	"techo/commands/run"
	"techo/commands/server"
	"techo/store/ledger"
	"techo/store/token"
	"techo/tools"
)

// access identifies the senders of requests. The owner of the server may name any
// user; a user's token is valid for that user only.
type access struct {
	secret string // the owner's token, or ""
	open   bool   // requests without a token are the owner's

	// find returns the user's token with a secret, or a store.NotFoundError.
	find func(ctx context.Context, secret string) (token.Token, error)
}

// identify returns the sender of a request.
func (a *access) identify(env *tools.Env, r *http.Request) (server.Caller, *tools.Error) {
	shown := r.Header.Values("Authorization")
	if len(shown) == 0 && a.open {
		return server.Caller{}, nil
	}
	if len(shown) != 1 {
		return server.Caller{}, refusedToken(env)
	}
	scheme, secret, _ := strings.Cut(shown[0], " ")
	secret = strings.TrimSpace(secret)
	if !strings.EqualFold(scheme, "Bearer") || secret == "" {
		return server.Caller{}, refusedToken(env)
	}
	if a.secret != "" && sameSecret(secret, a.secret) {
		return server.Caller{}, nil
	}
	if !isToken(secret) || a.find == nil {
		return server.Caller{}, refusedToken(env)
	}
	t, err := a.find(r.Context(), secret)
	switch {
	case errors.As(err, new(*ledger.NotFoundError)):
		return server.Caller{}, refusedToken(env)
	case err != nil:
		return server.Caller{}, tools.AsError(env, err)
	}
	return server.Caller{Token: &t}, nil
}

// sameSecret compares two secrets. The time that it takes reveals neither of
// them.
func sameSecret(a, b string) bool {
	x, y := sha256.Sum256([]byte(a)), sha256.Sum256([]byte(b))
	return subtle.ConstantTimeCompare(x[:], y[:]) == 1
}

// refusedToken returns the error for a request without a valid token.
func refusedToken(env *tools.Env) *tools.Error {
	return env.Fail(tools.Unavailable, "The token is missing or wrong").
		WithHint(env.Hint("Send the header Authorization: Bearer $TECHO_TOKEN; techo token add creates a " +
			"token for a user"))
}

// userTokens finds the tokens of users in the store and records their use.
type userTokens struct {
	run   *run.Run
	mu    sync.Mutex
	tried map[string]time.Time // last attempt to record a use, by id of the token
}

// Limits of the attempts to record a use.
const (
	recordEvery = time.Minute // between two attempts for one token
	recordTime  = time.Second // a request waits no longer for it
)

// find returns the token with a secret.
func (u *userTokens) find(ctx context.Context, secret string) (token.Token, error) {
	st, err := u.run.Open(ctx, false)
	if err != nil {
		return token.Token{}, err
	}
	t, err := st.FindToken(ctx, secret)
	if err == nil && t.Stale(u.run.Options.Clock()) && u.due(t.ID) {
		u.record(ctx, secret)
	}
	return t, err
}

// due reports whether the use of a token should be recorded: the last attempt is
// at least recordEvery ago.
func (u *userTokens) due(id string) bool {
	u.mu.Lock()
	defer u.mu.Unlock()
	now := time.Now()
	if last, ok := u.tried[id]; ok && now.Sub(last) < recordEvery {
		return false
	}
	if u.tried == nil {
		u.tried = map[string]time.Time{}
	}
	u.tried[id] = now
	return true
}

// record stores that a token was used. Its error is ignored: it must not fail the
// request.
func (u *userTokens) record(ctx context.Context, secret string) {
	ctx, stop := context.WithTimeout(ctx, recordTime)
	defer stop()
	if st, err := u.run.Open(ctx, true); err == nil {
		_ = st.UseToken(ctx, secret)
	}
}

// any reports whether there are tokens of users.
func (u *userTokens) any(ctx context.Context) bool {
	st, err := u.run.Open(ctx, false)
	if err != nil {
		return false
	}
	all, err := st.ListTokens(ctx)
	return err == nil && len(all) > 0
}
