package serve

import (
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"errors"
	"net/http"
	"strings"
	"sync"
	"techo/commands/run"
	"techo/commands/server"
	"techo/store"
	"techo/tools"
	"time"
)

// Access decides in whose name a request is answered. The server's owner may
// name any user; the token of a user stands for that user alone.
type Access struct {
	Secret string // the owner's token; "" is none
	Open   bool   // a request without a token is the owner's

	// find returns the token of a user, or a store.NotFoundError.
	find func(ctx context.Context, secret string) (store.Token, error)
}

// identify returns who sent a request.
func (a *Access) identify(env *tools.Env, r *http.Request) (server.Caller, *tools.Error) {
	shown := r.Header.Values("Authorization")
	if len(shown) == 0 && a.Open {
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
	if a.Secret != "" && sameSecret(secret, a.Secret) {
		return server.Caller{}, nil
	}
	if !isToken(secret) || a.find == nil {
		return server.Caller{}, refusedToken(env)
	}
	t, err := a.find(r.Context(), secret)
	switch {
	case errors.As(err, new(*store.NotFoundError)):
		return server.Caller{}, refusedToken(env)
	case err != nil:
		return server.Caller{}, tools.AsError(env, err)
	}
	return server.Caller{Token: &t}, nil
}

// sameSecret compares two secrets in a time that tells nothing about either.
func sameSecret(a, b string) bool {
	x, y := sha256.Sum256([]byte(a)), sha256.Sum256([]byte(b))
	return subtle.ConstantTimeCompare(x[:], y[:]) == 1
}

// refusedToken is the answer to a request without a token that counts.
func refusedToken(env *tools.Env) *tools.Error {
	return env.Fail(tools.Unavailable, "The token is missing or wrong").
		WithHint(env.Localize("Send the header Authorization: Bearer $TECHO_TOKEN; techo token add makes a token " +
			"for a user"))
}

// userTokens finds the tokens of users in the store, and notes their use.
type userTokens struct {
	*run.Run
	mu    sync.Mutex
	noted map[string]time.Time // when it was last tried, by id
}

// noteEvery is how long one that could not be noted is left alone, and noteTime
// how long a request waits for it.
const (
	noteEvery = time.Minute
	noteTime  = time.Second
)

// find returns the token with a secret.
func (u *userTokens) find(ctx context.Context, secret string) (store.Token, error) {
	st, err := u.Open(ctx, false)
	if err != nil {
		return store.Token{}, err
	}
	t, err := st.FindToken(ctx, secret)
	if err == nil && t.Stale(u.Options.Clock()) && u.first(t.ID) {
		u.note(ctx, secret)
	}
	return t, err
}

// first reports whether nobody tried to note a use of a token just now.
func (u *userTokens) first(id string) bool {
	u.mu.Lock()
	defer u.mu.Unlock()
	now := time.Now()
	if last, ok := u.noted[id]; ok && now.Sub(last) < noteEvery {
		return false
	}
	if u.noted == nil {
		u.noted = map[string]time.Time{}
	}
	u.noted[id] = now
	return true
}

// note writes that a token was used. That it cannot be written is no reason to
// refuse a call.
func (u *userTokens) note(ctx context.Context, secret string) {
	ctx, stop := context.WithTimeout(ctx, noteTime)
	defer stop()
	if st, err := u.Open(ctx, true); err == nil {
		_ = st.UseToken(ctx, secret)
	}
}

// any reports whether users have tokens.
func (u *userTokens) any(ctx context.Context) bool {
	st, err := u.Open(ctx, false)
	if err != nil {
		return false
	}
	all, err := st.Tokens(ctx)
	return err == nil && len(all) > 0
}
