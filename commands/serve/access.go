package serve

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/hex"
	"errors"
	"io/fs"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"techo/commands/page"
	"techo/commands/run"
	"techo/commands/server"
	"techo/commands/system"
	"techo/export"
	"techo/internal/private"
	"techo/store/ledger"
	"techo/store/token"
	"techo/tools"
	"techo/tools/message"
)

// access identifies the senders of requests. The owner of the server may name any
// user; a user's token is valid for that user only.
type access struct {
	secret string // the owner's token, or ""
	open   bool   // requests without a token are the owner's

	// find returns the user's token with a secret, or a store.NotFoundError.
	find func(ctx context.Context, secret string) (token.Token, error)
}

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
		WithHint(env.Hint("Send the header Authorization: Bearer $TECHO_TOKEN; %s creates a token for a "+
			"user", tools.Use("token add")))
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

func (u *userTokens) any(ctx context.Context) bool {
	st, err := u.run.Open(ctx, false)
	if err != nil {
		return false
	}
	all, err := st.ListTokens(ctx)
	return err == nil && len(all) > 0
}

// guard refuses requests that web pages send.
//
// A page in a browser on this machine can send requests to the server. If the
// owner of the page's host name points that name at this machine (DNS
// rebinding), the page can also read the answers. But a page cannot choose the
// Host and Origin headers that its browser sends. So Host must be an address or
// an allowed name, and Origin must be absent or match Host. The server's
// own page has the same origin. A one-time link is opened from anywhere: its key, which
// no other page can guess, protects it.
type guard struct {
	socket bool     // listens on a unix socket, which browsers cannot reach
	names  []string // host names by which clients may call this machine
}

func (g guard) check(env *tools.Env, r *http.Request) *tools.Error {
	switch {
	case !g.socket && !g.isOurs(r.Host):
		return env.Fail(tools.Forbidden, "%q is not a name of this server", r.Host).
			WithHint(env.Hint("Call it by its address or localhost, or start it with %s",
				tools.Flag("host", tools.Placeholder("NAME"))))
	case g.isForeign(r) && !opensPage(r):
		return env.Fail(tools.Forbidden, "Web pages cannot call this server").
			WithHint(env.Hint("Call it from a program, not from a browser"))
	}
	return nil
}

// opensPage reports whether a browser navigates to a one-time link of the page. Scripts
// cannot read the answer, which is not CORS-enabled.
func opensPage(r *http.Request) bool {
	return r.Method == http.MethodGet && r.URL.Path == page.OpenPath && len(r.Header.Values("Origin")) == 0 &&
		r.Header.Get("Sec-Fetch-Dest") == "document"
}

// isOurs reports whether a Host stands for this machine: an address, which
// cannot be rebound, localhost, or an allowed name.
func (g guard) isOurs(host string) bool {
	name := hostName(host)
	if _, err := netip.ParseAddr(name); err == nil {
		return true
	}
	return strings.EqualFold(name, "localhost") ||
		slices.ContainsFunc(g.names, func(n string) bool { return strings.EqualFold(n, name) })
}

// hostName returns a Host without its port and brackets.
func hostName(host string) string {
	if name, _, err := net.SplitHostPort(host); err == nil {
		return name
	}
	return strings.TrimSuffix(strings.TrimPrefix(host, "["), "]")
}

// isForeign reports whether a request comes from a page of another origin.
// Browsers set the headers Sec-Fetch-Site and Origin; other programs do not.
func (g guard) isForeign(r *http.Request) bool {
	switch r.Header.Get("Sec-Fetch-Site") {
	case "", "none", "same-origin":
	default:
		return true
	}
	for _, origin := range r.Header.Values("Origin") {
		u, err := url.Parse(origin)
		if err != nil || u.Host == "" || !strings.EqualFold(u.Host, r.Host) || u.Scheme != "http" &&
			u.Scheme != "https" {
			return true
		}
	}
	return false
}

// tokenPrefix starts every token, so that people and secret scanners recognize
// it.
const tokenPrefix = "techo_"

const tokenBytes = 32

// NewToken returns a random token.
func NewToken() string {
	b := make([]byte, tokenBytes)
	_, _ = rand.Read(b) // never fails
	return tokenPrefix + hex.EncodeToString(b)
}

func isToken(text string) bool {
	digits, ok := strings.CutPrefix(text, tokenPrefix)
	if !ok || len(digits) != hex.EncodedLen(tokenBytes) {
		return false
	}
	return strings.Trim(digits, "0123456789abcdef") == ""
}

const tokenFile = "token"

// ownerToken is the token of the owner of a server. techo creates it if no other
// token exists, and keeps it in a file for later starts.
type ownerToken struct {
	secret  string // "" without a token
	file    string // its path
	created bool   // by this start
}

// findOwnerToken returns the token that the servers of this user share. With
// create set it creates a missing token.
func findOwnerToken(s *run.Run, create bool) (ownerToken, *tools.Error) {
	env, dir := s.Env(), filepath.Join(s.System.State(), system.Name)
	if s.System.State() == "" {
		if !create {
			return ownerToken{}, nil
		}
		return ownerToken{}, tokenFileError(env, "", errNoState)
	}
	t := ownerToken{file: filepath.Join(dir, tokenFile)}
	err := t.read(dir, create)
	if errors.Is(err, fs.ErrNotExist) && !create {
		return t, nil
	}
	if err != nil {
		return t, tokenFileError(env, t.file, err)
	}
	return t, nil
}

// read reads the token from its folder, or creates it.
func (t *ownerToken) read(dir string, create bool) error {
	if create {
		if err := private.CreateFolder(dir); err != nil {
			return err
		}
		defer lockFolder(dir)()
	}
	folder, err := private.OpenFolderItself(dir)
	if err != nil {
		return err
	}
	defer folder.Close()
	b, err := folder.ReadSecret(tokenFile, 1024)
	if errors.Is(err, fs.ErrNotExist) && create {
		t.secret, t.created = NewToken(), true
		return export.Private(t.file, []byte(t.secret+"\n"))
	}
	if err != nil {
		return err
	}
	if t.secret = strings.TrimSpace(string(b)); !isToken(t.secret) {
		return errNoToken
	}
	return nil
}

// errNoToken is returned for a file without a token.
var errNoToken = message.NewError("the file contains no token")

// tokenFileError returns the error of a server that cannot read or create its
// token.
func tokenFileError(env *tools.Env, path string, err error) *tools.Error {
	code := tools.Unavailable
	if errors.As(err, new(*private.Error)) || errors.As(err, new(*private.NotFileError)) ||
		errors.Is(err, fs.ErrPermission) {
		code = tools.Forbidden
	}
	e := env.Fail(code, "The server's token cannot be used: %v", err)
	if path == "" {
		return e.WithHint(env.Hint("Set TECHO_TOKEN to a long random text, or listen on unix:PATH"))
	}
	return e.WithHint(env.Hint("Remove %s so that another one is created, or set TECHO_TOKEN", path))
}
